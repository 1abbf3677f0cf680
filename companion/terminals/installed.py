"""Which agents are installed, as far as is known: the list of *Run Agent…* goes by that.

Rule: the main thread never waits for the answer. It is what the last look found, and a look takes place on a disk
thread: at the start, when the settings name other agents, and when the list opens. Until the first one nothing counts
as installed. Nothing is started by it: that makes a search of its own, which leaves out the folders of the workspace.
"""

from __future__ import annotations

import logging
import subprocess
from typing import Callable, FrozenSet, Iterable, List, Tuple

from ..agents.agent import RunnableAgent
from ..agents.registry import agents_to_run
from ..common.waiting import Latest
from ..runtime import Runtime
from ..settings import Settings
from ..system.platform import WINDOWS, Platform
from ..system.programs import find_program, is_path
from .command_lines import in_login_shell, quoted, shell_of
from .processes import SHELL_SECONDS, expanded, output_of

logger = logging.getLogger("gemini_companion.terminals")

MARK = "gemini-companion-found:"  # tells our lines from what start-up files print


class InstalledPrograms:
    """The installed agents of the user, for all windows. Main thread."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._wanted: Tuple[str, ...] = ()
        self._found: FrozenSet[str] = frozenset()
        self._searches = Latest(self._search)

    def has(self, agent: RunnableAgent, settings: Settings) -> bool:
        """Whether the last look has found its program. Takes no time."""
        return agent.command(settings)[0] in self._found

    def settings_changed(self, settings: Settings) -> None:
        """Search again if these settings name other programs."""
        if _wanted(settings) != self._wanted:
            self.search(settings)

    def search(self, settings: Settings) -> None:
        """Search for all programs that these settings name, on a disk thread."""
        self._wanted = _wanted(settings)
        self._searches.ask()

    def _search(self) -> None:
        platform = Platform.current()
        self._runtime.use_disk(find_installed, self._wanted, platform, then=self._use, failed=self._failed)

    def _use(self, found: FrozenSet[str]) -> None:
        if self._searches.answered():
            self._found = found

    def _failed(self, error: Exception) -> None:
        logger.warning("could not look for programs: %s", error)
        self._searches.answered()


def _wanted(settings: Settings) -> Tuple[str, ...]:
    return tuple(dict.fromkeys(program.command(settings)[0] for program in agents_to_run(settings)))


def find_installed(names: Iterable[str], platform: Platform, cancelled: Callable[[], bool]) -> FrozenSet[str]:
    """Return the programs that are on the editor's PATH or, in one question for all others, on that of the login
    shell. Disk thread."""
    spelled = {name: expanded((name,), platform)[0] for name in names}
    found = {name for name, program in spelled.items() if find_program(program, platform, ()).place}
    if platform.name != WINDOWS:
        left = {program: name for name, program in spelled.items() if name not in found}
        names = [program for program in left if not is_path(program, platform)]
        found.update(left[program] for program in _in_shell(names, platform, cancelled))
    return frozenset(found)


def _in_shell(programs: List[str], platform: Platform, cancelled: Callable[[], bool]) -> List[str]:
    """Return the programs that the user's login shell knows, functions and aliases among them."""
    if not programs:
        return []
    questions = (f"command -v {quoted(each)} >/dev/null && echo {MARK}{quoted(each)}" for each in programs)
    try:
        _, said = output_of(in_login_shell(shell_of(platform), "; ".join(questions)), SHELL_SECONDS, cancelled)
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("could not ask the login shell for programs: %s", error)
        return []
    answers = {line.strip() for line in said.splitlines()}
    return [each for each in programs if MARK + each in answers]
