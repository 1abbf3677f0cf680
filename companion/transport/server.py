"""The server of one endpoint: HTTP in, protocol in the middle, HTTP and event streams out.

Rules: every request passes the gate in `security` before anything else of it is read; the core decides, this file only
performs its effects; nothing is shared with another thread; whatever a stop leaves behind is a bug.
Routes: POST, GET and DELETE `/mcp`; GET `/events`; GET `/health`.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Set

from aiohttp import web

from ..protocol.core import Arrival, Protocol
from ..protocol.effects import Answer, CallTool, Effect, OpenStream, SessionClosed, SessionOpened, Wake
from ..protocol.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, RpcError, error_message
from ..protocol.limits import Limits
from ..protocol.notices import Translate
from ..protocol.streams import Stream
from ..protocol.tools import ClientSession, Implementation, Tool, ToolCall, ToolResult
from .connections import Connection
from .event_dialect import IDE_NOTIFICATIONS, to_event_dialect
from .event_streams import SERVER_NAME, EventStreamWriter
from .negotiation import accepted, body_complaint
from .security import CHALLENGE, GRANTED, MISSING, bearer, host_allowed, origin_allowed

log = logging.getLogger("gemini_companion.transport")
ADDRESS = "127.0.0.1"
_LINGER_SECONDS = 2.0
_STOP_SECONDS = 1.0
_WARNING_SECONDS = 60.0


class CompanionServer:
    """The HTTP server of one endpoint. Every method belongs to the loop thread."""

    def __init__(
        self,
        *,
        token: str,
        tools: Sequence[Tool],
        call_tool: Callable[[ToolCall], Awaitable[ToolResult]],
        session_opened: Callable[[ClientSession], None],
        session_closed: Callable[[ClientSession], None],
        identity: Implementation,
        limits: Limits = Limits(),
        translate: Translate = to_event_dialect,
        subscribable: Sequence[str] = IDE_NOTIFICATIONS,
    ) -> None:
        """`translate`: turns a notification into the dialect of `/events`. `subscribable`: the notification methods that
        clients of the stateless revision may ask for by name in `subscriptions/listen`."""
        self._token = token
        self._call_tool = call_tool
        self._session_opened = session_opened
        self._session_closed = session_closed
        self._limits = limits
        self._protocol = Protocol(tools, identity, limits=limits, translate=translate, subscribable=subscribable)
        self._writers: Dict[Stream, EventStreamWriter] = {}
        self._call_streams: "Dict[Any, asyncio.Task[web.StreamResponse]]" = {}
        self._in_flight = 0
        self._port = 0
        self._listener: Optional[asyncio.AbstractServer] = None
        self._manager: Optional[web.Server] = None
        self._heartbeat: Optional[asyncio.TimerHandle] = None
        self._expiry: Optional[asyncio.TimerHandle] = None
        self._next_warning = 0.0

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        """The connected clients by id, oldest first."""
        return self._protocol.presence.clients

    # Life

    async def start(self, port: int = 0) -> int:
        """Listen on the loopback address; returns the port. Raises OSError if it is taken, ImportError without
        jsonschema."""
        self._protocol.catalogue.arguments.prepare()
        loop = asyncio.get_running_loop()
        manager = web.Server(self._handle)
        connection = functools.partial(
            Connection,
            manager,
            loop=loop,
            header_seconds=self._limits.request_seconds,
            full=lambda: len(manager.connections) >= self._limits.connections,
            keepalive_timeout=self._limits.keepalive_seconds,
            lingering_time=_LINGER_SECONDS,
            max_line_size=self._limits.header_bytes,
            max_field_size=self._limits.header_bytes,
            auto_decompress=False,
            access_log=None,
            logger=log,
        )
        self._listener = await loop.create_server(connection, ADDRESS, port)
        self._manager = manager
        self._port = self._listener.sockets[0].getsockname()[1]
        self._schedule_expiry()
        return self._port

    async def stop(self) -> None:
        """End streams cleanly, then close everything. Sessions are not reported closed: the caller knows; what clients
        have not received is still in `export_state`."""
        if self._listener is None:
            return
        self._listener.close()
        self._perform(self._protocol.stop())
        for timer in (self._heartbeat, self._expiry):
            if timer is not None:
                timer.cancel()
        self._heartbeat = self._expiry = None
        deadline = asyncio.get_running_loop().time() + _STOP_SECONDS
        while self._writers and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.01)
        for writer in list(self._writers.values()):
            writer.abort()
        if self._manager is not None:
            await self._manager.shutdown(_STOP_SECONDS)
        self._listener = None

    def export_state(self) -> Dict[str, Any]:
        """The sessions with what they have not received, as plain JSON-able data. Secret: never log it."""
        return self._protocol.presence.export_state()

    def import_state(self, state: Dict[str, Any]) -> None:
        """Take over the sessions of a former server with the same token and port. Before `start`."""
        self._protocol.presence.import_state(state, asyncio.get_running_loop().time())

    def notify(
        self,
        method: str,
        params: Dict[str, Any],
        *,
        session: Optional[str] = None,
        collapse: Optional[str] = None,
    ) -> None:
        """Send a notification to one session, or to all. An earlier one with the same `collapse` key that still waits is
        replaced; one without a key is never dropped."""
        self._perform(self._protocol.presence.notify(method, params, session, collapse))

    def disconnect(self) -> None:
        """End every session; clients find out when their stream ends and their next request gets a 404."""
        presence = self._protocol.presence
        for each in list(presence.all()):
            self._perform(presence.close(each, "disconnected by the user"))

    # Requests

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        request.protocol.request_began()
        headers = request.headers
        if not host_allowed(headers.getall("Host", ()), self._port):
            return _refusal(403, "The Host header does not name this endpoint.")
        if not origin_allowed(headers.getall("Origin", ()), self._port):
            return _refusal(403, "Requests from web pages are refused.")
        path = request.path
        method = request.method
        if path == "/health":
            return self._health(method)
        verdict = bearer(headers.get("Authorization"), self._token)
        if verdict is not GRANTED:
            return self._unauthorized(verdict, headers)
        if path == "/mcp":
            if method == "POST":
                return await self._post(request)
            if method == "GET":
                _, accepts_events = accepted(headers.get("Accept"))
                return await self._answer(request, self._protocol.presence.listen(headers, accepts_events, self._now()))
            if method == "DELETE":
                return await self._answer(request, self._protocol.presence.delete(headers))
            return _not_allowed("POST, GET, DELETE")
        if path == "/events":
            if method != "GET":
                return _not_allowed("GET")
            _, accepts_events = accepted(headers.get("Accept"))
            return await self._answer(
                request, self._protocol.presence.listen_plainly(headers, accepts_events, self._now())
            )
        return _refusal(404, "There is nothing here. The MCP endpoint is /mcp.")

    def _health(self, method: str) -> web.Response:
        if method not in ("GET", "HEAD"):
            return _not_allowed("GET, HEAD")
        return web.Response(body=b'{"status":"ok"}', content_type="application/json", headers={"Server": SERVER_NAME})

    def _unauthorized(self, verdict: str, headers: Mapping[str, str]) -> web.Response:
        now = self._now()
        if now >= self._next_warning:
            self._next_warning = now + _WARNING_SECONDS
            if verdict is MISSING:
                log.warning(
                    "refused a client without an Authorization header (%.80r): it is older than the token, update the CLI",
                    headers.get("User-Agent", ""),
                )
            else:
                log.warning("refused a client with a wrong token (%.80r)", headers.get("User-Agent", ""))
        return _refusal(401, "A valid bearer token is required.", {"WWW-Authenticate": CHALLENGE})

    async def _post(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = request.headers
        complaint = body_complaint(headers)
        if complaint is not None:
            return _refusal(415, complaint)
        accepts_json, accepts_events = accepted(headers.get("Accept"))
        if not (accepts_json or accepts_events):
            return _refusal(406, "Accept application/json or text/event-stream.")
        body = await self._read_body(request)
        if isinstance(body, web.Response):
            return body
        if self._in_flight >= self._limits.requests_in_flight:
            return _refusal(503, "Too many requests are being answered.", {"Retry-After": "1"})
        self._in_flight += 1
        try:
            arrival = Arrival(headers, body, accepts_json, accepts_events)
            return await self._answer(request, self._protocol.post(arrival, self._now()))
        finally:
            self._in_flight -= 1

    async def _read_body(self, request: web.BaseRequest) -> Any:
        """The body's bytes, or the response that refuses it."""
        most = self._limits.body_bytes
        length = request.content_length
        if length is not None and length > most:
            return _too_large(most)
        content = request.content
        if content.is_eof():
            body = content.read_nowait(-1)
            return body if len(body) <= most else _too_large(most)
        if headers_expect_continue(request.headers) and request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            return await asyncio.wait_for(_read_up_to(request, most), self._limits.request_seconds)
        except asyncio.TimeoutError:
            response = _refusal(408, "The body took too long.")
            response.force_close()
            return response

    async def _answer(self, request: web.BaseRequest, effects: Sequence[Effect]) -> web.StreamResponse:
        """Perform what the core wants done about this request."""
        answer: Optional[Answer] = None
        opened: Optional[OpenStream] = None
        exchange = None
        for effect in effects:
            if isinstance(effect, Answer):
                answer = effect
            elif isinstance(effect, CallTool):
                exchange = effect.call.exchange
                for outcome in await self._run(request, effect.call):
                    if isinstance(outcome, Answer):
                        answer = outcome
                    else:
                        self._perform_one(outcome)
            elif isinstance(effect, OpenStream):
                opened = effect
            else:
                self._perform_one(effect)
        if opened is not None:
            return await self._carry(request, opened)
        carrying = self._call_streams.pop(exchange, None) if exchange is not None else None
        if carrying is not None:
            return await carrying
        assert answer is not None
        response = web.Response(status=answer.status, body=answer.body)
        response.headers.update(answer.headers)
        response.headers["Server"] = SERVER_NAME
        return response

    async def _run(self, request: web.BaseRequest, call: ToolCall) -> List[Effect]:
        call.send = functools.partial(self._say, request, call)
        call.close = functools.partial(self._close_early, request, call)
        result: Optional[ToolResult] = None
        try:
            result = await self._call_tool(call)
        except Exception:
            log.error("the tool %s failed", call.name, exc_info=True)
        return self._protocol.finish(call, result, self._now())

    def _say(self, request: web.BaseRequest, call: ToolCall, method: str, params: Dict[str, Any]) -> None:
        self._perform_during(request, self._protocol.say(call, method, params))

    def _close_early(self, request: web.BaseRequest, call: ToolCall) -> None:
        self._perform_during(request, self._protocol.close_early(call))

    def _perform_during(self, request: web.BaseRequest, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, OpenStream):
                task = asyncio.get_running_loop().create_task(self._carry(request, effect))
                self._call_streams[effect.exchange] = task
            else:
                self._perform_one(effect)

    # Effects

    def _perform(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            self._perform_one(effect)

    def _perform_one(self, effect: Effect) -> None:
        if isinstance(effect, Wake):
            writer = self._writers.get(effect.stream)
            if writer is not None:
                writer.wake()
        elif isinstance(effect, SessionOpened):
            log.info("connected: %.80r %.40r, MCP %s", *effect.client[1:4])
            self._schedule_expiry()
            self._session_opened(effect.client)
        elif isinstance(effect, SessionClosed):
            log.info("disconnected: %.80r: %s", effect.client.client_name, effect.reason)
            self._session_closed(effect.client)

    async def _carry(self, request: web.BaseRequest, opened: OpenStream) -> web.StreamResponse:
        """Carry a stream on this request's connection until either ends."""
        stream = opened.stream
        former = self._writers.get(stream)
        if former is not None:
            former.supersede()
        writer = self._writers[stream] = EventStreamWriter(stream, self._protocol.presence.take)
        self._schedule_heartbeat()
        try:
            return await writer.run(request, opened.headers)
        finally:
            if self._writers.get(stream) is writer:
                del self._writers[stream]
                self._perform(self._protocol.presence.broken(stream, writer.was_reset, self._now()))
                if self._listener is not None:
                    self._schedule_expiry()

    # Time

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _schedule_heartbeat(self) -> None:
        if self._heartbeat is None:
            loop = asyncio.get_running_loop()
            self._heartbeat = loop.call_later(self._limits.heartbeat_seconds, self._beat)

    def _beat(self) -> None:
        self._heartbeat = None
        for writer in self._writers.values():
            writer.beat()
        if self._writers:
            self._schedule_heartbeat()

    def _schedule_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        deadline = self._protocol.presence.next_deadline()
        if deadline is not None:
            self._expiry = asyncio.get_running_loop().call_at(deadline, self._expire)

    def _expire(self) -> None:
        self._expiry = None
        self._perform(self._protocol.presence.tick(self._now()))
        self._schedule_expiry()


async def _read_up_to(request: web.BaseRequest, most: int) -> Any:
    parts: List[bytes] = []
    size = 0
    while True:
        part = await request.content.readany()
        if not part:
            return b"".join(parts)
        size += len(part)
        if size > most:
            return _too_large(most)
        parts.append(part)


def headers_expect_continue(headers: Mapping[str, str]) -> bool:
    """Does the client wait for a go-ahead before it sends the body?"""
    return headers.get("Expect", "").lower() == "100-continue"


def _refusal(status: int, sentence: str, headers: Optional[Dict[str, str]] = None) -> web.Response:
    code = INTERNAL_ERROR if status >= 500 else INVALID_REQUEST
    response = web.Response(status=status, body=error_message(None, RpcError(code, sentence)))
    response.headers["Content-Type"] = "application/json"
    response.headers["Server"] = SERVER_NAME
    if headers is not None:
        response.headers.update(headers)
    return response


def _not_allowed(methods: str) -> web.Response:
    return _refusal(405, "This method is not allowed here.", {"Allow": methods})


def _too_large(most: int) -> web.Response:
    response = _refusal(413, "The body is larger than {} bytes.".format(most))
    response.force_close()
    return response
