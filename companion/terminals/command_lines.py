"""What terminals are given: command lines that start a client, lines to paste, and mentions typed into its prompt.

Rules: pure. Everything that comes from outside (folders, variables, the configured command) is quoted for its reader: a
POSIX shell, PowerShell, cmd.exe, AppleScript, or Terminus, which expands `$`. In a mention (`@path`, which clients read
as a file) the line range follows the path after a blank: clients take everything up to the first blank for the path.

On Linux and macOS clients run in the user's login shell, because an editor started from the desktop does not have the
PATH on which npm puts programs.
"""

from __future__ import annotations

import posixpath
import re
import shlex
import string
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.dialect import Mention
from ..system.platform import MACOS, WINDOWS, Platform

# Shells that take "-l -i -c COMMAND" and understand the POSIX syntax used below.
KNOWN_SHELLS = frozenset(["sh", "bash", "zsh", "fish", "dash", "ksh", "mksh", "ash"])

# The first of these that is installed is the terminal on Linux. The words are those of the setting `terminal_commands`.
LINUX_TERMINALS: Tuple[Tuple[str, ...], ...] = (
    ("x-terminal-emulator", "-e", "$shell", "-lic", "$command; exec $shell"),
    ("gnome-terminal", "--working-directory=$folder", "--", "$shell", "-lic", "$command; exec $shell"),
    ("konsole", "--workdir", "$folder", "-e", "$shell", "-lic", "$command; exec $shell"),
    ("xfce4-terminal", "--working-directory=$folder", "-x", "$shell", "-lic", "$command; exec $shell"),
    ("kitty", "--directory", "$folder", "$shell", "-lic", "$command; exec $shell"),
    ("alacritty", "--working-directory", "$folder", "-e", "$shell", "-lic", "$command; exec $shell"),
    ("xterm", "-e", "$shell", "-lic", "$command; exec $shell"),
)
MACOS_TERMINAL = (
    "osascript",
    "-e",
    'tell application "Terminal" to do script $applescript',
    "-e",
    'tell application "Terminal" to activate',
)
# What ends a string in single quotes in PowerShell, unless it is doubled.
_POWERSHELL_QUOTE = re.compile("['\u2018\u2019\u201a\u201b]")
ENV = "/usr/bin/env"  # in full: the PATH may have the current folder, which is a repository
_SPECIAL_ON_POSIX = re.compile(r"""([ \t()\[\]{};|*?$`'"#&<>!~\\])""")
_SPECIAL_ON_WINDOWS = re.compile(r"""[\s&()\[\]{}^=;!'+,`~%$@#]""")
MOST_TYPED = 1000
"""Bytes that may be typed into a terminal on macOS: while its shell starts, a line is cut at 1024."""


# If the shell's own PATH lacks the program, or Node.js, which runs it, the given folders come first. What lies in a
# folder of the workspace, in which a repository may be, counts as lacking; a relative path leads there.
_SEARCH = string.Template(
    'for program in "$$1" node; do '
    'case "$$(command -v "$$program")" in $workspace[!/]*|"") PATH="$$0:$$PATH"; export PATH; break;; esac; '
    'done; exec "$$@"'
)


class Launch(NamedTuple):
    """A client to be started: its words, the folder to start in, and the variables it needs."""

    title: str
    words: Tuple[str, ...]
    folder: str
    variables: Mapping[str, str]


def quoted(word: str) -> str:
    """The word for all of `KNOWN_SHELLS`. No backslash stands in single quotes: in fish it escapes there, too."""
    return shlex.quote(word).replace("\\", "'\"\\\\\"'")


def shell_line(words: Sequence[str]) -> str:
    """The words as one line for all of `KNOWN_SHELLS`."""
    return " ".join(quoted(word) for word in words)


def in_login_shell(shell: str, line: str) -> List[str]:
    """The words that let a shell, set up as in the user's own terminal, carry out a line."""
    return [shell, "-l", "-i", "-c", line]


def in_windows_shell(shell: str, words: Sequence[str], *options: str) -> List[str]:
    """The words that let `shell`, which is cmd.exe, run `words`: on Windows npm's programs are batch files.

    With "call" the line that it gets never begins with a quote: it would take that one away, and the last one of the
    line ("cmd /?").
    """
    return [shell, *options, "call", *words]


def shell_of(platform: Platform) -> str:
    """The full path of the user's shell if it understands our command lines, else `/bin/sh`; cmd.exe on Windows."""
    if platform.name == WINDOWS:
        return platform.command_interpreter
    shell = platform.environment.get("SHELL", "")
    return shell if posixpath.isabs(shell) and posixpath.basename(shell) in KNOWN_SHELLS else "/bin/sh"


def words_with_folders(words: Sequence[str], folders: str, workspace: Sequence[str] = ()) -> Tuple[str, ...]:
    """Words that run `words`. If the shell's own PATH lacks the program or Node.js, `folders`, a PATH, come first.

    What lies in `workspace`, folders that end with a slash, counts as lacking.
    """
    script = _SEARCH.substitute(workspace="".join(f"{shlex.quote(folder)}*|" for folder in workspace))
    return ("/bin/sh", "-c", script, folders, *words) if folders else tuple(words)


def posix_line(launch: Launch) -> str:
    """One line for a POSIX shell: change to the folder and run the client with its variables."""
    assignments = [f"{name}={value}" for name, value in launch.variables.items()]
    # `env`, because not every shell takes assignments before a command.
    words = [ENV] + assignments + list(launch.words)
    return f"cd {quoted(launch.folder)} && {shell_line(words)}"


def terminus_arguments(
    launch: Launch, platform: str, shell: str, tag: str, without: Sequence[str] = ()
) -> Dict[str, Any]:
    """The arguments of Terminus' command `terminus_open`; `without` these variables, which Terminus would hand on."""
    if platform == WINDOWS:
        removing = [word for name in without for word in ("set", name + "=&")]
        words = in_windows_shell(shell, launch.words, "/c", *removing)
    else:
        removing = [word for name in without for word in ("-u", name)]
        words = in_login_shell(shell, shell_line([*([ENV, *removing] if removing else []), *launch.words]))
    return {
        "cmd": [_literal(word) for word in words],
        "cwd": _literal(launch.folder),
        "env": dict(launch.variables),
        "title": launch.title,
        "tag": tag,
        "auto_close": "on_success",  # so that an error message can be read
        "reactivable": False,  # else Terminus runs it again when the editor restarts, with this environment
    }


def system_terminal(
    launch: Launch,
    platform: str,
    shell: str,
    configured: Optional[Sequence[str]],
    is_installed: Callable[[str], bool],
) -> Optional[List[str]]:
    """The words that open the system's terminal with the client in it; None if no terminal is known.

    `configured` replaces the platform's usual terminal. Its words may contain `$command` (a line for a shell, or for
    cmd.exe on Windows), `$folder`, `$title`, `$shell` and `$applescript` (the line as a string in AppleScript).
    """
    if platform == WINDOWS and not configured:
        return in_windows_shell(shell, launch.words, "/k")
    words: Sequence[str] = configured or MACOS_TERMINAL
    if not configured and platform != MACOS:
        words = next((each for each in LINUX_TERMINALS if is_installed(each[0])), ())
    if not words:
        return None
    if platform == WINDOWS:
        import subprocess  # not at the top: this module is loaded with the package

        line = subprocess.list2cmdline(launch.words)
    else:
        line = posix_line(launch)
    if platform == MACOS and len(line.encode("utf-8", "surrogateescape")) > MOST_TYPED:
        # Lists of folders go first: they stand in the discovery file, too.
        short = {name: value for name, value in launch.variables.items() if "/" not in value}
        line = posix_line(launch._replace(variables=short))
    values = {
        "command": line,
        "folder": launch.folder,
        "title": launch.title,
        "shell": shell,
        "applescript": '"{}"'.format(line.replace("\\", "\\\\").replace('"', '\\"')),
    }
    return [string.Template(word).safe_substitute(values) for word in words]


def environment_lines(variables: Mapping[str, str], platform: str) -> str:
    """Lines to paste into a shell: PowerShell on Windows, a POSIX shell elsewhere."""
    if platform == WINDOWS:
        doubled = {name: _POWERSHELL_QUOTE.sub(r"\g<0>\g<0>", value) for name, value in variables.items()}
        return "".join(f"$env:{name} = '{value}'\n" for name, value in doubled.items())
    return "".join(f"export {name}={quoted(value)}\n" for name, value in variables.items())


def _literal(word: str) -> str:
    # Terminus expands the editor's variables in every word.
    return word.replace("\\$", "\\\\$").replace("$", "\\$")


# -- mentions ---------------------------------------------------------------------------------------------------------


def mentions(places: Sequence[Mention], folders: Sequence[str], platform: Platform) -> str:
    """The text to type, with a blank at its end so that the user can go on typing. Each file is named once.

    `folders` are where the client may run: paths below one become relative.
    """
    by_path: Dict[str, List[Tuple[int, int]]] = {}
    for place in places:
        by_path.setdefault(place.path, []).extend([place.lines] if place.lines is not None else [])
    return "".join(
        f"@{_escaped(_relative(path, folders, platform), platform)}{_line_numbers(lines)} "
        for path, lines in by_path.items()
    )


def _line_numbers(lines: Sequence[Tuple[int, int]]) -> str:
    """Ranges of lines, which count from 0, as they are typed behind a path; empty for none."""
    if not lines:
        return ""
    numbers = ", ".join(str(first + 1) if first == last else f"{first + 1}-{last + 1}" for first, last in lines)
    return f" (line {numbers})" if numbers.isdigit() else f" (lines {numbers})"


def selected_lines(first_row: int, last_row: int, last_column: int) -> Tuple[int, int]:
    """The lines, from 1, that a selection covers, given rows and column from 0.

    A selection that ends at the start of a line does not include that line.
    """
    if last_column == 0 and last_row > first_row:
        last_row -= 1
    return first_row + 1, last_row + 1


def _relative(path: str, folders: Sequence[str], platform: Platform) -> str:
    for folder in folders:
        inside = platform.path.normcase(platform.path.join(folder, ""))
        if platform.path.normcase(path).startswith(inside):
            path = path[len(inside) :]
            break
    return path.replace("\\", "/") if platform.name == WINDOWS else path


def _escaped(path: str, platform: Platform) -> str:
    if platform.name == WINDOWS:
        return f'"{path}"' if _SPECIAL_ON_WINDOWS.search(path) else path
    return _SPECIAL_ON_POSIX.sub(r"\\\1", path)
