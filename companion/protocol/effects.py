"""What a transport has to do after the core has read something.

Rule: effects are plain values, in the order in which they must be performed; performing one never calls for another
unless the core is asked again.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Union

from .streams import Stream
from .tools import ClientSession, ToolCall


class Answer(NamedTuple):
    """Answer the request at hand. An empty body means none."""

    status: int
    headers: Dict[str, str]
    body: bytes


class CallTool(NamedTuple):
    """Run the tool, then tell the core its result."""

    call: ToolCall


class OpenStream(NamedTuple):
    """Answer the request at hand with an event stream; write what `take` gives until it is closing and empty.

    If another connection carries the same stream, that one ends first.
    """

    exchange: Any
    stream: Stream
    headers: Dict[str, str]


class Wake(NamedTuple):
    """The stream has something to write, or is to be closed."""

    stream: Stream


class SessionOpened(NamedTuple):
    """A client is connected."""

    client: ClientSession


class SessionClosed(NamedTuple):
    """A client is gone; `reason` is for the log, `undelivered` has the tags of what it was never sent."""

    client: ClientSession
    reason: str
    undelivered: List[Any] = []


Effect = Union[Answer, CallTool, OpenStream, Wake, SessionOpened, SessionClosed]
