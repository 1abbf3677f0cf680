"""One POST being answered.

Rules: every request in it gets exactly one answer, in whatever order the tools finish; the answer is one JSON body
unless something has to be said before it, and then it is an event stream; answers of one exchange never reach
another.
Implements MCP 2025-11-25, transports, "Sending Messages to the Server", and the batches of 2025-03-26.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from .effects import Answer, Effect, OpenStream, Wake
from .jsonrpc import RpcError, error_message
from .limits import Limits
from .metadata import Metadata
from .outbox import Message, Outbox
from .revisions import Revision
from .sessions import Session
from .streams import CALL, Stream
from .tools import ClientSession

JSON_TYPE = {"Content-Type": "application/json"}
EVENT_STREAM = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
}


class Exchange:
    """A POST with at least one message, until everything in it is answered."""

    __slots__ = (
        "headers", "accepts_json", "accepts_events", "revision", "session", "caller", "metadata", "batch", "open_calls",
        "answers", "stream", "status", "extra_headers", "size",
    )  # fmt: skip

    def __init__(
        self,
        headers: Mapping[str, str],
        revision: Revision,
        caller: ClientSession,
        session: Optional[Session] = None,
        metadata: Optional[Metadata] = None,
        *,
        accepts_json: bool = True,
        accepts_events: bool = True,
        size: int = 0,
    ) -> None:
        """`size`: of the POST's body, in bytes."""
        self.headers = headers
        self.accepts_json = accepts_json
        self.accepts_events = accepts_events
        self.revision = revision
        self.session = session
        self.caller = caller
        self.metadata = metadata
        self.batch = False
        self.open_calls = 0
        self.answers: List[bytes] = []
        self.stream: Optional[Stream] = None
        self.status = 200
        self.extra_headers: Optional[Dict[str, str]] = None
        self.size = size

    @property
    def stateless(self) -> bool:
        """Served by a revision without sessions."""
        return self.metadata is not None

    def refuse(self, request_id: Any, error: RpcError) -> None:
        """Answer one request with an error."""
        if error.status is not None and not self.batch:
            self.status = error.status
        self.answers.append(error_message(request_id, error, null_id=not self.stateless))

    def settle(self) -> List[Effect]:
        """What to do now: nothing while calls run, else hand over the answer."""
        if self.stream is not None:
            return self._settle_stream(self.stream)
        if self.open_calls:
            return []
        if not self.answers:
            return [Answer(202, {}, b"")]
        body = b"[" + b",".join(self.answers) + b"]" if self.batch else self.answers[0]
        headers = JSON_TYPE
        if not self.accepts_json and self.accepts_events:
            headers = EVENT_STREAM
            body = b"data: " + body + b"\n\n"
        if self.extra_headers is not None:
            headers = {**headers, **self.extra_headers}
        return [Answer(self.status, headers, body)]

    def _settle_stream(self, stream: Stream) -> List[Effect]:
        for answer in self.answers:
            stream.outbox.add(self.message(answer))
        self.answers = []
        stream.finished = not self.open_calls
        return [Wake(stream)]

    def away(self) -> bool:
        """Has the session that asked nothing left that keeps it open? Then its time runs."""
        return self.session is not None and self.session.deadline() is not None

    def message(self, payload: bytes) -> Message:
        """A payload with its place on this exchange's stream."""
        if self.session is not None:
            return Message(self.session.next_sequence(), payload, None)
        assert self.stream is not None
        self.stream.last_sequence += 1
        return Message(self.stream.last_sequence, payload, None)

    def open_stream(self, limits: Limits) -> List[Effect]:
        """Go over to an event stream, if the client takes one and none is open yet."""
        if self.stream is not None or not self.accepts_events:
            return []
        if self.session is not None:
            self.stream = self.session.new_stream(CALL)
            self.session.attach(self.stream, None)
        else:
            self.stream = Stream("", CALL, None, Outbox(limits), limits, numbered=False, primes=False)
            self.stream.attach()
        return [OpenStream(self, self.stream, EVENT_STREAM)]
