"""The libraries in use: their versions, and where they were loaded from.

Rule: asks the interpreter, not the list of what should be there. Disk thread: imports may take long.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..libraries import NEEDED, missing_libraries, missing_sentence
from ..system.platform import WINDOWS, Platform
from ..system.programs import find_program, is_path
from ..terminals.command_lines import (
    in_login_shell,
    in_windows_shell,
    shell_line,
    shell_of,
    words_with_folders,
)
from ..terminals.processes import expanded, find_in_shell, output_of, search_path
from .checks import Check, failed, noted, passed, too_slow

ALSO = ("multidict", "yarl", "attr")  # what those require
SATISFY = (
    "Run “Package Control: Satisfy Libraries” from the command palette; the companion then starts by itself."
    " Without Package Control, install them by hand as the README says."
)
NAME = "the libraries can be imported"


class Library(NamedTuple):
    """A library that was imported. `place` is the directory that holds it."""

    name: str
    version: str
    place: str


def libraries() -> Tuple[List[Library], Check]:
    """The libraries that can be imported, and whether those that the package needs can."""
    libraries = [library for library in map(_imported, NEEDED + ALSO) if library is not None]
    missing = missing_libraries()
    if missing:
        return libraries, failed(NAME, missing_sentence(missing), SATISFY)
    needed = [f"{library.name} {library.version}" for library in libraries if library.name in NEEDED]
    return libraries, passed(NAME, ", ".join(needed))


def _imported(name: str) -> Optional[Library]:
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    return Library(name, _version(name, module), os.path.dirname(os.path.dirname(module.__file__ or "")))


def _version(name: str, module: object) -> str:
    from importlib import metadata

    try:
        return metadata.version("attrs" if name == "attr" else name)
    except metadata.PackageNotFoundError:
        # A library that was copied by hand has no metadata.
        return str(getattr(module, "__version__", "unknown version"))


# JOINED programs
# Whether the command line clients are installed where a terminal finds them, and which release they are.
#
# Rules: looks where the launcher does, in the login shell's PATH, because the editor's own may lack what npm installed,
# and in the editor's. Of what the programs print only a version is shown. Disk thread: a shell and Node.js take seconds.

SECONDS = 10.0
MARK = "gemini-companion-mark"  # separates the answer from what start-up files print
VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\S*")


class Answer(NamedTuple):
    """Where the program is, and what it printed when asked for its version. `note` says how it was found, if oddly, or
    why none is started."""

    place: str
    printed: str = ""
    note: str = ""


def check_agent(
    agent: Agent,
    words: Sequence[str],
    platform: Platform,
    folders: Sequence[str] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Check:
    """Look for the agent that `words` start, and that lies in none of `folders`, those of the workspace. Never raises;
    ends soon once `cancelled()` is true."""
    import subprocess

    name = f"{agent.title} is installed"
    try:
        answer = _ask(expanded(words, platform), platform, folders, cancelled)
    except subprocess.TimeoutExpired:
        return too_slow(name, SECONDS)
    except OSError as error:
        return failed(name, f"the login shell could not be asked: {error.strerror or error}", agent.how_to_update())
    return judge(agent, words, answer)


def judge(agent: Agent, words: Sequence[str], answer: Answer) -> Check:
    """What the answer means. Pure."""
    name = f"{agent.title} is installed"
    if not answer.place:
        where = answer.note or f"“{words[0]}” is not on the PATH of the login shell, nor on the editor's"
        return noted(f"{agent.title} is not installed", f"{where}. {agent.how_to_update()}")  # nobody needs all of them
    match = VERSION.search(answer.printed)
    if match is None:
        detail = f"{answer.place} does not say its version"
        advice = "Run “{} --version” in a terminal: it shows what is wrong.".format(" ".join(words))
        return failed(name, detail, advice)
    detail = f"{match.group(0)} at {answer.place}"
    if tuple(int(part) for part in match.groups()) <= agent.last_without_token:
        return failed(name, detail + " is too old: it sends no token and is refused", agent.how_to_update())
    return passed(name, detail + answer.note)


def _ask(words: Sequence[str], platform: Platform, folders: Sequence[str], cancelled: Callable[[], bool]) -> Answer:
    found = find_program(words[0], platform, folders)
    if platform.name == WINDOWS:
        command = in_windows_shell(shell_of(platform), [found.place, *words[1:], "--version"], "/d", "/c")
        return Answer(found.place, output_of(command, SECONDS, cancelled)[1] if found.place else "", found.why)
    in_shell = found if is_path(words[0], platform) else find_in_shell(words[0], platform, folders, cancelled)
    if in_shell.place:
        line = shell_line([in_shell.place if os.path.isabs(in_shell.place) else words[0], *words[1:], "--version"])
        command = in_login_shell(shell_of(platform), f"echo {MARK}; {line}; echo {MARK}")
        return Answer(in_shell.place, read_answer(output_of(command, SECONDS, cancelled)[1]))
    if found.place:  # the launcher starts it with the editor's own PATH, too
        command = [*words_with_folders(words, search_path(found.place, platform, folders)), "--version"]
        printed = output_of(command, SECONDS, cancelled)[1]
        return Answer(found.place, printed, ", found only on the editor's PATH")
    return Answer("", note=in_shell.why or found.why)


def read_answer(printed: str) -> str:
    """What a program printed between the marks, which what start-up files print is not. Pure."""
    parts: List[str] = re.split(rf"(?m)^.*{MARK}\s*$", printed)
    return parts[1] if len(parts) > 1 else ""
