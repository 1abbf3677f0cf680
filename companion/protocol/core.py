"""The protocol, all of it together: requests in, effects out.

Rules: nothing a client sends raises; every request is answered once and only to its sender; a message that is not a
request is never answered with a result; time comes in as an argument. What a request's method does stands in `methods`,
who listens in `presence`.
Implements MCP 2024-11-05 to 2025-11-25 (sessions) and 2026-07-28 (stateless) over Streamable HTTP.
"""

from __future__ import annotations

import logging
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence

from .catalogue import Catalogue, FixedMethod
from .effects import Answer, Effect, Wake
from .exchanges import JSON_TYPE, Exchange
from .json_text import NotJson, TooDeep, TooManyValues, decode
from .jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    Message,
    Notification,
    Request,
    RpcError,
    error_message,
    notification_message,
    read_message,
    result_message,
)
from .limits import Limits
from .metadata import VERSION_HEADER, Metadata, is_stateless, read_metadata, unsupported_version
from .methods import HANDSHAKE_METHODS, STATELESS_METHODS, end_subscription
from .notices import Translate
from .presence import SESSION_HEADER, UNKNOWN_SESSION, Presence
from .revisions import ASSUMED, REVISIONS
from .sessions import MCP, SUBSCRIBER
from .tools import ClientSession, Implementation, Tool, ToolCall, ToolResult

logger = logging.getLogger("gemini_companion.protocol")


class Arrival(NamedTuple):
    """A POST as it came in. `headers` is looked up without regard to case."""

    headers: Mapping[str, str]
    body: bytes
    accepts_json: bool = True
    accepts_events: bool = True
    token_name: str = ""
    decoded: Optional[Callable[[], Any]] = None
    """Gives what `decode` gives for the body, or raises what it raises, if another thread has done that already."""


class Protocol:
    """The server side of one endpoint. Not safe for threads: use it from one."""

    def __init__(
        self,
        tools: Sequence[Tool],
        identity: Implementation,
        *,
        limits: Limits = Limits(),
        instructions: Optional[str] = None,
        translate: Optional[Translate] = None,
        subscribable: Sequence[str] = (),
        fixed_methods: Optional[Mapping[str, FixedMethod]] = None,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        """`subscribable`: notification methods that stateless clients may ask for by name. `fixed_methods`: further
        methods that are answered from memory, such as `resources/list`; each takes the params and gives the result."""
        self.limits = limits
        self.catalogue = Catalogue(tools, identity, instructions, fixed_methods)
        self.presence = Presence(limits, translate, wall_clock)
        self.subscribable = tuple(subscribable)

    def post(self, arrival: Arrival, now: float) -> List[Effect]:
        """Read a POST to the MCP endpoint. `now` in seconds of any steady clock."""
        headers = arrival.headers
        version = headers.get(VERSION_HEADER)
        try:
            if arrival.decoded is not None:
                value = arrival.decoded()
            else:
                value = decode(arrival.body, self.limits.nesting, self.limits.values)
        except NotJson as error:
            return [_refusal(RpcError(PARSE_ERROR, "Parse error: {}.".format(error), status=400))]
        except TooDeep:
            sentence = "The message is nested deeper than {} levels.".format(self.limits.nesting)
            return [_refusal(RpcError(INVALID_REQUEST, sentence, status=400))]
        except TooManyValues:
            sentence = "The message holds more than {} values.".format(self.limits.values)
            return [_refusal(RpcError(INVALID_REQUEST, sentence, status=400))]
        message = None if type(value) is list else read_message(value)
        if is_stateless(version, message):
            return self._post_stateless(arrival, message, now)
        session = None
        session_id = headers.get(SESSION_HEADER)
        if session_id is not None:
            session = self.presence.find(session_id)
            if session is None:
                return [_unknown_session()]
            session.last_seen = now
        revision = session.revision if session is not None else (ASSUMED if version is None else REVISIONS[version])
        caller = session.client if session is not None else _nobody(revision.name, arrival.token_name, self.presence)
        exchange = Exchange(
            headers,
            revision,
            caller,
            session,
            accepts_json=arrival.accepts_json,
            accepts_events=arrival.accepts_events,
            size=len(arrival.body),
        )
        if message is None:
            return self._post_batch(exchange, value, now)
        if not isinstance(message, Request):
            return _settle_unanswered(message, arrival)
        effects: List[Effect] = []
        self._serve(exchange, message, effects, now)
        return effects + exchange.settle()

    def _post_batch(self, exchange: Exchange, values: List[Any], now: float) -> List[Effect]:
        if not exchange.revision.batches:
            sentence = "Batches are not part of MCP {}.".format(exchange.revision.name)
            return [_refusal(RpcError(INVALID_REQUEST, sentence, status=400))]
        if not 0 < len(values) <= self.limits.batch_messages:
            sentence = "A batch must hold 1 to {} messages.".format(self.limits.batch_messages)
            return [_refusal(RpcError(INVALID_REQUEST, sentence, status=400))]
        exchange.batch = True
        effects: List[Effect] = []
        for value in values:
            message = read_message(value)
            if isinstance(message, Fault):
                exchange.refuse(message.id, message.error)
            elif isinstance(message, Request):
                if message.method == "initialize":
                    exchange.refuse(message.id, RpcError(INVALID_REQUEST, '"initialize" must not be part of a batch.'))
                else:
                    self._serve(exchange, message, effects, now)
        return effects + exchange.settle()

    def _post_stateless(self, arrival: Arrival, message: Optional[Message], now: float) -> List[Effect]:
        if message is None:
            sentence = "Batches are not part of this protocol version."
            return [_refusal(RpcError(INVALID_REQUEST, sentence, status=400), null_id=False)]
        if not isinstance(message, Request):
            version = arrival.headers.get(VERSION_HEADER)
            if version is not None and version not in REVISIONS:
                return [_refusal(unsupported_version(version), null_id=False)]
            return _settle_unanswered(message, arrival, null_id=False)
        try:
            metadata = read_metadata(arrival.headers, message)
        except RpcError as error:
            return [_refusal(error, message.id, null_id=False)]
        caller = _stateless_caller(metadata, arrival.token_name, self.presence)
        exchange = Exchange(
            arrival.headers,
            metadata.revision,
            caller,
            metadata=metadata,
            accepts_json=arrival.accepts_json,
            accepts_events=arrival.accepts_events,
            size=len(arrival.body),
        )
        effects: List[Effect] = []
        self._serve(exchange, message, effects, now)
        return effects + exchange.settle()

    def _serve(self, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> None:
        """Answer a request or begin its call. The one place that turns RpcError into an answer."""
        if logger.isEnabledFor(logging.DEBUG):
            name, batch = exchange.caller.client_name or "a client", " in a batch" if exchange.batch else ""
            logger.debug("received request %.60r from %.80r, %d bytes%s", request.method, name, exchange.size, batch)
        try:
            result = self._result(exchange, request, effects, now)
        except RpcError as error:
            exchange.refuse(request.id, error)
            return
        if result is not None:
            exchange.answers.append(result_message(request.id, result))

    def _result(self, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> Optional[bytes]:
        method = (STATELESS_METHODS if exchange.stateless else HANDSHAKE_METHODS).get(request.method)
        if method is not None:
            return method(self, exchange, request, effects, now)
        fixed = self.catalogue.fixed_result(request.method, request.params, exchange.stateless)
        if fixed is None:
            status = 404 if exchange.stateless else None
            raise RpcError(METHOD_NOT_FOUND, "Method not found: {:.100}".format(request.method), status=status)
        return fixed

    def finish(self, call: ToolCall, result: Optional[ToolResult], now: float) -> List[Effect]:
        """Take a call's result; None if the tool failed for a reason that is only in the log."""
        exchange: Exchange = call.exchange
        exchange.open_calls -= 1
        if exchange.session is not None:
            exchange.session.requests -= 1
            exchange.session.last_seen = now
        try:
            if result is None:
                raise RpcError(INTERNAL_ERROR, "The tool {} failed; the editor's log says why.".format(call.name))
            encoded = self.catalogue.call_result(result, exchange.stateless)
        except RpcError as error:
            exchange.refuse(call.request_id, error)
        except (TypeError, ValueError) as error:
            logger.warning("the tool %s gave a result that JSON cannot say: %s", call.name, type(error).__name__)
            exchange.refuse(call.request_id, RpcError(INTERNAL_ERROR, "The tool gave a result that JSON cannot say."))
        else:
            exchange.answers.append(result_message(call.request_id, encoded))
        return exchange.settle()

    def say(self, call: ToolCall, method: str, params: Dict[str, Any]) -> List[Effect]:
        """Send a notification to the caller before its result. Dropped if the caller takes no event stream, or reads
        none: what comes before a result is never more than a courtesy."""
        exchange: Exchange = call.exchange
        effects = exchange.open_stream(self.limits)
        if exchange.stream is None or exchange.stream.outbox.full:
            return effects
        exchange.stream.outbox.add(exchange.message(notification_message(method, params)))
        effects.append(Wake(exchange.stream))
        return effects

    def close_early(self, call: ToolCall) -> List[Effect]:
        """End the call's response stream; the client fetches the rest with `Last-Event-ID` (2025-11-25)."""
        exchange: Exchange = call.exchange
        if exchange.session is None or not exchange.revision.primes_streams:
            return []
        effects = exchange.open_stream(self.limits)
        if exchange.stream is not None:
            exchange.stream.closing = True
            effects.append(Wake(exchange.stream))
        return effects

    def stop(self, come_back_seconds: Optional[float] = None) -> List[Effect]:
        """End every stream, subscriptions with their result. Sessions stay, for `Presence.export_state`."""
        effects: List[Effect] = []
        for session in self.presence.all():
            for stream in session.streams.values():
                if session.kind == SUBSCRIBER:
                    end_subscription(self, session, stream)
                if stream.open:
                    if come_back_seconds is not None and session.kind == MCP:
                        stream.part(come_back_seconds)
                    stream.closing = True
                    effects.append(Wake(stream))
        return effects


def _settle_unanswered(message: Message, arrival: Arrival, *, null_id: bool = True) -> List[Effect]:
    """A message that gets no result: 202, or 400 with what is wrong. Unknown notifications are fine."""
    if isinstance(message, Fault):
        return [_refusal(message.error, message.id, null_id=null_id)]
    if isinstance(message, Notification) and logger.isEnabledFor(logging.DEBUG):
        logger.debug("received notification %.60r, %d bytes", message.method, len(arrival.body))
    return [Answer(202, {}, b"")]


def _refusal(error: RpcError, request_id: Any = None, *, null_id: bool = True) -> Answer:
    return Answer(error.status or 400, JSON_TYPE, error_message(request_id, error, null_id=null_id))


def _unknown_session() -> Answer:
    return _refusal(RpcError(INVALID_REQUEST, UNKNOWN_SESSION, status=404))


def _nobody(protocol_version: str, token_name: str, presence: Presence) -> ClientSession:
    return ClientSession("stateless", "", "", protocol_version, presence.wall_clock(), token_name)


def _stateless_caller(metadata: Metadata, token_name: str, presence: Presence) -> ClientSession:
    """A client without a session is known by what it says of itself and by the token it shows."""
    name, version = metadata.client_name, metadata.client_version
    caller_id = "stateless:{}:{}/{}".format(token_name, name, version)
    return ClientSession(caller_id, name, version, metadata.revision.name, presence.wall_clock(), token_name)
