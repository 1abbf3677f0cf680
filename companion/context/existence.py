"""Asks the disk which files exist, on a worker thread, because a network drive may not answer.

Rule: few questions at a time, and none twice. A disk that hangs takes one worker and holds up the files that were asked
for together with its own; those opened later are asked for by themselves.
"""

from __future__ import annotations

import functools
import logging
import os
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, List, Mapping, Sequence, Set

if TYPE_CHECKING:
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.context")


MAXIMUM_OPEN = 2


class Existence:
    """Main thread only. `answered` gets what was found, by path, on the main thread."""

    def __init__(self, runtime: Runtime, answered: Callable[[Mapping[str, bool]], None]) -> None:
        self._runtime = runtime
        self._answered = answered
        self._open: List[FrozenSet[str]] = []  # the questions without an answer yet
        self._saved: Set[str] = set()  # since the oldest of them was asked

    def ask(self, paths: Sequence[str]) -> None:
        """Look for these files, as far as they are not being looked for already. Whoever gets no answer asks again."""
        fresh = [path for path in paths if not any(path in question for question in self._open)]
        if not fresh or len(self._open) >= MAXIMUM_OPEN:
            return
        if not self._open:
            self._saved.clear()
        question = frozenset(fresh)
        self._open.append(question)
        self._runtime.use_disk(
            existing_files,
            fresh,
            then=functools.partial(self._found, question),
            failed=functools.partial(self._failed, question),
        )

    def saved(self, path: str) -> None:
        """The file has just been written: an answer on its way may be older than that."""
        self._saved.add(path)

    def _found(self, question: FrozenSet[str], found: Mapping[str, bool]) -> None:
        self._open.remove(question)
        self._answered({path: there for path, there in found.items() if path not in self._saved})

    def _failed(self, question: FrozenSet[str], error: Exception) -> None:
        self._open.remove(question)
        logger.error("could not look for the open files", exc_info=error)


def existing_files(paths: Sequence[str], cancelled: Callable[[], bool]) -> Dict[str, bool]:
    """Which of `paths` are files on disk. Worker thread."""
    found: Dict[str, bool] = {}
    for path in paths:
        if cancelled():
            break
        found[path] = os.path.isfile(path)
    return found
