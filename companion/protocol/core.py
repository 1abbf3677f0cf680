"""The whole protocol: messages in, reactions out; and what each request method does.

Rules: nothing that a client sends makes a method of `Protocol` raise. Every request is answered once, and only to its
sender. A message that is not a request never gets a result. Time is passed in as an argument. A POST brings messages
(`post`), or a connection that carries them both ways (`receive`): what they mean is the same.

Two tables list the request methods, those with sessions and those of stateless MCP. Such a method returns the encoded
result, or None if the result comes later. It refuses a request by raising RpcError and in no other way. It adds to the
exchange whatever it starts.
Implements MCP 2024-11-05 to 2025-11-25 (sessions) and 2026-07-28 (stateless) over Streamable HTTP, and those with
sessions over a transport of its own ("Custom Transports"): lifecycle, server/discover, server/tools,
server/utilities/logging, utilities/ping, and basic/patterns/subscriptions of 2026-07-28.
"""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .exchanges import Event, Exchange, Notified, Reaction, RunCalls, ToolsListed, refused
from .jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Fault,
    Message,
    Notification,
    Request,
    RpcError,
    notification_message,
    read_message,
    result_message,
)
from .limits import Limits
from .metadata import (
    ASSUMED,
    LOG_LEVELS,
    PREFIX,
    REVISIONS,
    VERSION_HEADER,
    Introduction,
    Revision,
    is_stateless,
    read_handshake,
    read_metadata,
    unsupported_version,
)
from .serving import ServedDialect
from .session_registry import SESSION_HEADER, SessionRegistry
from .sessions import SUBSCRIBER, Session, SessionState
from .tools import Catalogue, ClientSession, Implementation, ToolCall, ToolResult, error_result


class Server(NamedTuple):
    """The objects that the methods use."""

    catalogue: Catalogue
    registry: SessionRegistry
    subscribable: Tuple[str, ...]
    """The notification methods to which stateless clients can subscribe by name."""


Method = Callable[[Server, Exchange, Request, float], Optional[bytes]]
"""The last argument is the time in seconds of a monotonic clock."""


def _initialize(server: Server, exchange: Exchange, request: Request, now: float) -> bytes:
    session = exchange.session
    if session is not None and session.is_initialized:
        raise RpcError(INVALID_REQUEST, "This session is initialized already.", status=400)
    introduction = read_handshake(request.params)
    if session is not None:
        session.introduce(*introduction)
    else:
        opened, events = server.registry.open(introduction, exchange.client.token_name, now)
        exchange.events.extend(events)
        exchange.extra_headers = {SESSION_HEADER: opened.client.id}
    return server.catalogue.initialize[introduction.revision.name]


def _set_log_level(server: Server, exchange: Exchange, request: Request, now: float) -> bytes:
    level = request.params.get("level")
    if level not in LOG_LEVELS:
        raise RpcError(INVALID_PARAMS, '"level" must be one of {}.'.format(", ".join(LOG_LEVELS)))
    return b"{}"


def _list_tools(server: Server, exchange: Exchange, request: Request, now: float) -> bytes:
    if request.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Unknown cursor: all tools fit on one page.")
    if exchange.session is not None:
        exchange.events.append(ToolsListed(exchange.client))
    return server.catalogue.stateless_tools_list if exchange.stateless else server.catalogue.tools_list


def _call_tool(server: Server, exchange: Exchange, request: Request, now: float) -> Optional[bytes]:
    session = exchange.session
    if session is not None and not session.is_initialized:
        raise RpcError(INVALID_REQUEST, "Initialize first.")
    called = server.catalogue.read_call(exchange.revision, request.params)
    if called.complaint is not None:
        return server.catalogue.outcome(called.name, error_result(called.complaint), exchange.stateless)
    connection = exchange.connection
    if connection is not None and connection.requests >= server.registry.limits.calls_per_connection:
        raise RpcError(INVALID_REQUEST, "Too many calls wait for their results.")
    server.registry.calls.begin(ToolCall(called.name, called.arguments, exchange.client), exchange, request.id)
    return None


def _subscribe(server: Server, exchange: Exchange, request: Request, now: float) -> None:
    """The request is answered at the end of the stream, see `Protocol.stop`."""
    wanted = request.params.get("notifications")
    if type(wanted) is not dict:
        raise RpcError(INVALID_PARAMS, '"notifications" must be an object that names what to receive.', status=400)
    session, opened = server.registry.subscriber(exchange.client, exchange.revision, now)
    exchange.opened = server.registry.open_stream(session, now)
    exchange.events.extend(opened)
    stream = exchange.opened.stream
    stream.filter = {name: True for name in server.subscribable if wanted.get(name) is True}
    stream.request_id = request.id
    acknowledged = {"_meta": {PREFIX + "subscriptionId": request.id}, "notifications": stream.filter}
    payload = notification_message("notifications/subscriptions/acknowledged", acknowledged)
    session.queue(payload, subscription=stream)


HANDSHAKE_METHODS: Dict[str, Method] = {
    "initialize": _initialize,
    "ping": lambda server, exchange, request, now: b"{}",
    "logging/setLevel": _set_log_level,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
STATELESS_METHODS: Dict[str, Method] = {
    "server/discover": lambda server, exchange, request, now: server.catalogue.discover,
    "subscriptions/listen": _subscribe,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}


# -- the protocol ------------------------------------------------------------------------------------------------------

logger = logging.getLogger("gemini_companion.protocol")


class Protocol:
    """The server side of one endpoint. Not thread-safe: use it from one thread."""

    def __init__(self, dialect: ServedDialect, identity: Implementation, limits: Limits = Limits()) -> None:
        self.limits = limits
        self._handshake_only = dialect.handshake_only
        self.catalogue = Catalogue(dialect.tools, identity)
        self.registry = SessionRegistry(limits, dialect)
        self._server = Server(self.catalogue, self.registry, tuple(dialect.subscribable))

    def receive(self, session: Session, value: Any, size: int, now: float) -> Reaction:
        """Handle one message on a connection that carries them both ways. `value` and `size` as for `post`."""
        if session.state is SessionState.CLOSED:
            return Reaction(None)
        exchange = Exchange(session.revision, session.client, session, size=size)
        self._handle(exchange, read_message(value), now)
        return self._begun(exchange)

    def post(
        self,
        value: Any,
        headers: Mapping[str, str],
        now: float,
        *,
        token_name: str = "",
        in_event: bool = False,
        size: int = 0,
    ) -> Reaction:
        """Handle a POST to the MCP endpoint.

        `value` is the decoded body (`read_value`), `size` was its number of bytes. Lookups in `headers` must ignore
        case (RFC 9110, 5.1). `now` is in seconds of a monotonic clock. `in_event`: the answer is written as an event.
        """
        message = None if type(value) is list else read_message(value)
        stateless = is_stateless(headers.get(VERSION_HEADER), message)
        try:
            sender = (self._stateless if stateless else self._with_sessions)(headers, token_name, message, now)
        except RpcError as error:
            request_id = message.id if isinstance(message, Request) else None
            return Reaction(refused(error, request_id, null_id=not stateless))
        exchange = Exchange(*sender, in_event=in_event, size=size)
        if message is None:
            self._handle_batch(exchange, value, now)
        else:
            self._handle(exchange, message, now)
        return self._begun(exchange)

    def _with_sessions(
        self, headers: Mapping[str, str], token_name: str, message: Optional[Message], now: float
    ) -> Tuple[Revision, ClientSession, Optional[Session]]:
        """Find the sender of a message in a revision with sessions. Raises RpcError."""
        session_id = headers.get(SESSION_HEADER)
        if session_id is None:
            version = headers.get(VERSION_HEADER)
            revision = ASSUMED if version is None else REVISIONS[version]
            return revision, self.registry.client_without_session(Introduction(revision), token_name, now), None
        session = self.registry.find(session_id)
        session.last_seen = now
        return session.revision, session.client, session

    def _stateless(
        self, headers: Mapping[str, str], token_name: str, message: Optional[Message], now: float
    ) -> Tuple[Revision, ClientSession, Optional[Session]]:
        """Find the sender of a message in a revision without sessions. Raises RpcError."""
        version = headers.get(VERSION_HEADER)
        revision = REVISIONS.get(version or "")
        if isinstance(message, Request):
            if self._handshake_only:
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {message.method:.100}", status=200)
            introduction = read_metadata(headers, message)
        elif revision is None:
            raise unsupported_version(version)
        else:
            introduction = Introduction(revision)
        return introduction.revision, self.registry.client_without_session(introduction, token_name, now), None

    def _handle_batch(self, exchange: Exchange, values: List[Any], now: float) -> None:
        sentence = ""
        if not exchange.revision.batches:
            sentence = f"Batches are not part of MCP {exchange.revision.name}."
        elif not 0 < len(values) <= self.limits.batch_messages:
            sentence = f"A batch must hold 1 to {self.limits.batch_messages} messages."
        if sentence:
            exchange.refuse(None, RpcError(INVALID_REQUEST, sentence, status=400))
            return
        exchange.batch = True
        for value in values:
            message = read_message(value)
            if isinstance(message, Request) and message.method == "initialize":
                exchange.refuse(message.id, RpcError(INVALID_REQUEST, '"initialize" must not be part of a batch.'))
            else:
                self._handle(exchange, message, now)

    def _handle(self, exchange: Exchange, message: Message, now: float) -> None:
        """Do what one message asks for."""
        if isinstance(message, Request):
            self._serve(exchange, message, now)
        elif isinstance(message, Fault):
            exchange.refuse(message.id, message.error)
        elif isinstance(message, Notification):
            logger.debug("received notification %.60r, %d bytes", message.method, exchange.size)
            exchange.events.extend(self._take_note(exchange, message, now))

    def _take_note(self, exchange: Exchange, message: Notification, now: float) -> List[Event]:
        session, method = exchange.session, message.method
        if session is None:
            return []  # several clients that show one token may number their requests alike
        if method == "notifications/cancelled":
            return self.registry.calls.cancel_request(session, message.params.get("requestId"), now)
        if method == "notifications/initialized":
            return self.registry.ready(session)
        return [Notified(session.client, method, message.params)] if session.is_ready else []

    def _serve(self, exchange: Exchange, request: Request, now: float) -> None:
        """Answer a request or start its call. Only this method turns an RpcError into an answer."""
        if logger.isEnabledFor(logging.DEBUG):
            name, batch = exchange.client.client_name or "a client", " in a batch" if exchange.batch else ""
            logger.debug("received request %.60r from %.80r, %d bytes%s", request.method, name, exchange.size, batch)
        try:
            method = (STATELESS_METHODS if exchange.stateless else HANDSHAKE_METHODS).get(request.method)
            if method is None:
                status = 404 if exchange.stateless else None
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method:.100}", status=status)
            result = method(self._server, exchange, request, now)
        except RpcError as error:
            exchange.refuse(request.id, error)
            return
        if result is not None:
            exchange.answers.append(result_message(request.id, result))

    def finish(self, call: ToolCall, result: Optional[ToolResult], now: float) -> List[Event]:
        """Answer a call with its result, or with an internal error if `result` is None (the log then has the reason).

        A result that comes after the call has ended is dropped.
        """
        ended = self.registry.calls.end(call, now)
        if ended is None:
            return []
        exchange, request_id = ended
        try:
            encoded = self.catalogue.outcome(call.name, result, exchange.stateless)
        except RpcError as error:
            exchange.refuse(request_id, error)
        else:
            exchange.answers.append(result_message(request_id, encoded))
        return self._sent(exchange)

    def _begun(self, exchange: Exchange) -> Reaction:
        """Decide what the server does once every message is handled."""
        if exchange.opened is not None:
            return Reaction(exchange.opened, exchange.events)
        if exchange.calls:
            return Reaction(RunCalls(tuple(exchange.calls), exchange.answer), exchange.events)
        if exchange.connection is not None:
            return Reaction(None, [*self._sent(exchange), *exchange.events])
        return Reaction(exchange.answer(), exchange.events)

    def _sent(self, exchange: Exchange) -> List[Event]:
        """On a connection that carries messages both ways an answer is sent at once; over HTTP it is fetched."""
        connection = exchange.connection
        return self.registry.send(connection, exchange.answers) if connection is not None else []

    def stop(self, come_back_seconds: Optional[float] = None) -> List[Event]:
        """End every stream, subscriptions with their result. Sessions stay, for `SessionRegistry.export_state`.

        `come_back_seconds`: how long the stream tells its client to wait before it reconnects.
        """
        for session in self.registry.all():
            if session.kind is SUBSCRIBER:
                for stream in session.streams.values():
                    end = result_message(stream.request_id, self.catalogue.subscription_end(stream.request_id))
                    session.queue(end, subscription=stream)
        return self.registry.stop(come_back_seconds)
