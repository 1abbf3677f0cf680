"""Messages that wait for a stream.

Rules: order is kept; a message with a collapse key replaces the earlier one with the same key that still waits, and
takes the newest place; nothing else is ever dropped. When the bound is passed all the same, the outbox says so and
its owner closes the session: a client that never reads must not eat the editor's memory, and a silent gap would be
worse.
"""

from __future__ import annotations

import json
from typing import Any, Collection, Dict, Iterable, List, NamedTuple, Optional

from .limits import Limits


class Message(NamedTuple):
    """One server message on its way: its place in the session's order, its encoded JSON, its collapse key, and what the
    application knows it by (which stays in this process)."""

    sequence: int
    payload: bytes
    collapse: Optional[str]
    tag: Optional[object] = None


class Outbox:
    """What waits for one receiver."""

    __slots__ = ("_limits", "_waiting", "_by_key", "_bytes")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: Dict[int, Message] = {}
        self._by_key: Dict[str, int] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Would another message pass the bound?"""
        return len(self._waiting) >= self._limits.queued_messages or self._bytes > self._limits.queued_bytes

    def add(self, message: Message) -> bool:
        """Append a message. False if the bound is passed and the receiver must be given up."""
        sequence, payload, collapse, _ = message
        waiting = self._waiting
        if collapse is not None:
            earlier = self._by_key.get(collapse)
            if earlier is not None:
                self._bytes -= len(waiting.pop(earlier).payload)
            self._by_key[collapse] = sequence
        waiting[sequence] = message
        self._bytes += len(payload)
        if len(waiting) == 1:
            return True
        return len(waiting) <= self._limits.queued_messages and self._bytes <= self._limits.queued_bytes

    def take(self, most_bytes: int) -> List[Message]:
        """Remove and return the oldest messages: at least one if any waits, then as many as fit."""
        if len(self._waiting) == 1:
            taken = [self._waiting.popitem()[1]]
            self._by_key.clear()
            self._bytes = 0
            return taken
        taken = []
        size = 0
        for message in self._waiting.values():
            size += len(message.payload)
            if taken and size > most_bytes:
                break
            taken.append(message)
        for message in taken:
            del self._waiting[message.sequence]
            self._bytes -= len(message.payload)
            if message.collapse is not None and self._by_key.get(message.collapse) == message.sequence:
                del self._by_key[message.collapse]
        return taken

    def tags(self) -> List[object]:
        """What the application knows the waiting messages by, oldest first."""
        return [message.tag for message in self._waiting.values() if message.tag is not None]

    def tagged(self) -> List[int]:
        """The places of the waiting messages that have a tag."""
        return [message.sequence for message in self._waiting.values() if message.tag is not None]

    def export_state(self) -> List[List[Any]]:
        """The waiting messages as plain JSON-able data."""
        return export_messages(self._waiting.values())

    def import_state(self, state: List[List[Any]], tagged: Collection[int] = ()) -> None:
        """Take over what `export_state` gave; for `tagged` see `import_messages`."""
        for message in import_messages(state, tagged):
            self.add(message)


def export_messages(messages: Iterable[Message]) -> List[List[Any]]:
    """Messages as plain JSON-able data."""
    return [[message.sequence, message.payload.decode("ascii"), message.collapse] for message in messages]


def import_messages(state: List[List[Any]], tagged: Collection[int] = ()) -> List[Message]:
    """What `export_messages` gave, as messages again.

    Those whose places are in `tagged` had a tag, which stayed in the former process or package: the notification's own
    params stand for it now.
    """
    messages = []
    for sequence, payload, collapse in state:
        tag = json.loads(payload).get("params") if sequence in tagged else None
        messages.append(Message(sequence, payload.encode("ascii"), collapse, tag))
    return messages
