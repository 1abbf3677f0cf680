"""Accepted texts that clients have yet to write: makes sure that none is lost when a client goes too early.

Rules: as long as its client may still write the file, nobody else does. Once the client has gone without having shown
that it read the answer, the file is read. If it holds the accepted text, nothing is left to do. If it is still what was
reviewed, the companion writes it. Otherwise the review is opened again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Callable, Optional

from .decision import Outcome, Owner, Verdict
from .document import written

if TYPE_CHECKING:
    from ..runtime import Runtime
    from .manager import ReviewManager

LOOK_AFTER_MILLISECONDS = (1000, 4000, 15000, 40000)
"""When the file is read: so long after the client was told, then after each time that the file did not hold the text.
Some clients send no other request for hours. Without this, the user's later edits would make it look as if the accepted
text had never been written."""


class Delivery:
    """One accepted text, until it is known to have been read or written."""

    __slots__ = ("outcome", "owner")

    def __init__(self, owner: Owner, outcome: Outcome) -> None:
        self.owner = owner
        self.outcome: Optional[Outcome] = outcome
        """None once the file has held the text."""


class Deliveries:
    """The accepted texts of one window. Main thread only, except where noted."""

    def __init__(self, reviews: ReviewManager, runtime: Runtime, stopped: Callable[[], bool]) -> None:
        """`stopped` says whether the window's endpoint has ended; then no file is read any more."""
        self._reviews = reviews
        self._runtime = runtime
        self._stopped = stopped

    def begin(self, owner: Owner, outcome: Outcome) -> Delivery:
        """Follow a text that its client is about to be told of. The result is the tag of the client's message."""
        delivery = Delivery(owner, outcome)
        self._look_later(delivery, 0)
        return delivery

    def unread(self, tag: object, owner: Optional[Owner] = None) -> None:
        """The client has gone, and is not known to have read the message with this tag.

        `owner` is the client. It is needed for messages that an earlier run of the package sent: their tags are the
        messages' params.
        """
        delivery = tag if isinstance(tag, Delivery) else _delivery_of_message(tag, owner)
        if delivery is not None:
            self._look(delivery, self._take_back)

    def _look_later(self, delivery: Delivery, looks: int) -> None:
        """One timer at a time, because each keeps the text in memory until it fires."""
        if delivery.outcome is not None and looks < len(LOOK_AFTER_MILLISECONDS):
            self._runtime.later_on_main(
                LOOK_AFTER_MILLISECONDS[looks], self._look, delivery, partial(self._note, looks=looks + 1)
            )

    def _look(self, delivery: Delivery, then: Callable[[Delivery, bool], None]) -> None:
        outcome = delivery.outcome
        if outcome is None or self._stopped():
            return
        self._runtime.use_disk(_holds, outcome, then=lambda holds: then(delivery, holds))

    def _note(self, delivery: Delivery, holds: bool, looks: int) -> None:
        if holds:
            delivery.outcome = None
        self._look_later(delivery, looks)

    def _take_back(self, delivery: Delivery, holds: bool) -> None:
        outcome, delivery.outcome = delivery.outcome, None
        if outcome is not None and not holds and not self._stopped():
            self._reviews.write_or_reopen(delivery.owner, outcome)


def _holds(outcome: Outcome, cancelled: Callable[[], bool]) -> bool:
    """Whether the file holds the accepted text, whatever its line ends are. Disk thread.

    Clients restore the line ends that the file had, some also whether its last line had one.
    """
    encoding = outcome.original.encoding if outcome.original is not None else ""
    found = written.find(outcome.path, outcome.content or "", encoding=encoding, last_line_end_matters=False)
    return found is not None


def _delivery_of_message(tag: object, owner: Optional[Owner]) -> Optional[Delivery]:
    """The delivery that a message of an earlier run was about, found by the message's params."""
    if owner is None or not isinstance(tag, dict) or "content" not in tag:
        return None
    return Delivery(owner, Outcome(Verdict.ACCEPTED, tag["filePath"], tag["content"]))
