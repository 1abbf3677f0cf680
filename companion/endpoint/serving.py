"""A dialect's server, whatever carries it: made, started, spoken to and ended in one way.

Rule: what differs between the transports stands here, and nowhere above. Loop thread. Importing this takes long,
because of aiohttp: off the main thread only.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Dict, Mapping, NamedTuple, Optional, Protocol

from ..agents.dialect import Dialect, Message, Transport
from ..protocol.limits import Limits
from ..protocol.tools import ClientSession, Implementation, ToolCall, ToolResult
from ..transport import server, websocket_server
from ..transport.bodies import InWorker
from .address import Address


class Hooks(NamedTuple):
    """Whom a server tells, and who carries out its calls. Called on the loop thread."""

    call_tool: Callable[[ToolCall], Awaitable[ToolResult]]
    came: Callable[[ClientSession], None]
    went: Callable[[ClientSession], None]
    listed: Callable[[ClientSession], None]
    process_known: Callable[[ClientSession, int], None]
    """The client has told the id of its process."""


class Secrets(NamedTuple):
    """The tokens that a server takes. Never to be logged."""

    token: str
    further: Mapping[str, str]


class Served(Protocol):
    """A server of one dialect."""

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        """The connected clients by id, oldest first."""

    async def start(self, port: int, state: Mapping[str, Any]) -> Address:
        """Listen, on `port` if it is not 0 and there are ports, and go on with a former server's `state`."""

    async def stop(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        """End everything, in order; each step gets so many `seconds`, if that is said."""

    def abandon(self) -> None:
        """Close the sockets without the event loop, which cannot do it any more."""

    def renew_socket(self) -> None:
        """Make its socket in the file system, if it has one, again if it was removed."""

    def export_state(self) -> Dict[str, Any]:
        """What a successor can go on with."""

    def notify(self, message: Message, session: Optional[str]) -> None:
        """Send a notification to one client, if it is there, or to all."""

    def limit_bodies(self, size: int) -> None:
        """Take no message of more than `size` bytes from now on."""

    def disconnect(self) -> None:
        """End every session."""


class OverHttp:
    """Streamable HTTP, on a port or on a socket."""

    def __init__(
        self, dialect: Dialect, secrets: Secrets, hooks: Hooks, limits: Limits, identity: Implementation, work: InWorker
    ) -> None:
        self._dialect = dialect
        self._hooks = hooks
        self._on_socket = dialect.transport is Transport.HTTP_ON_SOCKET
        self._server = server.CompanionServer(
            token=secrets.token,
            further_tokens=secrets.further,
            tools=dialect.tools,
            call_tool=hooks.call_tool,
            session_opened=hooks.came,
            session_closed=hooks.went,
            limits=limits,
            identity=identity,
            in_worker=work,
            secret_header="" if dialect.secret_header == "Authorization" else dialect.secret_header,
            handshake_only=dialect.handshake_only,
            deleted_status=dialect.deleted_status,
            described=self._described,
        )

    def _described(self, client: ClientSession, headers: Mapping[str, str]) -> None:
        told = headers.get(self._dialect.process_id_header, "") if self._dialect.process_id_header else ""
        if told.isascii() and told.isdigit() and 0 < int(told) < 1 << 31:
            self._hooks.process_known(client, int(told))

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        return self._server.sessions

    async def start(self, port: int, state: Mapping[str, Any]) -> Address:
        if self._on_socket:
            return Address(socket=await self._server.start_on_socket())
        if state:
            self._server.import_state(dict(state))
        return Address(await self._server.start(port))

    async def stop(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        if seconds is None:
            await self._server.stop(come_back_seconds=come_back_seconds)
        else:
            await self._server.stop(come_back_seconds=come_back_seconds, seconds=seconds)

    def abandon(self) -> None:
        self._server.abandon()

    def renew_socket(self) -> None:
        self._server.renew_socket()

    def export_state(self) -> Dict[str, Any]:
        # On another socket, with another secret, everybody begins anew.
        return {} if self._on_socket else self._server.export_state()

    def notify(self, message: Message, session: Optional[str]) -> None:
        self._server.notify(message.method, message.params, session=session, collapse=message.collapse)

    def limit_bodies(self, size: int) -> None:
        self._server.limit_bodies(size)

    def disconnect(self) -> None:
        self._server.disconnect()


class OverWebSocket:
    """A WebSocket for each client: the connection is the session, so there is nothing to go on with but the port."""

    def __init__(
        self, dialect: Dialect, secrets: Secrets, hooks: Hooks, limits: Limits, identity: Implementation, work: InWorker
    ) -> None:
        self._dialect = dialect
        self._hooks = hooks
        self._server = websocket_server.WebSocketServer(
            token=secrets.token,
            secret_header=dialect.secret_header,
            tools=dialect.tools,
            call_tool=hooks.call_tool,
            session_opened=hooks.came,
            session_closed=hooks.went,
            tools_listed=hooks.listed,
            notified=self._notified,
            identity=identity,
            limits=limits,
            in_worker=work,
        )

    def _notified(self, client: ClientSession, method: str, params: Mapping[str, Any]) -> None:
        process_id = self._dialect.process_id(method, params)
        if process_id is not None:
            self._hooks.process_known(client, process_id)

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        return self._server.clients

    async def start(self, port: int, state: Mapping[str, Any]) -> Address:
        return Address(await self._server.start(port))

    async def stop(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        if seconds is None:
            await self._server.stop()
        else:
            await self._server.stop(seconds)

    def abandon(self) -> None:
        self._server.abandon()

    def renew_socket(self) -> None:
        pass

    def export_state(self) -> Dict[str, Any]:
        return {}

    def notify(self, message: Message, session: Optional[str]) -> None:
        self._server.notify(message.method, message.params, session=session, collapse=message.collapse)

    def limit_bodies(self, size: int) -> None:
        self._server.limit_bodies(size)

    def disconnect(self) -> None:
        self._server.disconnect()


def make_server(
    dialect: Dialect, secrets: Secrets, hooks: Hooks, limits: Limits, identity: Implementation, work: InWorker
) -> Served:
    """A server that does not listen yet."""
    if dialect.transport is Transport.WEBSOCKET:
        return OverWebSocket(dialect, secrets, hooks, limits, identity, work)
    return OverHttp(dialect, secrets, hooks, limits, identity, work)
