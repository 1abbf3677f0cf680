"""Writes logical streams to HTTP responses: one writer per stream, and all writers of a server.

Rules: bytes are taken from the core only when the connection can write them, so that waiting messages can still be
collapsed. A writer takes nothing more once it is superseded or its connection is lost. Heartbeats are comments and are
sent only on idle streams. The core is told how a connection ended and sets its own state.
Implements the event stream format of the HTML standard, 9.2.7 (comments keep connections alive).
"""

from __future__ import annotations

import asyncio
from typing import Callable, Dict, Optional, Sequence, cast

from aiohttp import web

from ..protocol.effects import OpenStream
from ..protocol.exchanges import EVENT_STREAM
from ..protocol.sessions import Session
from ..protocol.streams import HEARTBEAT, Stream
from .connections import Connection
from .responses import SERVER_NAME

CLOSING_SECONDS = 1.0
AT_ONCE_BYTES = 32 * 1024
"""Less than asyncio's high-water mark, above which it pauses the writer."""


class EventStreamWriter:
    """Writes a stream until it ends, its connection is lost, or another writer supersedes it. Loop thread."""

    def __init__(self, session: Session, stream: Stream) -> None:
        self._session = session
        self.stream = stream
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when this connection writes the stream no longer."""
        self.lost = False
        self.was_reset = False
        self.superseded = False
        self._waiter: Optional[asyncio.Future[None]] = None
        self._taken = b""
        self._chunked = False
        self._transport: Optional[asyncio.Transport] = None

    async def run(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer the request with the stream. Returns when this connection no longer writes it."""
        response = web.StreamResponse(headers={**EVENT_STREAM, "Server": SERVER_NAME})
        connection = cast(Connection, request.protocol)
        self._transport = request.transport
        if self._transport is None:
            self._connection_lost(True)
            return response
        connection.on_lost = self._connection_lost
        try:
            await response.prepare(request)
            self._chunked = response.headers.get("Transfer-Encoding") == "chunked"
            await self._write_all(response)
            if not self.lost:
                await response.write_eof()
        except ConnectionError:
            self.lost = self.was_reset = True  # The bytes taken last were not written.
        finally:
            connection.on_lost = None
            self._transport = None
        return response

    async def _write_all(self, response: web.StreamResponse) -> None:
        loop = asyncio.get_running_loop()
        stream = self.stream
        while not (self.superseded or self.lost):
            data, self._taken = self._taken or self._session.take_for(stream), b""
            if data:
                await response.write(data)
                continue
            if stream.closing:
                return
            self._waiter = loop.create_future()
            await self._waiter
            self._waiter = None
        if self._taken not in (b"", HEARTBEAT):
            self.was_reset = True  # These bytes were not written.

    def pump(self) -> None:
        """Write what there is: at once if it is little and the connection is idle, which is the usual case.

        That saves one iteration of the event loop for each client that gets a notification.
        """
        transport = self._transport
        idle = self._waiter is not None and not self._waiter.done()
        if not idle or transport is None or transport.is_closing() or transport.get_write_buffer_size():
            self.wake()
            return
        data = self._session.take_for(self.stream)
        if not data:
            self.wake()
        elif self._chunked and len(data) <= AT_ONCE_BYTES and not self.stream.closing:
            transport.write(b"%x\r\n%b\r\n" % (len(data), data))
        else:
            self._taken = data
            self.wake()

    def wake(self) -> None:
        """Resume the writer: there may be something to write, or the stream is to end."""
        waiter = self._waiter
        if waiter is not None:
            if not waiter.done():
                waiter.set_result(None)
        elif self.stream.closing and self._transport is not None:
            # The client may have stopped reading. Then the end of the stream can never be written.
            asyncio.get_running_loop().call_later(CLOSING_SECONDS, self.abort)

    def beat(self) -> None:
        """Send a heartbeat if the stream is idle."""
        if self._waiter is not None and not self._waiter.done():
            self._taken = HEARTBEAT
            self.wake()

    def supersede(self) -> None:
        """Stop, because another connection writes the stream from now on."""
        self.superseded = True
        if self._waiter is None:
            self.abort()
        self.wake()

    def abort(self) -> None:
        """Reset the connection."""
        if self._transport is not None:
            self._transport.abort()

    def _connection_lost(self, was_reset: bool) -> None:
        self.lost = True
        self.was_reset = was_reset
        self.wake()


class EventStreams:
    """The streams that are attached to a connection. Loop thread."""

    def __init__(self, ended: Callable[[Session, Stream, bool], None], heartbeat_seconds: float) -> None:
        """`ended` is called when a session's stream is detached, with whether its connection was reset."""
        self._ended = ended
        self._heartbeat_seconds = heartbeat_seconds
        self._writers: Dict[Stream, EventStreamWriter] = {}
        self._woken: Dict[Stream, None] = {}
        self._heartbeat: Optional[asyncio.TimerHandle] = None
        self._stopping = False

    async def serve(self, request: web.BaseRequest, opened: OpenStream) -> web.StreamResponse:
        """Write a stream on this request's connection until either ends."""
        session, stream = opened
        former = self._writers.get(stream)
        if former is not None:
            former.supersede()
        writer = self._writers[stream] = EventStreamWriter(session, stream)
        self._schedule_heartbeat()
        try:
            return await writer.run(request)
        finally:
            if self._writers.get(stream) is writer:
                del self._writers[stream]
                self._ended(session, stream, writer.was_reset)
            writer.over.set_result(None)

    def wake(self, streams: Sequence[Stream]) -> None:
        """Note that these streams have something to write. All such streams are written in the next iteration of the
        event loop, so that bursts of messages are collapsed and written together."""
        if not self._woken:
            asyncio.get_running_loop().call_soon(self._pump)
        self._woken.update(dict.fromkeys(streams))

    def _pump(self) -> None:
        woken, self._woken = self._woken, {}
        for stream in woken:
            writer = self._writers.get(stream)
            if writer is not None:
                writer.pump()

    def _schedule_heartbeat(self) -> None:
        if self._heartbeat is None and not self._stopping:
            self._heartbeat = asyncio.get_running_loop().call_later(self._heartbeat_seconds, self._beat)

    def _beat(self) -> None:
        self._heartbeat = None
        for writer in self._writers.values():
            writer.beat()
        if self._writers:
            self._schedule_heartbeat()

    async def stop(self, seconds: float) -> None:
        """Wait at most so long until the closing streams are written, then reset the remaining connections."""
        if self._heartbeat is not None:
            self._heartbeat.cancel()
            self._heartbeat = None
        self._stopping = True
        if self._writers:
            await asyncio.wait([writer.over for writer in self._writers.values()], timeout=seconds)
        for writer in list(self._writers.values()):
            writer.abort()
