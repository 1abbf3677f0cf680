"""Messages that wait for a client, and the notifications among them.

Rules: a notification is serialised at most once per dialect, however many sessions get it; only that of a subscription
has an id of its own. Order is kept. A message with a collapse key replaces the waiting one with the same key
and goes to the end; no other message is ever dropped. When a bound is exceeded, the outbox reports it and its owner
closes the session: a client that never reads must not exhaust the editor's memory, and a silent gap would be worse.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from .jsonrpc import RequestId, notification_message
from .limits import Limits

Translate = Callable[[str, Dict[str, Any]], Tuple[str, Dict[str, Any]]]
"""Maps method and params of a notification to those of another dialect."""


class Notice:
    """A notification to any number of clients, serialised on demand."""

    __slots__ = ("method", "_params", "_translate", "_encoded", "_translated")

    def __init__(self, method: str, params: Dict[str, Any], translate: Translate) -> None:
        self.method = method
        self._params = params
        self._translate = translate
        self._encoded: Optional[bytes] = None
        self._translated: Optional[bytes] = None

    def encoded(self) -> bytes:
        """The message for MCP sessions."""
        if self._encoded is None:
            self._encoded = notification_message(self.method, self._params)
        return self._encoded

    def translated(self) -> bytes:
        """The message for the plain event stream."""
        if self._translated is None:
            self._translated = notification_message(*self._translate(self.method, self._params))
        return self._translated

    def tagged(self, subscription_id: RequestId) -> bytes:
        """The message for a subscription, with its id in `_meta` (MCP 2026-07-28, "Receiving Notifications")."""
        meta = {"io.modelcontextprotocol/subscriptionId": subscription_id}
        return notification_message(self.method, {**self._params, "_meta": meta})


class Message(NamedTuple):
    """One message to a client: sequence number, encoded JSON, collapse key."""

    sequence: int
    payload: bytes
    collapse: Optional[str]


class Outbox:
    """The messages that wait for one stream or connection."""

    __slots__ = ("_limits", "_waiting", "_by_key", "_bytes")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: Dict[int, Message] = {}
        self._by_key: Dict[str, int] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._waiting.values())

    def add(self, message: Message) -> bool:
        """Append a message. False if a bound is exceeded, so that the session must be closed."""
        sequence, payload, collapse = message
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
        """Remove and return the oldest messages: at least one if any waits, and up to `most_bytes`."""
        taken: List[Message] = []
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


def export_messages(messages: Iterable[Message]) -> List[List[Any]]:
    """Messages as JSON-serialisable data."""
    return [[message.sequence, message.payload.decode("ascii"), message.collapse] for message in messages]


def import_messages(state: List[List[Any]]) -> List[Message]:
    """Restore what `export_messages` returned."""
    return [Message(sequence, payload.encode("ascii"), collapse) for sequence, payload, collapse in state]
