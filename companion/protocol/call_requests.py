"""What a `tools/call` asks for, checked against the catalogue.

Rule: a call that does not fit is refused before anybody is asked to carry it out, in the way that the client's revision
of MCP wants it. Implements MCP server/tools, "Calling Tools" and "Error Handling".
"""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Union

from .catalogue import Catalogue
from .jsonrpc import INVALID_PARAMS, RpcError
from .revisions import Revision

ProgressToken = Union[str, int, None]


class CallRequest(NamedTuple):
    """A checked call. `complaint` is a sentence for a result with `isError`, or None if the arguments fit."""

    name: str
    arguments: Dict[str, Any]
    progress_token: ProgressToken
    complaint: Optional[str]


def read_call(catalogue: Catalogue, revision: Revision, params: Dict[str, Any]) -> CallRequest:
    """Read the params of a `tools/call`. Raises `RpcError` for what is to be answered with an error."""
    name = params.get("name")
    if type(name) is not str:
        raise RpcError(INVALID_PARAMS, '"name" must be the name of a tool.')
    if name not in catalogue.tools:
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {name:.100}")
    arguments = params.get("arguments", {})
    if type(arguments) is not dict:
        raise RpcError(INVALID_PARAMS, '"arguments" must be an object.')
    complaint = catalogue.arguments.complaint(name, arguments)
    if complaint is not None:
        complaint = f"Invalid arguments for the tool {name}: {complaint}"
        if not revision.argument_errors_are_results:
            raise RpcError(INVALID_PARAMS, complaint)
    return CallRequest(name, arguments, _progress_token(params.get("_meta")), complaint)


def _progress_token(meta: object) -> ProgressToken:
    if not isinstance(meta, dict):
        return None
    token = meta.get("progressToken")
    return token if type(token) in (str, int) else None
