"""What the servers have in common: who is let in, how connections are taken and dropped, how calls are run.

Rules: a server listens on the loopback address alone, or on a socket that is the user's alone. The core decides; the
servers only perform its effects. A call whose client has gone runs to its end in the background. Loop
thread.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Callable, Collection, Dict, Iterable, Mapping, NoReturn, Optional, Sequence, Set

from aiohttp import web

from ..common.clock import clock
from ..protocol.core import Protocol
from ..protocol.exchanges import CallCancelled, Event, Notified, SessionClosed, SessionOpened, ToolsListed, Wake
from ..protocol.limits import Limits
from ..protocol.serving import Address, Hooks, ServedDialect, Tokens
from ..protocol.sessions import Output
from ..protocol.tools import ClientSession, Implementation, ToolCall, ToolResult, error_result
from .connections import Connection
from .gate import Bodies, Gate, InWorker, in_default_executor
from .listening import ListeningSocket, listen_locally, listen_on_port

logger = logging.getLogger("gemini_companion.transport")
ADDRESS = "127.0.0.1"
STOP_SECONDS = 1.0
_ENDING = "The companion is being restarted or has ended. Try again in a moment."


class BaseServer:
    """A server of one dialect, which does not listen yet when it is made. Every server is made, started, spoken to and
    ended in this way; what differs between the transports stands in the subclasses, and nowhere above them."""

    def __init__(
        self,
        dialect: ServedDialect,
        tokens: Tokens,
        hooks: Hooks,
        *,
        identity: Implementation,
        limits: Limits = Limits(),
        in_worker: InWorker = in_default_executor,
    ) -> None:
        """`in_worker`: calls a function that takes long on another thread."""
        self._dialect = dialect
        self._hooks = hooks
        self._limits = limits
        self._protocol = Protocol(dialect, identity, limits)
        self._running: Dict[ToolCall, asyncio.Future[Any]] = {}
        """The calls that were not taken back, with the tasks that carry them out."""
        self._cancelled: Set[asyncio.Future[Any]] = set()
        self._gate = Gate(tokens, dialect.secret_header)
        self._bodies = Bodies(in_worker)
        self._listener: Optional[ListeningSocket] = None
        self._manager: Optional[web.Server] = None
        self._new_connection: Callable[[], Connection]
        self._stopping = False

    def named(self, port: Optional[int]) -> None:
        """Clients name this port as the one of their host, not that on which they are taken: they are carried here."""
        self._gate.port = port

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        """The connected clients by id, oldest first."""
        return self._protocol.registry.clients

    # -- life ---------------------------------------------------------------------------------------------------------

    async def start(self, port: int = 0, state: Mapping[str, Any] = {}) -> Address:
        """Listen, on `port` if it is not 0 and there are ports, and go on with a former server's `state`.

        Raises OSError if the port is taken or there is no safe place for a socket, ImportError without jsonschema.
        """
        self._protocol.catalogue.arguments.prepare()
        if state:
            self._protocol.registry.import_state(state, clock.now())
        self._manager = web.Server(self._handle)
        options = self._connection_options()
        self._new_connection = functools.partial(Connection, self._manager, limits=self._limits, **options)
        if self._dialect.on_socket:
            self._listener = await listen_locally(self._new_connection)
            self._gate.port = None
        else:
            self._listener = await listen_on_port(self._new_connection, ADDRESS, port)
            self._gate.port = self._listener.address.port
        self._schedule_expiry()
        return self._listener.address

    def _connection_options(self) -> Dict[str, Any]:
        """The further arguments of each `Connection`."""
        raise NotImplementedError

    async def stop(self, come_back_seconds: Optional[float] = None, seconds: Optional[float] = None) -> None:
        """End everything, in order; each step gets so many `seconds`, if that is said. With `come_back_seconds`,
        each stream tells its client to reconnect after so long, because a successor is expected.

        Sessions are not reported as closed; undelivered messages are still in `export_state`.
        """
        if self._listener is None or self._manager is None or self._stopping:
            return
        self._stopping = True
        self._listener.close()
        seconds = STOP_SECONDS if seconds is None else seconds
        self._manager.pre_shutdown()  # Idle connections end now, the others after their current response.
        await self._end_clients(come_back_seconds, seconds)
        await self._manager.shutdown(seconds / 2)  # aiohttp may wait twice that long
        for task in self._cancelled:
            task.cancel()
        self._listener = None

    async def _end_clients(self, come_back_seconds: Optional[float], seconds: float) -> None:
        """End what the clients have under way."""
        raise NotImplementedError

    def export_state(self) -> Dict[str, Any]:
        """What a successor can go on with, as JSON-serialisable data. Secret: never log it. On another socket, with
        another secret, all begin anew."""
        return {} if self._dialect.on_socket else self._protocol.registry.export_state()

    def disconnect(self, keep: Collection[str] = ()) -> None:
        """End every session, but for those of the clients whose tokens have these names."""
        raise NotImplementedError

    def take(self, tokens: Tokens) -> None:
        """Take these tokens from now on, and no others: clients that came by another one are disconnected."""
        self._gate.tokens = tokens
        self.disconnect(keep=tokens)

    # -- connections --------------------------------------------------------------------------------------------------

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request."""
        raise NotImplementedError

    async def renew_socket(self) -> None:
        """Make the socket in the file system, if there is one, again if it was removed: programs look for it there."""
        former = self._listener
        if former is None or not former.is_cut_off():
            return
        try:
            self._listener = await former.listen_again(self._new_connection)
        except OSError as error:
            logger.warning("the socket was removed and cannot be made again: %s", error)
            return
        logger.info("the socket was removed: made it again")
        if self._stopping:
            self._listener.close()

    # -- effects ------------------------------------------------------------------------------------------------------

    def notify(
        self, method: str, params: Dict[str, Any], *, session: Optional[str] = None, collapse: Optional[str] = None
    ) -> None:
        """Send a notification to one client, if it is there, or to all. It replaces a waiting one with the same
        `collapse` key; one without a key is never dropped."""
        self._perform(self._protocol.registry.notify(method, params, session, collapse))

    def _wake(self, outputs: Sequence[Output]) -> None:
        """These have something to write, or are to end."""
        raise NotImplementedError

    def _perform(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Wake):
                self._wake(event.outputs)
            elif isinstance(event, SessionOpened):
                logger.info("connected: %.80r %.40r, MCP %s", *event.client[1:4])
                self._schedule_expiry()
                self._hooks.came(event.client)
            elif isinstance(event, SessionClosed):
                logger.info("disconnected: %.80r: %s", event.client.client_name, event.reason)
                self._hooks.went(event.client)
            elif isinstance(event, ToolsListed):
                self._hooks.listed(event.client)
            elif isinstance(event, Notified):
                process_id = self._dialect.process_id(event.method, event.params)
                if process_id is not None:
                    self._hooks.process_known(event.client, process_id)
            elif isinstance(event, CallCancelled):
                logger.debug("cancelled a call of %s: %s", event.call.name, event.reason.value)
                task = self._running.pop(event.call, None)  # the client takes no result any more
                if task is not None:
                    self._cancelled.add(task)
                    task.add_done_callback(self._cancelled.discard)
                event.call.cancel(event.reason)
            else:
                never(event)

    def _schedule_expiry(self) -> None:
        """Set the timer for the next session that expires, if one does."""

    # -- calls --------------------------------------------------------------------------------------------------------

    async def _run(self, call: ToolCall) -> None:
        """Run a tool that is among the running ones."""
        result: Optional[ToolResult] = None
        try:
            result = await self._hooks.call_tool(call) if not self._stopping else error_result(_ENDING)
        except asyncio.CancelledError:
            # If we are not stopping, what the tool waited for has ended: the client gets an answer all the same.
            result = error_result(_ENDING) if self._stopping else None
        except Exception:
            logger.exception("the tool %s failed", call.name)
        self._running.pop(call, None)
        self._perform(self._protocol.finish(call, result, clock.now()))

    async def _answer_calls(self, seconds: float) -> None:
        """Let the calls under way come to their end; those that do not are answered with an error."""
        for task in await self._running_after(seconds):
            task.cancel()
        await self._running_after(seconds)

    async def _running_after(self, seconds: float) -> Set[asyncio.Future[Any]]:
        """The tasks of the calls that are still under way after so long."""
        if self._running:
            await asyncio.wait(set(self._running.values()), timeout=seconds)
        return set(self._running.values())


def never(value: NoReturn) -> NoReturn:
    """Where nothing can come: the type checker complains if something can."""
    raise AssertionError(f"not interpreted: {type(value).__name__}")
