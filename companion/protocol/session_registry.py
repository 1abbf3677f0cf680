"""All sessions of an endpoint: how they open and close, their streams, and the notifications that they get.

Rules: a notification goes to the sessions that it is addressed to and to no other. A stream that is resumed replaces
its own lost connection; any other GET opens a further stream. A session whose client does not reconnect in time is
closed once, and the server reports it to the application.
Implements MCP 2025-11-25, transports, "Listening for Messages from the Server", "Multiple Connections",
"Resumability and Redelivery" and "Session Management".
"""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from .exchanges import Answer, Calls, Event, OpenStream, Reaction, SessionClosed, SessionOpened, Wake
from .jsonrpc import INVALID_REQUEST, RpcError
from .limits import Limits
from .metadata import NEWEST_HANDSHAKE, REVISIONS, VERSION_HEADER, Introduction, Revision, unsupported_version
from .serving import ServedDialect
from .sessions import CONNECTION, EVENTS, MCP, SUBSCRIBER, Output, Session, SessionKind, SessionState
from .streams import Notice, Stream, read_event_id
from .tools import ClientSession

logger = logging.getLogger("gemini_companion.protocol")
SESSION_HEADER = "Mcp-Session-Id"
RESUME_HEADER = "Last-Event-ID"
UNREAD = "it does not read its messages"


class SessionRegistry:
    """All sessions of one endpoint."""

    def __init__(self, limits: Limits, dialect: ServedDialect) -> None:
        self.limits = limits
        self._dialect = dialect
        self.calls = Calls()
        self._stopping = False
        self._come_back_seconds: Optional[float] = None
        self._sessions: Dict[str, Session] = {}
        self._secret = secrets.token_urlsafe(24)
        """Part of the ids of clients without a session, so that no client of another server's has the same."""

    @property
    def clients(self) -> Dict[str, ClientSession]:
        """The clients as the application sees them, by id, oldest first."""
        return {client_id: session.client for client_id, session in self._sessions.items()}

    def all(self) -> Iterable[Session]:
        """Every session."""
        return self._sessions.values()

    def find(self, session_id: str) -> Session:
        """The session that `initialize` gave this id. Raises RpcError."""
        session = self._sessions.get(session_id)
        if session is None or session.kind is not MCP:
            sentence = "Unknown session: it has ended or was never opened. Initialize again."
            raise RpcError(INVALID_REQUEST, sentence, status=404)
        return session

    # Clients without a session

    def client_without_session(self, introduction: Introduction, token_name: str, now: float) -> ClientSession:
        """The client of a request outside of a session. Its token and the name that it gives, if any, identify it: a
        program may make each request on a connection of its own, as `curl` does. If it subscribes, or did a moment ago,
        it is still there."""
        known_by = f"{self._secret}:{token_name}\n{introduction.client_name}"  # names are one line each
        if known_by in self._sessions:
            self._sessions[known_by].last_seen = now
        return _client(known_by, introduction, token_name)

    # Opening

    def open(self, introduction: Introduction, token_name: str, now: float) -> Tuple[Session, List[Event]]:
        """Open a session for `initialize`. Raises RpcError if there are too many."""
        client = _client(secrets.token_urlsafe(24), introduction, token_name)
        return self._add(client, introduction.revision, MCP, now)

    def subscriber(self, client: ClientSession, revision: Revision, now: float) -> Tuple[Session, List[Event]]:
        """The session of a stateless client that subscribes, opened if it has none. Raises RpcError."""
        session = self._sessions.get(client.id)
        return (session, []) if session is not None else self._add(client, revision, SUBSCRIBER, now)

    def _add(
        self, client: ClientSession, revision: Revision, kind: SessionKind, now: float
    ) -> Tuple[Session, List[Event]]:
        events = self._make_room(client.token_name, now)
        session = self._sessions[client.id] = Session(client, revision, kind, self.limits, now)
        return session, [*events, SessionOpened(client)]

    def connection(self, client_id: str, now: float, token_name: str = "") -> Session:
        """The session of a connection that carries messages both ways and has said nothing yet. Its id must be unique,
        and in no log."""
        client = _client(client_id, Introduction(NEWEST_HANDSHAKE), token_name)
        return Session(client, NEWEST_HANDSHAKE, CONNECTION, self.limits, now)

    def ready(self, session: Session) -> List[Event]:
        """Its client has said that it is ready: from now on it is one of all."""
        if not session.be_ready():
            return []
        self._sessions[session.client.id] = session
        return [SessionOpened(session.client)]

    def send(self, session: Session, payloads: Sequence[bytes]) -> List[Event]:
        """Send messages on a connection that carries them both ways."""
        for payload in payloads:
            if not session.queue(payload):
                return self.close(session, UNREAD)
        return [Wake((session,))] if payloads else []

    def _make_room(self, token_name: str, now: float) -> List[Event]:
        sessions = list(self._sessions.values())
        own = [session for session in sessions if session.client.token_name == token_name]
        if len(own) >= self.limits.sessions_per_token:
            sessions = own
        elif len(sessions) < self.limits.sessions:
            return []
        silent = [session for session in sessions if session.is_silent(now)]
        if not silent:
            raise RpcError(INVALID_REQUEST, "Too many clients are connected.", status=503)
        return self.close(min(silent, key=lambda session: session.last_seen), "made room for another client")

    # Streams

    def listen(self, headers: Mapping[str, str], accepts_events: bool, now: float) -> Reaction:
        """Handle a GET of the MCP endpoint. Raises RpcError."""
        session = self._addressed(headers)
        _check_accepts(accepts_events)
        return Reaction(self._resume(session, headers.get(RESUME_HEADER), now))

    def listen_without_session(
        self, headers: Mapping[str, str], accepts_events: bool, now: float, token_name: str = ""
    ) -> Reaction:
        """Handle a GET of the plain event stream `/events`, which is resumed by `Last-Event-ID` alone. Raises
        RpcError."""
        _check_accepts(accepts_events)
        event_id = headers.get(RESUME_HEADER)
        known = read_event_id(event_id) if event_id is not None else None
        session = self._sessions.get(known.label.partition(".")[0]) if known is not None else None
        if session is not None and session.kind is EVENTS:
            return Reaction(self._resume(session, event_id, now))
        # It is part of every event id, and an event id is all that is needed to resume the stream: so it is a secret.
        client = ClientSession(secrets.token_urlsafe(24), "event stream", "", "", time.time(), token_name)
        session, events = self._add(client, NEWEST_HANDSHAKE, EVENTS, now)
        return Reaction(self.open_stream(session, now), events)

    def _addressed(self, headers: Mapping[str, str]) -> Session:
        """The session that a GET or a DELETE is for. Raises RpcError."""
        version = headers.get(VERSION_HEADER)
        if version is not None:
            revision = REVISIONS.get(version)
            if revision is None:
                raise unsupported_version(version)
            if not revision.handshake:
                raise RpcError(INVALID_REQUEST, f"MCP {version} has neither GET nor DELETE.", status=405)
        session_id = headers.get(SESSION_HEADER)
        if session_id is None:
            raise RpcError(INVALID_REQUEST, "The header Mcp-Session-Id is missing.", status=400)
        return self.find(session_id)

    def _resume(self, session: Session, event_id: Optional[str], now: float) -> OpenStream:
        """Go on with the stream that a GET means, if there is one, or else open another."""
        if event_id is None:
            return self.open_stream(session, now, session.unread_stream())
        known = read_event_id(event_id)
        if known is None:
            return self.open_stream(session, now)
        session.shows_event_ids = True
        return self.open_stream(session, now, session.streams.get(known.label), known.place)

    def open_stream(
        self, session: Session, now: float, stream: Optional[Stream] = None, received: Optional[int] = None
    ) -> OpenStream:
        """Let a connection write a stream of the session from now on, without `stream` a new one. `received`: see
        `Stream.attach`. Raises RpcError if too many are open."""
        session.last_seen = now
        if stream is None:
            if session.open_streams() >= self.limits.streams_per_session:
                sentence = f"At most {self.limits.streams_per_session} streams may be open in one session."
                raise RpcError(INVALID_REQUEST, sentence, status=429)
            stream = session.new_stream()
        session.attach(stream, received)
        if self._stopping:
            session.end_stream(stream, self._come_back_seconds)
        return OpenStream(session, stream)

    def stream_lost(self, session: Session, stream: Stream, was_reset: bool, now: float) -> List[Event]:
        """The stream's connection was lost."""
        session.detach(stream, was_reset, now)
        return [Wake((session.current,))] if session.current is not None and len(session.outbox) else []

    # Notifications

    def notify(
        self, method: str, params: Dict[str, Any], session_id: Optional[str], collapse: Optional[str]
    ) -> List[Event]:
        """Send a notification to one session, or to all if `session_id` is None. Plain event streams get every one."""
        notice = Notice(method, params, self._dialect.plain_event)
        woken: List[Output] = []
        given_up: List[Session] = []
        for session in self._sessions.values():
            if session_id is not None and session.kind is not EVENTS and session.client.id != session_id:
                continue
            ready = session.notify(notice, collapse)
            if ready is None:
                given_up.append(session)
            else:
                woken += ready
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("sent notification %.60r, %d bytes", method, len(notice.encoded()))
        events = _woken(woken)
        for session in given_up:
            events.extend(self.close(session, UNREAD))
        return events

    # Closing

    def delete(self, headers: Mapping[str, str]) -> Reaction:
        """Handle a DELETE of the MCP endpoint ("Session Management", 5). Raises RpcError."""
        events = self.close(self._addressed(headers), "closed by the client")
        return Reaction(Answer(self._dialect.deleted_status, {}, b""), events)

    def close(self, session: Session, reason: str) -> List[Event]:
        """End a session and drop it."""
        if session.state is SessionState.CLOSED:
            return []
        was_open = self._sessions.pop(session.client.id, None) is not None
        events = _woken(session.close())
        events.extend(self.calls.session_closed(session, session.last_seen))
        if was_open:
            events.append(SessionClosed(session.client, reason))
        return events

    def stop(self, come_back_seconds: Optional[float]) -> List[Event]:
        """End every stream, and each one that is opened from now on. Sessions stay, for `export_state`.

        `come_back_seconds`: how long the stream tells its client to wait before it reconnects.
        """
        self._stopping, self._come_back_seconds = True, come_back_seconds
        return _woken([each for session in self._sessions.values() for each in session.end_streams(come_back_seconds)])

    def tick(self, now: float) -> List[Event]:
        """Close the sessions that have timed out."""
        events: List[Event] = []
        for session in list(self._sessions.values()):
            deadline = session.deadline()
            if deadline is not None and deadline <= now:
                events.extend(self.close(session, "the client did not reconnect"))
        return events

    def is_expiring(self, session_id: str) -> bool:
        """Whether this session times out some time. Asked after each call, so no other one is looked at."""
        session = self._sessions.get(session_id)
        return session is not None and session.deadline() is not None

    def next_deadline(self) -> Optional[float]:
        """When the next session times out, or None."""
        deadlines = [session.deadline() for session in self._sessions.values()]
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    # Handing the sessions over to a successor

    def export_state(self) -> Dict[str, Any]:
        """The sessions opened by `initialize` as JSON-serialisable data. It has secrets: never log it."""
        return {"sessions": [session.export_state() for session in self._sessions.values() if session.kind is MCP]}

    def import_state(self, state: Mapping[str, Any], now: float) -> None:
        """Restore the sessions of a former server. Their clients have the usual time to reconnect."""
        for entry in state["sessions"]:
            revision = REVISIONS.get(entry["revision"])
            if revision is not None:  # a newer release may know one that this one does not
                session = Session.import_state(entry, revision, self.limits, now)
                self._sessions[session.client.id] = session


def _client(client_id: str, introduction: Introduction, token_name: str) -> ClientSession:
    revision, name, version = introduction
    return ClientSession(client_id, name, version, revision.name, time.time(), token_name)


def _check_accepts(events: bool) -> None:
    if not events:
        raise RpcError(INVALID_REQUEST, "A GET needs Accept: text/event-stream.", status=406)


def _woken(outputs: Sequence[Output]) -> List[Event]:
    return [Wake(tuple(outputs))] if outputs else []
