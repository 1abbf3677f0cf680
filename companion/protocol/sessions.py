"""Who is connected, and until when.

Rules: a session belongs to one client and its messages never reach another; it lives while a stream is open or a
request is being answered, then for a while longer, so that a client can come back; when it ends, everything kept for
it goes.
Implements MCP 2025-11-25, transports, "Session Management" and "Multiple Connections".
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .limits import Limits
from .notices import Notice
from .outbox import Message, Outbox
from .revisions import Revision
from .streams import CALL, LISTEN, SUBSCRIPTION, Stream
from .tools import ClientSession

MCP, EVENTS, SUBSCRIBER = "mcp", "events", "subscriber"
"""Kinds: made by `initialize`; a listener of the plain event stream; a client of the stateless revision that
listens."""


class Session:
    """One client with everything kept for it."""

    __slots__ = (
        "client", "revision", "kind", "limits", "outbox", "streams", "current", "sequence", "stream_count", "log_level",
        "requests", "last_seen", "shows_event_ids", "had_stream",
    )  # fmt: skip

    def __init__(self, client: ClientSession, revision: Revision, kind: str, limits: Limits, now: float) -> None:
        self.client = client
        self.revision = revision
        self.kind = kind
        self.limits = limits
        self.outbox = Outbox(limits)
        self.streams: Dict[str, Stream] = {}
        self.current: Optional[Stream] = None
        """The open stream that gets the session's notifications: the newest."""
        self.sequence = 0
        self.stream_count = 0
        self.log_level: Optional[str] = "info"
        self.requests = 0
        self.last_seen = now
        self.shows_event_ids = False
        self.had_stream = False

    def next_sequence(self) -> int:
        """The place of the next message."""
        self.sequence += 1
        return self.sequence

    def new_stream(self, kind: str, label_prefix: str = "") -> Stream:
        """A stream that no connection carries yet."""
        self.stream_count += 1
        return self._make_stream(kind, "{}{}".format(label_prefix, self.stream_count))

    def _make_stream(self, kind: str, label: str) -> Stream:
        stream = Stream(
            label,
            kind,
            self,
            self.outbox if kind == LISTEN else Outbox(self.limits),
            self.limits,
            numbered=kind != SUBSCRIPTION,
            primes=self.revision.primes_streams and self.kind == MCP,
        )
        self.streams[label] = stream
        return stream

    def attach(self, stream: Stream, received: Optional[int]) -> None:
        """A connection begins to carry the stream."""
        stream.attach(received)
        if stream.kind == LISTEN:
            self.current = stream
        if stream.kind != CALL:
            self.had_stream = True
        self._forget_old_streams()

    def detach(self, stream: Stream, was_reset: bool, now: float) -> None:
        """The connection that carried the stream is gone."""
        stream.detach(was_reset)
        self.last_seen = now
        if stream.kind == SUBSCRIPTION:
            self.streams.pop(stream.label, None)
        if self.current is stream:
            others = [other for other in self.streams.values() if other.open and other.kind == LISTEN]
            self.current = others[-1] if others else None

    def _forget_old_streams(self) -> None:
        idle = [
            stream for stream in self.streams.values() if not stream.open and (stream.finished or stream.kind == LISTEN)
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
            if stream.kind == LISTEN:
                return stream if stream.was_reset and not stream.open else None
        return None

    def post(self, notice: Notice, collapse: Optional[str], tag: Any = None) -> Optional[List[Stream]]:
        """Queue a notification; the streams that can carry it now, or None if the client must be given up."""
        if self.kind == SUBSCRIBER:
            ready = []
            for stream in self.streams.values():
                if stream.filter is not None and stream.filter.get(notice.method):
                    message = Message(self.next_sequence(), notice.tagged(stream.request_id), collapse)
                    if not stream.outbox.add(message):
                        return None
                    ready.append(stream)
            return ready
        payload = notice.encoded() if self.kind == MCP else notice.translated()
        if not self.outbox.add(Message(self.next_sequence(), payload, collapse, tag)):
            return None
        return [self.current] if self.current is not None else []

    def deadline(self) -> Optional[float]:
        """When the session ends if the client stays away, or None while it is here."""
        if self.requests:
            return None
        for stream in self.streams.values():
            if stream.open:
                return None
        if self.had_stream:
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
        }

    @classmethod
    def import_state(cls, state: Dict[str, Any], revision: Revision, limits: Limits, now: float) -> Session:
        """A session as `export_state` gave it, waiting for its client to come back."""
        session = cls(ClientSession(*state["client"]), revision, MCP, limits, now)
        session.log_level = state["log_level"]
        session.shows_event_ids = state["shows_event_ids"]
        session.outbox.import_state(state["waiting"])
        for entry in state["streams"]:
            session._make_stream(CALL if entry["kind"] == CALL else LISTEN, entry["label"]).import_state(entry)
        session.sequence = state["sequence"]
        session.stream_count = state["stream_count"]
        session.had_stream = True
        return session
