"""Command lines as the programs that read them understand them; POSIX lines are run by real shells."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from companion.system.platform import Platform
from companion.terminals.command_lines import (
    KNOWN_SHELLS,
    LINUX_TERMINALS,
    MOST_TYPED,
    Launch,
    environment_lines,
    posix_line,
    shell_of,
    system_terminal,
    terminus_arguments,
)
from tests.host.waiting import NEVER_SECONDS

VARIABLES = {"GEMINI_CLI_IDE_SERVER_PORT": "50001", "GEMINI_CLI_IDE_WORKSPACE_PATH": "/it's a $HOME:/b"}
LAUNCH = Launch("Gemini CLI", ("gemini", "--model", "a b"), "/code/it's $one", VARIABLES)
CMD = "C:\\Windows\\System32\\cmd.exe"
PRINT_ALL = "import os, sys; print([os.getcwd(), os.environ['A'], sys.argv[1:]])"


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "zsh", "fish"])
def test_a_posix_line_means_the_same_to_every_shell_there_is(shell, tmp_path):
    """Shells that are not installed are no leg of this test: sh always is."""
    program = shutil.which(shell)
    if program is None:
        assert shell != "sh"
        return
    folder = tmp_path / 'it\'s a "$folder" `x` & more'
    folder.mkdir()
    value = "a:'b' $HOME \\ \"c\" !"
    launch = Launch("", ("python3", "-c", PRINT_ALL, "x y", "$z"), str(folder), {"A": value})
    answer = subprocess.run(
        [program, "-c", posix_line(launch)], stdout=subprocess.PIPE, check=True, timeout=NEVER_SECONDS
    )
    assert answer.stdout.decode().strip() == repr([os.path.realpath(str(folder)), value, ["x y", "$z"]])


def as_fish_reads(line):
    """The words of a line by the rules of fish ("The fish language", quotes), which may not be installed."""
    words, word, quote, position = [], None, "", 0
    while position < len(line):
        character, following = line[position], line[position + 1 : position + 2]
        position += 1
        if character == "\\" and following and following in ("\\" + quote if quote else following):
            character, position = following, position + 1
        elif character == quote:
            quote = ""
            continue
        elif not quote and character in "'\"":
            quote, word = character, word or ""
            continue
        elif not quote and character == " ":
            words.append(word)
            word = None
            continue
        word = (word or "") + character
    assert not quote, "a quote is open"
    return [*words, word]


@pytest.mark.parametrize("odd", ["it's", "\\", "C:\\\\x\\", "\\'; touch made; \\'", '\\"$HOME"', "a b"])
def test_a_backslash_means_the_same_to_fish(odd):
    launch = Launch("", ("python3", "-c", PRINT_ALL, odd), "/", {"A": odd})
    assert as_fish_reads(posix_line(launch)) == [
        "cd",
        "/",
        "&&",
        "/usr/bin/env",
        "A=" + odd,
        "python3",
        "-c",
        PRINT_ALL,
        odd,
    ]
    assert as_fish_reads(environment_lines({"A": odd}, "linux").rstrip("\n")) == ["export", "A=" + odd]
    answer = subprocess.run(["sh", "-c", posix_line(launch)], stdout=subprocess.PIPE, check=True, timeout=NEVER_SECONDS)
    assert answer.stdout.decode().strip() == repr(["/", odd, [odd]])


def test_the_clipboard_lines_mean_the_same_to_a_shell():
    lines = environment_lines({"A": "it's $HOME", "B": "/x:/y z"}, "linux")
    answer = subprocess.run(
        ["sh", "-c", lines + 'printf "%s|%s" "$A" "$B"'], stdout=subprocess.PIPE, check=True, timeout=NEVER_SECONDS
    )
    assert answer.stdout.decode() == "it's $HOME|/x:/y z"


def test_the_clipboard_lines_on_windows_are_for_powershell():
    assert environment_lines({"A": "it's", "B": "C:\\x;D:\\y"}, "windows") == (
        "$env:A = 'it''s'\n$env:B = 'C:\\x;D:\\y'\n"
    )


@pytest.mark.parametrize("quote", "'\u2018\u2019\u201a\u201b")
def test_no_quotation_mark_in_a_folders_name_ends_a_string_of_powershell(quote):
    """It takes typographic ones for its own. What a folder is called must not run when the lines are pasted."""
    lines = environment_lines({"A": f"C:\\Ada{quote}; Remove-Item x; {quote}"}, "windows")
    assert lines == f"$env:A = 'C:\\Ada{quote}{quote}; Remove-Item x; {quote}{quote}'\n"


def test_in_terminus_the_client_runs_in_the_login_shell():
    arguments = terminus_arguments(LAUNCH, "linux", "/bin/zsh", "gemini_companion.gemini.1.1")
    assert arguments["cmd"] == ["/bin/zsh", "-l", "-i", "-c", "gemini --model 'a b'"]
    assert arguments["env"] == VARIABLES
    assert arguments["title"] == "Gemini CLI"
    assert arguments["tag"] == "gemini_companion.gemini.1.1"


def test_terminus_expands_no_dollar_of_ours():
    assert terminus_arguments(LAUNCH, "linux", "/bin/sh", "t")["cwd"] == "/code/it's \\$one"


def as_the_command_interpreter_reads(words):
    """The words that arrive when `words` are started on Windows. What `cmd /?` says of /C and /K.

    A line that begins with a quote loses it, and the last one of the line, unless they are the only two, with blanks
    and none of the special characters between them.
    """
    line = subprocess.list2cmdline(words[2:])
    if line.startswith('"'):
        inside = line[1:].partition('"')[0]
        if line.count('"') != 2 or not re.search(r"\s", inside) or re.search(r"[&<>()@^|]", inside):
            line = line[1:].rpartition('"')[0] + line[1:].rpartition('"')[2]
    arrived = [word.strip('"') for word in re.findall(r'(?:"[^"]*"|\S)+', line)]
    return arrived[1:] if arrived[0] == "call" else arrived


def test_what_terminal_types_on_macos_is_never_cut():
    """What is typed while a shell starts is cut at 1024 bytes, and then runs nothing."""
    lists = {name: ":".join(f"/Users/me/\u00e9/project {n}" for n in range(15)) for name in ("A", "B", "C")}
    launch = LAUNCH._replace(variables={"PORT": "50001", **lists})
    for configured in (None, ["my-terminal", "$command"]):
        words = system_terminal(launch, "osx", "/bin/zsh", configured, lambda name: False)
        line = " ".join(words)
        # Which folders there are stands in the discovery file as well.
        assert "PORT=50001" in line
        assert "A=" not in line
        assert len(line.encode()) < 1024
    few = launch._replace(variables={"PORT": "50001", "A": lists["A"]})
    assert posix_line(few) in system_terminal(few, "osx", "/bin/zsh", ["x", "$command"], lambda name: False)
    assert posix_line(launch) in system_terminal(launch, "linux", "/bin/sh", ["x", "$command"], lambda name: True)


@pytest.mark.parametrize(("letter", "bytes_each"), [("a", 1), ("\u0434", 2), ("\U0001f600", 4)])
def test_on_macos_a_line_is_measured_in_bytes(letter, bytes_each):
    def launch(length):
        return LAUNCH._replace(variables={"PORT": "50001", "A": "/" + letter * length})

    def is_whole(length):
        words = system_terminal(launch(length), "osx", "/bin/zsh", ["$command"], lambda name: False)
        return words == [posix_line(launch(length))]

    most = 1 + (MOST_TYPED - len(posix_line(launch(1)).encode())) // bytes_each
    assert len(posix_line(launch(most + 1))) <= MOST_TYPED or bytes_each == 1
    assert [is_whole(length) for length in (1, most, most + 1)] == [True, True, False]


on_windows = pytest.mark.parametrize(
    "client",
    [
        ("gemini",),
        ("gemini", "--model", "a b"),
        ("C:\\Program Files (x86)\\nodejs\\gemini.cmd",),
        ("C:\\Program Files\\nodejs\\gemini.cmd", "--model", "a b"),
    ],
)


@on_windows
def test_on_windows_a_variable_is_removed_before_the_client_runs(client):
    launch = LAUNCH._replace(words=client)
    words = terminus_arguments(launch, "windows", CMD, "t", ["SSL_CERT_FILE"])["cmd"]
    first, _, second = subprocess.list2cmdline(words).partition("&")
    assert first == CMD + " /c set SSL_CERT_FILE=", "a blank at its end would be the variable's value"
    assert second.startswith(" call ")
    assert "&" not in second
    assert as_the_command_interpreter_reads([CMD, "/c", *words[4:]]) == list(client)


@on_windows
def test_on_windows_the_command_interpreter_finds_the_batch_file(client):
    launch = LAUNCH._replace(words=client, folder="C:\\a b")
    arguments = terminus_arguments(launch, "windows", CMD, "t")
    assert arguments["cmd"][:2] == [CMD, "/c"]
    assert arguments["cwd"] == "C:\\a b"
    assert as_the_command_interpreter_reads(arguments["cmd"]) == list(client)
    words = system_terminal(launch, "windows", CMD, None, lambda name: False)
    assert words[:2] == [CMD, "/k"], "the window stays open"
    assert as_the_command_interpreter_reads(words) == list(client)


@pytest.mark.parametrize("terminal", LINUX_TERMINALS, ids=lambda words: words[0])
def test_on_linux_the_first_terminal_installed_is_taken(terminal):
    earlier = [words[0] for words in LINUX_TERMINALS[: LINUX_TERMINALS.index(terminal)]]
    words = system_terminal(LAUNCH, "linux", "/bin/bash", None, lambda name: name not in earlier)
    assert words[0] == terminal[0]
    assert words[-1] == posix_line(LAUNCH) + "; exec /bin/bash"
    assert words[-3:-1] == ["/bin/bash", "-lic"]


def test_without_any_terminal_there_is_no_command_line():
    assert system_terminal(LAUNCH, "linux", "/bin/sh", None, lambda name: False) is None


def test_on_macos_the_line_is_a_string_in_applescript():
    launch = LAUNCH._replace(folder='/a "b" \\c')
    words = system_terminal(launch, "osx", "/bin/zsh", None, lambda name: False)
    assert words[0] == "osascript"
    assert words[-1] == 'tell application "Terminal" to activate'
    start = 'tell application "Terminal" to do script "'
    assert words[2].startswith(start)
    assert words[2].endswith('"')
    text = words[2][len(start) : -1]
    assert text.replace('\\"', '"').replace("\\\\", "\\") == posix_line(launch)


def test_on_windows_the_users_own_terminal_gets_a_line():
    words = system_terminal(LAUNCH, "windows", CMD, ["wt.exe", "$command"], lambda name: False)
    assert words == ["wt.exe", 'gemini --model "a b"']


def test_the_users_own_terminal_comes_first():
    configured = ["my-terminal", "--cd=$folder", "--name", "$title", "$command", "$unknown", "$$5"]
    words = system_terminal(LAUNCH, "linux", "/bin/sh", configured, lambda name: True)
    line = posix_line(LAUNCH)
    assert words == ["my-terminal", "--cd=/code/it's $one", "--name", "Gemini CLI", line, "$unknown", "$5"]


@pytest.mark.parametrize(
    "environment, expected",
    [
        ({"SHELL": "/bin/zsh"}, "/bin/zsh"),
        ({"SHELL": "/opt/homebrew/bin/fish"}, "/opt/homebrew/bin/fish"),
        ({"SHELL": "/bin/tcsh"}, "/bin/sh"),
        ({"SHELL": "/usr/bin/nu"}, "/bin/sh"),
        ({"SHELL": "bash"}, "/bin/sh"),
        ({}, "/bin/sh"),
    ],
)
def test_a_shell_that_would_not_understand_us_is_not_used(environment, expected):
    assert shell_of(Platform("linux", environment, "/home/me")) == expected
    assert os.path.basename(expected) in KNOWN_SHELLS


@pytest.mark.parametrize("variables", [{"SYSTEMROOT": "D:\\Win"}, {"windir": "D:\\Win"}, {}])
def test_on_windows_it_is_the_systems_own_command_interpreter_in_full(variables):
    """Windows would look for its bare name in the current folder first."""
    root = "D:\\Win" if variables else "C:\\Windows"
    platform = Platform("windows", {**variables, "SHELL": "/bin/bash"}, "C:\\Users\\me")
    assert shell_of(platform) == root + "\\System32\\cmd.exe"
