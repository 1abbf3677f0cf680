"""Messages that wait for a client, and the notifications among them.

Rules: a notification is serialised at most once per dialect, however many clients get it; only the id of a subscription
is inserted for each receiver. Order is kept. A message with a collapse key replaces the waiting one with the same key
and goes to the end; no other message is ever dropped. When a bound is exceeded, the outbox reports it and its owner
closes the session: a client that never reads must not exhaust the editor's memory, and a silent gap would be worse.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple

from .json_text import encode, encode_id
from .jsonrpc import RequestId, notification_message
from .limits import Limits

Translate = Callable[[str, Dict[str, Any]], Tuple[str, Dict[str, Any]]]
"""Maps method and params of a notification to those of another dialect."""


class Notice:
    """A notification to any number of clients, serialised on demand."""

    __slots__ = ("method", "_params", "_translate", "_encoded", "_translated", "_inner")

    def __init__(self, method: str, params: Dict[str, Any], translate: Optional[Translate] = None) -> None:
        self.method = method
        self._params = params
        self._translate = translate
        self._encoded: Optional[bytes] = None
        self._translated: Optional[bytes] = None
        self._inner: Optional[bytes] = None

    def encoded(self) -> bytes:
        """The message for MCP sessions."""
        if self._encoded is None:
            self._encoded = notification_message(self.method, self._params)
        return self._encoded

    def translated(self) -> bytes:
        """The message for the plain event stream."""
        if self._translate is None:
            return self.encoded()
        if self._translated is None:
            self._translated = notification_message(*self._translate(self.method, self._params))
        return self._translated

    def tagged(self, subscription_id: RequestId) -> bytes:
        """The message for a subscription, with its id in `_meta` (MCP 2026-07-28, "Receiving Notifications")."""
        if self._inner is None:
            params = {key: value for key, value in self._params.items() if key != "_meta"}
            self._inner = encode(params)[1:]
        tag = b'{"_meta":{"io.modelcontextprotocol/subscriptionId":' + encode_id(subscription_id) + b"}"
        separator = b"" if self._inner == b"}" else b","
        return (
            b'{"jsonrpc":"2.0","method":' + encode(self.method) + b',"params":' + tag + separator + self._inner + b"}"
        )


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

    def export_state(self) -> List[List[Any]]:
        """The waiting messages as JSON-serialisable data."""
        return export_messages(self._waiting.values())

    def import_state(self, state: List[List[Any]]) -> None:
        """Restore what `export_state` returned."""
        for message in import_messages(state):
            self.add(message)


def export_messages(messages: Iterable[Message]) -> List[List[Any]]:
    """Messages as JSON-serialisable data."""
    return [[message.sequence, message.payload.decode("ascii"), message.collapse] for message in messages]


def import_messages(state: List[List[Any]]) -> List[Message]:
    """Restore what `export_messages` returned."""
    return [Message(sequence, payload.encode("ascii"), collapse) for sequence, payload, collapse in state]
