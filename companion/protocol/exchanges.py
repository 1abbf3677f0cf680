"""An exchange, one POST or one message on a connection that goes both ways; and what a server does after it.

Rules of reactions: a reply and events are plain values. A request over HTTP gets exactly one reply. Its effects on
other clients are events, which the server performs first and in order. Performing an event never produces another one
without a call of the core. A server interprets each of the two types in one place, exhaustively.

Rules of exchanges: every request in one gets exactly one answer, in whatever order the tools finish, except a request
that its client has cancelled. Answers of one exchange never reach another. A call ends once, by its result or by its
cancellation, whichever comes first; what comes later is dropped. Over HTTP only calls whose tool supports cancellation
are cancelled; the others run to completion and are answered.
Implements MCP 2025-11-25, transports, "Sending Messages to the Server", basic/utilities/cancellation (a cancelled
request is not answered), and the batches of 2025-03-26.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from .jsonrpc import RequestId, RpcError, error_message
from .metadata import Revision
from .sessions import Output, Session
from .streams import Stream
from .tools import Cancellation, ClientSession, ToolCall


class Answer(NamedTuple):
    """Answer the request with this response. An empty body means none."""

    status: int
    headers: Dict[str, str]
    body: bytes


class OpenStream(NamedTuple):
    """Answer the request with an event stream: write what `Session.take_for` returns, until the stream ends.

    If the stream is attached to another connection, that one ends first.
    """

    session: Session
    stream: Stream


class RunCalls(NamedTuple):
    """Run the tools concurrently and pass each result to the core.

    Over HTTP the request is then answered with what `answer` gives, which may be called once all tools have ended. If
    the connection is lost before that, call `Calls.connection_lost`.
    """

    calls: Sequence[ToolCall]
    answer: Callable[[], Answer]


Reply = Union[Answer, OpenStream, RunCalls]


class Wake(NamedTuple):
    """These have something to write or are to be closed."""

    outputs: Tuple[Output, ...]


class SessionOpened(NamedTuple):
    """A client has connected."""

    client: ClientSession


class SessionClosed(NamedTuple):
    """A client has disconnected. `reason` is for the log."""

    client: ClientSession
    reason: str


class ToolsListed(NamedTuple):
    """The client has listed the tools. Some programs take no notification before that."""

    client: ClientSession


class Notified(NamedTuple):
    """The client sent a notification that the protocol itself gives no meaning to."""

    client: ClientSession
    method: str
    params: Dict[str, Any]


class CallCancelled(NamedTuple):
    """The call's result is no longer wanted: tell the tool that runs it (`ToolCall.cancel`)."""

    call: ToolCall
    reason: Cancellation


Event = Union[Wake, SessionOpened, SessionClosed, ToolsListed, Notified, CallCancelled]


class Reaction(NamedTuple):
    """Events to perform, then the reply. On a connection that carries messages both ways, the only reply is to run
    calls: answers are among the messages that wait for it."""

    reply: Optional[Reply]
    events: Sequence[Event] = ()


# -- exchanges and their calls -----------------------------------------------------------------------------------------

JSON_TYPE = {"Content-Type": "application/json"}
EVENT_STREAM = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


class Exchange:
    """One POST, or one message, until everything in it is answered."""

    def __init__(
        self,
        revision: Revision,
        client: ClientSession,
        session: Optional[Session],
        *,
        size: int,
        in_event: bool = False,
    ) -> None:
        """`size`: in bytes. `in_event`: the answer is written as an event."""
        self.revision = revision
        self.client = client
        self.session = session
        """None where there is none, and once the connection is lost that its answer was to go to: then its calls keep
        no session alive."""
        self.size = size
        self.batch = False
        self.calls: Dict[ToolCall, RequestId] = {}
        """The calls that have not ended, with the ids of their requests."""
        self.answers: List[bytes] = []
        self.opened: Optional[OpenStream] = None
        """The stream that a request opens in place of a result, see `subscriptions/listen`."""
        self.events: List[Event] = []
        """Effects of the messages beyond this exchange."""
        self.status = 200
        self.extra_headers: Dict[str, str] = {}
        self._in_event = in_event

    @property
    def stateless(self) -> bool:
        """Is it served by a revision without sessions?"""
        return not self.revision.handshake

    @property
    def connection(self) -> Optional[Session]:
        """The session, if it is a connection that carries messages both ways, answers included."""
        return self.session if self.session is not None and self.session.carries_messages else None

    def refuse(self, request_id: Optional[RequestId], error: RpcError) -> None:
        """Answer one request with an error."""
        if error.status is not None and not self.batch:
            self.status = error.status
        self.answers.append(error_message(request_id, error, null_id=not self.stateless))

    def answer(self) -> Answer:
        """The answer to the POST, once no call is under way."""
        if not self.answers:
            return Answer(202, {}, b"")
        body = b"[" + b",".join(self.answers) + b"]" if self.batch else self.answers[0]
        if self._in_event and self.status == 200:
            return Answer(200, {**EVENT_STREAM, **self.extra_headers}, b"data: " + body + b"\n\n")
        return Answer(self.status, {**JSON_TYPE, **self.extra_headers}, body)


def refused(error: RpcError, request_id: Optional[RequestId] = None, *, null_id: bool = True) -> Answer:
    """The answer to what was refused before any of it was handled."""
    headers = {**JSON_TYPE, "Allow": "POST"} if error.status == 405 else JSON_TYPE
    return Answer(error.status or 400, headers, error_message(request_id, error, null_id=null_id))


class Calls:
    """The calls of one endpoint that are under way."""

    def __init__(self) -> None:
        self._pending: Dict[ToolCall, Exchange] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def begin(self, call: ToolCall, exchange: Exchange, request_id: RequestId) -> None:
        """Add a call, whose tool is about to run."""
        self._pending[call] = exchange
        exchange.calls[call] = request_id
        if exchange.session is not None:
            exchange.session.requests += 1

    def end(self, call: ToolCall, now: float) -> Optional[Tuple[Exchange, RequestId]]:
        """Note that a call has ended, answered or cancelled: its exchange and the id of its request, or None if it had
        ended already."""
        exchange = self._pending.pop(call, None)
        if exchange is None:
            return None
        if exchange.session is not None:
            exchange.session.requests -= 1
            exchange.session.last_seen = now
        return exchange, exchange.calls.pop(call)

    def cancel_request(self, session: Session, request_id: object, now: float) -> List[Event]:
        """Handle `notifications/cancelled` for the request with this id."""
        own = [(call, exchange.calls[call]) for call, exchange in self._pending.items() if exchange.session is session]
        wanted = [call for call, known in own if type(known) is type(request_id) and known == request_id]
        return self._cancel(wanted, Cancellation.BY_CLIENT, now)

    def connection_lost(self, calls: Iterable[ToolCall], now: float) -> List[Event]:
        """The connection that waited for these calls, all of one exchange, was lost."""
        events = self._cancel(calls, Cancellation.CONNECTION_LOST, now)
        exchange = next((self._pending[call] for call in calls if call in self._pending), None)
        if exchange is not None and exchange.session is not None:
            exchange.session.requests -= len(exchange.calls)
            exchange.session = None
        return events

    def session_closed(self, session: Session, now: float) -> List[Event]:
        """The session ended while its calls were under way."""
        left = [call for call, exchange in self._pending.items() if exchange.session is session]
        over = Cancellation.CONNECTION_LOST if session.carries_messages else Cancellation.SESSION_CLOSED
        return self._cancel(left, over, now)

    def _cancel(self, calls: Iterable[ToolCall], reason: Cancellation, now: float) -> List[Event]:
        events: List[Event] = []
        for call in calls:
            exchange = self._pending.get(call)
            if exchange is not None and (call.cancellable or exchange.connection is not None):
                self.end(call, now)
                events.append(CallCancelled(call, reason))
        return events
