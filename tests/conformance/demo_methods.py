"""What the MCP conformance suite asks of servers in general and the package has no use for, for the server under test.

Rule: the package's own code runs; methods are rows of its tables, and checks stand before its own. Nothing here is
shipped: no tool of the package mirrors parameters into headers or needs a capability, and it has no resources or
prompts.
Implements MCP 2026-07-28 (mirrored parameters, required capabilities, caching of what it lists).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Mapping

from companion.protocol import core
from companion.protocol.core import HANDSHAKE_METHODS, STATELESS_METHODS, Server
from companion.protocol.exchanges import Exchange
from companion.protocol.jsonrpc import Request, RpcError, encode
from companion.protocol.metadata import PREFIX, Introduction, _check_header
from companion.protocol.metadata import read_metadata as own_check
from companion.protocol.tools import CACHE, CAPABILITIES, Tool

MISSING_CLIENT_CAPABILITY = -32021
RESOURCE = {"uri": "test://static-text", "name": "static text", "mimeType": "text/plain"}
LISTINGS: Dict[str, Dict[str, Any]] = {
    "prompts/list": {"prompts": []},
    "resources/list": {"resources": [RESOURCE]},
    "resources/templates/list": {"resourceTemplates": []},
    "resources/read": {"contents": [{"uri": RESOURCE["uri"], "text": "Static."}]},
}


def install(tools: Iterable[Tool], required_capabilities: Mapping[str, Dict[str, Any]]) -> None:
    """Add the methods and checks to the package's tables. `required_capabilities`: by the name of a tool."""
    schemas = {tool.name: tool.input_schema for tool in tools}

    def read_metadata(headers: Mapping[str, str], request: Request) -> Introduction:
        introduction = own_check(headers, request)
        name, arguments = request.params.get("name"), request.params.get("arguments", {})
        if request.method == "tools/call" and isinstance(name, str) and name in schemas and isinstance(arguments, dict):
            check_parameter_headers(headers, schemas[name], arguments)
            check_capabilities(required_capabilities.get(name, {}), request.params["_meta"])
        return introduction

    core.read_metadata = read_metadata  # type: ignore[attr-defined]  # the name by which the core calls it
    for method, result in LISTINGS.items():
        CAPABILITIES.setdefault(method.partition("/")[0], {})
        HANDSHAKE_METHODS[method] = _always(result, {})
        STATELESS_METHODS[method] = _always(result, CACHE)


def _always(result: Dict[str, Any], more: Dict[str, Any]) -> Callable[[Server, Exchange, Request, float], bytes]:
    def answer(server: Server, exchange: Exchange, request: Request, now: float) -> bytes:
        stateless = server.catalogue._stateless if exchange.stateless else {}
        return encode({**result, **stateless, **more})

    return answer


def check_capabilities(required: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
    """Raises RpcError if the client has not declared what the tool needs."""
    declared = meta[PREFIX + "clientCapabilities"]
    missing = {name: value for name, value in required.items() if name not in declared}
    if missing:
        sentence = "The tool needs a client capability that was not declared."
        raise RpcError(MISSING_CLIENT_CAPABILITY, sentence, {"requiredCapabilities": missing}, status=400)


def check_parameter_headers(
    headers: Mapping[str, str], schema: Mapping[str, Any], arguments: Mapping[str, Any]
) -> None:
    """Check that parameters which the schema mirrors with `x-mcp-header`, all of them texts, and their headers agree.

    Raises RpcError.
    """
    for name, part in schema.get("properties", {}).items():
        if "x-mcp-header" in part and isinstance(arguments.get(name), str):
            _check_header(headers, "Mcp-Param-" + part["x-mcp-header"], arguments[name], encodable=True)
