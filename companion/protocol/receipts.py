"""Receipts: which of the messages sent to a client has it read?

A message that the application tags must not be lost silently. That the kernel has accepted its bytes proves nothing:
the client's process may be suspended or about to be killed.

Rules: a message counts as read when the client has sent its event id, or a later one of the same stream, in
`Last-Event-ID`; has sent a later request; or has closed the connection in order after it, because a kernel resets the
connection of a process that leaves data unread (RFC 9293, 3.6.1). After a reset the message is in doubt. A later
request then proves nothing, because it may come from a process that lost the message; only the event id does, or
writing the message again. Messages that are unread when the session ends are returned to the application.
Extends MCP 2025-11-25, transports, "Resumability and Redelivery".
"""

from __future__ import annotations

from typing import Dict, List

from .transitions import IdentityHashed, after, picture


class Receipt(IdentityHashed):
    """What is known about a message that was written."""

    WRITTEN = "it was written to a connection"
    IN_DOUBT = "its connection was reset, or its stream has moved to another one"
    READ = "the client has read it"


class Sign(IdentityHashed):
    """What the server sees of a connection or a client, as far as it tells about a message."""

    WRITE = "the message is written, perhaps again"
    EVENT_ID = "the client names its event id or a later one"
    REQUEST = "the client sends another request"
    CLOSED_IN_ORDER = "the client closes the connection after reading everything"
    RESET = "the connection is reset"
    REATTACHED = "the stream is attached to another connection"


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
__doc__ = f"{__doc__}{picture('A message', TRANSITIONS)}"


class _Entry:
    __slots__ = ("label", "receipt", "tag")

    def __init__(self, label: str, tag: object) -> None:
        self.label = label
        self.tag = tag
        self.receipt = Receipt.WRITTEN


class Receipts:
    """The tagged messages of one session that were written but are not known to be read."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: Dict[int, _Entry] = {}

    def written(self, label: str, sequence: int, tag: object) -> None:
        """Note that the message with this sequence number was written, on the stream with this label."""
        entry = self._entries.get(sequence)
        if entry is None:
            self._entries[sequence] = _Entry(label, tag)
        else:
            entry.receipt = after(TRANSITIONS, entry.receipt, Sign.WRITE)

    def note(self, sign: Sign, label: str) -> None:
        """Note what happened to the stream's connection."""
        for sequence, entry in list(self._entries.items()):
            if entry.label == label:
                self._follow(sequence, entry, sign)

    def named(self, label: str, last: int) -> None:
        """Note a `Last-Event-ID` with the sequence number `last` on the stream."""
        for sequence, entry in list(self._entries.items()):
            if entry.label == label and sequence <= last:
                self._follow(sequence, entry, Sign.EVENT_ID)

    def requested(self) -> None:
        """Note a request of the client."""
        if not self._entries:  # as for nearly every request
            return
        for sequence, entry in list(self._entries.items()):
            self._follow(sequence, entry, Sign.REQUEST)

    def _follow(self, sequence: int, entry: _Entry, sign: Sign) -> None:
        entry.receipt = after(TRANSITIONS, entry.receipt, sign)
        if entry.receipt is Receipt.READ:
            del self._entries[sequence]

    def places(self) -> List[int]:
        """The sequence numbers of the messages not known to be read."""
        return sorted(self._entries)

    def unread(self) -> List[object]:
        """The tags of the messages not known to be read, oldest first."""
        return [self._entries[sequence].tag for sequence in self.places()]
