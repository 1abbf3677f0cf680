"""Has the client read what it was sent?

A message that the application marks with a tag must not get lost without a word: somebody has to know whether it was
read. That bytes were taken by a connection says nothing, because the kernel takes them for a process that is suspended
or about to be killed.

Rules: a message was read when the client has named its event id (or a later one of the same stream) in
`Last-Event-ID`, has sent a later request, or has closed the connection in order after it: a kernel resets the
connection of a process that leaves bytes unread. After a reset it is in doubt, and a later request says nothing any
more, because it may come from a process that lost the message; only writing it again, or its event id, does.
What was not read when the session ends is given back to the application.
"""

from __future__ import annotations

from enum import Enum
from typing import Dict, List

from .transitions import after, picture


class Receipt(Enum):
    """What is known of a message that was written."""

    WRITTEN = "a connection has taken it"
    IN_DOUBT = "its connection was torn down, or another one carries its stream now"
    READ = "the client has shown that it read it"


class Sign(Enum):
    """What happens to a connection or comes from the client."""

    WRITE = "it is written, perhaps again"
    EVENT_ID = "the client names it or a later one"
    REQUEST = "the client sends another request"
    CLOSED_IN_ORDER = "the client closes the connection and has read all of it"
    RESET = "the connection is reset"
    REATTACHED = "another connection carries the stream"


_WRITTEN, _IN_DOUBT, _READ = Receipt.WRITTEN, Receipt.IN_DOUBT, Receipt.READ
TRANSITIONS: Dict[Receipt, Dict[Sign, Receipt]] = {
    _WRITTEN: {
        Sign.WRITE: _WRITTEN,
        Sign.EVENT_ID: _READ,
        Sign.REQUEST: _READ,
        Sign.CLOSED_IN_ORDER: _READ,
        Sign.RESET: _IN_DOUBT,
        Sign.REATTACHED: _IN_DOUBT,
    },
    _IN_DOUBT: {
        Sign.WRITE: _WRITTEN,
        Sign.EVENT_ID: _READ,
        Sign.REQUEST: _IN_DOUBT,
        Sign.CLOSED_IN_ORDER: _IN_DOUBT,
        Sign.RESET: _IN_DOUBT,
        Sign.REATTACHED: _IN_DOUBT,
    },
}
__doc__ = f"{__doc__}{picture('What is known of a message', TRANSITIONS)}"


class _Entry:
    __slots__ = ("label", "receipt", "tag")

    def __init__(self, label: str, tag: object) -> None:
        self.label = label
        self.tag = tag
        self.receipt = Receipt.WRITTEN


class Receipts:
    """The tagged messages of one session that were written and are not known to have been read."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: Dict[int, _Entry] = {}

    def written(self, label: str, sequence: int, tag: object) -> None:
        """A connection has taken the message with this place, on the stream with this label."""
        entry = self._entries.get(sequence)
        if entry is None:
            self._entries[sequence] = _Entry(label, tag)
        else:
            entry.receipt = after(TRANSITIONS, entry.receipt, Sign.WRITE)

    def note(self, sign: Sign, label: str) -> None:
        """Something happened to the connection that carries the stream."""
        for sequence, entry in list(self._entries.items()):
            if entry.label == label:
                self._follow(sequence, entry, sign)

    def named(self, label: str, last: int) -> None:
        """The client has named the event id with the place `last` on the stream."""
        for sequence, entry in list(self._entries.items()):
            if entry.label == label and sequence <= last:
                self._follow(sequence, entry, Sign.EVENT_ID)

    def requested(self) -> None:
        """The client has sent a request."""
        for sequence, entry in list(self._entries.items()):
            self._follow(sequence, entry, Sign.REQUEST)

    def _follow(self, sequence: int, entry: _Entry, sign: Sign) -> None:
        entry.receipt = after(TRANSITIONS, entry.receipt, sign)
        if entry.receipt is Receipt.READ:
            del self._entries[sequence]

    def places(self) -> List[int]:
        """The places of what is not known to have been read."""
        return sorted(self._entries)

    def unread(self) -> List[object]:
        """The tags of what is not known to have been read, oldest first."""
        return [self._entries[sequence].tag for sequence in self.places()]
