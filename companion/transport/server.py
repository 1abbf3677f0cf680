"""The HTTP server of one endpoint: it passes requests to the protocol and performs the reactions.

Rules of the server: every request passes access control before anything else of it is read. The core decides; this
module only performs its effects. Nothing is shared with another thread. A stop leaves nothing behind.

Rules of event streams, one writer each: bytes are taken from the core only when the connection can write them, so that
waiting messages can still be collapsed. A writer takes nothing more once it is superseded or its connection is lost.
Heartbeats are comments and are sent only on idle streams. The writer reports how a connection ended to the core, which
sets its own state.
Routes: POST, GET and DELETE `/mcp`; GET `/events`; GET `/health`.
Implements the event stream format of the HTML standard, 9.2.7 (comments keep connections alive).
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Callable, Collection, Dict, Mapping, Optional, Sequence, Union, cast

from aiohttp import web

from ..common.clock import clock
from ..protocol.exchanges import EVENT_STREAM, JSON_TYPE, Answer, OpenStream, Reaction, RunCalls, SessionOpened, refused
from ..protocol.jsonrpc import RpcError
from ..protocol.sessions import Output, Session
from ..protocol.streams import HEARTBEAT, Stream
from ..protocol.tools import ToolCall
from .base import BaseServer
from .connections import Connection
from .gate import body_complaint
from .responses import SERVER_NAME, WholeResponse, accepted, not_allowed, refusal

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


# -- the server --------------------------------------------------------------------------------------------------------

logger = logging.getLogger("gemini_companion.transport")
_LINGER_SECONDS = 2.0


class CompanionServer(BaseServer):
    """The HTTP server of one endpoint. Loop thread only."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._streams = EventStreams(self._stream_ended, self._limits.heartbeat_seconds)
        self._expiry: Optional[asyncio.TimerHandle] = None
        self._in_flight = 0

    # Start and stop

    def _connection_options(self) -> Dict[str, Any]:
        return {
            "keepalive_timeout": self._limits.keepalive_seconds,
            "lingering_time": _LINGER_SECONDS,
            "auto_decompress": False,
        }

    async def _end_clients(self, come_back_seconds: Optional[float], seconds: float) -> None:
        """Answer the calls under way, then end streams cleanly."""
        if self._expiry is not None:
            self._expiry.cancel()
        await self._answer_calls(seconds)
        self._perform(self._protocol.stop(come_back_seconds))
        await self._streams.stop(seconds)

    def disconnect(self, keep: Collection[str] = ()) -> None:
        """The clients' streams end, and their next request gets a 404 ("Session Management", 3)."""
        registry = self._protocol.registry
        for each in list(registry.all()):
            if each.client.token_name not in keep:
                self._perform(registry.close(each, "disconnected by the user"))

    # Requests

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        token_name: Union[str, WholeResponse, None] = self._gate.let_in_again(request)
        turned_away = self._gate.turned_away(request) if token_name is None else None
        if turned_away is not None:
            return turned_away
        if request.path == "/health":
            return self._health(request.method)
        if token_name is None:
            token_name = self._gate.admit(request, clock.now())
        if isinstance(token_name, WholeResponse):
            return token_name
        try:
            if request.path == "/mcp" and request.method == "POST":
                return await self._post(request, token_name)
            reply = self._without_body(request, token_name)
            return reply if isinstance(reply, WholeResponse) else await self._react(request, reply)
        except RpcError as error:
            return _answered(refused(error))

    def _without_body(self, request: web.BaseRequest, token_name: str) -> Union[Reaction, WholeResponse]:
        """Handle a request that was let in and has no body. Raises RpcError.

        It is no coroutine, whose frame would stay in memory for as long as a stream is open.
        """
        path, method, headers = request.path, request.method, request.headers
        registry = self._protocol.registry
        if path == "/mcp":
            if method == "GET":
                return registry.listen(headers, accepted(headers)[1], clock.now())
            return registry.delete(headers) if method == "DELETE" else not_allowed("POST, GET, DELETE")
        if path != "/events":
            return refusal(404, "There is nothing here. The MCP endpoint is /mcp.")
        if method != "GET":
            return not_allowed("GET")
        return registry.listen_without_session(headers, accepted(headers)[1], clock.now(), token_name)

    def _health(self, method: str) -> WholeResponse:
        if method not in ("GET", "HEAD"):
            return not_allowed("GET, HEAD")
        return WholeResponse(200, b'{"status":"ok"}', JSON_TYPE)

    async def _post(self, request: web.BaseRequest, token_name: str) -> web.StreamResponse:
        headers = request.headers
        complaint = body_complaint(headers)
        if complaint is not None:
            return refusal(415, complaint)
        accepts_json, accepts_events = accepted(headers)
        if not (accepts_json or accepts_events):
            return refusal(406, "Accept application/json or text/event-stream.")
        body = await self._bodies.read(request, self._limits)
        if isinstance(body, WholeResponse):
            return body
        if self._in_flight >= self._limits.requests_in_flight:
            return refusal(503, "Too many requests are being answered.", {"Retry-After": "1"})
        self._in_flight += 1
        try:
            value = await self._bodies.decode(body, self._limits)
            if token_name not in self._gate.tokens:
                return refusal(401, "The user does not share this window with your program any more.")
            reaction = self._protocol.post(
                value, headers, clock.now(), token_name=token_name, in_event=not accepts_json, size=len(body)
            )
            if self._dialect.process_id_header:
                self._note_process(reaction, headers)
            del body, value  # a call may wait an hour for the user; its message need not
            return await self._react(request, reaction)
        finally:
            self._in_flight -= 1

    def _note_process(self, reaction: Reaction, headers: Mapping[str, str]) -> None:
        told = headers.get(self._dialect.process_id_header, "")
        if told.isascii() and told.isdigit() and 0 < int(told) < 1 << 31:
            for event in reaction.events:
                if isinstance(event, SessionOpened):
                    self._hooks.process_known(event.client, int(told))

    # Replies

    async def _react(self, request: web.BaseRequest, reaction: Reaction) -> web.StreamResponse:
        """Perform the events, then reply to the request."""
        self._perform(reaction.events)
        reply = reaction.reply
        assert reply is not None
        if isinstance(reply, RunCalls):
            await self._run_all(request, reply.calls)
            return _answered(reply.answer())
        if isinstance(reply, OpenStream):
            return await self._streams.serve(request, reply)
        return _answered(reply)

    async def _run_all(self, request: web.BaseRequest, calls: Sequence[ToolCall]) -> None:
        """Run the tools until all have ended, also those whose calls were taken back."""
        connection = cast(Connection, request.protocol)
        connection.on_lost = functools.partial(self._caller_lost, calls)
        try:
            if len(calls) == 1:  # on the request's own task: another one would take a tenth of a small call
                task = asyncio.current_task()
                assert task is not None
                self._running[calls[0]] = task
                await self._run(calls[0])
            else:
                tasks = [asyncio.ensure_future(self._run(call)) for call in calls]
                self._running.update(zip(calls, tasks))
                await asyncio.gather(*tasks)
        finally:
            connection.on_lost = None
        if self._expiry is None and self._protocol.registry.is_expiring(calls[0].session.id):
            self._schedule_expiry()

    def _caller_lost(self, calls: Sequence[ToolCall], was_reset: bool) -> None:
        self._perform(self._protocol.registry.calls.connection_lost(calls, clock.now()))
        self._schedule_expiry()

    # Streams

    def _wake(self, outputs: Sequence[Output]) -> None:
        self._streams.wake(cast(Sequence[Stream], outputs))

    def _stream_ended(self, session: Session, stream: Stream, was_reset: bool) -> None:
        self._perform(self._protocol.registry.stream_lost(session, stream, was_reset, clock.now()))
        self._schedule_expiry()

    # Time

    def _schedule_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        deadline = self._protocol.registry.next_deadline()
        if deadline is not None and not self._stopping:
            self._expiry = asyncio.get_running_loop().call_later(deadline - clock.now(), self._expire)

    def _expire(self) -> None:
        self._expiry = None
        self._perform(self._protocol.registry.tick(clock.now()))
        self._schedule_expiry()


def _answered(answer: Answer) -> WholeResponse:
    """The response that gives this answer."""
    logger.debug("sent answer %d, %d bytes", answer.status, len(answer.body))
    return WholeResponse(answer.status, answer.body, answer.headers)
