"""What a server has to do after the core has handled something: a reply to the request, and events.

Rules: both are plain values. A request over HTTP gets exactly one reply. Its effects on other clients are events, which
the server performs first and in order. Performing an event never produces another one without a call of the core. A
server interprets each of the two types in one place, exhaustively.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple, Union

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
    """The client was told the tools. Some programs take no notification before that."""

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
