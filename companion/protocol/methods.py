"""What each request method does, and which methods exist in which era: two tables at the end.

Rules: a method gives the encoded result, or None if the result comes later; it refuses by raising RpcError and in no
other way; what it starts, it adds to the effects.
Implements the server's part of MCP: lifecycle, server/discover, server/tools, server/utilities/logging,
utilities/ping, and basic/patterns/subscriptions of 2026-07-28.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional

from .effects import CallTool, Effect, OpenStream
from .exchanges import EVENT_STREAM, Exchange
from .json_text import encode
from .jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    MISSING_CLIENT_CAPABILITY,
    Request,
    RpcError,
    notification_message,
    result_message,
)
from .metadata import PREFIX, check_parameter_headers, client_identity
from .outbox import Message
from .presence import SESSION_HEADER
from .revisions import NEWEST_HANDSHAKE, negotiate
from .sessions import Session
from .streams import SUBSCRIPTION, Stream
from .tools import LOG_LEVELS, Tool, ToolCall, error_result

if TYPE_CHECKING:
    from .core import Protocol

Method = Callable[["Protocol", Exchange, Request, List[Effect], float], Optional[bytes]]


def _initialize(core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> bytes:
    if exchange.session is not None:
        raise RpcError(INVALID_REQUEST, "This session is initialized already.", status=400)
    asked = request.params.get("protocolVersion", NEWEST_HANDSHAKE.name)
    information = request.params.get("clientInfo", {})
    if type(asked) is not str:
        raise RpcError(INVALID_PARAMS, '"protocolVersion" must be a string.')
    if type(information) is not dict:
        raise RpcError(INVALID_PARAMS, '"clientInfo" must be an object.')
    revision = negotiate(asked)
    session, opened = core.presence.open(client_identity(information), exchange.caller.token_name, revision, now)
    effects.extend(opened)
    exchange.extra_headers = {SESSION_HEADER: session.client.id}
    return core.catalogue.initialize[revision.name]


def _ping(core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> bytes:
    return b"{}"


def _set_log_level(core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> bytes:
    level = request.params.get("level")
    if level not in LOG_LEVELS:
        raise RpcError(INVALID_PARAMS, '"level" must be one of {}.'.format(", ".join(LOG_LEVELS)))
    if exchange.session is not None:
        exchange.session.log_level = level
    return b"{}"


def _list_tools(core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> bytes:
    if request.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Unknown cursor: all tools fit on one page.")
    return core.catalogue.stateless_tools_list if exchange.stateless else core.catalogue.tools_list


def _discover(core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> bytes:
    return core.catalogue.discover


def _call_tool(
    core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float
) -> Optional[bytes]:
    params = request.params
    name = params.get("name")
    if type(name) is not str:
        raise RpcError(INVALID_PARAMS, '"name" must be the name of a tool.')
    tool = core.catalogue.tools.get(name)
    if tool is None:
        raise RpcError(INVALID_PARAMS, "Unknown tool: {:.100}".format(name))
    arguments = params.get("arguments", {})
    if type(arguments) is not dict:
        raise RpcError(INVALID_PARAMS, '"arguments" must be an object.')
    session = exchange.session
    log_level = session.log_level if session is not None else None
    metadata = exchange.metadata
    if metadata is not None:
        check_parameter_headers(exchange.headers, core.catalogue.mirrored[name], arguments)
        _check_capabilities(tool, metadata.capabilities)
        log_level = metadata.log_level
    complaint = core.catalogue.arguments.complaint(name, arguments)
    if complaint is not None:
        sentence = "Invalid arguments for the tool {}: {}".format(name, complaint)
        if not exchange.revision.argument_errors_are_results:
            raise RpcError(INVALID_PARAMS, sentence)
        return core.catalogue.call_result(error_result(sentence), exchange.stateless)
    meta = params.get("_meta")
    token = meta.get("progressToken") if type(meta) is dict else None
    if type(token) is not str and type(token) is not int:
        token = None
    exchange.open_calls += 1
    if session is not None:
        session.requests += 1
    call = ToolCall(
        name, arguments, exchange.caller, token, request_id=request.id, exchange=exchange, log_level=log_level
    )
    effects.append(CallTool(call))
    return None


def _check_capabilities(tool: Tool, declared: Mapping[str, Any]) -> None:
    missing = {name: value for name, value in tool.required_capabilities.items() if name not in declared}
    if missing:
        sentence = "The tool {} needs a client capability that was not declared.".format(tool.name)
        raise RpcError(MISSING_CLIENT_CAPABILITY, sentence, {"requiredCapabilities": missing}, status=400)


def _subscribe(core: Protocol, exchange: Exchange, request: Request, effects: List[Effect], now: float) -> None:
    wanted = request.params.get("notifications")
    if type(wanted) is not dict:
        raise RpcError(INVALID_PARAMS, '"notifications" must be an object that names what to receive.', status=400)
    if not exchange.accepts_events:
        raise RpcError(INVALID_REQUEST, "A subscription needs Accept: text/event-stream.", status=406)
    session, opened = core.presence.subscriber(exchange.caller, exchange.revision, now)
    if session.open_streams() >= core.limits.streams_per_session:
        raise RpcError(INVALID_REQUEST, "Too many streams are open.", status=429)
    stream = exchange.stream = session.new_stream(SUBSCRIPTION)
    exchange.open_calls += 1  # Answered only by `end_subscription`.
    stream.filter = {name: True for name in core.subscribable if wanted.get(name) is True}
    stream.request_id = request.id
    acknowledged = {"_meta": {PREFIX + "subscriptionId": request.id}, "notifications": stream.filter}
    payload = notification_message("notifications/subscriptions/acknowledged", acknowledged)
    stream.outbox.add(Message(session.next_sequence(), payload, None))
    session.attach(stream, None)
    effects.append(OpenStream(exchange, stream, EVENT_STREAM))
    effects.extend(opened)


def end_subscription(core: Protocol, session: Session, stream: Stream) -> None:
    """Queue the result of a subscription's request, which is its graceful end ("Graceful Closure")."""
    result = encode(core.catalogue.subscription_end(stream.request_id))
    stream.outbox.add(Message(session.next_sequence(), result_message(stream.request_id, result), None))


HANDSHAKE_METHODS: Dict[str, Method] = {
    "initialize": _initialize,
    "ping": _ping,
    "logging/setLevel": _set_log_level,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
STATELESS_METHODS: Dict[str, Method] = {
    "server/discover": _discover,
    "subscriptions/listen": _subscribe,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}
