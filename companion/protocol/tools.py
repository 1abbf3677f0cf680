"""Tools, calls of tools, and their results.

Rule: these are plain values that the application and the protocol share. Only a call does more: it is told when it is
cancelled.
Implements MCP "Tools" (server/tools) of every revision.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence


class Implementation(NamedTuple):
    """The identity of this server: a name for programs, a title for people, a version."""

    name: str
    title: str
    version: str


class Tool(NamedTuple):
    """One tool. The schema must mean the same in JSON Schema draft 4 and 2020-12, because either may be in use."""

    name: str
    title: str
    description: str
    input_schema: Dict[str, Any]
    annotations: Optional[Dict[str, Any]] = None

    def listing(self) -> Dict[str, Any]:
        """The entry in `tools/list`."""
        entry = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
        }
        if self.annotations is not None:
            entry["annotations"] = self.annotations
        return entry


class ClientSession(NamedTuple):
    """A client as the application sees it."""

    id: str
    """Unique and never logged. That of a client without a session is made of a secret of its server, the name of its
    token and its own."""
    client_name: str
    client_version: str
    protocol_version: str
    opened_at: float
    """Seconds since the epoch."""
    token_name: str = ""
    """The name of the token that it sent, see `CompanionServer`."""


class Cancellation(Enum):
    """Why the result of a call is no longer wanted."""

    BY_CLIENT = "the client has cancelled the call"
    CONNECTION_LOST = "the connection that waited for the result was lost"
    SESSION_CLOSED = "the client has disconnected"


class ToolCall:
    """One `tools/call` with validated arguments. Loop thread only."""

    __slots__ = ("name", "arguments", "session", "_cancelled", "_over")

    def __init__(self, name: str, arguments: Dict[str, Any], session: ClientSession) -> None:
        self.name = name
        self.arguments = arguments
        self.session = session
        self._cancelled: Optional[Callable[[Cancellation], None]] = None
        self._over: Optional[Cancellation] = None

    @property
    def cancellable(self) -> bool:
        """Does the tool support cancellation of this call? If not, the call runs to completion."""
        return self._cancelled is not None

    def on_cancelled(self, callback: Callable[[Cancellation], None]) -> None:
        """Let `callback` be called, at most once, when the call is cancelled. A result that comes later is dropped.

        Use it for calls that wait for the user. A call that takes only a moment should rather be completed. A call may
        have been cancelled before the tool began: then `callback` is called at once.
        """
        if self._over is None:
            self._cancelled = callback
        else:
            callback(self._over)

    def cancel(self, reason: Cancellation) -> None:
        """Tell the tool that the call is cancelled. The server calls this for `CallCancelled`."""
        callback, self._cancelled = self._cancelled, None
        self._over = self._over or reason
        if callback is not None:
            callback(reason)


class ToolResult(NamedTuple):
    """The result of a call: content blocks, and whether they describe a failure."""

    content: Sequence[Dict[str, Any]] = ()
    is_error: bool = False

    def fields(self) -> Dict[str, Any]:
        """The object in the result of `tools/call`."""
        content = list(self.content)
        return {"content": content, "isError": True} if self.is_error else {"content": content}


EMPTY = ToolResult()


def text_result(text: str) -> ToolResult:
    """A result with one text block."""
    return ToolResult(({"type": "text", "text": text},))


def error_result(sentence: str) -> ToolResult:
    """A result that describes a failure to the agent in one clear sentence."""
    return ToolResult(({"type": "text", "text": sentence},), is_error=True)
