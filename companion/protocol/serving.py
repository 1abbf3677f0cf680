"""What a dialect wants of its server, and what that server is to whoever runs it, whatever carries it.

Rule: types only. Every server is made, started, spoken to and ended in one way; what differs between the transports
stands in the servers, and nowhere above them.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, Mapping, NamedTuple, Optional, Protocol, Sequence, Tuple

from .tools import ClientSession, Tool, ToolCall, ToolResult


class Address(NamedTuple):
    """Where a server listens: on a port, or on a socket in the file system (or a named pipe)."""

    port: int = 0
    socket: str = ""


class Secrets(NamedTuple):
    """The tokens that a server takes: `further` by name, to tell clients apart that introduce themselves alike. Never
    to be logged."""

    token: str
    further: Mapping[str, str] = {}


def _nobody(*told: Any) -> None:
    return None


class Hooks(NamedTuple):
    """Whom a server tells, and who carries out its calls. Called on the loop thread."""

    call_tool: Callable[[ToolCall], Awaitable[ToolResult]]
    came: Callable[[ClientSession], None] = _nobody
    went: Callable[[ClientSession], None] = _nobody
    listed: Callable[[ClientSession], None] = _nobody
    """The client was told the tools."""
    process_known: Callable[[ClientSession, int], None] = _nobody
    """The client has told the id of its process."""


class ServedDialect:
    """What a server has to know of the dialect that it serves."""

    tools: Tuple[Tool, ...]
    on_socket = False
    """Over HTTP: on a socket in the file system, not on a port."""
    secret_header = "Authorization"
    """In which header clients show the secret; in `Authorization` it is a bearer token."""
    handshake_only = False
    """Over HTTP: no revision of MCP without sessions is served. A client that asks for one hears that there is no such
    method, and comes back."""
    deleted_status = 204
    """Over HTTP: of the answer that ends a session. There are clients that cannot read 204."""
    subscribable: Sequence[str] = ()
    """Over HTTP: the notifications to which clients of the revision without sessions can subscribe by name."""
    process_id_header = ""
    """Over HTTP: in which header clients tell the id of their process; "" if they do not."""

    def process_id(self, method: str, params: Mapping[str, Any]) -> Optional[int]:
        """Over a WebSocket: the id of the client's process, if this is the notification that tells it."""
        return None

    def plain_event(self, method: str, params: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
        """Over HTTP: a notification as the plain event stream `/events` has it."""
        return method, params


class Server(Protocol):
    """A server of one dialect, which does not listen yet when it is made. Loop thread."""

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        """The connected clients by id, oldest first."""

    async def start(self, port: int = 0, state: Mapping[str, Any] = {}) -> Address:
        """Listen, on `port` if it is not 0 and there are ports, and go on with a former server's `state`.

        Raises OSError if the port is taken or there is no safe place for a socket, ImportError without jsonschema.
        """

    async def stop(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        """End everything, in order; each step gets so many `seconds`, if that is said. With `come_back_seconds`,
        clients are told to reconnect after so long, because a successor is expected."""

    def abandon(self) -> None:
        """Close the sockets without the event loop, which cannot do it any more. They would stay as long as anything
        refers to that loop, and clients would wait for answers."""

    def renew_socket(self) -> None:
        """Make its socket in the file system, if it has one, again if it was removed: programs look for it there."""

    def export_state(self) -> Dict[str, Any]:
        """What a successor can go on with, as JSON-serialisable data. Secret: never log it."""

    def notify(
        self, method: str, params: Dict[str, Any], *, session: Optional[str] = None, collapse: Optional[str] = None
    ) -> None:
        """Send a notification to one client, if it is there, or to all. It replaces a waiting one with the same
        `collapse` key; one without a key is never dropped."""

    def limit_bodies(self, size: int) -> None:
        """Take no message of more than `size` bytes from now on."""

    def disconnect(self) -> None:
        """End every session."""
