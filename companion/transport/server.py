"""The HTTP server of one endpoint. It passes requests to the protocol and performs the reactions.

Rules: every request passes access control before anything else of it is read. The core decides; this module only
performs its effects. Nothing is shared with another thread. A stop leaves nothing behind.
Routes: POST, GET and DELETE `/mcp`; GET `/events`; GET `/health`.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import (
    Any,
    Awaitable,
    Callable,
    Dict,
    Iterable,
    Mapping,
    Optional,
    Sequence,
    Union,
)

from aiohttp import web

from ..protocol.core import Arrival, Protocol
from ..protocol.effects import (
    Answer,
    CallCancelled,
    Event,
    OpenStream,
    Reaction,
    RunCalls,
    SessionClosed,
    SessionOpened,
    Wake,
)
from ..protocol.exchanges import JSON_TYPE
from ..protocol.limits import Limits
from ..protocol.notices import Translate
from ..protocol.streams import Ending, Stream
from ..protocol.tools import ClientSession, Implementation, Tool, ToolCall, ToolResult
from .bodies import Bodies, InWorker, body_complaint, in_default_executor
from .connections import Connection, hang_up
from .event_dialect import IDE_NOTIFICATIONS, to_event_dialect
from .event_streams import EventStreams
from .gate import Gate
from .listening import Port, listen_on_port
from .local_sockets import LocalSocket, listen_locally
from .negotiation import accepted
from .responses import WholeResponse, not_allowed, refusal, respond
from .running_calls import CallRunner, answered, never

logger = logging.getLogger("gemini_companion.transport")
ADDRESS = "127.0.0.1"
_LINGER_SECONDS = 2.0
_STOP_SECONDS = 1.0


class CompanionServer(CallRunner):
    """The HTTP server of one endpoint. Loop thread only."""

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
        further_tokens: Mapping[str, str] = {},
        in_worker: InWorker = in_default_executor,
        secret_header: str = "",
        handshake_only: bool = False,
        deleted_status: int = 204,
        described: Callable[[ClientSession, Mapping[str, str]], None] = lambda client, headers: None,
    ) -> None:
        """`in_worker`: calls a function that takes long on another thread. `further_tokens`: more tokens by name, to
        tell clients apart that introduce themselves alike. `secret_header`: where clients show a token by itself,
        instead of a bearer token. `handshake_only`: only revisions with sessions are served. `deleted_status`:
        answers a DELETE; there are clients that cannot read 204. `described`: gets the headers that came with the
        request that opened a session. `translate`: turns a notification into the dialect of
        `/events`; for the rest see `Protocol`."""
        protocol = Protocol(
            tools,
            identity,
            limits=limits,
            translate=translate,
            subscribable=subscribable,
            handshake_only=handshake_only,
        )
        super().__init__(protocol, call_tool)
        self._gate = Gate({"": token, **further_tokens}, secret_header=secret_header)
        self._deleted_status = deleted_status
        self._described = described
        self._session_opened = session_opened
        self._session_closed = session_closed
        self._limits = limits
        self._streams = EventStreams(self._protocol.registry.take, self._stream_ended, limits.heartbeat_seconds)
        self._bodies = Bodies(in_worker)
        self._in_flight = 0
        self._listener: Union[Port, LocalSocket, None] = None
        self._manager: Optional[web.Server] = None
        self._new_connection: Callable[[], Connection]
        self._renewing: Optional[asyncio.Future[None]] = None

    @property
    def sessions(self) -> Mapping[str, ClientSession]:
        """The connected clients by id, oldest first."""
        return self._protocol.registry.clients

    # Start and stop

    async def start(self, port: int = 0) -> int:
        """Listen on the loopback address; returns the port. Raises OSError if it is taken, ImportError without
        jsonschema."""
        self._listener = listener = await listen_on_port(self._connections(), ADDRESS, port)
        self._gate.port = listener.number
        self._schedule_expiry()
        return listener.number

    async def start_on_socket(self) -> str:
        """Listen on a new socket in the file system instead; returns its path. Raises OSError, as `start` does."""
        self._new_connection = self._connections()
        self._gate.port = None
        self._listener = local = await listen_locally(self._new_connection)
        self._schedule_expiry()
        return local.path

    def renew_socket(self) -> None:
        """If its socket in the file system was removed, make it again: programs look for it where it was."""
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

    def _connections(self) -> Callable[[], Connection]:
        """What makes a `Connection` of this server."""
        self._protocol.catalogue.arguments.prepare()
        self._manager = manager = web.Server(self._handle)
        return functools.partial(
            Connection,
            manager,
            loop=asyncio.get_running_loop(),
            limits=self._limits,
            keepalive_timeout=self._limits.keepalive_seconds,
            lingering_time=_LINGER_SECONDS,
            max_line_size=self._limits.header_bytes,
            max_field_size=self._limits.header_bytes,
            auto_decompress=False,
            access_log=None,
            logger=logger,
        )

    async def stop(self, *, come_back_seconds: Optional[float] = None, seconds: float = _STOP_SECONDS) -> None:
        """Answer the calls under way, end streams cleanly, then close everything. Each step may take `seconds`.

        Sessions are not reported as closed; undelivered messages are still in `export_state`. With
        `come_back_seconds`, clients are told to reconnect after so long, because a successor is expected.
        """
        if self._listener is None or self._stopping:
            return
        self._stopping = True
        self._listener.close()
        assert self._manager is not None
        self._manager.pre_shutdown()  # Idle connections end now, the others after their current response.
        if self._expiry is not None:
            self._expiry.cancel()
        await self._answer_calls(seconds)
        self._perform(self._protocol.stop(come_back_seconds))
        await self._streams.stop(seconds)
        await self._manager.shutdown(seconds / 2)  # aiohttp may wait twice that long
        for task in self._cancelled:
            task.cancel()
        self._listener = None

    def abandon(self) -> None:
        """Close the sockets without the event loop, which cannot do it any more. `export_state` says what it did.

        They would stay as long as anything refers to that loop, and clients would wait for answers.
        """
        if self._listener is not None:
            self._listener.abandon()
        if self._manager is not None:
            hang_up(self._manager.connections)

    def export_state(self) -> Dict[str, Any]:
        """The sessions with their undelivered messages as JSON-serialisable data. Secret: never log it."""
        return self._protocol.registry.export_state()

    def import_state(self, state: Dict[str, Any]) -> None:
        """Restore the sessions of a former server with the same token and port. Call it before `start`."""
        self._protocol.registry.import_state(state, asyncio.get_running_loop().time())

    def notify(
        self,
        method: str,
        params: Dict[str, Any],
        *,
        session: Optional[str] = None,
        collapse: Optional[str] = None,
    ) -> None:
        """Send a notification to one session, if there is such a session, or to all.

        It replaces a waiting one with the same `collapse` key; one without a key is never dropped.
        """
        self._perform(self._protocol.registry.notify(method, params, session, collapse))

    def limit_bodies(self, size: int) -> None:
        """Accept no request body of more than `size` bytes from now on."""
        self._limits = self._limits._replace(body_bytes=size)

    def disconnect(self) -> None:
        """End every session. The clients' streams end, and their next request gets a 404 ("Session Management", 3)."""
        registry = self._protocol.registry
        for each in list(registry.all()):
            self._perform(registry.close(each, "disconnected by the user"))

    # Requests

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        refused = self._gate.turned_away(request)
        if refused is not None:
            return refused
        path, method, headers = request.path, request.method, request.headers
        if path == "/health":
            return self._health(method)
        token_name = self._gate.admit(request, self._now())
        if isinstance(token_name, WholeResponse):
            return token_name
        if path == "/mcp":
            if method == "POST":
                return await self._post(request, token_name)
            if method == "GET":
                reaction = self._protocol.registry.listen(headers, accepted(headers)[1], self._now())
                return await self._react(request, reaction)
            if method == "DELETE":
                return await self._react(request, self._deleted(self._protocol.registry.delete(headers)))
            return not_allowed("POST, GET, DELETE")
        if path == "/events":
            if method != "GET":
                return not_allowed("GET")
            now, accepts_events = self._now(), accepted(headers)[1]
            reaction = self._protocol.registry.listen_without_session(headers, accepts_events, now, token_name)
            return await self._react(request, reaction)
        return refusal(404, "There is nothing here. The MCP endpoint is /mcp.")

    def _deleted(self, reaction: Reaction) -> Reaction:
        """The reaction to a DELETE, with the status that this server's clients can read."""
        reply = reaction.reply
        if isinstance(reply, Answer) and reply.status == 204:
            return reaction._replace(reply=reply._replace(status=self._deleted_status))
        return reaction

    def _health(self, method: str) -> WholeResponse:
        if method not in ("GET", "HEAD"):
            return not_allowed("GET, HEAD")
        return respond(200, b'{"status":"ok"}', JSON_TYPE)

    async def _post(self, request: web.BaseRequest, token_name: str) -> web.StreamResponse:
        headers = request.headers
        complaint = body_complaint(headers)
        if complaint is not None:
            return refusal(415, complaint)
        accepts_json, accepts_events = accepted(headers)
        if not (accepts_json or accepts_events):
            return refusal(406, "Accept application/json or text/event-stream.")
        body = self._bodies.received(request, self._limits)
        if body is None:
            body = await self._bodies.read(request, self._limits)
        if isinstance(body, WholeResponse):
            return body
        if self._in_flight >= self._limits.requests_in_flight:
            return refusal(503, "Too many requests are being answered.", {"Retry-After": "1"})
        self._in_flight += 1
        try:
            decoded = await self._bodies.decode(body, self._limits)
            arrival = Arrival(headers, body, accepts_json, accepts_events, token_name, decoded)
            reaction = self._protocol.post(arrival, self._now())
            for event in reaction.events:
                if isinstance(event, SessionOpened):
                    self._described(event.client, headers)
            del body, decoded, arrival  # a call may wait an hour for the user; its message need not
            return await self._react(request, reaction)
        finally:
            self._in_flight -= 1

    # Replies

    def _react(self, request: web.BaseRequest, reaction: Reaction) -> Awaitable[web.StreamResponse]:
        """Perform the events, then reply to the request."""
        self._perform(reaction.events)
        assert reaction.reply is not None
        if isinstance(reaction.reply, RunCalls):
            return self._run_calls(request, reaction.reply.calls)
        return self._reply(request, reaction.reply)

    async def _reply(self, request: web.BaseRequest, reply: Union[Answer, OpenStream]) -> web.StreamResponse:
        if isinstance(reply, OpenStream):
            return await self._streams.serve(request, reply.stream, reply.headers)
        return answered(reply)

    # Events

    def _perform(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, SessionOpened):
                logger.info("connected: %.80r %.40r, MCP %s", *event.client[1:4])
                self._schedule_expiry()
                self._session_opened(event.client)
            elif isinstance(event, SessionClosed):
                logger.info("disconnected: %.80r: %s", event.client.client_name, event.reason)
                self._session_closed(event.client)
            elif isinstance(event, Wake):
                self._streams.wake(event.streams)
            elif isinstance(event, CallCancelled):
                logger.debug("cancelled a call of %s: %s", event.call.name, event.reason.value)
                self._hand_over(event.call, event.reply)
                self._let_run_out(event.call)
                event.call.cancel(event.reason)
            else:
                never(event)

    def _stream_ended(self, stream: Stream, ending: Ending) -> None:
        self._perform(self._protocol.registry.stream_lost(stream, ending, self._now()))
        self._schedule_expiry()

    # Time

    def _schedule_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None
        deadline = self._protocol.registry.next_deadline()
        if deadline is not None and not self._stopping:
            self._expiry = asyncio.get_running_loop().call_at(deadline, self._expire)

    def _expire(self) -> None:
        self._expiry = None
        self._perform(self._protocol.registry.tick(self._now()))
        self._schedule_expiry()
