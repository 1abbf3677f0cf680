"""The servers of one window: one for each dialect that a wanted program speaks.

Rule: main thread, except where noted. What the servers tell goes to one listener; what is asked of them here is handed
to the loop.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Awaitable, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..agents.dialect import Dialect, Message, Transport
from ..agents.registry import AGENTS
from ..agents.shared_context import SharedContext
from ..protocol.serving import Address, Tokens
from .server_task import Listener, ServerState, ServerTask

if TYPE_CHECKING:
    from ..libraries import Libraries
    from ..protocol.tools import ToolCall, ToolResult
    from ..runtime import Runtime

SHARED = Transport.FRAMES_ON_SHARED_SOCKET
DIALECTS: Tuple[Dialect, ...] = tuple(
    dict.fromkeys(agent.dialect for agent in AGENTS if agent.dialect.transport is not SHARED)
)
"""Those that each window has a server for."""
PRIMARY = DIALECTS[0]
"""That of the MCP endpoint on the window's port; it is served whoever is wanted."""


def token_names(dialect: Dialect, agents: Sequence[Agent]) -> List[str]:
    """The names of the tokens by which these programs come in. At the primary server the shared one is no program's:
    our own trials show it."""
    own = [""] if dialect is PRIMARY else []
    return list(dict.fromkeys([*own, *(agent.token_name for agent in agents if agent.dialect is dialect)]))


States = Dict[str, ServerState]
"""What the servers of a window leave to those that take their places, by the key of their dialect."""


class Service(NamedTuple):
    """One dialect's server as programs find it. It holds secrets."""

    dialect: Dialect
    address: Address
    tokens: Tokens
    began: int
    """In milliseconds since the epoch."""


class Servers:
    """`listener` is told what happens; `call_tool` carries out the calls."""

    def __init__(
        self,
        runtime: Runtime,
        libraries: Libraries,
        listener: Listener,
        call_tool: Callable[[Dialect, ToolCall], Awaitable[ToolResult]],
        version: str,
        states: Mapping[str, ServerState] = {},
    ) -> None:
        """`states` are what former servers of the window have left."""
        self.services: Dict[str, Service] = {}
        """Those that listen, by the key of their dialect."""
        self._runtime = runtime
        self._tasks = {
            dialect.key: ServerTask(runtime, libraries, listener, call_tool, version, dialect, states.get(dialect.key))
            for dialect in DIALECTS
        }
        self._started: List[ServerTask] = []

    def start(self, wanted: Sequence[Dialect]) -> None:
        """Begin to serve these dialects, and the primary one. Those that are served already go on."""
        for dialect in reversed(DIALECTS):  # the primary one last: then the others are announced together with it
            task = self._tasks[dialect.key]
            if task not in self._started and (dialect is PRIMARY or dialect in wanted):
                self._started.append(task)
                self._runtime.spawn(task.run)

    def admit(self, agents: Sequence[Agent]) -> None:
        """Let in who shows a token of one of these programs, and nobody else: other sessions end."""
        for dialect in DIALECTS:
            self._runtime.on_loop(self._tasks[dialect.key].admit, token_names(dialect, agents))

    def listens(self, dialect: Dialect, address: Address, tokens: Tokens) -> None:
        """A server listens, perhaps anew, or takes other tokens."""
        self.services[dialect.key] = Service(dialect, address, tokens, int(time.time() * 1000))

    def stop(self, *, for_good: bool) -> Future[States]:
        """End all servers; the future holds what successors can go on with. `for_good`: there will be none. Any
        thread."""
        return self._runtime.spawn(self._stop, for_good)

    async def _stop(self, for_good: bool) -> States:
        """Loop thread. What was left for a server that was not wanted meanwhile is left again."""
        import asyncio

        left = await asyncio.gather(*(task.stop(for_good=for_good) for task in self._tasks.values()))
        return {key: state for key, state in zip(self._tasks, left) if state is not None}

    def restart(self) -> None:
        """Serve anew, on the same ports and with the same sessions if that can be."""
        for task in self._started:
            self._runtime.spawn(task.restart)

    def loop_lost(self) -> None:
        """Serve anew after the event loop was replaced, for the same clients if they come back. Loop thread."""
        for task in list(self._started):
            task.loop_lost()

    def renew_sockets(self) -> None:
        """Make sockets in the file system again that somebody has removed. Loop thread."""
        for task in list(self._started):
            self._runtime.spawn(task.renew_socket)

    def disconnect(self) -> None:
        """End every session; the clients say so and offer to connect again."""
        for task in self._started:
            self._runtime.on_loop(task.disconnect)

    def settings_changed(self, body_mebibytes: int) -> None:
        """Take the limits as they are set now."""
        for task in self._tasks.values():
            self._runtime.on_loop(task.settings_changed, body_mebibytes)

    def notify(self, dialect: Dialect, message: Message, session: Optional[str]) -> None:
        """Send a message to one client of a dialect, or to all."""
        self._runtime.on_loop(self._tasks[dialect.key].notify, message, session)

    def publish(self, context: SharedContext, clients: Sequence[Tuple[Dialect, Optional[str]]]) -> None:
        """Tell these clients (without a session: all of a dialect) the context, each in its own words.

        However many there are, it costs this thread the same.
        """
        self._runtime.on_loop(self._publish, context, tuple(clients))

    def _publish(self, context: SharedContext, clients: Sequence[Tuple[Dialect, Optional[str]]]) -> None:
        """Loop thread."""
        words: Dict[str, Sequence[Message]] = {}  # the same for all who speak a dialect
        for dialect, session in clients:
            if dialect.key not in words:
                words[dialect.key] = dialect.messages(context)
            for message in words[dialect.key]:
                self._tasks[dialect.key].notify(message, session)

    def secrets(self, dialects: Sequence[Dialect] = DIALECTS) -> List[str]:
        """The tokens that the listening servers of these dialects take. Never to be shown or written down."""
        found = [service.tokens for service in self.services.values() if service.dialect in dialects]
        return [token for tokens in found for token in tokens.values()]

    def ports(self) -> Dict[str, int]:
        """The ports of those that have one, by the key of their dialect."""
        return {key: service.address.port for key, service in self.services.items() if service.address.port}
