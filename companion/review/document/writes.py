"""The accepted texts of one window that are being written.

Rule: whoever closes the window, or ends the package, waits for them, but only for a moment: the disk may be a dead
network drive.
"""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, Optional

from .apply import Guard, Write
from .disk import DiskError, Original

if TYPE_CHECKING:
    from ...runtime import Runtime

logger = logging.getLogger("gemini_companion.review")

WRITE_SECONDS = 2.0  # how long a window that closes waits


class Writes:
    """The writes under way, one per review. Main thread only."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._writes: Dict[object, Write] = {}

    def begin(
        self,
        key: object,
        original: Original,
        text: str,
        done: Callable[[Optional[DiskError], bool], None],
        guard: Optional[Guard] = None,
    ) -> None:
        """Write `text`; `key` is the review's, `guard` has the last word on whether the file may be written.

        `done` is told what went wrong, and whether the window was closed meanwhile.
        """
        write = Write(self._runtime, original, text, partial(self._written, key, done), guard)
        self._writes[key] = write
        write.start()

    def _written(
        self, key: object, done: Callable[[Optional[DiskError], bool], None], error: Optional[DiskError]
    ) -> None:
        done(error, self._writes.pop(key, None) is None)

    def finish(self) -> None:
        """Wait for all of them, `WRITE_SECONDS` at most, and forget those that take longer."""
        end = time.monotonic() + WRITE_SECONDS
        for write in list(self._writes.values()):
            if not write.finish(max(0.0, end - time.monotonic())):
                logger.error("%s was still being written when its window closed", write.name)
        self._writes.clear()

    def wait(self) -> None:
        """Like `finish`, but `done` is never called: for when the editor's API may no longer be used."""
        end = time.monotonic() + WRITE_SECONDS
        for write in self._writes.values():
            write.wait(max(0.0, end - time.monotonic()))
