"""One client with everything kept for it, and until when.

Rules: a session belongs to one client and its messages never reach another; it lives while a stream is open or a
request is being answered, then for a while longer, so that a client can come back; when it ends, everything kept for
it goes, and what the application marked and nobody is known to have read is given back.
Implements MCP 2025-11-25, transports, "Session Management" and "Multiple Connections".
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional

from .limits import Limits
from .notices import Notice
from .outbox import Message, Outbox
from .receipts import Receipts
from .revisions import Revision
from .streams import CALL, LISTEN, SUBSCRIPTION, Ending, Stream, StreamKind
from .tools import ClientSession
from .transitions import after, picture


class SessionKind(Enum):
    """How a session came to be."""

    MCP = "mcp"
    """Made by `initialize`."""
    EVENTS = "events"
    """A listener of the plain event stream."""
    SUBSCRIBER = "subscriber"
    """A client of the stateless revision that listens."""


MCP, EVENTS, SUBSCRIBER = SessionKind.MCP, SessionKind.EVENTS, SessionKind.SUBSCRIBER


class Traits(NamedTuple):
    """What is different from kind to kind."""

    receives_all: bool
    """Sees what is meant for others, too, and nobody is told what it has missed."""
    translated: bool
    """Gets notifications in the dialect of the plain event stream."""
    primes_streams: bool
    """May get an event without data, if its revision has them."""


TRAITS: Dict[SessionKind, Traits] = {
    #            receives_all translated primes_streams
    MCP: Traits(False, False, True),
    EVENTS: Traits(True, True, False),
    SUBSCRIBER: Traits(False, False, False),
}


class SessionState(Enum):
    """Is the client there? Calls that are being answered keep a session whatever its state."""

    NEW = "it has never listened"
    LISTENING = "a stream of its own is open"
    DISCONNECTED = "it has listened, and no stream is open"
    CLOSED = "it has ended"


class SessionEvent(Enum):
    """What happens to a session."""

    STREAM_OPENED = "a stream for its notifications was opened"
    LAST_STREAM_LOST = "the last of these is gone"
    CLOSED = "the client ended it, or its time was over"


_NEW, _LISTENING, _DISCONNECTED = SessionState.NEW, SessionState.LISTENING, SessionState.DISCONNECTED
TRANSITIONS: Dict[SessionState, Dict[SessionEvent, SessionState]] = {
    _NEW: {
        SessionEvent.STREAM_OPENED: _LISTENING,
        SessionEvent.CLOSED: SessionState.CLOSED,
    },
    _LISTENING: {
        SessionEvent.STREAM_OPENED: _LISTENING,
        SessionEvent.LAST_STREAM_LOST: _DISCONNECTED,
        SessionEvent.CLOSED: SessionState.CLOSED,
    },
    _DISCONNECTED: {
        SessionEvent.STREAM_OPENED: _LISTENING,
        SessionEvent.CLOSED: SessionState.CLOSED,
    },
    SessionState.CLOSED: {
        # What the session still had open ends in its own time.
        SessionEvent.STREAM_OPENED: SessionState.CLOSED,
        SessionEvent.LAST_STREAM_LOST: SessionState.CLOSED,
    },
}
__doc__ = f"{__doc__}{picture('A session', TRANSITIONS)}"


class Session:
    """One client with everything kept for it."""

    __slots__ = (
        "client", "revision", "kind", "traits", "limits", "outbox", "streams", "current", "sequence", "stream_count",
        "log_level", "requests", "last_seen", "shows_event_ids", "state", "receipts", "_unsent",
    )  # fmt: skip

    def __init__(
        self, client: ClientSession, revision: Revision, kind: SessionKind, limits: Limits, now: float
    ) -> None:
        self.client = client
        self.revision = revision
        self.kind = kind
        self.traits = TRAITS[kind]
        self.limits = limits
        self.outbox = Outbox(limits)
        self.streams: Dict[str, Stream] = {}
        self.current: Optional[Stream] = None
        """The open stream that gets the session's notifications: the newest."""
        self.sequence = 0
        self.stream_count = 0
        self.log_level: Optional[str] = "info"
        self.requests = 0
        """How many calls are being answered."""
        self.last_seen = now
        self.shows_event_ids = False
        self.state = SessionState.NEW
        self.receipts = Receipts()
        self._unsent: List[object] = []

    def next_sequence(self) -> int:
        """The place of the next message."""
        self.sequence += 1
        return self.sequence

    def new_stream(self, kind: StreamKind, label_prefix: str = "") -> Stream:
        """A stream that no connection carries yet."""
        self.stream_count += 1
        return self._make_stream(kind, f"{label_prefix}{self.stream_count}")

    def _make_stream(self, kind: StreamKind, label: str) -> Stream:
        stream = Stream(
            label,
            kind,
            self.outbox if kind is LISTEN else Outbox(self.limits),
            self.limits,
            numbered=kind is not SUBSCRIPTION,
            primes=self.revision.primes_streams and self.traits.primes_streams,
            receipts=self.receipts,
        )
        self.streams[label] = stream
        return stream

    def requested(self, now: float) -> None:
        """The client has sent a request: it lives, and has read what came before."""
        self.last_seen = now
        self.receipts.requested()

    def attach(self, stream: Stream, received: Optional[int]) -> None:
        """A connection begins to carry the stream."""
        stream.attach(received)
        if stream.kind is LISTEN:
            self.current = stream
        if stream.kind is not CALL:
            self._note(SessionEvent.STREAM_OPENED)
        self._forget_old_streams()

    def detach(self, stream: Stream, ending: Ending, now: float) -> None:
        """The connection that carried the stream is gone."""
        stream.detach(ending)
        self.last_seen = now
        if stream.kind is SUBSCRIPTION and self.streams.pop(stream.label, None) is not None:
            self._unsent.extend(stream.outbox.tags())  # It cannot be fetched later.
        if self.current is stream:
            others = [other for other in self.streams.values() if other.open and other.kind is LISTEN]
            self.current = others[-1] if others else None
        if stream.kind is not CALL and not any(other.open for other in self._listening_streams()):
            self._note(SessionEvent.LAST_STREAM_LOST)

    def close(self) -> List[Stream]:
        """The session has ended; the streams that are still open end once they are written."""
        self._note(SessionEvent.CLOSED)
        closing = []
        for stream in self.streams.values():
            stream.finish()
            if stream.open:
                stream.close()
                closing.append(stream)
        return closing

    def _note(self, event: SessionEvent) -> None:
        self.state = after(TRANSITIONS, self.state, event)

    def _listening_streams(self) -> List[Stream]:
        return [stream for stream in self.streams.values() if stream.kind is not CALL]

    def _forget_old_streams(self) -> None:
        idle = [
            stream for stream in self.streams.values() if not stream.open and (stream.finished or stream.kind is LISTEN)
        ]
        for stream in idle[: max(0, len(idle) - self.limits.finished_streams)]:
            del self.streams[stream.label]

    def open_streams(self) -> int:
        """How many connections carry a stream now."""
        return sum(1 for stream in self.streams.values() if stream.open)

    def unread_stream(self) -> Optional[Stream]:
        """The stream whose messages a client that shows no event id cannot have read to the end.

        A client that closes a connection with unread data resets it. One that never showed an event id and comes back
        without any has read none: what was sent there is sent again.
        """
        if self.shows_event_ids:
            return None
        for stream in reversed(list(self.streams.values())):
            if stream.kind is LISTEN:
                return stream if stream.was_reset and not stream.open else None
        return None

    def post(self, notice: Notice, collapse: Optional[str], tag: Optional[object] = None) -> Optional[List[Stream]]:
        """Queue a notification; the streams that can carry it now, or None if the client must be given up."""
        if self.traits.receives_all:
            tag = None
        if self.kind is SUBSCRIBER:
            return self._post_to_subscriptions(notice, collapse, tag)
        payload = notice.translated() if self.traits.translated else notice.encoded()
        if not self.outbox.add(Message(self.next_sequence(), payload, collapse, tag)):
            return None
        return [self.current] if self.current is not None else []

    def _post_to_subscriptions(
        self, notice: Notice, collapse: Optional[str], tag: Optional[object]
    ) -> Optional[List[Stream]]:
        ready = []
        for stream in self.streams.values():
            if stream.filter is not None and stream.filter.get(notice.method) and stream.request_id is not None:
                message = Message(self.next_sequence(), notice.tagged(stream.request_id), collapse, tag)
                if not stream.outbox.add(message):
                    return None
                ready.append(stream)
                tag = None  # Read once is read.
        if tag is not None:
            self._unsent.append(tag)
        return ready

    def unread(self) -> List[object]:
        """The tags of what the client is not known to have read, oldest first."""
        waiting = self.outbox.tags()
        for stream in self.streams.values():
            if stream.kind is not LISTEN:
                waiting.extend(stream.outbox.tags())
        return self.receipts.unread() + self._unsent + waiting

    def deadline(self) -> Optional[float]:
        """When the session ends if the client stays away, or None while it is here."""
        if self.requests or self.state in (SessionState.LISTENING, SessionState.CLOSED):
            return None
        if any(stream.open for stream in self.streams.values()):
            return None
        if self.state is SessionState.DISCONNECTED:
            return self.last_seen + self.limits.stream_grace_seconds
        return self.last_seen + self.limits.silent_session_seconds

    def export_state(self) -> Dict[str, Any]:
        """The session as plain JSON-able data. Holds its id and undelivered messages: never log or publish it."""
        return {
            "client": list(self.client),
            "revision": self.revision.name,
            "sequence": self.sequence,
            "stream_count": self.stream_count,
            "log_level": self.log_level,
            "shows_event_ids": self.shows_event_ids,
            "waiting": self.outbox.export_state(),
            "streams": [stream.export_state() for stream in self.streams.values()],
            "tagged": self.receipts.places() + self.outbox.tagged(),
        }

    @classmethod
    def import_state(cls, state: Dict[str, Any], revision: Revision, limits: Limits, now: float) -> Session:
        """A session as `export_state` gave it, waiting for its client to come back."""
        session = cls(ClientSession(*state["client"]), revision, MCP, limits, now)
        session.log_level = state["log_level"]
        session.shows_event_ids = state["shows_event_ids"]
        tagged = set(state.get("tagged", ()))
        session.outbox.import_state(state["waiting"], tagged)
        for entry in state["streams"]:
            kind = CALL if entry["kind"] == CALL.value else LISTEN
            session._make_stream(kind, entry["label"]).import_state(entry, tagged)
        session.sequence = state["sequence"]
        session.stream_count = state["stream_count"]
        session.state = SessionState.DISCONNECTED
        return session
