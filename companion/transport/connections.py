"""One TCP connection: how long it may dawdle, and what becomes known when it ends.

Rules: a connection that has not sent a whole request header in time is cut with a 408; whoever writes an event stream
on a connection is told at once when it is lost, and whether it was closed or torn down.
"""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Optional

from aiohttp import web

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_TOO_MANY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connection(web.RequestHandler):
    """aiohttp's connection with a deadline for its first request. Loop thread."""

    __slots__ = ("_header_seconds", "_deadline", "_full", "on_lost")

    def __init__(self, manager: web.Server, *, header_seconds: float, full: Callable[[], bool], **options: Any) -> None:
        super().__init__(manager, **options)
        self._header_seconds = header_seconds
        self._deadline: Optional[asyncio.TimerHandle] = None
        self._full = full
        self.on_lost: Optional[Callable[[bool], None]] = None
        """Called once when the connection is lost; True if it was torn down rather than closed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if self._full():
            transport.write(_TOO_MANY)  # type: ignore[attr-defined]
            transport.close()
            self.transport = None
            return
        super().connection_made(transport)
        self._deadline = asyncio.get_running_loop().call_later(self._header_seconds, self._cut)

    def request_began(self) -> None:
        """A whole request header has come: the deadline is met."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self) -> None:
        self._deadline = None
        if self.transport is not None:
            self.transport.write(_TOO_SLOW)
            self.transport.close()

    def connection_lost(self, exc: Optional[BaseException]) -> None:
        self.request_began()
        super().connection_lost(exc)
        tell, self.on_lost = self.on_lost, None
        if tell is not None:
            tell(exc is not None)
