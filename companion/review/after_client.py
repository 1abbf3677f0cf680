"""Saves the user's edits over what a client writes, for clients that write their own proposal whatever the answer says.

Theory of operation: the client was told that its proposal is accepted, and is about to write it. The file is read again
and again until it holds the proposal; then the user's text is written, as any accepted text is.

Rule: nothing is written before the client has written, and never over anything but its proposal.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Callable, Optional

from .document.apply import Write
from .document.disk import DiskError, Kind
from .document.preparation import FileRequest, Preparation, read
from .document.text import BYTE_ORDER_MARK, plain

if TYPE_CHECKING:
    from ..runtime import Runtime

PATIENCE_SECONDS = 30.0
LOOK_MILLISECONDS = 50


class SaveAfterClient:
    """One text. Main thread only. `done` is called once, with "" or with a sentence that says what failed."""

    def __init__(
        self, runtime: Runtime, request: FileRequest, proposed: str, text: str, done: Callable[[str], None]
    ) -> None:
        self._runtime = runtime
        self._request = request
        self._proposed = proposed
        self._text = text
        self._done = done
        self._end = 0.0

    def start(self) -> None:
        """Begin to look. Returns at once."""
        self._end = time.monotonic() + PATIENCE_SECONDS
        self._look()

    def _look(self) -> None:
        self._runtime.use_disk(_read, self._request, then=self._looked, failed=self._failed)

    def _looked(self, found: Preparation) -> None:
        original = found.original
        if original.kind is Kind.TEXT and original.text == plain(self._proposed.lstrip(BYTE_ORDER_MARK)):
            Write(self._runtime, original, self._text, self._written).start()
        elif time.monotonic() < self._end:
            self._runtime.later_on_main(LOOK_MILLISECONDS, self._look)
        else:
            self._done("The proposal was not written, so your edits are not saved: accept again to write them.")

    def _failed(self, error: Exception) -> None:
        self._done("The file could not be looked at, so your edits are not saved: accept again to write them.")
        raise error  # which is reported

    def _written(self, error: Optional[DiskError]) -> None:
        self._done("" if error is None else str(error))


def _read(request: FileRequest, cancelled: Callable[[], bool]) -> Preparation:
    return read(request)
