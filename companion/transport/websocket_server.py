"""The server of one endpoint for programs that speak MCP over a WebSocket.

Rules: an upgrade passes the same gate as every request: right host, no web page, the secret, compared in constant time;
each connection is one client; bytes are taken from the core only when the connection can write them; whatever a stop
leaves behind is a bug. Text frames hold one JSON-RPC message each. Loop thread.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any, Awaitable, Callable, Collection, Dict, Optional, Sequence, cast

from aiohttp import WSCloseCode, WSMsgType, web

from ..common.clock import clock
from ..protocol.exchanges import RunCalls
from ..protocol.jsonrpc import RpcError, error_message
from ..protocol.sessions import Output, Session, SessionState
from .base import STOP_SECONDS, BaseServer
from .connections import Connection, closing
from .responses import WholeResponse, refusal

logger = logging.getLogger("gemini_companion.transport")

SUBPROTOCOL = "mcp"
MOST_CONNECTIONS = 64


class WebSocketServer(BaseServer):
    """Every method belongs to the loop thread."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._peers: Dict[str, _Peer] = {}

    # -- life ---------------------------------------------------------------------------------------------------------

    def _connection_options(self) -> Dict[str, Any]:
        return {"held": self._held}

    def _held(self) -> int:
        """Bytes of messages that the connections hold and no reader has taken."""
        connections = self._manager.connections if self._manager is not None else ()
        bounds = [cast(Connection, each).frames for each in connections]
        return sum(each.held for each in bounds if each is not None)

    async def _end_clients(self, come_back_seconds: Optional[float], seconds: float) -> None:
        """Close every connection in order. The connection is the session, so it cannot be resumed."""
        peers = [asyncio.ensure_future(peer.close(seconds)) for peer in self._peers.values()]
        if peers:
            await asyncio.wait(peers, timeout=2 * seconds)

    def disconnect(self, keep: Collection[str] = ()) -> None:
        for peer in list(self._peers.values()):
            if peer.token_name not in keep:
                peer.end()

    # -- connections --------------------------------------------------------------------------------------------------

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        refused = self._gate.turned_away(request)
        if refused is not None:
            return refused
        admitted = self._gate.admit(request, clock.now())
        if isinstance(admitted, WholeResponse):
            return admitted
        socket = web.WebSocketResponse(
            protocols=(SUBPROTOCOL,),
            max_msg_size=self._limits.body_bytes,
            compress=False,
            timeout=STOP_SECONDS,
            autoping=False,
        )
        if not socket.can_prepare(request):
            answer = refusal(426, "Only WebSocket connections are served here.", {"Upgrade": "websocket"})
            return closing(request, answer)
        if len(self._peers) >= MOST_CONNECTIONS:
            return closing(request, refusal(503, "Too many programs are connected.", {"Retry-After": "1"}))
        if request.transport is None or request.transport.is_closing():  # by its client, or for what it has sent
            return closing(request, refusal(400, "The connection ended before the upgrade."))
        await socket.prepare(request)
        connection = cast(Connection, request.protocol)
        connection.is_upgraded = True
        session = self._protocol.registry.connection(secrets.token_urlsafe(16), clock.now(), admitted)
        peer = self._peers[session.client.id] = _Peer(session, socket, connection)
        self.disconnect(keep=self._gate.tokens)  # its own may have gone during the upgrade
        try:
            await peer.carry(self._receive)
        finally:
            del self._peers[session.client.id]
            peer.stop_writing()
            self._perform(self._protocol.registry.close(session, "the connection has ended"))
            # A tool whose call was cancelled ends by itself; what does not ask for cancellation runs to its end.
        return socket

    async def _receive(self, session: Session, text: bytes) -> None:
        try:
            value = await self._bodies.decode(text, self._limits)
        except RpcError as error:
            self._perform(self._protocol.registry.send(session, [error_message(None, error)]))
            return
        reaction = self._protocol.receive(session, value, len(text), clock.now())
        self._perform(reaction.events)
        if isinstance(reaction.reply, RunCalls):
            for call in reaction.reply.calls:
                self._running[call] = asyncio.ensure_future(self._run(call))

    def _wake(self, outputs: Sequence[Output]) -> None:
        for session in cast(Sequence[Session], outputs):
            peer = self._peers.get(session.client.id)
            if peer is not None:
                peer.wake()


class _Peer:
    """One connection: reads and writes."""

    def __init__(self, session: Session, socket: web.WebSocketResponse, connection: Connection) -> None:
        self.token_name = session.client.token_name
        self._session = session
        self._socket = socket
        self._connection = connection
        self._writer: Optional[asyncio.Future[None]] = None
        self._closing: Optional[asyncio.Future[None]] = None

    async def carry(self, receive: Callable[[Session, bytes], Awaitable[None]]) -> None:
        """Read until the connection ends."""
        frames = self._connection.frames
        try:
            async for message in self._socket:
                if frames is not None:
                    frames.taken()
                if message.type is WSMsgType.TEXT:
                    await receive(self._session, message.data.encode("utf-8"))
                elif message.type is WSMsgType.PING:
                    await self._socket.pong(message.data)
                elif message.type is not WSMsgType.PONG:
                    await self._socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b"text messages only")
                del message  # the next one may come in an hour
        except ConnectionError as error:
            logger.debug("a WebSocket broke: %s", type(error).__name__)

    def wake(self) -> None:
        """Write what the session has to say; end the connection if the session has ended before."""
        if self._session.state is SessionState.CLOSED:
            self.abort()
        elif self._writer is None or self._writer.done():
            self._writer = asyncio.ensure_future(self._write())

    def stop_writing(self) -> None:
        """The connection is gone."""
        if self._writer is not None:
            self._writer.cancel()

    def end(self) -> None:
        """Close the connection, soon."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self.close(STOP_SECONDS))

    async def close(self, seconds: float) -> None:
        """Close the connection after what waits is written; each of both gets so many `seconds`."""
        if self._writer is not None:
            await asyncio.wait([self._writer], timeout=seconds / 2)
        try:
            await asyncio.wait_for(self._socket.close(code=WSCloseCode.GOING_AWAY), seconds)
        except asyncio.TimeoutError:
            logger.debug("a WebSocket did not close in time")
        finally:
            transport = self._connection.transport
            if transport is not None and transport.get_write_buffer_size():
                self.abort()

    def abort(self) -> None:
        """End the connection at once, without a close frame: a client that does not read would not read that either."""
        if self._connection.transport is not None:
            self._connection.transport.abort()

    async def _write(self) -> None:
        while True:
            payloads = self._session.take()
            if not payloads:
                return
            for payload in payloads:
                try:
                    await self._socket.send_str(payload.decode("ascii"))
                except (ConnectionError, RuntimeError) as error:
                    logger.debug("could not write to a WebSocket: %s", type(error).__name__)
                    return
