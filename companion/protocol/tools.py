"""What can be called, a call, and what comes back.

Rule: these are plain values that the application and the protocol share; none of them does anything by itself, except
that a call can say something to its caller while it runs, and hears when nobody waits for it any more.
Implements MCP "Tools" (server/tools) of every revision.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Union

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424 severities, mildest first (server/utilities/logging)."""


class Implementation(NamedTuple):
    """Who this server is: a name for programs, a title for people, a version."""

    name: str
    title: str
    version: str

    def description(self) -> Dict[str, str]:
        """As it appears on the wire."""
        return {"name": self.name, "title": self.title, "version": self.version}


class Tool(NamedTuple):
    """One tool. The schema must mean the same in JSON Schema draft 4 and 2020-12, whichever jsonschema is installed."""

    name: str
    title: str
    description: str
    input_schema: Dict[str, Any]
    annotations: Optional[Dict[str, Any]] = None

    def listing(self) -> Dict[str, Any]:
        """As it appears in `tools/list`."""
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
    """A client, as the application sees it."""

    id: str
    """Unique and never written to a log. A client without a session has one made from its connection, or from all that
    it says of itself in the stateless revision."""
    client_name: str
    client_version: str
    protocol_version: str
    opened_at: float
    """Seconds since the epoch."""
    token_name: str = ""
    """Of the token that it showed, see `CompanionServer`."""


class Cancellation(Enum):
    """Why nobody waits for a call's result any more."""

    BY_CLIENT = "the client has taken the call back"
    CONNECTION_LOST = "the connection that waited for the result is gone"
    SESSION_CLOSED = "the client is gone"


class ToolCall:
    """One `tools/call` with checked arguments. Everything belongs to the loop thread."""

    __slots__ = ("name", "arguments", "session", "progress_token", "log_level", "send", "_cancelled")

    def __init__(
        self,
        name: str,
        arguments: Dict[str, Any],
        session: ClientSession,
        progress_token: Union[str, int, None] = None,
        *,
        log_level: Optional[str] = None,
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.session = session
        self.progress_token = progress_token
        self.log_level = log_level
        """The mildest severity the caller wants, or None for none at all."""
        self.send: Callable[[str, Dict[str, Any]], None] = _discard
        """Set by the transport: sends a notification to the caller, before the result."""
        self._cancelled: Optional[Callable[[Cancellation], None]] = None

    @property
    def cancellable(self) -> bool:
        """Has whoever carries the call out asked to be told of a cancellation? Else it runs to its end."""
        return self._cancelled is not None

    def on_cancelled(self, callback: Callable[[Cancellation], None]) -> None:
        """Call this, at most once, when nobody waits for the result any more; a result that comes later is dropped.

        For calls that wait for somebody: one that only takes a moment is better carried out than cut in the middle.
        """
        self._cancelled = callback

    def cancel(self, reason: Cancellation) -> None:
        """Tell whoever carries the call out. For the transport, once the core has said so."""
        callback, self._cancelled = self._cancelled, None
        if callback is not None:
            callback(reason)

    def progress(self, progress: float, total: Optional[float] = None, message: Optional[str] = None) -> None:
        """Tell the caller how far the call is, if it asked (basic/utilities/progress). Loop thread."""
        if self.progress_token is None:
            return
        params: Dict[str, Any] = {"progressToken": self.progress_token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        self.send("notifications/progress", params)

    def log(self, level: str, data: Any, logger: Optional[str] = None) -> None:
        """Tell the caller what happened, if it wants that severity (server/utilities/logging). Loop thread."""
        if self.log_level is None or LOG_LEVELS.index(level) < LOG_LEVELS.index(self.log_level):
            return
        params: Dict[str, Any] = {"level": level, "data": data}
        if logger is not None:
            params["logger"] = logger
        self.send("notifications/message", params)


def _discard(method: str, params: Dict[str, Any]) -> None:
    return None


class ToolResult(NamedTuple):
    """What a call gives back: content blocks, and whether they tell of a failure."""

    content: Sequence[Dict[str, Any]] = ()
    is_error: bool = False
    structured: Any = None

    def fields(self) -> Dict[str, Any]:
        """As it appears in the result of `tools/call`."""
        content: List[Dict[str, Any]] = list(self.content)
        fields: Dict[str, Any] = {"content": content}
        if self.structured is not None:
            fields["structuredContent"] = self.structured
        if self.is_error:
            fields["isError"] = True
        return fields


EMPTY = ToolResult()


def text_result(text: str) -> ToolResult:
    """One text block."""
    return ToolResult(({"type": "text", "text": text},))


def error_result(sentence: str) -> ToolResult:
    """A failure the caller should read: one clear sentence."""
    return ToolResult(({"type": "text", "text": sentence},), is_error=True)
