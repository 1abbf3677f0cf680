"""Looks for a client's program, and starts the system's terminal. Disk threads: both may take seconds.

Rules: the search returns where the program was found, because a login shell may have a PATH of its own. If a terminal
does not start, the error quotes its last line of output.

The editor is not known here.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
from typing import Callable, List, Mapping, NamedTuple, Sequence, Tuple

from ..common.clock import clock
from ..system.platform import MACOS, WINDOWS, Platform
from ..system.programs import FoundProgram, find_program, in_workspace, is_full, is_path, left_out, lies_in
from .command_lines import in_login_shell, quoted, shell_line, shell_of, words_with_folders

logger = logging.getLogger("gemini_companion.terminals")

SHELL_SECONDS = 10.0  # for a login shell with a slow start-up file
LOOK_SECONDS = 0.2  # between two looks whether the answer is still wanted
# How long a terminal may take to fail. On macOS the script asks the user for permission first.
FAILURE_SECONDS = 1.0
SCRIPT_SECONDS = 60.0
NOT_ALLOWED = "-1743"  # Apple's errAEEventNotPermitted
ALLOW = "allow Sublime Text to control Terminal in System Settings, Privacy & Security, Automation"


class ClientCommand(NamedTuple):
    """The words that start a client. Without any there is no such program; `why` may say more, in a sentence."""

    words: Tuple[str, ...] = ()
    why: str = ""


class TerminalError(Exception):
    """The terminal did not start. The message tells the user why."""


def expanded(words: Sequence[str], platform: Platform) -> Tuple[str, ...]:
    """The words of a setting with `~` and environment variables in the first one, the program, put in.

    As other packages' settings have it: what we start reads the word quoted, or as it is. The
    other words are the program's own affair. Disk thread: whose home `~name` is may be known to the network only.
    """
    program = platform.path.expanduser(platform.path.expandvars(words[0]))
    if platform.name == WINDOWS:
        program = program.replace("/", "\\")  # cmd.exe takes a slash for the beginning of an option
    return (program, *words[1:])


def find_client(
    words: Sequence[str], platform: Platform, folders: Sequence[str], cancelled: Callable[[], bool]
) -> ClientCommand:
    """Look for the program of a client, which lies in none of `folders`, those of the workspace. Disk thread."""
    words = expanded(words, platform)
    program, rest = words[0], words[1:]
    found = find_program(program, platform, folders)
    if found.place and platform.name != WINDOWS:
        path = search_path(found.place, platform, folders)
        return ClientCommand(words_with_folders(words, path, left_out(folders, platform)))
    if not found.place and platform.name != WINDOWS and not is_path(program, platform):
        try:
            in_shell = find_in_shell(program, platform, folders, cancelled)
        except (OSError, subprocess.TimeoutExpired) as error:
            logger.warning("could not ask the login shell for %s: %s", program, error)
            in_shell = FoundProgram()
        if in_shell.place and not os.path.isabs(in_shell.place):
            # A function or an alias, as some version managers and installers make them: the shell alone can run it.
            return ClientCommand(tuple(in_login_shell(shell_of(platform), shell_line(words))))
        found = in_shell if in_shell.place or not found.why else found
    return ClientCommand((found.place, *rest)) if found.place else ClientCommand(why=found.why)


def search_path(place: str, platform: Platform, folders: Sequence[str]) -> str:
    """The folders that a program of the editor's own PATH needs there, as a PATH: its own and that of Node.js."""
    node = find_program("node", platform, folders).place  # runs the program if it is a script
    needed = [os.path.dirname(os.path.abspath(each)) for each in (place, node) if each]
    return os.pathsep.join(dict.fromkeys(needed))


def find_in_shell(
    program: str, platform: Platform, folders: Sequence[str], cancelled: Callable[[], bool]
) -> FoundProgram:
    """Where the login shell finds a program; what it is, if it is no file. Raises as `output_of`. Disk thread."""
    words = in_login_shell(shell_of(platform), f"command -v {quoted(program)}")
    code, said = output_of(words, SHELL_SECONDS, cancelled)
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    place = lines[-1] if lines and not code else ""  # start-up files may have said something before
    if os.path.isabs(place) and lies_in(place, folders, platform):
        return FoundProgram("", in_workspace(place))
    return FoundProgram(place)


def output_of(words: Sequence[str], seconds: float, cancelled: Callable[[], bool]) -> Tuple[int, str]:
    """The exit code of a command, and what it prints. Disk thread.

    Raises `OSError`, and `TimeoutExpired` after killing it and all that it started: after so many seconds, and soon
    once `cancelled()` is true.
    """
    with tempfile.TemporaryFile() as said:  # not a pipe: what the start-up files leave running would hold it open
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.DEVNULL,
            # No repository, which programs would be looked for in by a PATH that has the current folder, or by Windows.
            cwd=os.path.dirname(words[0]) if sys.platform == "win32" else "/",
            start_new_session=True,  # else an interactive shell takes the editor's terminal, if it has one
            creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,  # type: ignore[attr-defined]
        )
        deadline = clock.now() + seconds
        while process.poll() is None:
            try:
                process.wait(min(LOOK_SECONDS, seconds))
            except subprocess.TimeoutExpired:
                if clock.now() < deadline and not cancelled():
                    continue
                _end(process.pid)
                process.kill()
                process.wait()
                raise subprocess.TimeoutExpired(process.args, seconds) from None
        said.seek(0)
        return process.returncode, said.read().decode("utf-8", "replace")


def _end(process_id: int) -> None:
    """Kill a process group, on systems that have them."""
    try:
        os.killpg(process_id, signal.SIGKILL)
    except (AttributeError, OSError):
        return  # Windows, or it has just ended


def start_terminal(
    words: List[str],
    folder: str,
    variables: Mapping[str, str],
    platform: Platform,
    folders: Sequence[str],
    cancelled: Callable[[], bool],
) -> None:
    """Start a terminal that outlives this package; `words` may be a user's own, see `expanded`. Disk thread.

    Raises `OSError` if `words[0]` cannot be started, `TerminalError` if it is not found, or soon ends with an error.
    `folders` are those of the workspace, of which nothing is started.
    """
    words = list(expanded(words, platform))
    if not is_full(words[0], platform):
        found = find_program(words[0], platform, folders)
        if not found.place:
            raise TerminalError(found.why or "there is no such program")
        words[0] = found.place
    environment = dict(platform.environment, **variables)
    if platform.name == WINDOWS:
        flags = getattr(subprocess, "CREATE_NEW_CONSOLE", 0)
        subprocess.Popen(words, cwd=folder, env=environment, creationflags=flags)
        return
    # Not a pipe: a terminal that goes on writing would be killed once its pipe is closed.
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        try:
            code = process.wait(SCRIPT_SECONDS if platform.name == MACOS else FAILURE_SECONDS)
        except subprocess.TimeoutExpired:
            return  # it is running
        if code:
            errors.seek(0)
            raise TerminalError(_reason(errors.read().decode("utf-8", "replace"), code))


def _reason(said: str, code: int) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return f"it ended with code {code}"
    return f"{lines[-1]}; {ALLOW}" if NOT_ALLOWED in lines[-1] else lines[-1]
