"""Asks the disk which files exist, on a worker thread, because a network drive may not answer.

Rule: one question at a time. A disk that hangs takes one worker, not all of them.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Callable, Dict, Mapping, Sequence, Set

if TYPE_CHECKING:
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.context")


class Existence:
    """Main thread only. `answered` gets what was found, by path, on the main thread."""

    def __init__(self, runtime: Runtime, answered: Callable[[Mapping[str, bool]], None]) -> None:
        self._runtime = runtime
        self._answered = answered
        self._asking = False
        self._saved: Set[str] = set()  # since the question was asked

    def ask(self, paths: Sequence[str]) -> None:
        """Look for these files, unless a question is still open: whoever is left without an answer asks again."""
        if self._asking or not paths:
            return
        self._asking = True
        self._saved.clear()
        self._runtime.compute(existing_files, tuple(paths), then=self._found, failed=self._failed)

    def saved(self, path: str) -> None:
        """The file has just been written: an answer on its way may be older than that."""
        self._saved.add(path)

    def _found(self, found: Mapping[str, bool]) -> None:
        self._asking = False
        self._answered({path: there for path, there in found.items() if path not in self._saved})

    def _failed(self, error: Exception) -> None:
        self._asking = False
        logger.error("could not look for the open files", exc_info=error)


def existing_files(paths: Sequence[str], cancelled: Callable[[], bool]) -> Dict[str, bool]:
    """Which of `paths` are files on disk. Worker thread."""
    found: Dict[str, bool] = {}
    for path in paths:
        if cancelled():
            break
        found[path] = os.path.isfile(path)
    return found
