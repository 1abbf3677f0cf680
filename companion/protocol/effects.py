"""What a transport has to do after the core has read something: one reply to the request at hand, and events.

Rules: both are plain values. A request gets exactly one reply; what happens elsewhere because of it is told in events,
which are performed first and in their order. Performing one never calls for another unless the core is asked again.
A transport interprets each of the two types in one place and leaves nothing out.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Union

from .streams import Stream
from .tools import Cancellation, ClientSession, ToolCall


class Answer(NamedTuple):
    """Answer the request with this. An empty body means none."""

    status: int
    headers: Dict[str, str]
    body: bytes


class OpenStream(NamedTuple):
    """Answer the request with an event stream; write what `take` gives until the stream ends when all is written.

    If another connection carries the same stream, that one ends first.
    """

    stream: Stream
    headers: Dict[str, str]


class RunCalls(NamedTuple):
    """Run the tools side by side, and tell the core each result: one of these reactions has the request's reply.

    If the connection is lost before that, the core wants to know it (`Protocol.connection_lost`).
    """

    calls: Sequence[ToolCall]


Reply = Union[Answer, OpenStream, RunCalls]


class Wake(NamedTuple):
    """The stream has something to write, or is to be closed."""

    stream: Stream


class SessionOpened(NamedTuple):
    """A client is connected."""

    client: ClientSession


class SessionClosed(NamedTuple):
    """A client is gone; `reason` is for the log, `undelivered` has the tags of what it is not known to have read."""

    client: ClientSession
    reason: str
    undelivered: List[object] = []


class CallCancelled(NamedTuple):
    """Nobody waits for the call's result any more: tell whoever carries it out.

    `reply` is for the request that made the call, if this was the last thing that it waited for.
    """

    call: ToolCall
    reason: Cancellation
    reply: Optional[Answer] = None


Event = Union[Wake, SessionOpened, SessionClosed, CallCancelled]


class Reaction(NamedTuple):
    """Events to perform, then the reply; None if the request has its reply, or will get it later."""

    reply: Optional[Reply]
    events: Sequence[Event] = ()
