"""What the MCP conformance suite asks of servers in general and the package has no use for, for the server under test.

Rule: the package's own code runs; methods are rows of its tables, and checks stand before its own. Nothing here is
shipped: no tool of the package mirrors parameters into headers or needs a capability, and it has no resources or
prompts.
Implements MCP 2026-07-28 (mirrored parameters, required capabilities, caching of what it lists).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple

from companion.protocol import core
from companion.protocol.catalogue import CACHE, CAPABILITIES
from companion.protocol.exchanges import Exchange
from companion.protocol.json_text import encode
from companion.protocol.jsonrpc import Request, RpcError
from companion.protocol.metadata import PREFIX, Introduction, _check_header, _decoded, _mismatch
from companion.protocol.metadata import read_metadata as own_check
from companion.protocol.methods import HANDSHAKE_METHODS, STATELESS_METHODS, Server
from companion.protocol.tools import Tool

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
            check_parameter_headers(headers, mirrored_parameters(schemas[name]), arguments)
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


def mirrored_parameters(schema: Dict[str, Any]) -> List[Tuple[str, Tuple[str, ...]]]:
    """(header name, path of the argument) for each parameter that the schema marks with `x-mcp-header`."""
    found: List[Tuple[str, Tuple[str, ...]]] = []
    pending: List[Tuple[Tuple[str, ...], Any]] = [((), schema)]
    while pending:
        path, schema = pending.pop()
        for name, part in schema.get("properties", {}).items():
            if isinstance(part, dict):
                if "x-mcp-header" in part:
                    found.append(("Mcp-Param-" + part["x-mcp-header"], path + (name,)))
                pending.append((path + (name,), part))
    return found


def check_parameter_headers(
    headers: Mapping[str, str], mirrored: List[Tuple[str, Tuple[str, ...]]], arguments: Mapping[str, Any]
) -> None:
    """Check that mirrored parameters and their headers agree. Raises RpcError."""
    for header, path in mirrored:
        value: Any = arguments
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if value is None:
            continue
        if isinstance(value, bool):
            _check_header(headers, header, "true" if value else "false", encodable=True)
        elif isinstance(value, int):
            _check_number(headers, header, value)
        elif isinstance(value, str):
            _check_header(headers, header, value, encodable=True)


def _check_number(headers: Mapping[str, str], name: str, expected: int) -> None:
    value = headers.get(name)
    if value is None:
        raise _mismatch(f"the header {name} is missing")
    try:
        matches = float(_decoded(name, value.strip(" \t"))) == expected
    except (ValueError, OverflowError):
        matches = False
    if not matches:
        raise _mismatch(f"the header {name} does not match the body")
