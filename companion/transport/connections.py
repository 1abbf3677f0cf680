"""One TCP connection: what it may cost before a request has come, and what becomes known when it ends.

Rules: a connection that has not sent a whole request header in time, or within bounds, is cut with an answer that says
so; what a client sends wrongly is neither logged nor sent back, because it may hold a token; whoever writes an event
stream on a connection is told at once when it is lost, and whether it was closed or torn down.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import socket
from typing import Any, Callable, Optional

from aiohttp import http_exceptions, web

from ..protocol.limits import Limits
from .responses import refusal

logger = logging.getLogger("gemini_companion.transport")

_MOST_HEADER_BYTES = 1024 * 1024
"""Of a whole header, counted in packets: the start of a body may come with it."""


_NUMBERS = itertools.count(1)


class Connection(web.RequestHandler):
    """aiohttp's connection with bounds on its first request. Loop thread."""

    __slots__ = ("_began", "_deadline", "_full", "_limits", "_peer_closed", "_received", "number", "on_lost")

    def __init__(self, manager: web.Server, *, limits: Limits, full: Callable[[], bool], **options: Any) -> None:
        super().__init__(manager, **options)
        self._limits = limits
        self._full = full
        self._deadline: Optional[asyncio.TimerHandle] = None
        self._received = 0
        self._began = False
        self._peer_closed = False
        self.number = next(_NUMBERS)
        """No other connection of this process has it."""
        self.on_lost: Optional[Callable[[bool], None]] = None
        """Called once when the connection is lost; False if the client closed it and left nothing unread, else True."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        full = self._full()
        super().connection_made(transport)
        if full:
            self._cut(b"503 Service Unavailable")
            return
        self._deadline = asyncio.get_running_loop().call_later(
            self._limits.request_seconds, self._cut, b"408 Request Timeout"
        )

    def data_received(self, data: bytes) -> None:
        if not self._began:
            self._received += len(data)
            if self._received > _MOST_HEADER_BYTES:
                self._cut(b"431 Request Header Fields Too Large")
                return
        super().data_received(data)

    def request_began(self) -> None:
        """A whole request header has come: the bounds are met."""
        self._began = True
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self, status: bytes) -> None:
        transport = self.transport
        if transport is not None and not transport.is_closing():
            transport.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            transport.close()

    def eof_received(self) -> Optional[bool]:
        self._peer_closed = True
        return super().eof_received()

    def _torn_down(self, exc: Optional[BaseException]) -> bool:
        """Did the connection end in another way than by the client's closing it with everything read?

        A reset that answers what was written after the client's end is only left as the socket's pending error (RFC
        9293, 3.10.7.4; Linux: EPIPE): the end itself has been read before.
        """
        if exc is not None or not self._peer_closed:
            return True
        underlying = self.transport.get_extra_info("socket") if self.transport is not None else None
        try:
            return underlying is not None and underlying.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
        except OSError:
            return True

    def connection_lost(self, exc: Optional[BaseException]) -> None:
        torn_down = self._torn_down(exc)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        super().connection_lost(exc)
        tell, self.on_lost = self.on_lost, None
        if tell is not None:
            tell(torn_down)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: Optional[BaseException] = None,
        message: Optional[str] = None,
    ) -> web.StreamResponse:
        """Answer what is not HTTP, or what we failed at, without aiohttp's texts, which quote what came."""
        if status >= 500:
            logger.error("a request failed", exc_info=exc)
            response = refusal(500, "The companion failed; the editor's log says why.")
        elif isinstance(exc, http_exceptions.LineTooLong):
            logger.info("refused a request with an oversized header")
            response = refusal(431, "A header is longer than {} bytes.".format(self._limits.header_bytes))
        else:
            logger.info("refused what is not HTTP: %s", type(exc).__name__)
            response = refusal(400, "This is not a well-formed HTTP request.")
        if request.writer is not None and request.writer.output_size > 0:
            raise ConnectionError("an answer has begun already")
        response.force_close()
        return response
