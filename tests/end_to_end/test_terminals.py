"""Starting a client from the editor and typing into it: in Terminus, in the system's terminal, or not at all.

Terminus itself needs the real editor. In its place stands a package with its two commands and its listener, which
really starts what it is told to start, starts it again in tabs that came back after a restart, and keeps what is typed.
"""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.host.driver import Host
from tests.tools.desktop import Desktop, run_agent

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are scripts for a POSIX shell")

# The programs end with the editor, whose end closes their input.
TERMINUS = """
import os, subprocess, threading
import sublime, sublime_plugin

programs = {}  # by the number of their view; none of them is known after a restart


def start(view, cmd, cwd, env):
    program = subprocess.Popen(cmd, cwd=cwd, env=dict(os.environ, **env), stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    programs[view.id()] = program

    def ended():
        program.wait()
        del programs[view.id()]
        view.settings().set("terminus_view.finished", True)

    threading.Thread(target=ended, daemon=True).start()


class TerminusOpenCommand(sublime_plugin.WindowCommand):
    def run(self, cmd=None, cwd=None, env={}, title=None, tag=None, auto_close=True,
            reactivable=True):
        words = sublime.expand_variables(cmd, self.window.extract_variables())
        folder = sublime.expand_variables(cwd, self.window.extract_variables())
        view = self.window.new_file()
        view.set_name(title)
        view.set_scratch(True)
        view.settings().set("terminus_view", True)
        if tag:
            view.settings().set("terminus_view.tag", tag)
        view.settings().set("terminus_view.args", {"cmd": words, "cwd": folder, "env": env})
        view.settings().set("terminus_view.reactivable", reactivable)
        start(view, words, folder, env)


class TerminusAgain(sublime_plugin.EventListener):
    def on_activated_async(self, view):
        settings = view.settings()
        if settings.get("terminus_view.reactivable") and view.id() not in programs:
            if not settings.get("terminus_view.finished"):
                start(view, **settings.get("terminus_view.args"))


class TerminusSendStringCommand(sublime_plugin.WindowCommand):
    def run(self, string, tag=None, visible_only=False, bracketed=False):
        views = [view for view in self.window.views() if view.id() in programs]
        tagged = [view for view in views if tag and view.settings().get("terminus_view.tag") == tag]
        settings = (tagged or views)[-1].settings()
        settings.set("typed", settings.get("typed", "") + string)
"""

# A client that writes down how it was started, and runs until its input ends.
CLIENT = """#!/bin/sh
{ pwd; env; echo "arguments: $*"; } > "$REPORT.part"
mv "$REPORT.part" "$REPORT"
cat > /dev/null
"""
SYSTEM = "/usr/bin:/bin"


@pytest.fixture
def machine(tmp_path):
    """Folders for a Terminus package and for programs, and where a started client reports."""

    class Machine:
        terminus = tmp_path / "Terminus"
        programs = tmp_path / "bin"
        report = tmp_path / "report"
        home = tmp_path / "home"

        def install(self, name, text=CLIENT, folder=None):
            folder = folder if folder is not None else self.programs
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)

        def terminal(self, text='#!/bin/sh\nexec "$@"\n'):
            """The settings for a system terminal that is a script."""
            self.install("my-terminal", text)
            name = "osx" if sys.platform == "darwin" else "linux"
            return {"terminal_commands": {name: ["my-terminal", "$shell", "-lc", "$command"]}}

        def start(self, *folders, packages=(), settings=None, on_path=True, profile=None, path=SYSTEM, **variables):
            environment = {**variables, "REPORT": str(self.report), "SHELL": "/bin/sh"}
            environment.setdefault("PATH", f"{self.programs}:{path}" if on_path else path)
            # A login shell sets its own PATH; as users do, this one adds the folder to it.
            self.home.mkdir(exist_ok=True)
            (self.home / ".profile").write_text(profile or f'PATH="{self.programs}:$PATH"\n')
            environment["HOME"] = str(self.home)
            return Host.start(
                folders=[str(folder) for folder in folders],
                packages=[str(package) for package in packages],
                settings={"Gemini Companion": settings or {}},
                env=environment,
            )

        def reported(self, host):
            """The working directory, the environment and the arguments that the client had."""
            host.wait_until(self.report.exists)
            lines = self.report.read_text().splitlines()
            environment = dict(line.split("=", 1) for line in lines[1:-1] if "=" in line)
            return lines[0], environment, lines[-1]

    machine = Machine()
    machine.programs.mkdir()
    machine.terminus.mkdir()
    (machine.terminus / "terminus.py").write_text(TERMINUS)
    (machine.terminus / "Terminus.sublime-settings").write_text("{}")
    (machine.terminus / ".python-version").write_text("3.8")
    return machine


@pytest.fixture
def folders(tmp_path):
    found = [os.path.realpath(str(tmp_path / name)) for name in ("one folder", "it's $two")]
    for folder in found:
        os.mkdir(folder)
        with open(os.path.join(folder, "some file.py"), "w", encoding="utf-8") as file:
            file.write("one\ntwo\nthree\nfour\n")
    return found


APPLICATION = "__import__('sys').modules['Gemini Companion.plugin'].application"


def run(host, caption):
    """Runs a command of the package. A user is slower than the disk, which tells that all files are published, and
    which programs there are."""
    host.wait_until(APPLICATION + ".endpoint_of(window).connection() is not None")
    host.wait_until(lambda: enabled(host, caption))
    host.call("run_palette", caption="Companion: " + caption)


def run_gemini(host):
    host.wait_until(APPLICATION + ".endpoint_of(window).connection() is not None")
    run_agent(host, "Gemini CLI")


def terminals(host):
    return host.evaluate("[v.id() for v in window.views() if v.settings().get('terminus_view')]")


def check_connected(environment, announcement, host, *folders):
    for prefix in ("GEMINI_CLI", "QWEN_CODE"):
        assert environment[prefix + "_IDE_SERVER_PORT"] == str(announcement["port"])
        assert environment[prefix + "_IDE_WORKSPACE_PATH"] == ":".join(folders)
    assert environment["GEMINI_CLI_IDE_PID"] == str(host.editor_pid)
    assert announcement["authToken"] not in json.dumps(environment)


def enabled(host, caption):
    entries = {entry["caption"]: entry for entry in host.call("palette")}
    return entries["Companion: " + caption]["enabled"] and entries["Companion: " + caption]["visible"]


def test_a_client_in_terminus_has_the_windows_folder_and_selection(machine, folders):
    machine.install("gemini")
    with machine.start(folders[1], packages=[machine.terminus]) as host:
        announcement = Desktop(host, folders[1]).wait_published()
        view = host.call("open_file", path=os.path.join(folders[1], "some file.py"))
        host.wait_until(f"not sublime.View({view}).is_loading()")
        assert enabled(host, "Send Selection to Agent") is False
        run_gemini(host)
        where, environment, _ = machine.reported(host)
        tag = "sublime.View({}).settings().get('terminus_view.tag')".format(*terminals(host))
        assert environment["GEMINI_COMPANION_TERMINAL"] == host.evaluate(tag)
        assert where == folders[1]
        check_connected(environment, announcement, host, folders[1])
        assert len(terminals(host)) == 1
        host.call("focus_view", view=view)
        host.call("select_rowcol", view=view, row=1, column=0, end_row=3, end_column=0)
        run(host, "Send Selection to Agent")
        typed = f"sublime.View({terminals(host)[0]}).settings().get('typed')"
        assert host.wait_until(typed) == "@some\\ file.py (lines 2-3) "
        assert host.evaluate("window.active_view().id()") == terminals(host)[0]  # one can go on typing


def test_without_terminus_the_users_program_runs_in_the_users_terminal(machine, folders):
    tools = machine.home / "own tools"
    machine.home.mkdir()
    machine.install("gemini", folder=tools)
    machine.install("my-terminal", '#!/bin/sh\nexec "$@"\n', folder=tools)
    settings = {"programs": {"gemini": {"command": ["~/own tools/gemini", "~", "$HOME"]}}, **machine.terminal()}
    (terminal,) = settings["terminal_commands"].values()
    terminal[0] = "${HOME}/own tools/my-terminal"
    with machine.start(folders[1], settings=settings) as host:
        announcement = Desktop(host, folders[1]).wait_published()
        run_gemini(host)
        where, environment, arguments = machine.reported(host)
        assert where == folders[1]
        assert arguments == "arguments: ~ $HOME"
        check_connected(environment, announcement, host, folders[1])


def test_after_a_restart_a_clients_terminal_is_not_run_again_or_typed_into(machine, folders):
    """The user's own terminal beside it runs again, and gets nothing either."""
    machine.install("gemini")
    with machine.start(folders[0], packages=[machine.terminus]) as host:
        Desktop(host, folders[0]).wait_published()
        host.call("open_file", path=os.path.join(folders[0], "some file.py"))
        run_gemini(host)
        machine.reported(host)
        again = machine.report.with_suffix(".own")
        own = {"cmd": ["sh", "-c", f"touch '{again}'; cat > /dev/null"], "cwd": folders[0], "title": "own"}
        host.execute(f"window.run_command('terminus_open', {own!r})")
        host.wait_until(again.exists)
        host.quit()
        machine.report.unlink()
        again.unlink()
        host.restart()
        Desktop(host, folders[0]).wait_published()
        for view in terminals(host):
            host.call("focus_view", view=view)
        host.wait_until(again.exists)
        view = host.evaluate("next(v.id() for v in window.views() if v.file_name())")
        host.call("focus_view", view=view)
        assert enabled(host, "Send Selection to Agent") is False
        host.execute("window.run_command('gemini_companion_send_selection')")
        host.pump(0.5)
        assert host.evaluate("[v.settings().get('typed') for v in window.views()]") == [None] * 3
        assert len(terminals(host)) == 2
        assert not machine.report.exists()


def test_a_selection_goes_into_no_terminal_whose_client_has_ended(machine, folders):
    machine.install("gemini", CLIENT.replace("cat > /dev/null", "exit 1"))
    with machine.start(folders[0], packages=[machine.terminus]) as host:
        Desktop(host, folders[0]).wait_published()
        own = {"cmd": ["cat"], "cwd": folders[0], "title": "own"}
        host.execute(f"window.run_command('terminus_open', {own!r})")
        run_gemini(host)
        machine.reported(host)
        host.wait_until("any(v.settings().get('terminus_view.finished') for v in window.views())")
        host.call("open_file", path=os.path.join(folders[0], "some file.py"))
        assert enabled(host, "Send Selection to Agent") is False
        host.execute("window.run_command('gemini_companion_send_selection')")
        assert host.evaluate("[v.settings().get('typed') for v in window.views()]") == [None] * 3


@pytest.mark.parametrize("with_terminus", [True, False])
def test_a_program_on_the_editors_path_runs_despite_the_login_shells_path(machine, folders, with_terminus):
    """Debian's /etc/profile sets PATH anew. The program is a script for Node.js, which is on no other PATH either."""
    machine.install("gemini", CLIENT.replace("/bin/sh", "/usr/bin/env node"))
    other = machine.programs.parent / "it's node"
    machine.install("node", '#!/bin/sh\nexec /bin/sh "$@"\n', other)
    packages = [machine.terminus] if with_terminus else []
    start = {"packages": packages, "settings": machine.terminal(), "profile": "PATH=/usr/bin:/bin\n"}
    with machine.start(folders[1], path=f"{other}:/usr/bin:/bin", **start) as host:
        Desktop(host, folders[1]).wait_published()
        run_gemini(host)
        where, _, arguments = machine.reported(host)
        assert where == folders[1]
        assert arguments == "arguments: "
        assert len(terminals(host)) == with_terminus


def test_a_program_that_the_login_shell_knows_is_the_one_that_runs(machine, folders):
    machine.install("gemini", "#!/bin/sh\nexit 3\n")
    own = machine.programs.parent / "own"
    machine.install("gemini", folder=own)
    with machine.start(folders[0], settings=machine.terminal(), profile=f"PATH={own}:/usr/bin:/bin\n") as host:
        Desktop(host, folders[0]).wait_published()
        run_gemini(host)
        assert machine.reported(host)[1]["PATH"].split(":")[0] == str(own)


PLANTED = "#!/bin/sh\ntouch planted\n"


def plant(folder, *names):
    """Put programs into a repository that leave a file where they run."""
    os.makedirs(folder, exist_ok=True)
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(PLANTED)
        os.chmod(path, 0o700)
    return os.path.join(folder, names[0])


@pytest.mark.parametrize(
    "path", [":$PATH", *(pytest.param(each, marks=pytest.mark.everything) for each in (".:$PATH", "bin:$PATH"))]
)
@pytest.mark.parametrize("with_terminus", [True, False])
def test_nothing_that_lies_in_a_repository_runs_in_its_place(machine, folders, with_terminus, path):
    """Although the PATH of the editor and of the login shell begin with the current folder."""
    machine.install("gemini")
    for folder in (folders[1], os.path.join(folders[1], "bin")):
        plant(folder, "gemini", "env", "my-terminal")
    start = {"packages": [machine.terminus] if with_terminus else [], "settings": machine.terminal()}
    start["profile"] = f"PATH={path}\nexport PATH\n"
    start["PATH"] = path.replace("$PATH", f"{machine.programs}:{SYSTEM}")
    with machine.start(folders[1], **start) as host:
        Desktop(host, folders[1]).wait_published()
        run_gemini(host)
        assert machine.reported(host)[0] == folders[1]
        assert not os.path.exists(os.path.join(folders[1], "planted"))


@pytest.mark.parametrize("of_the_shell", [True, False])
def test_a_program_that_only_a_repository_has_is_refused_with_a_message(machine, folders, of_the_shell):
    planted = plant(os.path.join(folders[0], "bin"), "gemini")
    start = {"path": SYSTEM, "profile": f"PATH='{planted[:-7]}':$PATH\n"}
    if not of_the_shell:
        start = {"path": f"{planted[:-7]}:{SYSTEM}", "profile": "true\n"}
    with machine.start(folders[0], on_path=False, settings=machine.terminal(), **start) as host:
        desktop = Desktop(host, folders[0])
        desktop.wait_published()
        run_gemini(host)
        said = host.wait_until(
            lambda: [text for text in desktop.window()["status_messages"] if "Gemini CLI was not found" in text]
        )
        assert f"{planted} lies in a folder of this window" in said[-1]
        assert not os.path.exists(os.path.join(folders[0], "planted"))
