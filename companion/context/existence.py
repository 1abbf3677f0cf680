"""Checks on a disk thread which files exist and where links lead to, because a network drive may hang.

Rules: at most `MAXIMUM_OPEN` questions are open at a time, and no file is in two of them. So a disk that hangs blocks
one worker and the files of one question; files opened later are looked for in another. An answer wakes the main thread,
so a question whose answer was known already gets none.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Set

from ..common.workers import NOTHING_TO_TELL
from ..runtime import Runtime

logger = logging.getLogger("gemini_companion.context")

MAXIMUM_OPEN = 2


class Question:
    """Files that are being looked for on a disk thread.

    The main thread writes `wanted`, then reads `closed`; the disk thread writes `closed`, then reads `wanted`. So if
    somebody begins to wait just when the answer is left out, at least one of the two threads notices.
    """

    __slots__ = ("closed", "known", "paths", "wanted")

    def __init__(self, paths: Sequence[str], known: Optional[Mapping[str, str]]) -> None:
        self.paths = dict.fromkeys(paths)  # in their order
        self.known = known
        self.wanted = known is None
        """Somebody waits for the answer, even if it is what was known."""
        self.closed = False
        """All is as it was known: there is no answer, unless it is wanted."""


class Existence:
    """Main thread only. `answered` is called on the main thread with a mapping from path to the path without links,
    which is empty where there is no such file.
    """

    def __init__(self, runtime: Runtime, answered: Callable[[Mapping[str, str]], None]) -> None:
        self._runtime = runtime
        self._answered = answered
        self._open: List[Question] = []  # without an answer yet
        self._saved: Set[str] = set()  # since the oldest question began

    def ask(self, paths: Sequence[str], *, known: Optional[Mapping[str, str]] = None) -> None:
        """Look for those of these files that are in no open question. If too many are open, nothing happens: ask again.

        `known` is what is known of those that exist: if all files exist and that is still so, there is no answer.
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
        found, failed = partial(self._found, question), partial(self._failed, question)
        self._runtime.use_disk(_answer, question, then=found, failed=failed)

    def saved(self, path: str) -> None:
        """Note that the file was just saved, so that an older answer for it is dropped."""
        self._saved.add(path)

    def _found(self, question: Question, found: Mapping[str, str]) -> None:
        self._close(question)
        self._answered({path: real for path, real in found.items() if path not in self._saved})

    def _close(self, question: Question) -> None:
        if question in self._open:
            self._open.remove(question)

    def _failed(self, question: Question, error: Exception) -> None:
        self._close(question)
        logger.error("could not look for the open files", exc_info=error)


def _answer(question: Question, cancelled: Callable[[], bool]) -> object:
    """Return what was found, or `NOTHING_TO_TELL`. Disk thread."""
    found = real_paths(question.paths, cancelled)
    known = question.known
    if known is not None and all(found.get(path) == known.get(path) for path in question.paths):
        question.closed = True
        if not question.wanted:
            return NOTHING_TO_TELL
    return found


def real_paths(paths: Iterable[str], cancelled: Callable[[], bool]) -> Dict[str, str]:
    """From path to the path without links, empty where there is no file; incomplete once `cancelled()` is true."""
    found: Dict[str, str] = {}
    for path in paths:
        if cancelled():
            break
        found[path] = os.path.realpath(path) if os.path.isfile(path) else ""
    return found
