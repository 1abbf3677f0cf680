"""Checks on a worker thread which files exist, because a network drive may hang.

Rule: few checks run at once, and no path is in two of them. A hanging disk blocks one worker and delays the other files
of the same check; files that are opened later get a check of their own.
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
    """Main thread only. `answered` gets the result, from path to whether it exists, on the main thread."""

    def __init__(self, runtime: Runtime, answered: Callable[[Mapping[str, bool]], None]) -> None:
        self._runtime = runtime
        self._answered = answered
        self._open: List[FrozenSet[str]] = []  # the checks under way
        self._saved: Set[str] = set()  # since the oldest of them was asked

    def ask(self, paths: Sequence[str]) -> None:
        """Check these files, except those that are being checked already. A path may get no answer: then ask again."""
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
        """Note that the file was just saved, so that an older answer for it is dropped."""
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
