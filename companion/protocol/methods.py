"""What each request method does. Two tables at the end list the methods with sessions and those of stateless MCP.

Rules: a method returns the encoded result, or None if the result comes later. It refuses a request by raising RpcError
and in no other way. It adds to the exchange whatever it starts.
Implements the server's part of MCP: lifecycle, server/discover, server/tools, server/utilities/logging,
utilities/ping, and basic/patterns/subscriptions of 2026-07-28.
"""

from __future__ import annotations

from typing import Callable, Dict, NamedTuple, Optional, Tuple

from .catalogue import Catalogue
from .effects import ToolsListed
from .exchanges import Exchange
from .jsonrpc import INVALID_PARAMS, INVALID_REQUEST, Request, RpcError, notification_message
from .metadata import LOG_LEVELS, PREFIX, read_handshake
from .session_registry import SESSION_HEADER, SessionRegistry
from .tools import ToolCall, error_result


class Server(NamedTuple):
    """What the methods have access to."""

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


def _ping(server: Server, exchange: Exchange, request: Request, now: float) -> bytes:
    return b"{}"


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


def _discover(server: Server, exchange: Exchange, request: Request, now: float) -> bytes:
    return server.catalogue.discover


def _call_tool(server: Server, exchange: Exchange, request: Request, now: float) -> Optional[bytes]:
    session = exchange.session
    if session is not None and not session.is_initialized:
        raise RpcError(INVALID_REQUEST, "Initialize first.")
    asked = server.catalogue.read_call(exchange.revision, request.params)
    if asked.complaint is not None:
        return server.catalogue.outcome(asked.name, error_result(asked.complaint), exchange.stateless)
    connection = exchange.connection
    if connection is not None and connection.requests >= server.registry.limits.calls_per_connection:
        raise RpcError(INVALID_REQUEST, "Too many calls wait for their results.")
    server.registry.calls.begin(ToolCall(asked.name, asked.arguments, exchange.client), exchange, request.id)
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
