"""Saves the user's edits over what a client writes, for clients that write their own proposal whatever the answer says.

Theory of operation: the client was told that its proposal is accepted, and is about to write it. The file is read again
and again until it holds the proposal; then the user's text is written, as any accepted text is. A client that goes has
a moment to write, as programs do that end. If it has not, nobody else will, so the user's text is written over the file
that was reviewed.

Rule: nothing is written before the client has written or gone, and never over anything but its proposal or the very
file that was reviewed.
"""

from __future__ import annotations

import time
from enum import Enum
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, Optional

from ..editor.storage import storage_folder
from .document import disk, preparation, written
from .document.apply import Write
from .document.disk import ChangedError, DiskError, Original
from .document.preparation import FileRequest

if TYPE_CHECKING:
    from ..common.workers import Computation
    from ..runtime import Runtime

PATIENCE_SECONDS = 30.0
GONE_SECONDS = 2.0  # that a client may take to write after it has gone
LOOK_MILLISECONDS = 50
CHARACTERS_PER_MILLISECOND = 20000  # for each of them the next look waits longer: a long file is not read all the time


class ClientState(Enum):
    """How far the client is with its own text."""

    AWAITED = "it is about to write"
    GONE = "it has gone and has not been seen to write"
    WRITTEN = "it has written, whether it is still there or not"


TRANSITIONS: Dict[ClientState, FrozenSet[ClientState]] = {
    ClientState.AWAITED: frozenset({ClientState.GONE, ClientState.WRITTEN}),
    ClientState.GONE: frozenset({ClientState.WRITTEN}),
    ClientState.WRITTEN: frozenset(),
}


class SaveAfterClient:
    """One text. Main thread only, except where noted.

    `done` is called once, with "" or with a sentence that says what failed; not at all if `finish` gives up.
    """

    def __init__(
        self,
        runtime: Runtime,
        request: FileRequest,
        proposed: str,
        text: str,
        done: Callable[[str], None],
        original: Optional[Original] = None,
    ) -> None:
        """`original` is the file that was reviewed, if it had been read."""
        self.client = ClientState.AWAITED
        self._runtime = runtime
        self._request = request
        self._proposed = proposed
        self._text = text
        self._done: Optional[Callable[[str], None]] = done
        self._original = original
        self._storage = storage_folder()
        self._pause = LOOK_MILLISECONDS + len(proposed) // CHARACTERS_PER_MILLISECOND
        self._end = 0.0  # on the steady clock
        self._looking: Optional[Computation] = None
        self._write: Optional[Write] = None

    def start(self) -> None:
        """Begin to look. Returns at once."""
        self._end = time.monotonic() + PATIENCE_SECONDS
        self._look()

    def client_gone(self) -> None:
        """The client has gone: what it has not written by `GONE_SECONDS` from now it will not write."""
        self._client_is(ClientState.GONE)
        self._end = min(self._end, time.monotonic() + GONE_SECONDS)

    def finish(self, seconds: float) -> bool:
        """Wait up to `seconds` until the text is saved, looking on meanwhile. If it takes longer, that is the end of it
        and the result is False.
        """
        end = time.monotonic() + seconds
        self._end = 0.0  # what fails now is not tried again
        if self._write is None and self._done is not None:
            if self._looking is not None:
                self._looking.cancel()
            self._looking = self._look_until(end, self._found_at_the_end)
            if self._looking.wait(seconds):
                self._looking.deliver()
        ended = self._done is None or (self._write is not None and self._write.finish(max(0.0, end - time.monotonic())))
        self._done = None
        return ended

    def go_on_alone(self, until: float) -> None:
        """Look on until the steady clock says `until`, and save, where the editor's API may no longer be used.

        Any thread; `wait` waits for it. Nobody is told. A file that a tab shows is left alone, because there may be
        unsaved edits in it.
        """
        done, self._done = self._done, None
        if done is not None and self._write is None:
            self._looking = self._look_until(until, _nothing, self._text, self._storage)

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for a disk thread. Any thread."""
        under_way = self._write or self._looking
        if under_way is not None:
            under_way.wait(seconds)

    def _look(self) -> None:
        if self._done is not None:
            self._looking = self._runtime.use_disk(
                _look, self._request, self._proposed, then=self._looked, failed=self._failed
            )

    def _look_until(
        self, end: float, then: Callable[[Optional[Original]], None], text: Optional[str] = None, storage: str = ""
    ) -> Computation:
        return self._runtime.use_disk(
            _look_until, self._request, self._proposed, end, text, storage, then=then, failed=self._failed
        )

    def _looked(self, found: Optional[Original]) -> None:
        if self._done is None:
            return
        if found is not None:
            self._save_over(found)
        elif time.monotonic() < self._end:
            self._runtime.later_on_main(self._pause, self._look)
        elif self.client is ClientState.GONE and self._original is not None:
            self._begin(self._original)
        else:
            self._tell("The proposal was not written, so your edits are not saved: accept again to write them.")

    def _found_at_the_end(self, found: Optional[Original]) -> None:
        if found is not None:
            self._save_over(found)

    def _save_over(self, found: Original) -> None:
        self._client_is(ClientState.WRITTEN)
        self._begin(found)

    def _client_is(self, state: ClientState) -> None:
        if state in TRANSITIONS[self.client]:
            self.client = state

    def _begin(self, original: Original) -> None:
        self._write = Write(self._runtime, original, self._text, self._written)
        self._write.start()

    def _failed(self, error: Exception) -> None:
        self._tell("The file could not be looked at, so your edits are not saved: accept again to write them.")
        raise error  # which is reported

    def _written(self, error: Optional[DiskError]) -> None:
        if isinstance(error, ChangedError) and self._done is not None and time.monotonic() < self._end:
            # The client was still writing when the file was read.
            self._write = None
            self._runtime.later_on_main(self._pause, self._look)
            return
        self._tell("" if error is None else str(error))

    def _tell(self, problem: str) -> None:
        done, self._done = self._done, None
        if done is not None:
            done(problem)


def _look(request: FileRequest, proposed: str, cancelled: Callable[[], bool]) -> Optional[Original]:
    same = preparation.same_files(request.path, request.tabs)
    encoding = preparation.encoding_of(request, same)
    return written.find(request.path, proposed, encoding=encoding, fallback=request.fallback_encoding)


def _look_until(
    request: FileRequest,
    proposed: str,
    end: float,
    text: Optional[str],
    storage: str,
    cancelled: Callable[[], bool],
) -> Optional[Original]:
    """Look until the file holds what was proposed, or the steady clock says `end`. A `text` is written over it then."""
    while True:
        found = _look(request, proposed, cancelled)
        if found is not None and text is not None and not preparation.same_files(request.path, request.tabs):
            disk.write(found, disk.encoded(found, text), storage)
        if found is not None or cancelled() or time.monotonic() >= end:
            return found
        time.sleep(LOOK_MILLISECONDS / 1000)


def _nothing(_: object) -> None:
    """What is done with a result that nobody waits for any more."""
