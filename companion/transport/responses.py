"""Complete HTTP responses.

Rule: a refusal is JSON-RPC with a sentence that says what was wrong; no response names software or versions.
"""

from __future__ import annotations

from typing import Dict, Mapping, Optional

from aiohttp import web

from ..protocol.exchanges import JSON_TYPE
from ..protocol.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, RpcError, error_message

SERVER_NAME = "MCP"
"""Instead of what aiohttp would say about itself and Python."""


def respond(status: int, body: bytes, headers: Mapping[str, str]) -> web.Response:
    """A response with these bytes; an empty body means none."""
    response = web.Response(status=status, body=body or None, headers=headers)
    response.headers["Server"] = SERVER_NAME
    return response


def refusal(status: int, sentence: str, headers: Optional[Dict[str, str]] = None) -> web.Response:
    """A refusal before any message was read."""
    code = INTERNAL_ERROR if status >= 500 else INVALID_REQUEST
    return respond(status, error_message(None, RpcError(code, sentence)), {**JSON_TYPE, **(headers or {})})


def not_allowed(methods: str) -> web.Response:
    """405 with the methods that are allowed."""
    return refusal(405, "This method is not allowed here.", {"Allow": methods})
