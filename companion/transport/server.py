"""The HTTP server of one endpoint. It passes requests to the protocol and performs the reactions.

Rules: every request passes access control before anything else of it is read. The core decides; this module only
performs its effects. Nothing is shared with another thread. A stop leaves nothing behind.
Routes: POST, GET and DELETE `/mcp`; GET `/events`; GET `/health`.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Collection, Dict, Mapping, Optional, Sequence, Union, cast

from aiohttp import web

from ..protocol.effects import Answer, OpenStream, Reaction, RunCalls, SessionOpened
from ..protocol.exchanges import JSON_TYPE, refused
from ..protocol.jsonrpc import RpcError
from ..protocol.sessions import Output, Session
from ..protocol.streams import Stream
from ..protocol.tools import ToolCall
from .base import BaseServer
from .bodies import body_complaint
from .connections import Connection
from .event_streams import EventStreams
from .responses import WholeResponse, accepted, not_allowed, refusal

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
        turned_away = self._gate.turned_away(request)
        if turned_away is not None:
            return turned_away
        if request.path == "/health":
            return self._health(request.method)
        token_name = self._gate.admit(request, self._now())
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
        """What comes of a request that was let in and has no body. Raises RpcError.

        It is no coroutine, whose frame would stay in memory for as long as a stream is open.
        """
        path, method, headers = request.path, request.method, request.headers
        registry = self._protocol.registry
        if path == "/mcp":
            if method == "GET":
                return registry.listen(headers, accepted(headers)[1], self._now())
            return registry.delete(headers) if method == "DELETE" else not_allowed("POST, GET, DELETE")
        if path != "/events":
            return refusal(404, "There is nothing here. The MCP endpoint is /mcp.")
        if method != "GET":
            return not_allowed("GET")
        return registry.listen_without_session(headers, accepted(headers)[1], self._now(), token_name)

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
                value, headers, self._now(), token_name=token_name, in_event=not accepts_json, size=len(body)
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
            self._look_at_the_time()

    def _caller_lost(self, calls: Sequence[ToolCall], was_reset: bool) -> None:
        self._perform(self._protocol.registry.calls.connection_lost(calls, self._now()))
        self._look_at_the_time()

    # Streams

    def _wake(self, outputs: Sequence[Output]) -> None:
        self._streams.wake(cast(Sequence[Stream], outputs))

    def _stream_ended(self, session: Session, stream: Stream, was_reset: bool) -> None:
        self._perform(self._protocol.registry.stream_lost(session, stream, was_reset, self._now()))
        self._look_at_the_time()

    # Time

    def _look_at_the_time(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        deadline = self._protocol.registry.next_deadline()
        if deadline is not None and not self._stopping:
            self._expiry = asyncio.get_running_loop().call_at(deadline, self._expire)

    def _expire(self) -> None:
        self._expiry = None
        self._perform(self._protocol.registry.tick(self._now()))
        self._look_at_the_time()


def _answered(answer: Answer) -> WholeResponse:
    """The response that gives this answer."""
    logger.debug("sent answer %d, %d bytes", answer.status, len(answer.body))
    return WholeResponse(answer.status, answer.body, answer.headers)
