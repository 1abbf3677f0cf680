"""Who listens: sessions, the streams that GET and DELETE open and close, and the notifications that go to them.

Rules: a message goes to the sessions it is meant for and to nobody else; a stream that comes back takes over from its
own dead connection, another one opens beside it; who stays away too long is closed, once, and everybody is told.
Implements MCP 2025-11-25, transports, "Listening for Messages from the Server", "Multiple Connections",
"Resumability".
"""

from __future__ import annotations

import logging
import secrets
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple

from .effects import Answer, Effect, OpenStream, SessionClosed, SessionOpened, Wake
from .exchanges import EVENT_STREAM, JSON_TYPE
from .jsonrpc import INVALID_REQUEST, RpcError, error_message
from .limits import Limits
from .metadata import VERSION_HEADER, unsupported_version
from .notices import Notice, Translate
from .revisions import NEWEST_HANDSHAKE, REVISIONS, Revision
from .sessions import EVENTS, MCP, SUBSCRIBER, Session
from .streams import LISTEN, Stream, read_event_id
from .tools import ClientSession

logger = logging.getLogger("gemini_companion.protocol")
SESSION_HEADER = "Mcp-Session-Id"
RESUME_HEADER = "Last-Event-ID"
UNKNOWN_SESSION = "Unknown session: it has ended or was never opened. Initialize again."


class Presence:
    """All sessions of one endpoint."""

    def __init__(self, limits: Limits, translate: Optional[Translate], wall_clock: Callable[[], float]) -> None:
        self.limits = limits
        self.wall_clock = wall_clock
        self._translate = translate
        self._sessions: Dict[str, Session] = {}
        self._listeners = 0
        self.clients: Dict[str, ClientSession] = {}
        """What the application sees: id to client, oldest first."""

    def all(self) -> Iterable[Session]:
        """Every session."""
        return self._sessions.values()

    def find(self, session_id: str) -> Optional[Session]:
        """The session that `initialize` gave this id."""
        session = self._sessions.get(session_id)
        return session if session is not None and session.kind == MCP else None

    # Opening

    def open(
        self, identity: Tuple[str, str], token_name: str, revision: Revision, now: float
    ) -> Tuple[Session, List[Effect]]:
        """A session for `initialize`. Raises RpcError if there are too many."""
        effects = self._make_room()
        session_id = secrets.token_urlsafe(24)
        client = ClientSession(session_id, identity[0], identity[1], revision.name, self.wall_clock(), token_name)
        return self._add(client, revision, MCP, now), effects + [SessionOpened(client)]

    def subscriber(self, caller: ClientSession, revision: Revision, now: float) -> Tuple[Session, List[Effect]]:
        """The session of a stateless client that listens; made if it has none."""
        session = self._sessions.get(caller.id)
        if session is not None:
            return session, []
        effects = self._make_room()
        return self._add(caller, revision, SUBSCRIBER, now), effects + [SessionOpened(caller)]

    def _add(self, client: ClientSession, revision: Revision, kind: str, now: float) -> Session:
        session = Session(client, revision, kind, self.limits, now)
        self._sessions[client.id] = session
        self.clients[client.id] = client
        return session

    def _make_room(self) -> List[Effect]:
        if len(self._sessions) < self.limits.sessions:
            return []
        away = [session for session in self._sessions.values() if session.deadline() is not None]
        if not away:
            raise RpcError(INVALID_REQUEST, "Too many clients are connected.", status=503)
        return self.close(min(away, key=lambda session: session.last_seen), "made room for another client")

    # Streams

    def listen(self, headers: Mapping[str, str], accepts_events: bool, now: float) -> List[Effect]:
        """Read a GET of the MCP endpoint."""
        found = self._addressed(headers)
        if isinstance(found, Answer):
            return [found]
        if not accepts_events:
            return [_refusal("A GET needs Accept: text/event-stream.", 406)]
        return self._attach(found, headers.get(RESUME_HEADER), now)

    def listen_plainly(self, headers: Mapping[str, str], accepts_events: bool, now: float) -> List[Effect]:
        """Read a GET of the plain event stream, which needs no session and is resumed by `Last-Event-ID` alone."""
        if not accepts_events:
            return [_refusal("A GET needs Accept: text/event-stream.", 406)]
        event_id = headers.get(RESUME_HEADER)
        known = read_event_id(event_id) if event_id is not None else None
        session = self._sessions.get(known[0].partition(".")[0]) if known is not None else None
        if session is not None and session.kind == EVENTS:
            return self._attach(session, event_id, now)
        try:
            effects = self._make_room()
        except RpcError as error:
            return [_refusal(error.sentence, 503)]
        self._listeners += 1
        client = ClientSession("events{}".format(self._listeners), "event stream", "", "", self.wall_clock())
        session = self._add(client, NEWEST_HANDSHAKE, EVENTS, now)
        return self._attach(session, None, now) + effects + [SessionOpened(client)]

    def _addressed(self, headers: Mapping[str, str]) -> Any:
        version = headers.get(VERSION_HEADER)
        if version is not None:
            revision = REVISIONS.get(version)
            if revision is None:
                error = unsupported_version(version)
                return Answer(400, JSON_TYPE, error_message(None, error))
            if not revision.handshake:
                answer = _refusal("MCP {} has neither GET nor DELETE.".format(version), 405)
                return answer._replace(headers={**answer.headers, "Allow": "POST"})
        session_id = headers.get(SESSION_HEADER)
        if session_id is None:
            return _refusal("The header Mcp-Session-Id is missing.", 400)
        session = self.find(session_id)
        return session or _refusal(UNKNOWN_SESSION, 404)

    def _attach(self, session: Session, event_id: Optional[str], now: float) -> List[Effect]:
        session.last_seen = now
        stream: Optional[Stream] = None
        received: Optional[int] = None
        known = read_event_id(event_id) if event_id is not None else None
        if known is not None:
            session.shows_event_ids = True
            stream, received = session.streams.get(known[0]), known[1]
        elif event_id is None:
            stream = session.unread_stream()
        if stream is None:
            if session.open_streams() >= self.limits.streams_per_session:
                sentence = "At most {} streams may be open in one session.".format(self.limits.streams_per_session)
                return [_refusal(sentence, 429)]
            prefix = session.client.id + "." if session.kind == EVENTS else ""
            stream = session.new_stream(LISTEN, prefix)
        session.attach(stream, received)
        return [OpenStream(None, stream, EVENT_STREAM)]

    def take(self, stream: Stream) -> bytes:
        """The next bytes to write on a stream, or nothing."""
        session = stream.owner
        return stream.take(stream.kind != LISTEN or session.current is stream)

    def broken(self, stream: Stream, was_reset: bool, now: float) -> List[Effect]:
        """The connection that carried the stream is gone. `was_reset`: torn down rather than closed."""
        session: Optional[Session] = stream.owner
        if session is None:
            stream.detach(was_reset)
            return []
        session.detach(stream, was_reset, now)
        if session.current is not None and len(session.outbox):
            return [Wake(session.current)]
        return []

    # Notifications

    def notify(
        self,
        method: str,
        params: Dict[str, Any],
        session_id: Optional[str],
        collapse: Optional[str],
        tag: Any = None,
    ) -> List[Effect]:
        """Send a notification to one session (and to plain listeners, who see everything), or to all."""
        notice = Notice(method, params, self._translate)
        effects: List[Effect] = []
        given_up: List[Session] = []
        for session in self._sessions.values():
            if session_id is not None and session.kind != EVENTS and session.client.id != session_id:
                continue
            # A listener of the plain event stream only looks on: what it misses is nobody's loss.
            ready = session.post(notice, collapse, tag if session.kind != EVENTS else None)
            if ready is None:
                given_up.append(session)
            else:
                for stream in ready:
                    effects.append(Wake(stream))
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("sent notification %.60r, %d bytes", method, len(notice.encoded()))
        for session in given_up:
            effects.extend(self.close(session, "did not read its messages"))
        return effects

    # Closing

    def delete(self, headers: Mapping[str, str]) -> List[Effect]:
        """Read a DELETE of the MCP endpoint."""
        found = self._addressed(headers)
        if isinstance(found, Answer):
            return [found]
        return self.close(found, "closed by the client") + [Answer(204, {}, b"")]

    def close(self, session: Session, reason: str) -> List[Effect]:
        """End a session and forget it."""
        del self._sessions[session.client.id]
        del self.clients[session.client.id]
        effects: List[Effect] = []
        for stream in session.streams.values():
            stream.finished = True
            if stream.open:
                stream.closing = True
                effects.append(Wake(stream))
        effects.append(SessionClosed(session.client, reason, session.outbox.tags()))
        return effects

    def tick(self, now: float) -> List[Effect]:
        """Close the sessions whose time is over."""
        effects: List[Effect] = []
        for session in list(self._sessions.values()):
            deadline = session.deadline()
            if deadline is not None and deadline <= now:
                effects.extend(self.close(session, "the client is gone"))
        return effects

    def next_deadline(self) -> Optional[float]:
        """When `tick` has something to do at the earliest, or None."""
        deadlines = [session.deadline() for session in self._sessions.values()]
        return min((deadline for deadline in deadlines if deadline is not None), default=None)

    # Moving house

    def export_state(self) -> Dict[str, Any]:
        """Sessions made by `initialize`, as plain JSON-able data. It holds secrets: never log it."""
        return {"sessions": [session.export_state() for session in self._sessions.values() if session.kind == MCP]}

    def import_state(self, state: Dict[str, Any], now: float) -> None:
        """Take over the sessions of a former server; their clients have the usual time to come back."""
        for entry in state["sessions"]:
            revision = REVISIONS.get(entry["revision"])
            if revision is None:
                continue
            session = Session.import_state(entry, revision, self.limits, now)
            self._sessions[session.client.id] = session
            self.clients[session.client.id] = session.client


def _refusal(sentence: str, status: int) -> Answer:
    return Answer(status, JSON_TYPE, error_message(None, RpcError(INVALID_REQUEST, sentence)))
