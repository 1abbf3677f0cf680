"""What a transport has to do after the core has handled something: a reply to the request, and events.

Rules: both are plain values. A request gets exactly one reply. Its effects on other clients are events, which the
transport performs first and in order. Performing an event never produces another one without a call of the core. A
transport interprets each of the two types in one place, exhaustively.
"""

from __future__ import annotations

from typing import Dict, NamedTuple, Optional, Sequence, Tuple, Union

from .streams import Stream
from .tools import Cancellation, ClientSession, ToolCall


class Answer(NamedTuple):
    """Answer the request with this response. An empty body means none."""

    status: int
    headers: Dict[str, str]
    body: bytes


class OpenStream(NamedTuple):
    """Answer the request with an event stream: write what `take` returns, until the stream ends.

    If the stream is attached to another connection, that one ends first.
    """

    stream: Stream
    headers: Dict[str, str]


class RunCalls(NamedTuple):
    """Run the tools concurrently and pass each result to the core. One of the reactions then has the request's reply.

    If the connection is lost before that, call `Protocol.connection_lost`.
    """

    calls: Sequence[ToolCall]


Reply = Union[Answer, OpenStream, RunCalls]


class Wake(NamedTuple):
    """These streams have something to write or are to be closed."""

    streams: Tuple[Stream, ...]


class SessionOpened(NamedTuple):
    """A client has connected."""

    client: ClientSession


class SessionClosed(NamedTuple):
    """A client has disconnected. `reason` is for the log."""

    client: ClientSession
    reason: str


class CallCancelled(NamedTuple):
    """The call's result is no longer wanted: tell the tool that runs it (`ToolCall.cancel`).

    `reply` answers the POST that made the call, if no other call of it is still running.
    """

    call: ToolCall
    reason: Cancellation
    reply: Optional[Answer] = None


Event = Union[Wake, SessionOpened, SessionClosed, CallCancelled]


class Reaction(NamedTuple):
    """Events to perform, then the reply. The reply is None if the request has been or will be answered elsewhere."""

    reply: Optional[Reply]
    events: Sequence[Event] = ()
