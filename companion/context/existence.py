"""Checks on a worker thread which files exist, because a network drive may hang.

Rule: few questions at a time, and none twice. A disk that hangs takes one worker and holds up the files that were asked
for together with its own; those opened later are asked for by themselves. What is as it was known to be is not told: an
answer wakes the main thread.
"""

from __future__ import annotations

import functools
import logging
import os
from typing import TYPE_CHECKING, Callable, Collection, Dict, List, Mapping, Optional, Sequence, Set

from ..workers import NOTHING_TO_TELL

if TYPE_CHECKING:
    from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.context")


MAXIMUM_OPEN = 2


class Question:
    """Files that are being looked for. The main thread writes `wanted` before it reads `closed`, the worker thread the
    other way round, so that one of the two sees that an answer is missing."""

    __slots__ = ("closed", "known", "paths", "wanted")

    def __init__(self, paths: Sequence[str], known: Optional[Collection[str]]) -> None:
        self.paths = frozenset(paths)
        self.known = known
        self.wanted = known is None
        """Somebody waits for the answer, whatever it is."""
        self.closed = False
        """No answer will come: all was as it is known."""


class Existence:
    """Main thread only. `answered` gets the result, from path to whether it exists, on the main thread."""

    def __init__(self, runtime: Runtime, answered: Callable[[Mapping[str, bool]], None]) -> None:
        self._runtime = runtime
        self._answered = answered
        self._open: List[Question] = []  # without an answer yet
        self._saved: Set[str] = set()  # since the oldest of them was asked

    def ask(self, paths: Sequence[str], *, known: Optional[Collection[str]] = None) -> None:
        """Look for these files, as far as they are not being looked for already. Whoever gets no answer asks again.

        There is no answer if all files are there and are among the `known` ones.
        """
        if known is None:
            for question in self._open:
                question.wanted = True
        self._open = [question for question in self._open if not question.closed]
        fresh = [path for path in paths if not any(path in question.paths for question in self._open)]
        if not fresh or len(self._open) >= MAXIMUM_OPEN:
            return
        if not self._open:
            self._saved.clear()
        question = Question(fresh, known)
        self._open.append(question)
        self._runtime.use_disk(
            functools.partial(_answer, question),
            fresh,
            then=functools.partial(self._found, question),
            failed=functools.partial(self._failed, question),
        )

    def saved(self, path: str) -> None:
        """Note that the file was just saved, so that an older answer for it is dropped."""
        self._saved.add(path)

    def _found(self, question: Question, found: Mapping[str, bool]) -> None:
        self._close(question)
        self._answered({path: there for path, there in found.items() if path not in self._saved})

    def _close(self, question: Question) -> None:
        if question in self._open:
            self._open.remove(question)

    def _failed(self, question: Question, error: Exception) -> None:
        self._close(question)
        logger.error("could not look for the open files", exc_info=error)


def _answer(question: Question, paths: Sequence[str], cancelled: Callable[[], bool]) -> object:
    """What was found, or that nobody needs to hear of it. Worker thread."""
    found = existing_files(paths, cancelled)
    known = question.known
    if known is not None and all(path in known and found.get(path) for path in paths):
        question.closed = True
        if not question.wanted:
            return NOTHING_TO_TELL
    return found


def existing_files(paths: Sequence[str], cancelled: Callable[[], bool]) -> Dict[str, bool]:
    """Which of `paths` are files on disk. Worker thread."""
    found: Dict[str, bool] = {}
    for path in paths:
        if cancelled():
            break
        found[path] = os.path.isfile(path)
    return found
