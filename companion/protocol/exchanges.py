"""An exchange: one POST and its answer.

Rules: every request in it gets exactly one answer, in whatever order the tools finish, except a request that its client
has cancelled. The answer is one JSON body, or an event stream if a notification has to be sent first. Answers of one
exchange never reach another.
Implements MCP 2025-11-25, transports, "Sending Messages to the Server", and the batches of 2025-03-26.
"""

from __future__ import annotations

from typing import Dict, List, Optional

from .effects import Answer, Event, OpenStream, Reaction, Reply, RunCalls, Wake
from .jsonrpc import RequestId, RpcError, error_message
from .limits import Limits
from .metadata import Metadata
from .outbox import Message, Outbox
from .revisions import Revision
from .sessions import Session
from .streams import CALL, Stream
from .tools import ClientSession, ToolCall
from .transitions import IdentityHashed, after, picture

JSON_TYPE = {"Content-Type": "application/json"}
EVENT_STREAM = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


class ExchangeState(IdentityHashed):
    """What the POST has been answered with."""

    UNANSWERED = "nothing yet"
    STREAMING = "an event stream, which carries the answers"
    ANSWERED = "all answers"


class ExchangeEvent(IdentityHashed):
    """What happens to a POST."""

    STREAM_OPENED = "a notification has to be sent before the answers"
    SETTLED = "every request in it is answered or cancelled"


TRANSITIONS: Dict[ExchangeState, Dict[ExchangeEvent, ExchangeState]] = {
    ExchangeState.UNANSWERED: {
        ExchangeEvent.STREAM_OPENED: ExchangeState.STREAMING,
        ExchangeEvent.SETTLED: ExchangeState.ANSWERED,
    },
    ExchangeState.STREAMING: {
        ExchangeEvent.SETTLED: ExchangeState.ANSWERED,
    },
}
__doc__ = f"{__doc__}{picture('A POST', TRANSITIONS)}"


class Exchange:
    """A POST with at least one message, until everything in it is answered."""

    __slots__ = (
        "accepts_json", "accepts_events", "revision", "session", "client", "metadata", "stateless", "batch",
        "calls", "answers", "stream", "events", "status", "extra_headers", "size", "state", "opened",
        "_waited_for",
    )  # fmt: skip

    def __init__(
        self,
        revision: Revision,
        client: ClientSession,
        session: Optional[Session] = None,
        metadata: Optional[Metadata] = None,
        *,
        accepts_json: bool = True,
        accepts_events: bool = True,
        size: int = 0,
    ) -> None:
        """`size`: the size of the POST's body in bytes."""
        self.accepts_json = accepts_json
        self.accepts_events = accepts_events
        self.revision = revision
        self.session = session
        self.client = client
        self.metadata = metadata
        self.stateless = metadata is not None
        """Is the request served by a revision without sessions?"""
        self.batch = False
        self.calls: Dict[ToolCall, RequestId] = {}
        """The calls that have not ended, with the ids of their requests."""
        self.answers: List[bytes] = []
        self.stream: Optional[Stream] = None
        self.opened: Optional[OpenStream] = None
        """The stream that a request opens in place of a result, see `subscriptions/listen`."""
        self.events: List[Event] = []
        """Effects of the POST's messages beyond this exchange."""
        self.status = 200
        self.extra_headers: Optional[Dict[str, str]] = None
        self.size = size
        self.state = ExchangeState.UNANSWERED
        self._waited_for = True

    def refuse(self, request_id: Optional[RequestId], error: RpcError) -> None:
        """Answer one request with an error."""
        if error.status is not None and not self.batch:
            self.status = error.status
        self.answers.append(error_message(request_id, error, null_id=not self.stateless))

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

    def reaction(self) -> Reaction:
        """What to do once every message of the POST is handled."""
        reply: Optional[Reply] = self.opened
        if reply is None:
            reply = RunCalls(tuple(self.calls)) if self.calls else self._settled()
        return Reaction(reply, self.events)

    def settle(self) -> Reaction:
        """What to do once a call has ended: send the answer, unless other calls are still running."""
        if self.stream is not None:
            return Reaction(None, [self._settle_stream(self.stream)])
        return Reaction(None if self.calls else self._settled())

    def _settled(self) -> Answer:
        self.state = after(TRANSITIONS, self.state, ExchangeEvent.SETTLED)
        if not self.answers:
            return Answer(202, {}, b"")
        body = b"[" + b",".join(self.answers) + b"]" if self.batch else self.answers[0]
        headers = JSON_TYPE
        if not self.accepts_json and self.accepts_events:
            headers = EVENT_STREAM
            body = b"data: " + body + b"\n\n"
        if self.extra_headers is not None:
            headers = {**headers, **self.extra_headers}
        return Answer(self.status, headers, body)

    def _settle_stream(self, stream: Stream) -> Wake:
        for answer in self.answers:
            stream.outbox.add(self.message(answer))
        self.answers = []
        if not self.calls:
            self.state = after(TRANSITIONS, self.state, ExchangeEvent.SETTLED)
            stream.finish()
        return Wake((stream,))

    def message(self, payload: bytes) -> Message:
        """A message for this exchange's stream, with the next sequence number."""
        if self.session is not None:
            return Message(self.session.next_sequence(), payload, None)
        assert self.stream is not None
        self.stream.last_sequence += 1
        return Message(self.stream.last_sequence, payload, None)

    def open_stream(self, limits: Limits) -> Optional[OpenStream]:
        """Answer with an event stream from now on, if the client accepts one and none is open yet."""
        if self.stream is not None or not self.accepts_events:
            return None
        self.state = after(TRANSITIONS, self.state, ExchangeEvent.STREAM_OPENED)
        if self.session is not None:
            self.stream = self.session.new_stream(CALL)
            self.session.attach(self.stream, None)
        else:
            self.stream = Stream("", CALL, Outbox(limits), limits, numbered=False, primes=False)
            self.stream.attach()
        return OpenStream(self.stream, EVENT_STREAM)
