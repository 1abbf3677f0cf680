"""What a client says in `initialize`: the revision it asks for and its name.

Implements MCP 2025-11-25, lifecycle "Initialization" and "Version Negotiation".
"""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple

from .jsonrpc import INVALID_PARAMS, RpcError
from .metadata import client_identity
from .revisions import NEWEST_HANDSHAKE, Revision, negotiate


class Handshake(NamedTuple):
    """The revision that both sides speak from now on, and who the client is."""

    revision: Revision
    client_name: str
    client_version: str


def read_handshake(params: Mapping[str, Any]) -> Handshake:
    """Read the parameters of `initialize`. Raises RpcError."""
    asked = params.get("protocolVersion", NEWEST_HANDSHAKE.name)
    information = params.get("clientInfo", {})
    if type(asked) is not str:
        raise RpcError(INVALID_PARAMS, '"protocolVersion" must be a string.')
    if type(information) is not dict:
        raise RpcError(INVALID_PARAMS, '"clientInfo" must be an object.')
    return Handshake(negotiate(asked), *client_identity(information))
