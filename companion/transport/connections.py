"""TCP connections: their limits and how they end, how many there may be, and the bounds of frames on a WebSocket.

Rule of frames: a frame is judged by its head, before anything of it is kept. aiohttp judges a message when all of it is
there, and counts no frame without content; until then the sender decides how much memory it takes. It takes frames
without a mask, too.

Rule of their number: it is limited for all servers of the process together, because every plugin shares its
descriptors. Of those over which no valid token has been sent yet the oldest one goes, so that a client with a token is
not shut out by them: it sends the token as soon as it is connected, long before many other connections are accepted
(see `listening.ACCEPTED_AT_ONCE`). Of those with a token none goes for another one; too many are refused.

Rules of one connection: the limits apply to every request, not only to the first one: bytes and lines outside of
bodies, pipelined requests, the time for a header. A connection that exceeds one is closed, with a response that gives
the reason unless another response is under way. Once a response closes the connection, nothing more is read from it.
Malformed input is neither logged nor echoed, because it may hold a token. A lost connection tells the writer of its
event stream at once, and whether it was reset.
Implements RFC 6455, 5.1 (clients mask), 5.2 (the head of a frame) and 7.4.1 (close codes), as far as bounds need it;
RFC 9112, 9.3 (persistence), 9.5 (timeouts) and 9.6 (closing), as far as aiohttp leaves it open.

Two names of aiohttp are used here that are not public, each because the oldest release served has no bound of its own:

* `_messages`, the requests that were parsed and wait (newer releases bound them: aio-libs/aiohttp#12830);
* `_message_tail`, what came behind a request to change the protocol (bounded since aio-libs/aiohttp#13501).
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import socket
import sys
from enum import IntEnum
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, cast
from weakref import ReferenceType, WeakKeyDictionary, ref

from aiohttp import StreamReader, hdrs, http_exceptions, web

from ..log import SELDOM
from ..protocol.jsonrpc import AT_ONCE_BYTES
from ..protocol.limits import Limits
from .responses import WholeResponse, refusal

MOST_FRAMES = 4096
"""Most frames that wait for the reader: fragments of a message, messages, pings."""
_FURTHER = {126: 2, 127: 8}  # in so many further bytes the length stands
_MASK_BYTES = 4
_LONGEST_HEAD = 14


class Breach(IntEnum):
    """Why a connection is ended: the close code."""

    NOT_MASKED = 1002
    TOO_BIG = 1009
    TRY_AGAIN_LATER = 1013


class FrameBounds:
    """Counts what one connection has sent and its reader has not taken yet."""

    def __init__(self, largest: int) -> None:
        """`largest`: bytes that one message may have."""
        self.held = 0
        """Bytes of messages that have begun to come and were not taken."""
        self._largest = largest
        self._frames = 0
        self._head = b""
        self._to_come = 0  # bytes of the frame's content
        self._unmasked = False

    def taken(self) -> None:
        """A message was taken from the connection: the count begins anew."""
        self._frames = self.held = 0

    def feed(self, data: bytes) -> Optional[Breach]:
        """Count some bytes; why the connection has to end, or None."""
        start, end = 0, len(data)
        while True:
            if self._to_come:
                here = min(self._to_come, end - start)
                self._to_come -= here
                self.held += here
                start += here
                if self.held > self._largest:
                    return Breach.TOO_BIG
            if start >= end:
                return None
            start = self._read_head(data, start)
            if self._unmasked:
                return Breach.NOT_MASKED
            if self._to_come > self._largest or self._frames > MOST_FRAMES:
                return Breach.TOO_BIG

    def _read_head(self, data: bytes, start: int) -> int:
        """Take as much of a frame's head as is there; where it ends."""
        known = len(self._head)
        head = self._head + data[start : start + _LONGEST_HEAD - known]
        second = head[1] if len(head) > 1 else 0
        length, is_masked = second & 0x7F, bool(second & 0x80)
        further = _FURTHER.get(length, 0)
        size = 2 + further + (_MASK_BYTES if is_masked else 0)
        if len(head) < size:
            self._head = head
            return len(data)
        self._head = b""
        self._frames += 1
        self._to_come = int.from_bytes(head[2 : 2 + further], "big") if further else length
        self._unmasked = not is_masked
        return start + size - known


# -- the open connections of this process ------------------------------------------------------------------------------

logger = logging.getLogger("gemini_companion.transport")

SHARE = 8
"""Unauthenticated connections may use an eighth of the process's descriptors, and an eighth of all connections is for
them alone."""
USUAL_DESCRIPTORS = 512
"""Used on Windows, which has no such limit: the number of sockets that `select` takes there."""


Connections = Dict[int, "ReferenceType[Connection]"]
"""By id, oldest first; weak, so that none is kept from being freed."""


def descriptor_limit() -> int:
    """The number of descriptors that this process may have open."""
    if sys.platform == "win32":
        return USUAL_DESCRIPTORS
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


class OpenConnections:
    """The open connections of one event loop. Loop thread."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, OpenConnections] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._unauthenticated: Connections = {}
        self._admitted: Connections = {}
        self._most = max(1, descriptor_limit() // 2)
        self._most_unauthenticated = max(1, min(Limits().unauthenticated_connections, descriptor_limit() // SHARE))

    @classmethod
    def of_this_loop(cls) -> OpenConnections:
        """The instance of the running loop, which all servers of the process share."""
        loop = asyncio.get_running_loop()
        found = cls._by_loop.get(loop)
        if found is None:
            found = cls._by_loop[loop] = cls()
        return found

    def add(self, connection: Connection, most: int) -> bool:
        """Add a connection that has shown no token yet; at most `most` may be open. False if there is no room."""
        if len(self._unauthenticated) >= self._most_unauthenticated:
            self.make_room()
        if len(self._unauthenticated) + len(self._admitted) >= min(most, self._most) and not self.make_room():
            return False
        self._unauthenticated[id(connection)] = ref(connection)
        return True

    def admit(self, connection: Connection, most: int) -> bool:
        """The connection has shown a token. False if there are too many that have."""
        self.remove(connection)
        most = min(most, self._most)
        if len(self._admitted) >= most - most // SHARE:
            return False
        self._admitted[id(connection)] = ref(connection)
        return True

    def remove(self, connection: Connection) -> None:
        """Remove a connection that has ended."""
        self._unauthenticated.pop(id(connection), None)
        self._admitted.pop(id(connection), None)

    def make_room(self) -> bool:
        """Close the oldest unauthenticated connection. False if there is none."""
        while self._unauthenticated:
            oldest = self._unauthenticated.pop(next(iter(self._unauthenticated)))()
            if oldest is not None:
                oldest.evict()
                logger.warning("too many connections have not shown a token: ended the oldest one")
                return True
        return False


class LetIn(NamedTuple):
    """The headers with which a request was let in, and the token that they show, with its name."""

    hosts: Sequence[str]
    origins: Sequence[str]
    secret: str
    name: str
    token: str


# -- one connection ----------------------------------------------------------------------------------------------------

_CHUNK = 8 * 1024
"""Bytes that are parsed between two checks of the limits: asyncio reads up to 256 KiB at once."""

# Newer releases of aiohttp leave data unparsed until the body before it is read. Meanwhile there is no progress.
_PARSER_WAITS = "resume_parser" in inspect.signature(web.RequestHandler.resume_reading).parameters


class Connection(web.RequestHandler):
    """aiohttp's connection with limits on all input. Loop thread."""

    def __init__(
        self, manager: web.Server, *, limits: Limits, held: Optional[Callable[[], int]] = None, **options: Any
    ) -> None:
        """With `held` a connection may become a WebSocket: the handler of its request sees to it that it does, or ends
        it. `held`: how many bytes of messages all connections of this server's hold untaken."""
        options.update(max_line_size=limits.header_bytes, max_field_size=limits.header_bytes)
        super().__init__(manager, loop=asyncio.get_running_loop(), access_log=None, logger=logger, **options)
        self._held_by_all = held
        self.frames: Optional[FrameBounds] = None
        """The bounds of what comes from now on, once it is no HTTP any more."""
        self.is_upgraded = False
        """Whether the server has sent the client its agreement."""
        self.let_in: Optional[LetIn] = None
        """The headers of the last request that was let in."""
        self._limits = limits
        self._open = OpenConnections.of_this_loop()
        self._admitted = False
        self._deadline: Optional[asyncio.TimerHandle] = None
        self._peer_closed = False
        self._ignoring = False
        self._begun = self._handled = 0  # requests
        self._reads_on = True
        self._unread = False
        self._outside = self._lines = 0
        self._body: Optional[StreamReader] = None
        """The body that is being received, or the last one."""
        self._body_bytes = 0
        self._to_come = 0
        self.on_lost: Optional[Callable[[bool], None]] = None
        """Called once when the connection is lost, with True if it was reset: the client may have left data unread."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if not self._open.add(self, self._limits.connections):
            self._cut(b"503 Service Unavailable")
            return
        self._give_time()

    # Input

    _parse = web.RequestHandler.data_received  # which `super()` would look for each time

    def data_received(self, data: bytes) -> None:
        if self.frames is not None:
            if not self._ignoring and self._within_bounds(self.frames, data):
                super().data_received(data)
            return
        start, end = 0, len(data)
        if end <= _CHUNK:
            if not self._ignoring:
                self._take(data)
            return
        while not self._ignoring:
            most = _CHUNK
            if self._to_come > most and self._body is not None and not self._body.is_eof():
                most = self._to_come  # All of it belongs to the body.
            chunk = data[start : start + most]
            self._take(chunk)
            start += len(chunk)
            if start >= end:
                return

    def _take(self, chunk: bytes) -> None:
        """Apply the limits to a chunk: it completed a request header, was part of a body, or neither."""
        waiting = len(self._messages)
        self._parse(chunk)
        begun = len(self._messages) - waiting
        if begun:
            self._begun += begun
            self._request_began()
            return
        body = self._body
        if body is not None and body.total_bytes != self._body_bytes:
            self._to_come -= body.total_bytes - self._body_bytes
            self._body_bytes = body.total_bytes
            self._outside = self._lines = 0
            return
        if not chunk or (_PARSER_WAITS and not self._reads_on):
            return
        self._outside += len(chunk)
        self._lines += chunk.count(b"\n")
        if self._outside > self._limits.headers_bytes or self._lines > self._limits.header_lines:
            self._cut(b"431 Request Header Fields Too Large")
        elif self._deadline is None and (body is None or body.is_eof()):
            self._give_time()

    def _request_began(self) -> None:
        """A request header is complete."""
        self._outside = self._lines = 0
        if self._deadline is not None:
            self._stop_the_clock()
        if len(self._messages) > self._limits.pipelined_requests:
            logger.warning("cut a client that sent many requests and did not wait for the answers")
            self._cut(b"429 Too Many Requests")
            return
        message, self._body = self._messages[-1]
        if _changes_protocol(message, self._body):
            if self._held_by_all is not None:
                self.frames = FrameBounds(self._limits.body_bytes)
                self._within_bounds(self.frames, self._message_tail)
                return
            # What follows would be another protocol, which we do not speak: this answer is the last one.
            self.ignore_the_rest()
            self.close()
            return
        self._body_bytes = self._body.total_bytes
        try:
            self._to_come = int(message.headers[hdrs.CONTENT_LENGTH]) - self._body_bytes
        except (AttributeError, KeyError, ValueError):
            self._to_come = 0

    def _within_bounds(self, frames: FrameBounds, data: bytes) -> bool:
        """Count what a WebSocket brings. False: the connection is ended, and the data is not to be kept."""
        breach = frames.feed(data)
        if breach is None and frames.held > AT_ONCE_BYTES and self._held_by_all is not None:
            held, most = self._held_by_all(), self._limits.body_bytes * self._limits.bodies_at_once
            # A message that comes alone may always be completed.
            breach = Breach.TRY_AGAIN_LATER if held > most and held > frames.held else None
        if breach is None:
            return True
        logger.warning("ended a connection: %s", breach.name.replace("_", " ").lower(), extra=SELDOM)
        self.ignore_the_rest()
        transport = self.transport
        if transport is not None and not transport.is_closing():
            if self.is_upgraded:
                transport.write(b"\x88\x02" + breach.to_bytes(2, "big"))  # RFC 6455, 5.5.1
            transport.close()
        return False

    def pause_reading(self) -> None:
        """The body that is being received is not read as quickly as it comes."""
        self._reads_on = False
        super().pause_reading()

    def resume_reading(self, *options: Any, **named: Any) -> None:
        """The body is read again as quickly as it comes."""
        self._reads_on = True
        super().resume_reading(*options, **named)

    def ignore_the_rest(self) -> None:
        """Read nothing more: the response under way is the last one."""
        self._ignoring = True
        self._message_tail = b""
        self._stop_the_clock()

    # Authentication

    def token_shown(self) -> bool:
        """Note that the client has sent a valid token. False if there are too many connections."""
        if not self._admitted:
            self._admitted = self._open.admit(self, self._limits.connections)
        return self._admitted

    def evict(self) -> None:
        """Close this connection in favour of another one."""
        self._cut(b"503 Service Unavailable")

    # The end

    def _give_time(self) -> None:
        self._deadline = asyncio.get_running_loop().call_later(
            self._limits.request_seconds, self._cut, b"408 Request Timeout"
        )

    def _stop_the_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self, status: bytes) -> None:
        """Close the connection, with a response unless one is under way."""
        self.ignore_the_rest()
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        if self._begun != self._handled or transport.get_write_buffer_size():
            transport.abort()
            return
        transport.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        transport.close()

    def finish_response(self, *response: Any) -> Any:
        """Write the response that the handler of a request has given."""
        self._handled += 1
        return super().finish_response(*response)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = True
        if not self._admitted:  # An authenticated client may be suspended and go on later.
            asyncio.get_running_loop().call_later(self._limits.request_seconds, self._abort_if_unread)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread = False

    def _abort_if_unread(self) -> None:
        if self._unread and not self._admitted and self.transport is not None:
            self.transport.abort()

    def eof_received(self) -> Optional[bool]:
        self._peer_closed = True
        return super().eof_received()

    def _was_reset(self, exc: Optional[BaseException]) -> bool:
        """Did the connection end in any other way than closed by the client after it had read everything?

        A reset in answer to data that was written after the client's FIN shows only as the socket's pending error (RFC
        9293, 3.10.7.4; EPIPE on Linux), because the end of the stream has been read before.
        """
        if exc is not None or not self._peer_closed:
            return True
        underlying = self.transport.get_extra_info("socket") if self.transport is not None else None
        return underlying is not None and underlying.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0

    def connection_lost(self, exc: Optional[BaseException]) -> None:
        was_reset = self._was_reset(exc)
        self._stop_the_clock()
        self._open.remove(self)
        super().connection_lost(exc)
        tell, self.on_lost = self.on_lost, None
        if tell is not None:
            tell(was_reset)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: Optional[BaseException] = None,
        message: Optional[str] = None,
    ) -> WholeResponse:
        """Answer malformed input or an internal error, without aiohttp's texts, which quote the input."""
        if status >= 500:
            logger.error("a request failed", exc_info=exc)
            response = refusal(500, "The companion failed; the editor's log says why.")
        elif isinstance(exc, http_exceptions.LineTooLong):
            logger.info("refused a request with an oversized header", extra=SELDOM)
            response = refusal(431, f"A header is longer than {self._limits.header_bytes} bytes.")
        else:
            logger.info("refused what is not HTTP: %s", type(exc).__name__, extra=SELDOM)
            response = refusal(400, "This is not a well-formed HTTP request.")
        if request.writer is not None and request.writer.output_size > 0:
            raise ConnectionError("an answer has begun already")
        response.force_close()
        self.ignore_the_rest()
        return response


def _changes_protocol(message: Any, body: StreamReader) -> bool:
    """Whether what follows this request's header is, or may become, no HTTP."""
    if getattr(message, "method", "") == "CONNECT":
        return True
    if not getattr(message, "upgrade", False) or message.headers.get(hdrs.UPGRADE, "").lower() != "websocket":
        return False
    return body.is_eof() or not _PARSER_WAITS  # else the body is read first


def closing(request: web.BaseRequest, response: WholeResponse) -> WholeResponse:
    """Make the response the last one of its connection: nothing more is read, and the connection is closed."""
    response.force_close()
    cast(Connection, request.protocol).ignore_the_rest()
    return response
