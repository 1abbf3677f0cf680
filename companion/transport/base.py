"""What the servers have in common: who is let in, how connections are taken, and how they are dropped.

Rule: a server listens on the loopback address alone, or on a socket that is the user's alone. Loop thread.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Callable, Optional, Union

from aiohttp import web

from ..protocol.limits import Limits
from ..protocol.serving import Address, Hooks, Secrets, ServedDialect
from ..protocol.tools import Implementation
from .bodies import Bodies, InWorker, in_default_executor
from .connections import Connection, hang_up
from .gate import Gate
from .listening import Port, listen_on_port
from .local_sockets import LocalSocket, listen_locally

logger = logging.getLogger("gemini_companion.transport")
ADDRESS = "127.0.0.1"
STOP_SECONDS = 1.0


class BaseServer:
    """One dialect's server; see `protocol.serving.Server` for what is not said here."""

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
        """`in_worker`: calls a function that takes long on another thread."""
        self._dialect = dialect
        self._hooks = hooks
        self._identity = identity
        self._limits = limits
        header = dialect.secret_header if dialect.secret_header != "Authorization" else ""
        self._gate = Gate({"": secrets.token, **secrets.further}, secret_header=header)
        self._bodies = Bodies(in_worker)
        self._listener: Union[Port, LocalSocket, None] = None
        self._manager: Optional[web.Server] = None
        self._new_connection: Callable[[], Connection]
        self._renewing: Optional[asyncio.Future[None]] = None
        self._stopping = False

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request."""
        raise NotImplementedError

    async def _listen(self, port: int, **options: Any) -> Address:
        """Take connections, each a `Connection` with these options. Raises OSError."""
        self._manager = web.Server(self._handle)
        self._new_connection = functools.partial(
            Connection,
            self._manager,
            loop=asyncio.get_running_loop(),
            limits=self._limits,
            max_line_size=self._limits.header_bytes,
            max_field_size=self._limits.header_bytes,
            access_log=None,
            logger=logger,
            **options,
        )
        if self._dialect.on_socket:
            self._gate.port = None
            self._listener = local = await listen_locally(self._new_connection)
            return Address(socket=local.path)
        self._listener = listener = await listen_on_port(self._new_connection, ADDRESS, port)
        self._gate.port = listener.number
        return Address(listener.number)

    def abandon(self) -> None:
        """Close the sockets without the event loop."""
        if self._listener is not None:
            self._listener.abandon()
        if self._manager is not None:
            hang_up(self._manager.connections)

    def renew_socket(self) -> None:
        """Make the socket in the file system again if it was removed."""
        listener = self._listener
        if isinstance(listener, LocalSocket) and listener.is_cut_off() and self._renewing is None:
            self._renewing = asyncio.ensure_future(self._listen_again(listener))

    async def _listen_again(self, former: LocalSocket) -> None:
        try:
            renewed = await former.listen_again(self._new_connection)
        except OSError as error:
            logger.warning("the socket was removed and cannot be made again: %s", error)
        else:
            logger.info("the socket was removed: made it again")
            if self._stopping:
                renewed.close()
            else:
                self._listener = renewed
        finally:
            self._renewing = None

    def limit_bodies(self, size: int) -> None:
        """Take no message of more than `size` bytes; over a WebSocket, on connections that come from now on."""
        self._limits = self._limits._replace(body_bytes=size)
