"""What the server says about itself and its tools, encoded once.

Rules: tools are listed in the order in which they were declared. Nothing here depends on the client, so clients may
cache the answers of the stateless revision. A capability is declared only if it is implemented.
Implements MCP lifecycle (`initialize`), server/discover, server/tools ("Calling Tools", "Error Handling"), and
server/utilities/caching.
"""

from __future__ import annotations

import logging
from typing import Any, Dict, NamedTuple, Optional, Sequence

from .arguments import ArgumentChecker
from .json_text import encode
from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError
from .metadata import PREFIX
from .revisions import REVISIONS, SUPPORTED, Revision
from .tools import EMPTY, Implementation, Tool, ToolResult

logger = logging.getLogger("gemini_companion.protocol")

CAPABILITIES: Dict[str, Any] = {"tools": {"listChanged": False}, "logging": {}}
CACHE = {"ttlMs": 3600000, "cacheScope": "private"}
"""Tools change only with a new version of the package, which starts a new server on another port."""


class CallRequest(NamedTuple):
    """What a `tools/call` asks for. `complaint` is a sentence for a result with `isError`, or None if the arguments
    fit."""

    name: str
    arguments: Dict[str, Any]
    complaint: Optional[str]


class Catalogue:
    """The parts of answers that never change, encoded."""

    def __init__(self, tools: Sequence[Tool], identity: Implementation) -> None:
        self.tools: Dict[str, Tool] = {tool.name: tool for tool in tools}
        if len(self.tools) != len(tools):
            raise ValueError("two tools have the same name")
        self.arguments = ArgumentChecker(tools)
        described = identity._asdict()
        self._server_meta = {PREFIX + "serverInfo": described}
        self._stateless = {"resultType": "complete", "_meta": self._server_meta}
        listing = {"tools": [tool.listing() for tool in tools]}
        self.tools_list = encode(listing)
        self.stateless_tools_list = encode({**listing, **self._stateless, **CACHE})
        self.initialize: Dict[str, bytes] = {
            name: encode({"protocolVersion": name, "capabilities": CAPABILITIES, "serverInfo": described})
            for name, revision in REVISIONS.items()
            if revision.handshake
        }
        self.discover = encode(
            {"supportedVersions": list(SUPPORTED), "capabilities": CAPABILITIES, **self._stateless, **CACHE}
        )

        # The usual result: to encode it each time is an eighth of what the protocol does for a small call.
        self._empty = {stateless: self._encoded(EMPTY, stateless) for stateless in (False, True)}

    def read_call(self, revision: Revision, params: Dict[str, Any]) -> CallRequest:
        """Read the params of a `tools/call`. Raises `RpcError` for what the revision wants answered with an error."""
        name = params.get("name")
        if type(name) is not str:
            raise RpcError(INVALID_PARAMS, '"name" must be the name of a tool.')
        if name not in self.tools:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name:.100}")
        arguments = params.get("arguments", {})
        if type(arguments) is not dict:
            raise RpcError(INVALID_PARAMS, '"arguments" must be an object.')
        complaint = self.arguments.complaint(name, arguments)
        if complaint is not None:
            complaint = f"Invalid arguments for the tool {name}: {complaint}"
            if not revision.argument_errors_are_results:
                raise RpcError(INVALID_PARAMS, complaint)
        return CallRequest(name, arguments, complaint)

    def _encoded(self, result: ToolResult, stateless: bool) -> bytes:
        return encode({**result.fields(), **self._stateless} if stateless else result.fields())

    def outcome(self, tool_name: str, result: Optional[ToolResult], stateless: bool) -> bytes:
        """Encode what came of a call. `result` is None if the tool failed for a reason that is only in the log.

        Raises `RpcError` for what is to be answered with an error: a tool that failed, or a result that is not JSON.
        """
        if result is None:
            raise RpcError(INTERNAL_ERROR, f"The tool {tool_name} failed; the editor's log says why.")
        try:
            return self._empty[stateless] if result is EMPTY else self._encoded(result, stateless)
        except (TypeError, ValueError) as error:
            logger.warning("the tool %s gave a result that JSON cannot say: %s", tool_name, type(error).__name__)
            raise RpcError(INTERNAL_ERROR, "The tool gave a result that JSON cannot say.") from None

    def subscription_end(self, request_id: RequestId) -> bytes:
        """The result that ends a subscription (2026-07-28, "Graceful Closure")."""
        meta = {**self._server_meta, PREFIX + "subscriptionId": request_id}
        return encode({"resultType": "complete", "_meta": meta})
