"""The server of one endpoint for programs that speak MCP over a WebSocket.

Rules: an upgrade passes the same gate as every request: right host, no web page, the secret, compared in constant time;
each connection is one client; bytes are taken from the core only when the connection can write them; whatever a stop
leaves behind is a bug. Text frames hold one JSON-RPC message each. Loop thread.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from typing import Any, Awaitable, Callable, Dict, Mapping, Optional, Sequence, Set, cast

from aiohttp import WSCloseCode, WSMsgType, web

from ..protocol import conversation
from ..protocol.catalogue import Catalogue
from ..protocol.conversation import Conversation
from ..protocol.limits import Limits
from ..protocol.serving import Address, Hooks, Secrets, ServedDialect
from ..protocol.tools import ClientSession, Implementation, ToolCall, ToolResult
from .base import STOP_SECONDS, BaseServer
from .bodies import InWorker, in_default_executor
from .connections import Connection, closing
from .responses import WholeResponse, refusal

logger = logging.getLogger("gemini_companion.transport")

SUBPROTOCOL = "mcp"
MOST_CONNECTIONS = 64


class WebSocketServer(BaseServer):
    """Every method belongs to the loop thread."""

    def __init__(
        self,
        dialect: ServedDialect,
        secrets: Secrets,
        hooks: Hooks,
        *,
        identity: Implementation,
        limits: Limits = Limits(),
        in_worker: InWorker = in_default_executor,
    ) -> None:
        super().__init__(dialect, secrets, hooks, identity=identity, limits=limits, in_worker=in_worker)
        self._catalogue = Catalogue(dialect.tools, identity)
        self._peers: Dict[str, _Peer] = {}
        self.sessions: Dict[str, ClientSession] = {}
        """Those that are ready, by id, oldest first."""

    # -- life ---------------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0, state: Mapping[str, Any] = {}) -> Address:
        """Listen. The connection is the session, so there is nothing to go on with but the port."""
        self._catalogue.arguments.prepare()
        return await self._listen(port, full=self._full, held=self._held)

    def _full(self) -> bool:
        return self._manager is not None and len(self._manager.connections) >= MOST_CONNECTIONS

    def _held(self) -> int:
        """Bytes of messages that the connections hold and nobody has taken."""
        connections = self._manager.connections if self._manager is not None else ()
        bounds = [cast(Connection, each).frames for each in connections]
        return sum(each.held for each in bounds if each is not None)

    async def stop(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        """Close every connection in order, then everything else."""
        if self._listener is None or self._manager is None:
            return
        seconds = STOP_SECONDS if seconds is None else seconds
        self._stopping = True
        self._listener.close()
        self._listener = None
        peers = list(self._peers.values())
        if peers:
            await asyncio.wait([asyncio.ensure_future(peer.close(seconds)) for peer in peers], timeout=2 * seconds)
        await self._manager.shutdown(seconds)

    def export_state(self) -> Dict[str, Any]:
        """Nothing."""
        return {}

    def notify(
        self, method: str, params: Dict[str, Any], *, session: Optional[str] = None, collapse: Optional[str] = None
    ) -> None:
        """Send a notification to one client, if it is there, or to all that are ready."""
        for client_id, peer in list(self._peers.items()):
            if session is None or session == client_id:
                peer.perform(peer.conversation.notify(method, params, collapse))

    def disconnect(self) -> None:
        """End every client's connection."""
        for peer in list(self._peers.values()):
            peer.end()

    # -- connections --------------------------------------------------------------------------------------------------

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        refused = self._gate.turned_away(request)
        if refused is not None:
            return refused
        admitted = self._gate.admit(request, asyncio.get_running_loop().time())
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
        if request.transport is None or request.transport.is_closing():  # by its client, or for what it has sent
            return closing(request, refusal(400, "The connection ended before the upgrade."))
        await socket.prepare(request)
        peer = _Peer(self, socket, cast(Connection, request.protocol), secrets.token_urlsafe(16))
        self._peers[peer.id] = peer
        try:
            await peer.carry()
        finally:
            self._peers.pop(peer.id, None)
            gone = self.sessions.pop(peer.id, None)
            if gone is not None:
                logger.info("disconnected: %.80r", gone.client_name)
                self._hooks.went(gone)
        return socket

    def new_conversation(self, client_id: str) -> Conversation:
        """For a connection that was just let in."""
        return Conversation(self._catalogue, client_id, limits=self._limits, wall_clock=time.time)

    async def decode(self, text: bytes) -> Optional[Callable[[], Any]]:
        """Decode a large message on a worker thread; None for a small one, which the core decodes."""
        return await self._bodies.decode(text, self._limits)

    def perform(self, peer: _Peer, effect: conversation.Effect) -> None:
        """The one place that interprets the core's effects."""
        if isinstance(effect, conversation.RunCall):
            peer.run(self._run(peer, effect.call))
        elif isinstance(effect, conversation.CallCancelled):
            effect.call.cancel(effect.reason)
        elif isinstance(effect, conversation.Opened):
            logger.info("connected: %.80r %.40r, MCP %s", *effect.client[1:4])
            self.sessions[peer.id] = effect.client
            self._hooks.came(effect.client)
        elif isinstance(effect, conversation.ToolsListed):
            self._hooks.listed(peer.conversation.client)
        elif isinstance(effect, conversation.Notified):
            process_id = self._dialect.process_id(effect.method, effect.params)
            if process_id is not None:
                self._hooks.process_known(peer.conversation.client, process_id)
        else:
            logger.warning("ended the connection of %.80r: %s", peer.conversation.client.client_name, effect.reason)
            peer.abort()

    async def _run(self, peer: _Peer, call: ToolCall) -> None:
        result: Optional[ToolResult] = None
        try:
            result = await self._hooks.call_tool(call)
        except Exception:
            logger.exception("the tool %s failed", call.name)
        peer.perform(peer.conversation.finish(call, result))


class _Peer:
    """One connection: reads, writes, and the tasks of its calls."""

    def __init__(
        self, server: WebSocketServer, socket: web.WebSocketResponse, connection: Connection, client_id: str
    ) -> None:
        self.id = client_id
        self.conversation = server.new_conversation(client_id)
        self._server = server
        self._socket = socket
        self._connection = connection
        self._tasks: Set[asyncio.Future[None]] = set()
        self._writer: Optional[asyncio.Future[None]] = None
        self._closing: Optional[asyncio.Future[None]] = None

    async def carry(self) -> None:
        """Read until the connection ends."""
        frames = self._connection.frames
        try:
            async for message in self._socket:
                if frames is not None:
                    frames.taken()
                if message.type is WSMsgType.TEXT:
                    await self._receive(message.data)
                elif message.type is WSMsgType.PING:
                    await self._socket.pong(message.data)
                elif message.type is not WSMsgType.PONG:
                    await self._socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b"text messages only")
                del message  # the next one may come in an hour
        except ConnectionError as error:
            logger.debug("a WebSocket broke: %s", type(error).__name__)
        finally:
            self.perform(self.conversation.lost())
            if self._writer is not None:
                self._writer.cancel()
            # Whoever carries out a cancelled call ends by itself; what does not ask for cancellation runs to its end.

    async def _receive(self, message: str) -> None:
        text = message.encode("utf-8")
        self.perform(self.conversation.receive(text, await self._server.decode(text)))

    def perform(self, effects: Sequence[conversation.Effect]) -> None:
        """Do what the core wants done, and write what it has to say."""
        for effect in effects:
            self._server.perform(self, effect)
        if self.conversation.has_output and (self._writer is None or self._writer.done()):
            self._writer = asyncio.ensure_future(self._write())

    def run(self, work: Awaitable[None]) -> None:
        """Run a call beside the others."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

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
            payloads = self.conversation.take()
            if not payloads:
                return
            for payload in payloads:
                try:
                    await self._socket.send_str(payload.decode("ascii"))
                except (ConnectionError, RuntimeError) as error:
                    logger.debug("could not write to a WebSocket: %s", type(error).__name__)
                    return
