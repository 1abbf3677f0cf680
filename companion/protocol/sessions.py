"""A session: one client, everything that is kept for it, and for how long.

Rules: a session belongs to one client, and its messages never reach another. Over HTTP it lives while a stream is open
or a request is being answered, and then for some time longer, so that the client can reconnect; a connection that
carries messages both ways is itself the session. When it ends, everything kept for it is dropped.
Implements MCP 2025-11-25, transports, "Session Management" and "Multiple Connections".
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, FrozenSet, List, Optional, Union

from ..common.transitions import step
from .limits import Limits
from .metadata import Revision
from .streams import GONE_SECONDS, Notice, Outbox, QueuedMessage, Stream, export_messages, import_messages
from .tools import ClientSession


class SessionKind(Enum):
    """How a session was created."""

    MCP = "mcp"
    """By `initialize` (MCP lifecycle, "Initialization")."""
    EVENTS = "events"
    """By a GET of the plain event stream `/events`. It also gets what is addressed to others, in its own dialect."""
    SUBSCRIBER = "subscriber"
    """By `subscriptions/listen` of the stateless revision."""
    CONNECTION = "connection"
    """By a connection that carries whole messages both ways (2025-11-25, transports, "Custom Transports")."""


MCP, EVENTS, SUBSCRIBER, CONNECTION = SessionKind


class SessionState(Enum):
    """Whether the client listens. A call that is being answered keeps the session alive in any state."""

    CONNECTED = "a connection that carries messages both ways, on which nothing was said"
    NEW = "it is initialized; no stream has been opened yet"
    LISTENING = "a stream for its notifications is open, or it has said on its connection that it is ready"
    DISCONNECTED = "its last stream was lost"
    CLOSED = "the client has ended it, or it has timed out"


_CONNECTED, _NEW, _LISTENING, _DISCONNECTED, _CLOSED = SessionState
TRANSITIONS: Dict[SessionState, FrozenSet[SessionState]] = {
    _CONNECTED: frozenset({_NEW, _CLOSED}),
    _NEW: frozenset({_LISTENING, _CLOSED}),
    _LISTENING: frozenset({_LISTENING, _DISCONNECTED, _CLOSED}),
    _DISCONNECTED: frozenset({_LISTENING, _CLOSED}),
    _CLOSED: frozenset(),
}


AT_ONCE_BYTES = 64 * 1024
"""How much is taken for one turn of writing."""


class Session:
    """One client and everything that is kept for it. Times are in seconds of a monotonic clock."""

    def __init__(
        self, client: ClientSession, revision: Revision, kind: SessionKind, limits: Limits, now: float
    ) -> None:
        self.client = client
        self.revision = revision
        self.kind = kind
        self.limits = limits
        self.outbox = Outbox(limits)
        self.streams: Dict[str, Stream] = {}
        self.current: Optional[Stream] = None
        """The newest open stream. Only this one gets the session's notifications ("Multiple Connections")."""
        self.sequence = 0
        self.stream_count = 0
        self.requests = 0
        """The number of calls that are being answered."""
        self.last_seen = now
        self.shows_event_ids = False
        self.state = _CONNECTED if kind is CONNECTION else _NEW

    @property
    def carries_messages(self) -> bool:
        """Does one connection carry everything both ways, answers included?"""
        return self.kind is CONNECTION

    def introduce(self, revision: Revision, name: str, version: str) -> None:
        """Note what `initialize` has said on its connection."""
        self.state = step(TRANSITIONS, self.state, _NEW)
        self.revision = revision
        self.client = self.client._replace(client_name=name, client_version=version, protocol_version=revision.name)

    def be_ready(self) -> bool:
        """Note that the client has said on its connection that it is ready. False if that is nothing new."""
        is_news = self.kind is CONNECTION and self.state is _NEW
        if is_news:
            self.state = step(TRANSITIONS, self.state, _LISTENING)
        return is_news

    @property
    def is_ready(self) -> bool:
        """Do the client's notifications count? Before it has said that it is ready, they do not."""
        return self.kind is not CONNECTION or self.state is _LISTENING

    @property
    def is_initialized(self) -> bool:
        """Is it settled which revision is spoken?"""
        return self.state is not _CONNECTED

    def queue(self, payload: bytes, collapse: Optional[str] = None, subscription: Optional[Stream] = None) -> bool:
        """Queue a message for the client, or for one of its subscriptions. False if too much waits, so that the session
        must be closed."""
        self.sequence += 1
        if collapse is not None:
            for stream in self.streams.values():
                stream.forget_replaced(collapse)
        outbox = self.outbox if subscription is None else subscription.outbox
        return outbox.add(QueuedMessage(self.sequence, payload, collapse))

    def take(self) -> List[bytes]:
        """On a connection that carries messages both ways: those to write next, oldest first; none if all are written
        or it has ended."""
        if not len(self.outbox) or self.state is _CLOSED:
            return []
        return [message.payload for message in self.outbox.take(AT_ONCE_BYTES)]

    def take_for(self, stream: Stream) -> bytes:
        """The next bytes to write on one of its streams, or nothing."""
        return stream.take(self.current is stream or self.kind is SUBSCRIBER)

    def new_stream(self) -> Stream:
        """Create a stream that is not attached to a connection yet."""
        self.stream_count += 1
        number = str(self.stream_count)
        return self._make_stream(f"{self.client.id}.{number}" if self.kind is EVENTS else number)

    def _make_stream(self, label: str) -> Stream:
        is_subscription = self.kind is SUBSCRIBER
        stream = Stream(
            label,
            Outbox(self.limits) if is_subscription else self.outbox,
            self.limits,
            numbered=not is_subscription,
            primes=self.revision.primes_streams and self.kind is MCP,
        )
        self.streams[label] = stream
        return stream

    def attach(self, stream: Stream, received: Optional[int]) -> None:
        """Attach the stream to a connection. `received`: see `Stream.attach`."""
        stream.attach(received)
        self.current = stream
        self.state = step(TRANSITIONS, self.state, _LISTENING)
        self._forget_old_streams()

    def detach(self, stream: Stream, was_reset: bool, now: float) -> None:
        """Detach the stream from its connection, which was lost. `was_reset`: see `Stream.detach`."""
        stream.detach(was_reset)
        self.last_seen = now
        if self.kind is SUBSCRIBER:
            self.streams.pop(stream.label, None)  # it cannot be resumed
        if self.current is stream:
            others = [other for other in self.streams.values() if other.open]
            self.current = others[-1] if others else None
        if self.state is _LISTENING and not self.open_streams():
            self.state = step(TRANSITIONS, self.state, _DISCONNECTED)

    def close(self) -> List[Output]:
        """End the session. Returns what is still open: streams, each of which ends once everything is written, or the
        connection itself."""
        self.state = step(TRANSITIONS, self.state, _CLOSED)
        if self.kind is CONNECTION:
            return [self]
        return [*self.end_streams(GONE_SECONDS)]

    def end_streams(self, come_back_seconds: Optional[float] = None) -> List[Stream]:
        """End the open streams, and return them. `come_back_seconds`: see `Stream.close`."""
        closing = [stream for stream in self.streams.values() if stream.open]
        for stream in closing:
            self.end_stream(stream, come_back_seconds)
        return closing

    def end_stream(self, stream: Stream, come_back_seconds: Optional[float]) -> None:
        """Let it end once everything is written. Its last event says when to come back, where there is a session."""
        stream.close(come_back_seconds if self.kind is MCP else None)

    def _forget_old_streams(self) -> None:
        idle = [stream for stream in self.streams.values() if not stream.open]
        for stream in idle[: max(0, len(idle) - self.limits.finished_streams)]:
            del self.streams[stream.label]

    def open_streams(self) -> int:
        """The number of streams that are attached to a connection."""
        return sum(1 for stream in self.streams.values() if stream.open)

    def unread_stream(self) -> Optional[Stream]:
        """The stream to resume for a client that reconnects without `Last-Event-ID`, if its messages were not read.

        Closing a connection with unread data resets it (RFC 9293, 3.6.1). So if the last connection was reset, a client
        that never sends `Last-Event-ID` has not read everything, and the messages are sent again.
        """
        if self.shows_event_ids or not self.streams:
            return None
        newest = list(self.streams.values())[-1]
        return newest if newest.was_reset and not newest.open else None

    def notify(self, notice: Notice, collapse: Optional[str]) -> Optional[List[Output]]:
        """Queue a notification. Returns what is to be written now, or None if the outbox is full and the session must
        be closed."""
        if self.kind is SUBSCRIBER:
            return self._post_to_subscriptions(notice, collapse)
        payload = notice.translated() if self.kind is EVENTS else notice.encoded()
        if not self.queue(payload, collapse):
            return None
        if self.current is not None:
            return [self.current]
        return [self] if self.kind is CONNECTION else []

    def _post_to_subscriptions(self, notice: Notice, collapse: Optional[str]) -> Optional[List[Output]]:
        ready: List[Output] = []
        for stream in self.streams.values():
            if notice.method in stream.filter:
                if not self.queue(notice.tagged(stream.request_id), collapse, stream):
                    return None
                ready.append(stream)
        return ready

    def deadline(self) -> Optional[float]:
        """When the session times out, or None while the client is connected."""
        if self.requests or self.state in (_LISTENING, _CLOSED):
            return None
        if self.state is _DISCONNECTED:
            return self.last_seen + self.limits.stream_grace_seconds
        return self.last_seen + self.limits.silent_session_seconds

    def is_silent(self, now: float) -> bool:
        """Has its client never opened a stream, and said nothing for longer than any client needs to come back?"""
        silent_since = self.last_seen + self.limits.stream_grace_seconds
        return self.state is _NEW and self.deadline() is not None and silent_since <= now

    def export_state(self) -> Dict[str, Any]:
        """The session as JSON-serialisable data. It has the session id and messages: never log or publish it."""
        return {
            "client": list(self.client),
            "revision": self.revision.name,
            "sequence": self.sequence,
            "stream_count": self.stream_count,
            "shows_event_ids": self.shows_event_ids,
            "waiting": export_messages(self.outbox),
            "streams": [stream.export_state() for stream in self.streams.values()],
        }

    @classmethod
    def import_state(cls, state: Dict[str, Any], revision: Revision, limits: Limits, now: float) -> Session:
        """Restore a session from `export_state`. It waits for its client to reconnect."""
        session = cls(ClientSession(*state["client"]), revision, MCP, limits, now)
        session.shows_event_ids = state["shows_event_ids"]
        for message in import_messages(state["waiting"]):
            session.outbox.add(message)
        for entry in state["streams"]:
            if entry.get("kind", "listen") == "listen":  # former releases had those of calls, too
                session._make_stream(entry["label"]).import_state(entry)
        session.sequence = state["sequence"]
        session.stream_count = state["stream_count"]
        session.state = _DISCONNECTED
        return session


Output = Union[Stream, Session]
"""What carries messages to a client, and can have something to write: a stream over HTTP, or a connection itself."""
