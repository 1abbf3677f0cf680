"""The servers of one window: one for each dialect that an enabled agent speaks, kept listening, across upgrades too.

`ServerTask` runs one server on the loop thread: it retries until the server listens, restarts it, ends it, and reports
to the main thread through the `ServerListener`. If another process has taken the port, the new server gets new tokens
and no sessions, because clients show the old tokens there. aiohttp is imported with the servers, on the thread for
imports, because that takes a third of a second.

`Servers` has all servers of a window, on the main thread except where noted, and passes orders to the loop.

The last part is about upgrades. When Package Control replaces the package, the old one ends with its threads, sockets
and modules. The new one needs the ports, tokens and sessions, so that connected clients can go on. They are kept in a
module object that belongs to no package, in memory only. Rule: the state is taken once, and only within the few seconds
in which clients try to come back.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import sys
import time
from concurrent.futures import Future
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..agents.dialect import ClientNotice, Dialect, Transport
from ..agents.registry import AGENTS
from ..agents.window import SharedContext
from ..common.clock import clock
from ..protocol.serving import Address, Hooks, Tokens, new_token
from ..protocol.streams import GONE_SECONDS
from ..protocol.tools import Implementation

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..protocol.tools import ClientSession
    from ..runtime import Runtime
    from ..transport.base import BaseServer

logger = logging.getLogger("gemini_companion.server")

RETRY_SECONDS = (1, 2, 5, 10, 30)
# How long we ask clients to wait while the package is replaced, which takes seconds on a busy machine. By themselves
# they try again after one second, and give up two seconds later; Gemini CLI is disconnected after the first failure.
COME_BACK_SECONDS = 6.0
# The main thread waits for a server to end: at most so long for each of three steps.
ENDING_SECONDS = 0.03
TAKEN = (errno.EADDRINUSE, errno.EACCES, errno.EADDRNOTAVAIL)  # EACCES: on Windows, where another program holds it


class ServerState(NamedTuple):
    """What the next server of the window takes over. It holds secrets: never log it, never write it to disk."""

    port: int
    tokens: Tokens
    state: Dict[str, Any]


class ServerListener(NamedTuple):
    """What the servers of a window call with their events: the first two on the main thread."""

    serving: Callable[[Dialect, Address, Tokens], None]
    problem: Callable[[Dialect, Optional[str]], None]  # a sentence for the user, None when all is well again
    hooks: Callable[[Dialect], Hooks]  # for the calls and the clients of a dialect's server


class ServerTask:
    """The server of one window for one dialect. Loop thread only, except where noted."""

    def __init__(
        self,
        runtime: Runtime,
        libraries: Libraries,
        listener: ServerListener,
        version: str,
        dialect: Dialect,
        state: Optional[ServerState] = None,
    ) -> None:
        """`state` is what a former server has left. Any thread may construct a server task."""
        self._runtime = runtime
        self._libraries = libraries
        self._listener = listener
        self._dialect = dialect
        self._hooks = listener.hooks(dialect)
        self._version = version
        self._tokens: Tokens = dict(state.tokens) if state is not None else {}
        self._server: Optional[BaseServer] = None
        self._left = state  # by the last server, for the next one; None from when that listens
        self._address = Address()
        self._named: Optional[int] = None
        self._stopped = False
        self._former: Dict[str, ClientSession] = {}  # sessions of the last server that has ended
        self._waiting: List[Tuple[ClientNotice, Optional[str]]] = []
        self._ending = False
        self._attempt = 0  # the number of the newest `run`; an older one that still waits gives up

    async def run(self) -> None:
        """Listen, on the former port if it is free. Retries with growing pauses until it works or `stop` is called."""
        self._attempt += 1
        this, failures = self._attempt, 0
        make_server = await self._libraries.imported(self._import_server)
        while not self._stopped and this == self._attempt:
            try:
                await self._listen(make_server, this)
            except OSError as error:
                if self._left is not None and error.errno in TAKEN:
                    logger.warning("the former port is taken: its clients have to connect again, with new tokens")
                    self._left, self._tokens = None, {name: new_token() for name in self._tokens}
                    continue
                delay = RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)]
                failures += 1
                logger.warning("could not open a port (%s); trying again in %s s", error, delay)
                self._runtime.on_main(
                    self._listener.problem, self._dialect, f"could not open a port: {error.strerror or error}"
                )
                await asyncio.sleep(delay)
            else:
                return

    def _import_server(self) -> Callable[..., BaseServer]:
        """What makes the server."""
        from ..transport import server, websocket_server

        over_websocket = self._dialect.transport is Transport.WEBSOCKET
        return websocket_server.WebSocketServer if over_websocket else server.CompanionServer

    async def _listen(self, make_server: Callable[..., BaseServer], this: int) -> None:
        """One attempt. Raises OSError if the port is taken."""
        server = make_server(
            self._dialect,
            self._tokens,
            self._hooks,
            identity=Implementation("gemini-companion", "Gemini Companion", self._version),
            in_worker=self._runtime.in_worker,
        )
        port, state = (self._left.port, self._left.state) if self._left is not None else (0, {})
        address = await server.start(port, state)
        if self._stopped or this != self._attempt:
            await server.stop()
            return
        self._server, self._left, self._address = server, None, address
        if self._named is not None:
            server.named(self._named)
        server.take(self._tokens)  # the user may have disabled an agent since the former server ended
        waiting, self._waiting = self._waiting, []
        for notification in waiting:
            self.notify(*notification)
        sessions = server.sessions
        for session in sessions.values():
            self._hooks.came(session)
        for session in [each for each in self._former.values() if each.id not in sessions]:
            self._hooks.went(session)  # its session could not be kept
        self._runtime.on_main(self._listener.problem, self._dialect, None)
        self._tell_address()

    def admit(self, names: Sequence[str]) -> None:
        """Accept the tokens of these names and no others: clients with another token are disconnected."""
        self._runtime.assert_loop_thread()
        former, self._tokens = self._tokens, {name: self._tokens.get(name) or new_token() for name in names}
        if self._tokens != former and self._server is not None:
            self._server.take(self._tokens)
            self._tell_address()

    def named(self, port: Optional[int], *, anew: bool) -> None:
        """Its clients name this port as the one of their host, None if they name no port. `anew`: with new tokens,
        because somebody else may have the former port now, at which clients show the former ones."""
        self._named = port
        if self._server is not None:
            self._server.named(port)
        if anew:
            names, self._tokens = list(self._tokens), {}
            self.admit(names)

    def _tell_address(self) -> None:
        self._runtime.on_main(self._listener.serving, self._dialect, self._address, self._tokens)

    async def stop(self, *, for_good: bool) -> Optional[ServerState]:
        """End the server and its streams, and return what the next one can take over.

        `for_good`: there will be no other server, and clients need not wait for one. Takes a tenth of a second at most:
        calls that take longer are answered with an error.
        """
        self._stopped = True
        await self._end(GONE_SECONDS if for_good else COME_BACK_SECONDS, ENDING_SECONDS)
        return self._left

    async def restart(self) -> None:
        """End the server and start it again with the same port, token and sessions."""
        if not self._ending:  # else another restart is under way already
            await self._end()
            await self.run()

    async def _end(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        self._ending = True
        try:
            await server.stop(come_back_seconds, seconds)
        finally:
            self._ending = False
        self._left = ServerState(self._address.port, dict(self._tokens), server.export_state())
        self._former = dict(server.sessions)

    def notify(self, message: ClientNotice, session: Optional[str]) -> None:
        """Send a notification to one session or, without one, to all.

        Without a server it waits for the next one, unless another notification with its key replaces it: sessions that
        are taken over have waiting messages too, whose text the user may have taken back meanwhile.
        """
        self._runtime.assert_loop_thread()
        if self._server is None:
            if message.collapse is not None:
                replaced = message.collapse, session
                self._waiting = [each for each in self._waiting if (each[0].collapse, each[1]) != replaced]
            if not self._stopped:
                self._waiting.append((message, session))
            return
        self._server.notify(message.method, message.params, session=session, collapse=message.collapse)

    async def renew_socket(self) -> None:
        """Create its socket in the file system again if it was removed."""
        if self._server is not None:
            await self._server.renew_socket()

    def disconnect(self) -> None:
        """End every session."""
        self._runtime.assert_loop_thread()
        if self._server is not None:
            self._server.disconnect()


# -- all servers of a window -------------------------------------------------------------------------------------------

SHARED = Transport.FRAMES_ON_SHARED_SOCKET
DIALECTS: Tuple[Dialect, ...] = tuple(
    dict.fromkeys(agent.dialect for agent in AGENTS if agent.dialect.transport is not SHARED)
)
"""Those that each window has a server for."""
PRIMARY = DIALECTS[0]
"""The dialect of the MCP endpoint on the window's port. It is served whichever agents are enabled."""


def token_names(dialect: Dialect, agents: Sequence[Agent]) -> List[str]:
    """The names of the tokens that these agents show. At the primary server the shared token belongs to no agent: our
    own trials show it."""
    own = [""] if dialect is PRIMARY else []
    return list(dict.fromkeys([*own, *(agent.token_name for agent in agents if agent.dialect is dialect.spoken)]))


States = Dict[str, ServerState]
"""What the servers of a window leave to those that take their places, by the key of their dialect."""


class Service(NamedTuple):
    """One dialect's server as agents find it. It holds secrets."""

    dialect: Dialect
    address: Address
    tokens: Tokens
    began: int
    """In milliseconds since the epoch."""


class Servers:
    """The servers of one window. `listener` is called with their events."""

    def __init__(
        self,
        runtime: Runtime,
        libraries: Libraries,
        listener: ServerListener,
        version: str,
        states: Mapping[str, ServerState] = {},
    ) -> None:
        """`states` are what former servers of the window have left."""
        self.services: Dict[str, Service] = {}
        """Those that listen, by the key of their dialect."""
        self._runtime = runtime
        self._make = partial(ServerTask, runtime, libraries, version=version)
        self._tasks = {
            dialect.key: self._make(listener=listener, dialect=dialect, state=states.get(dialect.key))
            for dialect in DIALECTS
        }
        self._carried: Dict[str, Dialect] = {}
        """The dialects of servers that listen for what a remote carries here, by their keys."""
        self._started: List[ServerTask] = []

    def start(self, agents: Sequence[Agent]) -> None:
        """Begin to serve the dialects of these agents, and the primary one. Those that are served already go on."""
        wanted = {agent.dialect for agent in agents}
        for dialect in reversed(DIALECTS):  # the primary one last: then the others are announced together with it
            task = self._tasks[dialect.key]
            if task not in self._started and (dialect is PRIMARY or dialect in wanted):
                self._started.append(task)
                self._runtime.spawn(task.run)

    def carry(self, dialect: Dialect, listener: ServerListener, agents: Sequence[Agent]) -> ServerTask:
        """Serve this dialect, too, for what a remote carries here. `listener` is called with its events."""
        task = self._tasks[dialect.key] = self._make(listener=listener, dialect=dialect)
        self._carried[dialect.key] = dialect
        self._runtime.on_loop(task.admit, token_names(dialect, agents))
        self._started.append(task)
        self._runtime.spawn(task.run)
        return task

    def drop(self, dialect: Dialect) -> None:
        """Serve it no more."""
        del self._carried[dialect.key]
        task = self._tasks.pop(dialect.key)
        self._started.remove(task)
        self._runtime.on_loop(task.disconnect)
        self._runtime.spawn(partial(task.stop, for_good=True))

    def admit(self, agents: Sequence[Agent]) -> None:
        """Let in clients that show a token of one of these agents; all other sessions end."""
        for dialect in (*DIALECTS, *self._carried.values()):
            self._runtime.on_loop(self._tasks[dialect.key].admit, token_names(dialect, agents))

    def listens(self, dialect: Dialect, address: Address, tokens: Tokens) -> None:
        """A server listens, perhaps anew, or takes other tokens."""
        self.services[dialect.key] = Service(dialect, address, tokens, int(time.time() * 1000))

    def stop(self, *, for_good: bool) -> Future[States]:
        """End all servers; the future holds what the next ones can take over. `for_good`: there will be none. Any
        thread."""
        return self._runtime.spawn(self._stop, for_good)

    async def _stop(self, for_good: bool) -> States:
        """Loop thread. A state that no server has taken over is left again."""
        tasks = dict(self._tasks)
        left = await asyncio.gather(*(task.stop(for_good=for_good) for task in tasks.values()))
        return {key: state for key, state in zip(tasks, left) if state is not None and key not in self._carried}

    def restart(self) -> None:
        """Serve anew, on the same ports and with the same sessions if that can be."""
        for task in self._started:
            self._runtime.spawn(task.restart)

    def renew_sockets(self) -> None:
        """Create sockets in the file system again that were removed. Loop thread."""
        for task in list(self._started):
            self._runtime.spawn(task.renew_socket)

    def disconnect(self) -> None:
        """End every session; the clients say so and offer to connect again."""
        for task in self._started:
            self._runtime.on_loop(task.disconnect)

    def notify(self, dialect: Dialect, message: ClientNotice, session: Optional[str]) -> None:
        """Send a message to one client of a dialect, or to all."""
        if dialect.key in self._tasks:  # not once its remote is disconnected
            self._runtime.on_loop(self._tasks[dialect.key].notify, message, session)

    def publish(self, context: SharedContext, clients: Sequence[Tuple[Dialect, Optional[str]]]) -> None:
        """Send the context to these clients (without a session: all of a dialect), each in the words of its dialect.
        The work for this thread does not grow with their number."""
        self._runtime.on_loop(self._publish, context, tuple(clients))

    def _publish(self, context: SharedContext, clients: Sequence[Tuple[Dialect, Optional[str]]]) -> None:
        """Loop thread."""
        words: Dict[str, Sequence[ClientNotice]] = {}  # the same for all who speak a dialect
        for dialect, session in clients:
            if dialect.key not in words:
                words[dialect.key] = dialect.messages(context)
            if dialect.key in self._tasks:  # not once its remote is disconnected
                for message in words[dialect.key]:
                    self._tasks[dialect.key].notify(message, session)

    def secrets(self, dialects: Sequence[Dialect] = DIALECTS) -> List[str]:
        """The tokens that the listening servers of these dialects take. Never to be shown or written down."""
        found = [service.tokens for service in self.services.values() if service.dialect in dialects]
        return [token for tokens in found for token in tokens.values()]

    def ports(self) -> Dict[str, int]:
        """The ports of those that have one, by the key of their dialect."""
        return {key: service.address.port for key, service in self.services.items() if service.address.port}


# -- across an upgrade -------------------------------------------------------------------------------------------------

MODULE = "gemini_companion_handover"
SECONDS = 20.0  # longer than any client waits
FORMAT = 4  # of the values kept; values of another format are left alone


def leave_states(windows: Mapping[int, States]) -> None:
    """Keep what the endpoints left, by window id. Main thread."""
    module = ModuleType(MODULE, "What a replaced Gemini Companion left to its successor.")
    # Plain values only: no class of the old package may live on in the new one.
    kept: Dict[str, Any] = {
        "format": FORMAT,
        "time": clock.now(),
        "windows": {window: {key: tuple(state) for key, state in states.items()} for window, states in windows.items()},
    }
    module.__dict__["kept"] = kept
    sys.modules[MODULE] = module


def take_states() -> Dict[int, States]:
    """Take what was left, if it is fresh. Main thread."""
    module = sys.modules.pop(MODULE, None)
    kept = getattr(module, "kept", None)
    if not isinstance(kept, dict) or kept.get("format") != FORMAT or clock.now() - kept["time"] > SECONDS:
        return {}
    return {
        window: {key: ServerState(*values) for key, values in states.items()}
        for window, states in kept["windows"].items()
    }
