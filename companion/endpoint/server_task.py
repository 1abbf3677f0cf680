"""One endpoint's server on the loop: tried until it listens, restarted, and handed over to an upgraded package.

Rules: everything here runs on the loop thread, and what happens is told to the main thread through the `Listener`. A
port that somebody else has now takes its tokens and sessions along, because clients show them there.
aiohttp is imported with the servers, on the thread for imports, because that takes a third of a second.
"""

from __future__ import annotations

import errno
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..agents.dialect import Dialect, Message, Transport
from ..protocol.limits import ENVELOPE, MEBIBYTE, Limits
from ..protocol.serving import Address, Hooks, Secrets
from ..protocol.tools import Implementation
from ..transport.security import new_token

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..protocol.tools import ClientSession, ToolCall, ToolResult
    from ..runtime import Runtime
    from ..transport.base import BaseServer

logger = logging.getLogger("gemini_companion.server")

RETRY_SECONDS = (1, 2, 5, 10, 30)
# How long clients are asked to wait while the package is replaced. By themselves they try again after one second, and
# give up two seconds later.
COME_BACK_SECONDS = 4.0
# If none is to come, their two tries are to be over before the user has started the editor again: Gemini CLI lets the
# failure of the last one end a connection that it has made meanwhile.
GONE_SECONDS = 0.25
# The main thread waits for a server to end: at most so long for each of three steps.
ENDING_SECONDS = 0.03
TAKEN = (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL)  # EACCES: on Windows, where another program holds it


class ServerState(NamedTuple):
    """What the next server of the window takes over. It holds secrets: never log it, never write it to disk."""

    port: int
    token: str
    agent_tokens: Dict[str, str]
    state: Dict[str, Any]


class Listener(NamedTuple):
    """Who is told of events, always on the main thread."""

    serving: Callable[[Address, str, Dict[str, str]], None]  # with the token, and the tokens of the agents
    client_came: Callable[[ClientSession], None]
    client_went: Callable[[ClientSession], None]
    problem: Callable[[Optional[str]], None]  # a sentence for the user, None when all is well again
    listed: Callable[[ClientSession], None] = lambda client: None  # it was told the tools
    process_known: Callable[[ClientSession, int], None] = lambda client, process_id: None


class ServerTask:
    """The server of one window for one dialect. Loop thread only, except where noted."""

    def __init__(
        self,
        runtime: Runtime,
        libraries: Libraries,
        listener: Listener,
        call_tool: Callable[[ToolCall], Awaitable[ToolResult]],
        *,
        dialect: Dialect,
        token: str,
        agent_tokens: Dict[str, str],
        version: str,
        body_mebibytes: int,
    ) -> None:
        """`body_mebibytes` limits the body of a request. Any thread may construct a server task."""
        self._runtime = runtime
        self._libraries = libraries
        self._listener = listener
        self._call_tool = call_tool
        self._dialect = dialect
        self._token = token
        self._agent_tokens = agent_tokens
        self._version = version
        self._body_mebibytes = body_mebibytes
        self._server: Optional[BaseServer] = None
        self._inherited: Optional[ServerState] = None  # until it listens with it
        self._address = Address()
        self._stopped = False
        self._clients: Dict[str, ClientSession] = {}  # those that the listener has been told of
        self._waiting: List[Tuple[Message, str]] = []
        self._ending = False
        self._attempt = 0  # the number of the newest `run`; an older one that still waits gives up

    async def run(self, server_state: Optional[ServerState] = None) -> None:
        """Listen, on the former port if it is free. Retry, with growing pauses, until it works or `stop` is called."""
        import asyncio

        self._attempt += 1
        this = self._attempt
        self._inherited = server_state
        make_server = await self._libraries.imported(self._import_server)
        attempt = 0
        while not self._stopped and this == self._attempt:
            try:
                await self._listen(make_server, server_state, this)
            except OSError as error:
                if server_state is not None and error.errno in TAKEN:
                    logger.warning("the former port is taken: its clients have to connect again, with new tokens")
                    server_state = self._inherited = None
                    self._token = new_token()
                    self._agent_tokens = {agent: new_token() for agent in self._agent_tokens}
                    continue
                delay = RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)]
                attempt += 1
                logger.warning("could not open a port (%s); trying again in %s s", error, delay)
                self._tell(self._listener.problem, f"could not open a port: {error.strerror or error}")
                await asyncio.sleep(delay)
            else:
                return

    def _import_server(self) -> Callable[..., BaseServer]:
        """What makes the server."""
        from ..transport import server, websocket_server

        over_websocket = self._dialect.transport is Transport.WEBSOCKET
        return websocket_server.WebSocketServer if over_websocket else server.CompanionServer

    async def _listen(
        self, make_server: Callable[..., BaseServer], server_state: Optional[ServerState], this: int
    ) -> None:
        """One attempt. Raises OSError if the port is taken."""
        server = make_server(
            self._dialect,
            Secrets(self._token, self._agent_tokens),
            Hooks(
                self._call_tool,
                self._client_came,
                self._client_went,
                partial(self._tell, self._listener.listed),
                partial(self._tell, self._listener.process_known),
            ),
            identity=Implementation("gemini-companion", "Gemini Companion", self._version),
            limits=Limits(body_bytes=self._body_bytes()),
            in_worker=self._runtime.in_worker,
        )
        port, state = (server_state.port, server_state.state) if server_state is not None else (0, {})
        address = await server.start(port, state)
        if self._stopped or this != self._attempt:
            await server.stop()
            return
        self._server, self._inherited = server, None
        self._address = address
        waiting, self._waiting = self._waiting, []
        for notification in waiting:
            self.notify(*notification)
        for session in list(server.sessions.values()):
            self._client_came(session)
        for session in [each for each in self._clients.values() if each.id not in server.sessions]:
            self._client_went(session)  # its session could not be kept
        self._tell(self._listener.problem, None)
        self._tell_address()

    def admit(self, names: Sequence[str]) -> None:
        """Let each of these programs show a token of its own."""
        self._runtime.assert_loop_thread()
        new = {name: new_token() for name in names if name not in self._agent_tokens}
        self._agent_tokens.update(new)
        if new and self._server is not None:
            self._tell_address()

    def _tell_address(self) -> None:
        self._tell(self._listener.serving, self._address, self._token, dict(self._agent_tokens))

    async def stop(self, *, for_good: bool) -> Optional[ServerState]:
        """End the server and its streams, and return what the next one can take over.

        `for_good`: none is to come, and clients are not to wait for one. Takes a tenth of a second at most: calls that
        take longer are answered with an error.
        """
        self._stopped = True
        return await self._end(GONE_SECONDS if for_good else COME_BACK_SECONDS, ENDING_SECONDS)

    async def restart(self) -> None:
        """End the server and start it again with the same port, token and sessions."""
        if not self._ending:  # else another restart is under way already
            server_state = await self._end(None)
            await self.run(server_state)

    def loop_lost(self) -> None:
        """The event loop of the server is gone: start it again on the new one."""
        self._runtime.assert_loop_thread()
        server, self._server = self._server, None
        self._ending = False
        server_state = None
        if server is not None:
            server.abandon()
            server_state = ServerState(self._address.port, self._token, self._agent_tokens, server.export_state())
        if not self._stopped:
            self._runtime.spawn(self.run, server_state)

    async def _end(self, come_back_seconds: Optional[float], seconds: Optional[float] = None) -> Optional[ServerState]:
        server, self._server = self._server, None
        if server is None:
            return self._inherited
        self._ending = True
        try:
            await server.stop(come_back_seconds, seconds)
        finally:
            self._ending = False
        return ServerState(self._address.port, self._token, self._agent_tokens, server.export_state())

    def notify(self, message: Message, session: Optional[str]) -> None:
        """Send a notification to one session or, without one, to all.

        While there is no server, a message for one session waits for the next server.
        """
        self._runtime.assert_loop_thread()
        if self._server is None:
            if session is not None and not self._stopped:
                self._waiting.append((message, session))
            return
        self._server.notify(message.method, message.params, session=session, collapse=message.collapse)

    def settings_changed(self, body_mebibytes: int) -> None:
        """Apply the limit as it is set now."""
        self._runtime.assert_loop_thread()
        self._body_mebibytes = body_mebibytes
        if self._server is not None:
            self._server.limit_bodies(self._body_bytes())

    def _body_bytes(self) -> int:
        return self._body_mebibytes * MEBIBYTE + ENVELOPE

    def renew_socket(self) -> None:
        """Make its socket in the file system again if somebody has removed it."""
        if self._server is not None:
            self._server.renew_socket()

    def disconnect(self) -> None:
        """End every session."""
        self._runtime.assert_loop_thread()
        if self._server is not None:
            self._server.disconnect()

    def _client_came(self, session: ClientSession) -> None:
        self._runtime.assert_loop_thread()
        self._clients[session.id] = session
        self._tell(self._listener.client_came, session)

    def _client_went(self, session: ClientSession) -> None:
        self._runtime.assert_loop_thread()
        self._clients.pop(session.id, None)
        self._tell(self._listener.client_went, session)

    def _tell(self, listener: Callable[..., None], *args: Any) -> None:
        self._runtime.on_main(listener, *args)
