"""What terminals are given: command lines that start a client, lines to paste, mentions, and environment variables.

Rules: pure. Everything that comes from outside (folders, variables, the configured command) is quoted for its reader: a
POSIX shell, PowerShell, cmd.exe, AppleScript, or Terminus, which expands `$`. In a mention (`@path`, which clients read
as a file) the line range follows the path after a blank: clients take everything up to the first blank for the path.

On Linux and macOS clients run in the user's login shell, because an editor started from the desktop does not have the
PATH on which npm puts programs.

By environment variables a client finds the right window. They hold a port, paths and a process id, never a token: every
program that a terminal runs inherits its environment, while the discovery file, in which clients find the token, can be
read by the user only.
"""

from __future__ import annotations

import posixpath
import re
import shlex
import string
import subprocess
from typing import Any, Callable, Dict, List, Mapping, MutableMapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import ConnectionDetails
from ..agents.dialect import Mention
from ..agents.hooks import Shell
from ..agents.registry import AGENTS
from ..system.paths import is_below, relative
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
    launch: Launch, platform: str, shell: str, configured: Optional[Sequence[str]], is_installed: Callable[[str], bool]
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
        return "".join(f"$env:{name} = {Shell.POWERSHELL.quoted(value)}\n" for name, value in variables.items())
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
        f"@{_escaped(relative(path, folders, platform), platform)}{_line_numbers(lines)} "
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


def _escaped(path: str, platform: Platform) -> str:
    if platform.name == WINDOWS:
        return f'"{path}"' if _SPECIAL_ON_WINDOWS.search(path) else path
    return _SPECIAL_ON_POSIX.sub(r"\\\1", path)


# -- environment variables ---------------------------------------------------------------------------------------------

CERTIFICATES = "SSL_CERT_FILE"


def terminal_variables(connection: ConnectionDetails) -> Dict[str, str]:
    """The variables for a terminal that the editor starts. Companion specifications, section I.2."""
    variables: Dict[str, str] = {}
    for agent in AGENTS:
        variables.update(agent.terminal_variables(connection))
    return variables


def client_variables(connection: ConnectionDetails) -> Dict[str, str]:
    """The variables for a program that has no editor among its parent processes: those of a terminal, and the editor's
    process id."""
    variables = terminal_variables(connection)
    for agent in AGENTS:
        variables.update(agent.client_variables(connection))
    return variables


def for_programs(environment: Mapping[str, str], editors: Sequence[str], platform: Platform) -> Dict[str, str]:
    """The environment for a program that we start: without what the plugin host has set for itself.

    The host points OpenSSL at its own certificates, and a company's would be missing. `editors` are the editor's own
    files and folders.
    """
    kept = dict(environment)
    path = kept.get(CERTIFICATES, "")
    if any(place and is_below(place, path, platform) for place in editors):
        kept.pop(CERTIFICATES, None)
    return kept


class ExportedEnvironment:
    """Variables set in the process's environment for its children, and removed again. One thread only.

    Former values are restored; what somebody else has set meanwhile is theirs, and stays or is restored.
    """

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        self._environment = environment
        self._former: Dict[str, Optional[str]] = {}
        self._ours: Dict[str, str] = {}

    def put(self, variables: Mapping[str, str]) -> None:
        """Set exactly these variables, and restore the others of ours."""
        for name in [name for name in self._ours if name not in variables]:
            self._restore(name)
        for name, value in variables.items():
            current = self._environment.get(name)
            if name not in self._ours or current != self._ours[name]:
                self._former[name] = current
            self._environment[name] = self._ours[name] = value

    def clear(self) -> None:
        """Restore all variables of ours."""
        self.put({})

    def _restore(self, name: str) -> None:
        ours, former = self._ours.pop(name), self._former.pop(name)
        if self._environment.get(name) != ours:
            return
        if former is None:
            del self._environment[name]
        else:
            self._environment[name] = former
