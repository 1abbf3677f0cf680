"""An exchange: one POST, or one message on a connection that carries them both ways, and the calls that it makes.

Rules: every request in it gets exactly one answer, in whatever order the tools finish, except a request that its client
has cancelled. Answers of one exchange never reach another. A call ends once, by its result or by its cancellation,
whichever comes first; what comes later is dropped. Over HTTP only calls whose tool supports cancellation are cancelled;
the others run to completion and are answered.
Implements MCP 2025-11-25, transports, "Sending Messages to the Server", basic/utilities/cancellation (a cancelled
request is not answered), and the batches of 2025-03-26.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Optional

from .effects import Answer, CallCancelled, Event, OpenStream
from .jsonrpc import RequestId, RpcError, error_message
from .revisions import Revision
from .sessions import Session
from .tools import Cancellation, ClientSession, ToolCall

JSON_TYPE = {"Content-Type": "application/json"}
EVENT_STREAM = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


class Exchange:
    """One POST, or one message, until everything in it is answered."""

    __slots__ = (
        "accepts_events", "answers", "batch", "calls", "client", "events", "extra_headers", "in_events", "opened",
        "revision", "session", "size", "stateless", "status", "_waited_for",
    )  # fmt: skip

    def __init__(
        self,
        revision: Revision,
        client: ClientSession,
        session: Optional[Session] = None,
        *,
        stateless: bool = False,
        accepts_json: bool = True,
        accepts_events: bool = True,
        size: int = 0,
    ) -> None:
        """`stateless`: it is served by a revision without sessions. `size`: of what was received, in bytes."""
        self.revision = revision
        self.client = client
        self.session = session
        self.stateless = stateless
        self.accepts_events = accepts_events
        self.in_events = accepts_events and not accepts_json
        """Whether the answer is written as an event."""
        self.batch = False
        self.calls: Dict[ToolCall, RequestId] = {}
        """The calls that have not ended, with the ids of their requests."""
        self.answers: List[bytes] = []
        self.opened: Optional[OpenStream] = None
        """The stream that a request opens in place of a result, see `subscriptions/listen`."""
        self.events: List[Event] = []
        """Effects of the messages beyond this exchange."""
        self.status = 200
        self.extra_headers: Optional[Dict[str, str]] = None
        self.size = size
        self._waited_for = True

    def refuse(self, request_id: Optional[RequestId], error: RpcError) -> None:
        """Answer one request with an error."""
        if error.status is not None and not self.batch:
            self.status = error.status
        self.answers.append(error_message(request_id, error, null_id=not self.stateless))

    def answer(self) -> Optional[Answer]:
        """The answer to the POST; None while calls are under way, and where there was no POST."""
        if self.calls or (self.session is not None and self.session.carries_messages):
            return None
        if not self.answers:
            return Answer(202, {}, b"")
        body = b"[" + b",".join(self.answers) + b"]" if self.batch else self.answers[0]
        headers = JSON_TYPE
        if self.in_events:
            headers = EVENT_STREAM
            body = b"data: " + body + b"\n\n"
        if self.extra_headers is not None:
            headers = {**headers, **self.extra_headers}
        return Answer(self.status, headers, body)

    def begin_call(self, call: ToolCall, request_id: RequestId) -> None:
        """Add a call. `end_call` must follow."""
        self.calls[call] = request_id
        if self.session is not None:
            self.session.requests += 1

    def end_call(self, call: ToolCall, now: float) -> RequestId:
        """Note that a call has ended, answered or cancelled. Returns the id of its request."""
        request_id = self.calls.pop(call)
        if self.session is not None and self._waited_for:
            self.session.requests -= 1
            self.session.last_seen = now
        return request_id

    def connection_lost(self) -> None:
        """Note that the connection was lost: the calls that run no longer keep the session alive."""
        if self.session is not None and self._waited_for:
            self.session.requests -= len(self.calls)
        self._waited_for = False


class Calls:
    """The calls of one endpoint that are under way."""

    def __init__(self) -> None:
        self._pending: Dict[ToolCall, Exchange] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def begin(self, call: ToolCall, exchange: Exchange, request_id: RequestId) -> None:
        """Add a call, whose tool is about to run."""
        self._pending[call] = exchange
        exchange.begin_call(call, request_id)

    def end(self, call: ToolCall) -> Optional[Exchange]:
        """Remove a call that has a result. Returns its exchange, or None if it had ended already."""
        return self._pending.pop(call, None)

    def cancel_request(self, client_id: str, request_id: object, now: float) -> List[Event]:
        """Handle `notifications/cancelled` for the request with this id."""
        wanted = [
            call
            for call, exchange in self._pending.items()
            if exchange.client.id == client_id
            and type(exchange.calls[call]) is type(request_id)
            and exchange.calls[call] == request_id
        ]
        return self._cancel(wanted, Cancellation.BY_CLIENT, now)

    def connection_lost(self, calls: Iterable[ToolCall], now: float) -> List[Event]:
        """The connection that waited for these calls was lost."""
        lost = list(calls)
        events = self._cancel(lost, Cancellation.CONNECTION_LOST, now)
        for call in lost:
            exchange = self._pending.get(call)
            if exchange is not None:
                exchange.connection_lost()
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
            if exchange is None:
                continue
            in_any_case = exchange.session is not None and exchange.session.carries_messages
            if call.cancellable or in_any_case:
                del self._pending[call]
                exchange.end_call(call, now)
                events.append(CallCancelled(call, reason, exchange.answer()))
        return events
