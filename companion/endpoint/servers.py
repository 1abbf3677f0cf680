"""The servers of one window: one for each dialect that a wanted program speaks.

Rule: main thread, except where noted. What the servers tell goes to the listener of their dialect; what is asked of
them here is handed to the loop.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Awaitable, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent
from ..agents.dialect import Dialect, Message, Transport
from ..agents.registry import AGENTS
from ..agents.shared_context import SharedContext
from ..protocol.serving import Address
from ..transport.security import new_token
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

States = Dict[str, ServerState]
"""What the servers of a window leave to those that take their places, by the key of their dialect."""


class Service(NamedTuple):
    """One dialect's server as programs find it. It holds secrets."""

    dialect: Dialect
    address: Address
    token: str
    agent_tokens: Tuple[Tuple[str, str], ...]
    began: int
    """In milliseconds since the epoch."""


class Servers:
    """`listener_of` and `calls_of` say whom a dialect's server tells, and who carries its calls out."""

    def __init__(
        self,
        runtime: Runtime,
        libraries: Libraries,
        version: str,
        body_mebibytes: int,
        *,
        states: Mapping[str, ServerState],
        listener_of: Callable[[Dialect], Listener],
        calls_of: Callable[[Dialect], Callable[[ToolCall], Awaitable[ToolResult]]],
    ) -> None:
        self.services: Dict[str, Service] = {}
        """Those that listen, by the key of their dialect."""
        self._runtime = runtime
        self._states = dict(states)
        self._tokens: Dict[str, Tuple[str, Dict[str, str]]] = {}
        self._started: Dict[str, ServerTask] = {}
        self._tasks: Dict[str, ServerTask] = {}
        for dialect in DIALECTS:
            state = self._states.get(dialect.key)
            # Each agent shows a token of its own where it cannot be told from another by the name that it gives.
            token = state.token if state is not None else new_token()
            agent_tokens = state.agent_tokens if state is not None else _agent_tokens(dialect)
            self._tokens[dialect.key] = token, agent_tokens
            self._tasks[dialect.key] = ServerTask(
                runtime,
                libraries,
                listener_of(dialect),
                calls_of(dialect),
                dialect=dialect,
                token=token,
                agent_tokens=agent_tokens,
                version=version,
                body_mebibytes=body_mebibytes,
            )

    def task_of(self, dialect: Dialect) -> ServerTask:
        """The task that serves a dialect, or is ready to."""
        return self._tasks[dialect.key]

    def start(self, wanted: Sequence[Dialect]) -> None:
        """Begin to serve these dialects, and the primary one. Those that are served already go on."""
        for dialect in reversed(DIALECTS):  # the primary one last: then the others are announced together with it
            if dialect.key not in self._started and (dialect is PRIMARY or dialect in wanted):
                task = self._started[dialect.key] = self._tasks[dialect.key]
                self._runtime.spawn(task.run, self._states.pop(dialect.key, None))

    def admit(self, agents: Sequence[Agent]) -> None:
        """Let the programs of the user's own rows, which may introduce themselves as those that they are like, show
        tokens of their own."""
        for dialect in DIALECTS:
            names = [agent.title for agent in agents if agent.words and agent.dialect is dialect]
            if names:
                self._runtime.on_loop(self._tasks[dialect.key].admit, names)

    def listens(self, dialect: Dialect, address: Address, token: str, agent_tokens: Mapping[str, str]) -> None:
        """A server listens, perhaps anew."""
        began = int(time.time() * 1000)
        self._tokens[dialect.key] = token, dict(agent_tokens)
        self.services[dialect.key] = Service(dialect, address, token, tuple(agent_tokens.items()), began)

    def stop(self, *, for_good: bool) -> Future[States]:
        """End all servers; the future holds what successors can go on with. `for_good`: there will be none. Any
        thread."""
        return self._runtime.spawn(self._stop, list(self._started.items()), for_good)

    async def _stop(self, tasks: List[Tuple[str, ServerTask]], for_good: bool) -> States:
        """Loop thread."""
        import asyncio

        states = await asyncio.gather(*(task.stop(for_good=for_good) for _, task in tasks))
        left = {key: state for (key, _), state in zip(tasks, states) if state is not None}
        return {**self._states, **left}  # what was left for a server that was not wanted meanwhile

    def restart(self) -> None:
        """Serve anew, on the same ports and with the same sessions if that can be."""
        for task in self._started.values():
            self._runtime.spawn(task.restart)

    def loop_lost(self) -> None:
        """Serve anew after the event loop was replaced. Loop thread."""
        for task in list(self._started.values()):
            task.loop_lost()

    def renew_sockets(self) -> None:
        """Make sockets in the file system again that somebody has removed. Loop thread."""
        for task in list(self._started.values()):
            task.renew_socket()

    def disconnect(self) -> None:
        """End every session."""
        for task in self._started.values():
            self._runtime.on_loop(task.disconnect)

    def settings_changed(self, body_mebibytes: int) -> None:
        """Take the limits as they are set now."""
        for task in self._tasks.values():
            self._runtime.on_loop(task.settings_changed, body_mebibytes)

    def notify(self, dialect: Dialect, message: Message, session: Optional[str]) -> None:
        """Send a message to one client of a dialect, or to all."""
        task = self._tasks[dialect.key]
        self._runtime.on_loop(task.notify, message, session)

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

    def secrets(self, dialect: Dialect) -> Tuple[str, ...]:
        """The tokens that a dialect's server takes, its own first. Never to be shown or written down."""
        token, further = self._tokens[dialect.key]
        return (token, *further.values())

    def ports(self) -> Dict[str, int]:
        """The ports of those that have one, by the key of their dialect."""
        return {key: service.address.port for key, service in self.services.items() if service.address.port}


def _agent_tokens(dialect: Dialect) -> Dict[str, str]:
    if dialect is not PRIMARY:
        return {}
    return {agent.title: new_token() for agent in AGENTS if agent.dialect is dialect}
