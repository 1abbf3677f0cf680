"""Looks for a client's program, and starts the system's terminal. Disk threads: both may take seconds.

Rules: the search returns where the program was found, because a login shell may have a PATH of its own. If a terminal
does not start, the error quotes its last line of output.

The editor is not known here.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from ..system.platform import MACOS, WINDOWS, Platform
from .command_lines import in_login_shell, login_shell, quoted, shell_line, words_with_folders

logger = logging.getLogger("gemini_companion.terminals")

SHELL_SECONDS = 10.0  # for a login shell with a slow start-up file
LOOK_SECONDS = 0.2  # between two looks whether the answer is still wanted
# How long a terminal may take to fail. On macOS the script asks the user for permission first.
FAILURE_SECONDS = 1.0
SCRIPT_SECONDS = 60.0
NOT_ALLOWED = "-1743"  # Apple's errAEEventNotPermitted
ALLOW = "allow Sublime Text to control Terminal in System Settings, Privacy & Security, Automation"


class TerminalError(Exception):
    """The terminal did not start. The message tells the user why."""


def expanded(words: Sequence[str], platform: Platform) -> Tuple[str, ...]:
    """The words of a setting with `~` and environment variables in the first one, the program, put in.

    As other packages' settings have it, because nobody else does: what we start reads the word quoted, or as it is. The
    other words are the program's own affair. Disk thread: whose home `~name` is may be known to the network only.
    """
    program = platform.path.expanduser(platform.path.expandvars(words[0]))
    if platform.name == WINDOWS:
        program = program.replace("/", "\\")  # cmd.exe takes a slash for the beginning of an option
    return (program, *words[1:])


def find_client(words: Sequence[str], platform: Platform, cancelled: Callable[[], bool]) -> Optional[Tuple[str, ...]]:
    """The words that start a client where it was found, or None if there is no such program. Disk thread."""
    words = expanded(words, platform)
    folders = find_program(words[0], platform)
    if folders is not None:
        return words_with_folders(words, folders)
    place = _place_in_shell(words[0], platform, cancelled) if platform.name != WINDOWS else ""
    if place and not os.path.isabs(place):
        # A function or an alias, as some version managers and installers make them: the shell alone can run it.
        return tuple(in_login_shell(login_shell(platform.environment), shell_line(words)))
    return words if place else None


def find_program(program: str, platform: Platform) -> Optional[str]:
    """The folders that a program of the editor's own PATH needs there, as a PATH: its own and that of Node.js.

    Empty on Windows; None if there is no such program. Never raises. Disk thread.
    """
    found = shutil.which(program)
    if found is None:
        return None
    if platform.name == WINDOWS:
        return ""  # the program inherits the editor's own PATH
    folders = [os.path.dirname(os.path.abspath(found))]
    node = shutil.which("node")  # runs the program if it is a script
    if node is not None and os.path.dirname(os.path.abspath(node)) not in folders:
        folders.append(os.path.dirname(os.path.abspath(node)))
    return os.pathsep.join(folders)


def _place_in_shell(program: str, platform: Platform, cancelled: Callable[[], bool]) -> str:
    """Where the login shell finds a program; what it is, if it is no file; "" if the shell does not know it."""
    import subprocess  # here and below, not at the top: this module is loaded with the package

    words = in_login_shell(login_shell(platform.environment), f"command -v {quoted(program)}")
    try:
        code, said = output_of(words, SHELL_SECONDS, cancelled)
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("could not ask the login shell for %s: %s", program, error)
        return ""
    lines = [line for line in said.split("\n") if line.strip()]
    return lines[-1] if lines and not code else ""  # start-up files may have said something before


def output_of(words: Sequence[str], seconds: float, cancelled: Callable[[], bool]) -> Tuple[int, str]:
    """The exit code of a command, and what it prints. Disk thread.

    Raises `OSError`, and `TimeoutExpired` after killing it and all that it started: after so many seconds, and soon
    once `cancelled()` is true.
    """
    import subprocess

    with tempfile.TemporaryFile() as said:  # not a pipe: what the start-up files leave running would hold it open
        process = subprocess.Popen(
            list(words),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # else an interactive shell takes the editor's terminal, if it has one
            creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,  # type: ignore[attr-defined]
        )
        deadline = time.monotonic() + seconds
        while process.poll() is None:
            try:
                process.wait(min(LOOK_SECONDS, seconds))
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline and not cancelled():
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
    cancelled: Callable[[], bool],
) -> None:
    """Start a terminal that outlives this package; `words` may be a user's own, see `expanded`. Disk thread.

    Raises `OSError` if `words[0]` cannot be started, `TerminalError` if it soon ends with an error.
    """
    import subprocess

    words = list(expanded(words, platform))
    environment = dict(platform.environment, **variables)
    if platform.name == WINDOWS:
        flags = getattr(subprocess, "CREATE_NEW_CONSOLE", 0)
        subprocess.Popen(words, cwd=folder, env=environment, creationflags=flags)
        return
    # Not a pipe: a terminal that goes on writing would be killed once nobody reads.
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
