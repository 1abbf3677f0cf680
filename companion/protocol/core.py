"""The whole protocol: requests in, reactions out.

Rules: nothing that a client sends makes a method raise. Every request is answered once, and only to its sender. A
message that is not a request never gets a result. Time is passed in as an argument. `methods` has what each request
method does; `session_registry` has the clients that listen.
Implements MCP 2024-11-05 to 2025-11-25 (sessions) and 2026-07-28 (stateless) over Streamable HTTP.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence

from .catalogue import Catalogue
from .effects import Answer, Event, Reaction, Wake
from .exchanges import JSON_TYPE, Exchange
from .json_text import NotJson, TooDeep, TooManyValues, decode
from .jsonrpc import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    Message,
    Notification,
    Request,
    RequestId,
    RpcError,
    error_message,
    notification_message,
    read_message,
    result_message,
)
from .limits import Limits
from .metadata import VERSION_HEADER, is_stateless, read_metadata, unsupported_version
from .methods import HANDSHAKE_METHODS, STATELESS_METHODS, Server, end_subscription
from .notices import Translate
from .revisions import ASSUMED, REVISIONS
from .session_registry import SESSION_HEADER, UNKNOWN_SESSION, SessionRegistry
from .sessions import SUBSCRIBER
from .tools import Implementation, Tool, ToolCall, ToolResult

logger = logging.getLogger("gemini_companion.protocol")


class Arrival(NamedTuple):
    """A POST as it was received. Lookups in `headers` must ignore case (RFC 9110, 5.1)."""

    headers: Mapping[str, str]
    body: bytes
    accepts_json: bool = True
    accepts_events: bool = True
    token_name: str = ""
    decoded: Optional[Callable[[], Any]] = None
    """Returns or raises what `decode` does for the body, if another thread has decoded it already."""


class Protocol:
    """The server side of one endpoint. Not thread-safe: use it from one thread."""

    def __init__(
        self,
        tools: Sequence[Tool],
        identity: Implementation,
        *,
        limits: Limits = Limits(),
        instructions: Optional[str] = None,
        translate: Optional[Translate] = None,
        subscribable: Sequence[str] = (),
        handshake_only: bool = False,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """`subscribable`: the notification methods to which stateless clients can subscribe by name. `handshake_only`:
        none are served; a client that asks for the stateless revision hears that there is no such method, and comes
        back."""
        self.limits = limits
        self._handshake_only = handshake_only
        self.catalogue = Catalogue(tools, identity, instructions)
        self.registry = SessionRegistry(limits, translate, wall_clock)
        self._server = Server(limits, self.catalogue, self.registry, tuple(subscribable))

    def post(self, arrival: Arrival, now: float) -> Reaction:
        """Handle a POST to the MCP endpoint. `now` is in seconds of a monotonic clock."""
        headers = arrival.headers
        version = headers.get(VERSION_HEADER)
        try:
            if arrival.decoded is not None:
                value = arrival.decoded()
            else:
                value = decode(arrival.body, self.limits.nesting, self.limits.values)
        except NotJson as error:
            return Reaction(_refusal(RpcError(PARSE_ERROR, f"Parse error: {error}.", status=400)))
        except TooDeep:
            sentence = f"The message is nested deeper than {self.limits.nesting} levels."
            return Reaction(_refusal(RpcError(INVALID_REQUEST, sentence, status=400)))
        except TooManyValues:
            sentence = f"The message holds more than {self.limits.values} values."
            return Reaction(_refusal(RpcError(INVALID_REQUEST, sentence, status=400)))
        message = None if type(value) is list else read_message(value)
        if is_stateless(version, message):
            if self._handshake_only and isinstance(message, Request):
                unknown = RpcError(METHOD_NOT_FOUND, "Method not found: {:.100}".format(message.method), status=200)
                return Reaction(_refusal(unknown, message.id))
            return self._post_stateless(arrival, message, now)
        session = None
        session_id = headers.get(SESSION_HEADER)
        if session_id is not None:
            session = self.registry.find(session_id)
            if session is None:
                return Reaction(_unknown_session())
            session.last_seen = now
        revision = session.revision if session is not None else (ASSUMED if version is None else REVISIONS[version])
        if session is not None:
            client = session.client
        else:
            client = self.registry.client_without_session(revision, arrival.token_name)
        exchange = Exchange(
            revision,
            client,
            session,
            accepts_json=arrival.accepts_json,
            accepts_events=arrival.accepts_events,
            size=len(arrival.body),
        )
        if message is None:
            return self._post_batch(exchange, value, now)
        if not isinstance(message, Request):
            return self._take_unanswered(message, arrival, client.id, now)
        self._serve(exchange, message, now)
        return exchange.reaction()

    def _post_batch(self, exchange: Exchange, values: List[Any], now: float) -> Reaction:
        if not exchange.revision.batches:
            sentence = f"Batches are not part of MCP {exchange.revision.name}."
            return Reaction(_refusal(RpcError(INVALID_REQUEST, sentence, status=400)))
        if not 0 < len(values) <= self.limits.batch_messages:
            sentence = f"A batch must hold 1 to {self.limits.batch_messages} messages."
            return Reaction(_refusal(RpcError(INVALID_REQUEST, sentence, status=400)))
        exchange.batch = True
        for value in values:
            message = read_message(value)
            if isinstance(message, Fault):
                exchange.refuse(message.id, message.error)
            elif isinstance(message, Request):
                if message.method == "initialize":
                    exchange.refuse(message.id, RpcError(INVALID_REQUEST, '"initialize" must not be part of a batch.'))
                else:
                    self._serve(exchange, message, now)
            elif isinstance(message, Notification):
                exchange.events.extend(self._cancelled(message, exchange.client.id, now))
        return exchange.reaction()

    def _post_stateless(self, arrival: Arrival, message: Optional[Message], now: float) -> Reaction:
        if message is None:
            sentence = "Batches are not part of this protocol version."
            return Reaction(_refusal(RpcError(INVALID_REQUEST, sentence, status=400), null_id=False))
        if not isinstance(message, Request):
            version = arrival.headers.get(VERSION_HEADER)
            if version is not None and version not in REVISIONS:
                return Reaction(_refusal(unsupported_version(version), null_id=False))
            return self._take_unanswered(message, arrival, None, now)
        try:
            metadata = read_metadata(arrival.headers, message)
        except RpcError as error:
            return Reaction(_refusal(error, message.id, null_id=False))
        client = self.registry.client_without_session(
            metadata.revision, arrival.token_name, metadata.client_name, metadata.client_version
        )
        self.registry.note_request(client, now)
        exchange = Exchange(
            metadata.revision,
            client,
            metadata=metadata,
            accepts_json=arrival.accepts_json,
            accepts_events=arrival.accepts_events,
            size=len(arrival.body),
        )
        self._serve(exchange, message, now)
        return exchange.reaction()

    def _take_unanswered(self, message: Message, arrival: Arrival, client_id: Optional[str], now: float) -> Reaction:
        """Accept a message that gets no result: 202, or 400 with the reason. Unknown notifications are accepted.

        `client_id` is None in the stateless revision, where a client cancels a call by closing the connection.
        """
        if isinstance(message, Fault):
            return Reaction(_refusal(message.error, message.id, null_id=client_id is not None))
        events: List[Event] = []
        if isinstance(message, Notification):
            logger.debug("received notification %.60r, %d bytes", message.method, len(arrival.body))
            if client_id is not None:
                events = self._cancelled(message, client_id, now)
        return Reaction(Answer(202, {}, b""), events)

    def _cancelled(self, message: Notification, client_id: str, now: float) -> List[Event]:
        if message.method != "notifications/cancelled":
            return []
        return self.registry.calls.cancel_request(client_id, message.params.get("requestId"), now)

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

    def finish(self, call: ToolCall, result: Optional[ToolResult], now: float) -> Reaction:
        """Answer a call with its result, or with an internal error if `result` is None (the log then has the reason).

        A result that comes after the call has ended is dropped.
        """
        ended = self.registry.calls.end(call, now)
        if ended is None:
            return Reaction(None)
        exchange, request_id = ended
        try:
            encoded = self.catalogue.outcome(call.name, result, exchange.stateless)
        except RpcError as error:
            exchange.refuse(request_id, error)
        else:
            exchange.answers.append(result_message(request_id, encoded))
        return exchange.settle()

    def say(self, call: ToolCall, method: str, params: Dict[str, Any]) -> Reaction:
        """Send a notification to the client of a call before its result.

        It is dropped if the client accepts no event stream or does not read the one it has: progress and log messages
        are optional (MCP basic/utilities/progress, server/utilities/logging).
        """
        exchange = self.registry.calls.find(call)
        if exchange is None:
            return Reaction(None)
        opened = exchange.open_stream(self.limits)
        if opened is not None:
            self.registry.register_stream(opened, exchange.session)
        stream = exchange.stream
        if stream is None or stream.outbox.full:
            return Reaction(opened)
        stream.outbox.add(exchange.message(notification_message(method, params)))
        return Reaction(opened, [Wake((stream,))])

    def connection_lost(self, calls: Iterable[ToolCall], now: float) -> List[Event]:
        """The connection on which these calls were to be answered was lost."""
        return self.registry.calls.connection_lost(calls, now)

    def stop(self, come_back_seconds: Optional[float] = None) -> List[Event]:
        """End every stream, subscriptions with their result. Sessions stay, for `SessionRegistry.export_state`.

        `come_back_seconds`: how long clients are told to wait before they reconnect.
        """
        for session in self.registry.all():
            if session.kind is SUBSCRIBER:
                for stream in session.streams.values():
                    end_subscription(self.catalogue, session, stream)
        return self.registry.stop(come_back_seconds)


def _refusal(error: RpcError, request_id: Optional[RequestId] = None, *, null_id: bool = True) -> Answer:
    return Answer(error.status or 400, JSON_TYPE, error_message(request_id, error, null_id=null_id))


def _unknown_session() -> Answer:
    return _refusal(RpcError(INVALID_REQUEST, UNKNOWN_SESSION, status=404))
