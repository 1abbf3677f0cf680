"""A terminal that does not come up is told from one that does, in its own words."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from companion.system import programs
from companion.system.platform import LINUX, MACOS, WINDOWS, Platform
from companion.system.programs import in_workspace
from companion.terminals import processes
from companion.terminals.command_lines import Launch, posix_line

REFUSED = "35:44: execution error: Not authorized to send Apple events to Terminal. (-1743)"


@pytest.fixture
def start(tmp_path):
    """Starts a script as a terminal."""

    def start(text, name=LINUX):
        script = tmp_path / "terminal"
        script.write_text("#!/bin/sh\n" + text)
        script.chmod(0o755)
        platform = Platform(name, os.environ, str(tmp_path))
        processes.start_terminal([str(script)], str(tmp_path), {"A": "b"}, platform, [], lambda: False)

    return start


def test_a_terminal_that_goes_on_is_not_waited_for(start, tmp_path):
    (tmp_path / "going").touch()
    start(f"while [ -e {tmp_path}/going ]; do sleep 0.1; done\n")
    (tmp_path / "going").unlink()


def test_a_terminal_that_fails_without_a_word_raises_its_code(start):
    with pytest.raises(processes.TerminalError) as caught:
        start("exit 7\n")
    assert str(caught.value) == "it ended with code 7"


def test_a_slow_refusal_on_macos_is_waited_for_and_says_where_to_allow_it(start):
    """The user is asked whether the editor may control Terminal, and takes a moment to say no."""
    with pytest.raises(processes.TerminalError) as caught:
        start(f"sleep 1.5\necho '{REFUSED}' >&2\nexit 1\n", MACOS)
    assert str(caught.value).startswith(REFUSED)
    assert "Automation" in str(caught.value)


def test_a_terminal_that_is_not_there_raises(tmp_path):
    platform = Platform(LINUX, os.environ, str(tmp_path))
    with pytest.raises(OSError):
        processes.start_terminal([str(tmp_path / "none")], str(tmp_path), {}, platform, [], lambda: False)


def install(folder, *names):
    """Programs that do nothing."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


def find(words, home, workspace=(), cancelled=lambda: False, **environment):
    """The words that start a client; by default in a shell without a PATH of its own."""
    platform = Platform(LINUX, {"SHELL": "/bin/sh", **environment}, str(home))
    return processes.find_client(words, platform, [str(folder) for folder in workspace], cancelled)


def test_a_program_on_the_editors_path_is_found_with_that_of_node(tmp_path):
    install(tmp_path / "one", "gemini")
    install(tmp_path / "two", "node")
    both = "{}:{}".format(tmp_path / "one", tmp_path / "two")
    words = find(("gemini", "x"), tmp_path, PATH=both).words
    assert words[3:] == (both, "gemini", "x")
    assert find(("no-such-program",), tmp_path, PATH=both) == ((), "")


def test_a_terminal_has_its_folder_its_variables_and_its_session(start, tmp_path):
    """One that hands over to a server of the desktop and ends has not failed."""
    start('pwd > place; echo "$A" > variable; ps -o sid= -p $$ > session; exit 0\n')
    assert (tmp_path / "place").read_text().strip() == os.path.realpath(str(tmp_path))
    assert (tmp_path / "variable").read_text() == "b\n"
    session = (tmp_path / "session").read_text().strip()
    assert not session or int(session) != os.getsid(0)


def test_its_last_line_is_what_counts(start):
    with pytest.raises(processes.TerminalError) as caught:
        start(f"echo '{REFUSED}' >&2\necho '  last words  ' >&2\necho >&2\nexit 1\n")
    assert str(caught.value) == "last words"


@pytest.mark.parametrize(
    ("name", "word", "program"),
    [
        (LINUX, "gemini", "gemini"),
        (LINUX, "~/bin/gemini", "/home/it's $me/bin/gemini"),
        (MACOS, "$HOME/bin/gemini", "/home/it's $me/bin/gemini"),
        (LINUX, "${TOOLS}/gemini", "/opt/tools/gemini"),
        (LINUX, "$NONE/~/gemini", "$NONE/~/gemini"),
        (WINDOWS, "~\\bin\\gemini", "C:\\Users\\me\\bin\\gemini"),
        (WINDOWS, "~/bin/gemini", "C:\\Users\\me\\bin\\gemini"),
        (WINDOWS, "%USERPROFILE%\\bin\\gemini", "C:\\Users\\me\\bin\\gemini"),
        (WINDOWS, "\\\\server\\c$\\gemini", "\\\\server\\c$\\gemini"),
    ],
)
def test_the_program_may_be_named_as_in_a_shell_and_the_rest_is_its_own(monkeypatch, name, word, program):
    variables = {"HOME": "/home/it's $me", "USERPROFILE": "C:\\Users\\me", "TOOLS": "/opt/tools", "me": "you"}
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.delenv("NONE", raising=False)
    platform = Platform(name, os.environ, "/home/me")
    assert processes.expanded((word, "~", "$HOME"), platform) == (program, "~", "$HOME")


def test_a_client_is_started_from_where_it_was_found(tmp_path, monkeypatch):
    install(tmp_path, "gemini")
    monkeypatch.setenv("HOME", str(tmp_path))
    words = find(("~/gemini", "~"), tmp_path).words
    assert words[-2:] == (str(tmp_path / "gemini"), "~")
    assert str(tmp_path) in words[3]
    assert find(("~/none",), tmp_path) == ((), "")


def test_a_program_that_only_the_login_shell_finds_is_run_by_it(tmp_path, monkeypatch):
    """By its start-up files it may have a PATH of its own, and functions and aliases, which nobody else can run."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "on-path").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "on-path").chmod(0o755)
    start_up = (
        f'echo welcome; PATH="{tmp_path}/bin:$PATH"; function_() {{ echo "ran $1 $A"; }}; alias alias_=function_\n'
    )
    (tmp_path / ".bash_profile").write_text(start_up)
    bash = shutil.which("bash")
    assert find(("on-path", "x y"), tmp_path, SHELL=bash).words == (str(tmp_path / "bin" / "on-path"), "x y")
    for name in ("function_", "alias_"):
        words = find((name, "x y"), tmp_path, SHELL=bash).words
        line = posix_line(Launch("", words, str(tmp_path), {"A": "b"}))
        answer = subprocess.run([bash, "-lic", line], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        assert answer.stdout.decode().splitlines()[-1] == "ran x y b"


def test_the_users_terminal_may_be_named_as_in_a_shell(tmp_path, monkeypatch):
    script = tmp_path / "terminal"
    script.write_text('#!/bin/sh\necho "$1" >"$2"\n')
    script.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    noted = tmp_path / "noted"
    platform = Platform(LINUX, os.environ, str(tmp_path))
    processes.start_terminal(["~/terminal", "~", str(noted)], str(tmp_path), {}, platform, [], lambda: False)
    assert noted.read_text() == "~\n"


def test_a_program_beside_node_has_one_folder(tmp_path):
    install(tmp_path, "gemini", "node")
    assert find(("gemini",), tmp_path, PATH=str(tmp_path)).words[3] == str(tmp_path)
    (tmp_path / "node").unlink()
    assert find(("gemini",), tmp_path, PATH=str(tmp_path)).words[3] == str(tmp_path)


@pytest.mark.parametrize("of_the_shell", [True, False])
def test_what_lies_in_a_workspace_folder_is_not_started_and_that_is_said(tmp_path, monkeypatch, of_the_shell):
    project = tmp_path / "project"
    install(project, "gemini")
    (tmp_path / "link").symlink_to(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in (project, tmp_path / "link"):
        (tmp_path / "home").mkdir(exist_ok=True)
        (tmp_path / "home" / ".profile").write_text(f"PATH={folder}:$PATH\n" if of_the_shell else "")
        client = find(("gemini",), tmp_path / "home", [project], PATH="/bin" if of_the_shell else str(folder))
        assert client == ((), in_workspace(str(folder / "gemini")))
        assert find((str(folder / "gemini"),), tmp_path / "home", [project]).words, "the user has named it in full"


@pytest.mark.parametrize("workspace", [["one", "two words"], ["link"]])
def test_the_shells_path_in_a_workspace_folder_is_not_used_either(tmp_path, workspace):
    """Whichever folder of the window it lies in, and whatever links lead to the one that the program is started in."""
    folders = [tmp_path / each for each in workspace]
    (tmp_path / "two words").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "two words")
    (tmp_path / "one").mkdir()
    for folder, said in ((tmp_path / "two words" / "bin", "repository"), (tmp_path / "tools", "tools")):
        install(folder, "gemini")
        (folder / "gemini").write_text(f"#!/bin/sh\necho {said}\n")
    words = find(("gemini",), tmp_path / "home", folders, PATH=str(tmp_path / "tools")).words
    path = os.pathsep.join([str(tmp_path / "two words" / "bin"), "/usr/bin", "/bin"])
    done = subprocess.run(
        words, cwd=str(folders[0]), env={"PATH": path, "PWD": str(folders[0])}, stdout=subprocess.PIPE, check=True
    )
    assert done.stdout == b"tools\n"


def test_a_relative_path_is_looked_for_in_no_folder(tmp_path, monkeypatch):
    install(tmp_path / "bin", "gemini")
    monkeypatch.chdir(tmp_path)
    client = find(("bin/gemini",), tmp_path)
    assert client.words == ()
    assert "“bin/gemini” is a relative path" in client.why


@pytest.mark.parametrize("path", [".", "", "bin"])
def test_the_current_folder_of_the_editor_is_not_looked_in(tmp_path, monkeypatch, path):
    """Where the editor was started in a terminal it is a repository."""
    for folder in (tmp_path, tmp_path / "bin"):
        install(folder, "no-such-program")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".profile").write_text(f"PATH={path}:$PATH\n")
    monkeypatch.chdir(tmp_path)
    assert find(("no-such-program",), tmp_path / "home", PATH=f"{path}:/bin").words == ()
    platform = Platform(LINUX, {"PATH": f"{path}:/bin"}, str(tmp_path / "home"))
    with pytest.raises(processes.TerminalError, match="no such program"):
        processes.start_terminal(["no-such-program"], str(tmp_path), {}, platform, [], lambda: False)


def test_a_login_shell_that_never_answers_knows_nothing(tmp_path, later):
    shell = tmp_path / "sh"
    shell.write_text("#!/bin/sh\nexec sleep 600\n")
    shell.chmod(0o755)
    shell = str(shell)
    assert find(("no-such-program",), tmp_path, (), lambda: later(processes.SHELL_SECONDS), SHELL=shell) == ((), "")
    os.unlink(shell)
    assert find(("no-such-program",), tmp_path, SHELL=shell) == ((), "")


def test_a_name_is_no_command_line_for_the_shell(tmp_path):
    assert find((f"cd; touch {str(tmp_path).replace('/', '%')}",), tmp_path) == ((), "")
    assert find((f"cd; touch {tmp_path}/made",), tmp_path).words == ()
    assert not (tmp_path / "made").exists()


def test_on_windows_it_gets_a_window_of_its_own_and_is_not_waited_for(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **options: begun.append((words, options)))
    monkeypatch.setattr(subprocess, "CREATE_NEW_CONSOLE", 16, raising=False)
    platform = Platform(WINDOWS, {"PATH": "C:\\Windows;C:\\tools"}, "C:\\Users\\me")
    there = {"C:\\tools\\wt.exe"}
    monkeypatch.setattr(programs, "is_program", there.__contains__)
    processes.start_terminal(["wt.exe", "/k"], str(tmp_path), {"A": "b"}, platform, [], lambda: False)
    ((words, options),) = begun
    assert words == ["C:\\tools\\wt.exe", "/k"]
    assert options["cwd"] == str(tmp_path)
    assert options["env"] == {"PATH": "C:\\Windows;C:\\tools", "A": "b"}
    assert options["creationflags"] == 16
