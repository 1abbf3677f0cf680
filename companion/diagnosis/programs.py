"""What is installed: the libraries that the package needs, and the programs that users run.

Rules: libraries are imported, not looked up in the list of what should be there. Programs are looked for where the
launcher does: in the login shell's PATH, because the editor's own may lack what npm installed, and in the editor's. Of
what they print only a version is shown. Disk thread: imports, shells and Node.js take seconds.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
from typing import Callable, List, NamedTuple, Sequence

from ..agents.agent import Agent
from ..libraries import NEEDED, missing_libraries, missing_sentence
from ..system.platform import WINDOWS, Platform
from ..system.programs import find_program, is_path, left_out
from ..terminals.command_lines import in_login_shell, in_windows_shell, shell_line, shell_of, words_with_folders
from ..terminals.processes import expanded, find_in_shell, output_of, search_path
from .checks import Check, failed, noted, passed, too_slow

SATISFY = (
    "Run “Package Control: Satisfy Libraries” from the command palette; the companion then starts by itself."
    " Without Package Control, install them by hand as the README says."
)
SECONDS = 10.0
MARK = "gemini-companion-mark"  # separates the answer from what start-up files print
VERSION = re.compile(r"\b(\d+)\.(\d+)\.(\d+)\S*")


def check_libraries() -> Check:
    """Whether the libraries can be imported: their versions, and the folders they come from."""
    name, missing = "the libraries can be imported", missing_libraries()
    if missing:
        return failed(name, missing_sentence(missing), SATISFY)
    return passed(name, ", ".join(map(_origin, NEEDED)))


def _origin(library: str) -> str:
    from importlib import metadata

    module = importlib.import_module(library)
    try:
        version = metadata.version(library)
    except metadata.PackageNotFoundError:  # it was copied by hand
        version = str(getattr(module, "__version__", "of an unknown version"))
    return f"{library} {version} from {os.path.dirname(os.path.dirname(module.__file__ or ''))}"


class ProgramAnswer(NamedTuple):
    """Where the program is, and what it printed as its version. `note` says how it was found, if oddly, or
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
    name = f"{agent.title} is installed"
    try:
        found = _ask(expanded(words, platform), platform, folders, cancelled)
    except subprocess.TimeoutExpired:
        return too_slow(name, SECONDS)
    except OSError as error:
        return failed(name, f"the login shell could not be asked: {error.strerror or error}", agent.how_to_update())
    return judge(agent, words, found)


def judge(agent: Agent, words: Sequence[str], found: ProgramAnswer) -> Check:
    """The check that follows from what was found. Pure."""
    name = f"{agent.title} is installed"
    if not found.place:
        where = found.note or f"“{words[0]}” is not on the PATH of the login shell, nor on the editor's"
        return noted(f"{agent.title} is not installed", f"{where}. {agent.how_to_update()}")  # not each is needed
    match = VERSION.search(found.printed)
    if match is None:
        advice = "Run “{} --version” in a terminal: it shows what is wrong.".format(" ".join(words))
        return failed(name, f"{found.place} does not say its version", advice)
    detail = f"{match.group(0)} at {found.place}"
    if tuple(map(int, match.groups())) <= agent.last_without_token:
        return failed(name, detail + " is too old: it sends no token and is refused", agent.how_to_update())
    return passed(name, detail + found.note)


def _ask(
    words: Sequence[str], platform: Platform, folders: Sequence[str], cancelled: Callable[[], bool]
) -> ProgramAnswer:
    found = find_program(words[0], platform, folders)
    if platform.name == WINDOWS:
        command = in_windows_shell(shell_of(platform), [found.place, *words[1:], "--version"], "/d", "/c")
        return ProgramAnswer(found.place, output_of(command, SECONDS, cancelled)[1] if found.place else "", found.why)
    in_shell = found if is_path(words[0], platform) else find_in_shell(words[0], platform, folders, cancelled)
    if in_shell.place:
        line = shell_line([in_shell.place if os.path.isabs(in_shell.place) else words[0], *words[1:], "--version"])
        command = in_login_shell(shell_of(platform), f"echo {MARK}; {line}; echo {MARK}")
        return ProgramAnswer(in_shell.place, read_answer(output_of(command, SECONDS, cancelled)[1]))
    if found.place:  # the launcher starts it with the editor's own PATH, too
        path = search_path(found.place, platform, folders)
        command = [*words_with_folders(words, path, left_out(folders, platform)), "--version"]
        printed = output_of(command, SECONDS, cancelled)[1]
        return ProgramAnswer(found.place, printed, ", found only on the editor's PATH")
    return ProgramAnswer("", note=in_shell.why or found.why)


def read_answer(printed: str) -> str:
    """What a program printed between the marks, which what start-up files print is not. Pure."""
    parts: List[str] = re.split(rf"(?m)^.*{MARK}\s*$", printed)
    return parts[1] if len(parts) > 1 else ""
