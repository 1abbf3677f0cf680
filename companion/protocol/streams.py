"""What waits for a client, and the event stream that takes it there over one or more connections.

Rules of the outbox: a notification is serialised at most once per dialect, however many sessions get it; only that of a
subscription has an id of its own. Order is kept. A message with a collapse key replaces the waiting one with the same
key and goes to the end; no other message is ever dropped. When a bound is exceeded, the outbox reports it and its owner
closes the session: a client that never reads must not exhaust the editor's memory, and a silent gap would be worse.

Rules of the stream: it outlives its connection. The event id of a message names the stream and the message's sequence
number. Messages that were sent are kept, within bounds, until the client confirms them with `Last-Event-ID`. A resumed
stream first sends again what came after that id. Each message belongs to one stream and is never sent on another.
Implements MCP 2025-11-25, transports, "Resumability and Redelivery", and the event stream format of the HTML standard,
9.2.6.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from ..common.transitions import step
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


class QueuedMessage(NamedTuple):
    """One message to a client: sequence number, encoded JSON, collapse key."""

    sequence: int
    payload: bytes
    collapse: Optional[str]


class Outbox:
    """The messages that wait for one stream or connection."""

    __slots__ = ("_limits", "_waiting", "_by_key", "_bytes")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: Dict[int, QueuedMessage] = {}
        self._by_key: Dict[str, int] = {}
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[QueuedMessage]:
        return iter(self._waiting.values())

    def add(self, message: QueuedMessage) -> bool:
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

    def take(self, most_bytes: int) -> List[QueuedMessage]:
        """Remove and return the oldest messages: at least one if any waits, and up to `most_bytes`."""
        taken: List[QueuedMessage] = []
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


def export_messages(messages: Iterable[QueuedMessage]) -> List[List[Any]]:
    """Messages as JSON-serialisable data."""
    return [[message.sequence, message.payload.decode("ascii"), message.collapse] for message in messages]


def import_messages(state: List[List[Any]]) -> List[QueuedMessage]:
    """Restore what `export_messages` returned."""
    return [QueuedMessage(sequence, payload.encode("ascii"), collapse) for sequence, payload, collapse in state]


# -- event streams -----------------------------------------------------------------------------------------------------

HEARTBEAT = b": \n\n"
_GREETING = b": connected\n\n"
# The event type is one that no client listens to: some clients take a block without data for a message with empty data.
_RECONNECTION = b"event: reconnection\nretry: %d\ndata: {}\n\n"
RETRY_MILLISECONDS = 1000
GONE_SECONDS = 0.25
"""When clients come back to a server that will refuse them: their two tries have to be over before the user lets them
connect anew, because in Gemini CLI the failure of the last try ends a connection that it has made meanwhile."""
CHUNK_BYTES = 512 * 1024


class StreamState(Enum):
    """Whether the stream is attached to a connection."""

    DETACHED = "no connection"
    ATTACHED = "a connection writes it, perhaps in place of another"
    CLOSING = "its connection ends once everything is written"


_DETACHED, _ATTACHED, _CLOSING = StreamState
TRANSITIONS: Dict[StreamState, FrozenSet[StreamState]] = {
    _DETACHED: frozenset({_ATTACHED}),
    _ATTACHED: frozenset({_ATTACHED, _CLOSING, _DETACHED}),
    _CLOSING: frozenset({_ATTACHED, _CLOSING, _DETACHED}),
}


class EventId(NamedTuple):
    """An event id that this server issued."""

    label: str
    place: int


class Stream:
    """One logical stream. Loop thread, like everything in this package."""

    def __init__(self, label: str, outbox: Outbox, limits: Limits, *, numbered: bool, primes: bool) -> None:
        """`numbered`: events have ids and can be sent again. `primes`: see `Revision.primes_streams`."""
        self.label = label
        self.outbox = outbox
        self.limits = limits
        self.numbered = numbered
        self.primes = primes
        self.state = StreamState.DETACHED
        self.was_reset = False
        """The last connection was reset, so that data may be unread."""
        self.filter: Dict[str, bool] = {}
        """Of a subscription: the notifications that it asks for."""
        self.request_id: RequestId = ""
        """Of a subscription: that of its request."""
        self.last_sequence = 0
        self._sent: Dict[int, QueuedMessage] = {}
        self._sent_keys: Dict[str, int] = {}
        self._sent_bytes = 0
        self._to_resend: List[int] = []  # the oldest last
        self._greeted = True
        self._reconnection = b""
        self._imported = False
        self._label = label.encode("ascii")

    @property
    def open(self) -> bool:
        """Is it attached to a connection?"""
        return self.state is not StreamState.DETACHED

    @property
    def closing(self) -> bool:
        """Is the connection to end once everything is written?"""
        return self.state is StreamState.CLOSING

    def attach(self, received: Optional[int] = None) -> None:
        """Attach the stream to a connection. `received`: the sequence number in the client's `Last-Event-ID`."""
        self.state = step(TRANSITIONS, self.state, _ATTACHED)
        if received is not None:
            for sequence in [number for number in self._sent if number <= received]:
                self._forget(sequence)
        self._to_resend = list(self._sent)[::-1]
        self._greeted = False
        self.was_reset = False

    def close(self, come_back_seconds: Optional[float] = None) -> None:
        """Let the connection end once everything is written. With `come_back_seconds`, its last event tells the client
        to reconnect after so long."""
        self.state = step(TRANSITIONS, self.state, _CLOSING)
        if come_back_seconds is not None:
            self._reconnection = _RECONNECTION % int(come_back_seconds * 1000)

    def detach(self, was_reset: bool) -> None:
        """Detach the stream from its connection, which was lost. `was_reset`: or not everything could be written."""
        self.state = step(TRANSITIONS, self.state, _DETACHED)
        self.was_reset = was_reset
        self._to_resend.clear()

    def take(self, current: bool) -> bytes:
        """The next bytes to write, or nothing. `current`: the messages in the outbox go to this stream."""
        parts = []
        size = 0
        if not self._greeted:
            self._greeted = True
            parts.append(self._greeting())
        while self._to_resend and size < CHUNK_BYTES:
            message = self._sent.get(self._to_resend.pop())
            if message is not None:
                parts.append(self._event(message))
                size += len(message.payload)
        if current and not self._to_resend and size < CHUNK_BYTES:
            for message in self.outbox.take(CHUNK_BYTES):
                self.last_sequence = message.sequence
                parts.append(self._event(message))
                if self.numbered:
                    self._remember(message)
        if self._reconnection and not parts:
            parts.append(self._reconnection)
            self._reconnection = b""
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _greeting(self) -> bytes:
        if self.primes:
            received = next(iter(self._sent)) - 1 if self._sent else self.last_sequence
            return b"retry: %d\nid: %s-%d\ndata: \n\n" % (RETRY_MILLISECONDS, self._label, received)
        if self._imported:
            # The former server may have told the client to wait longer before it reconnects.
            self._imported = False
            return _GREETING + _RECONNECTION % RETRY_MILLISECONDS
        return _GREETING

    def _event(self, message: QueuedMessage) -> bytes:
        if not self.numbered:
            return b"data: " + message.payload + b"\n\n"
        return b"id: %s-%d\ndata: %s\n\n" % (self._label, message.sequence, message.payload)

    def forget_replaced(self, collapse: str) -> None:
        """A message with this key is about to replace the one before, which is never sent again: the user may have
        taken back what it holds."""
        earlier = self._sent_keys.get(collapse)
        if earlier is not None:
            self._forget(earlier)

    def _remember(self, message: QueuedMessage) -> None:
        sequence, payload, collapse = message
        sent = self._sent
        if collapse is not None:
            self.forget_replaced(collapse)
            self._sent_keys[collapse] = sequence
        sent[sequence] = message
        self._sent_bytes += len(payload)
        while len(sent) > 1 and (
            len(sent) > self.limits.replay_messages or self._sent_bytes > self.limits.replay_bytes
        ):
            self._forget(next(iter(sent)))

    def _forget(self, sequence: int) -> None:
        message = self._sent.pop(sequence)
        self._sent_bytes -= len(message.payload)
        if message.collapse is not None:
            self._sent_keys.pop(message.collapse, None)

    def export_state(self) -> Dict[str, Any]:
        """The stream as JSON-serialisable data."""
        sent = export_messages(self._sent.values())
        return {"label": self.label, "last_sequence": self.last_sequence, "sent": sent}

    def import_state(self, state: Dict[str, Any]) -> None:
        """Restore what `export_state` returned."""
        self._imported = True
        self.last_sequence = state["last_sequence"]
        for message in import_messages(state["sent"]):
            self._remember(message)


def read_event_id(text: str) -> Optional[EventId]:
    """Parse an event id; None if this server cannot have issued it."""
    label, separator, place = text.rpartition("-")
    if not separator or not label or not (place.isascii() and place.isdigit()) or len(place) > 18:
        return None
    return EventId(label, int(place))
