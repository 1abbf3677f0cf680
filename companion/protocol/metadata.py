"""Which revision of MCP a client speaks and what it says about itself: in `initialize`, or with each request.

Rules: the revisions are one table; code asks a revision for its features and never compares revision names. A request
is stateless if its header or its `_meta` says so. Header and body must then agree on version, method and name, because
an intermediary may have decided by the header alone. The refusal (HTTP status 400) names what is missing or different.
No tool of this server mirrors parameters into headers.
Implements MCP 2025-11-25, lifecycle "Initialization" and "Version Negotiation"; MCP 2026-07-28: basic "_meta",
versioning, transports/streamable-http "Request Metadata".
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, Dict, Mapping, NamedTuple, Optional, Tuple

from .jsonrpc import HEADER_MISMATCH, INVALID_PARAMS, UNSUPPORTED_PROTOCOL_VERSION, Request, RpcError


class Revision(NamedTuple):
    """One published revision."""

    name: str
    handshake: bool
    """It has `initialize` and sessions. Without, every request is self-contained and has its own metadata."""
    batches: bool
    """A POST may have an array of JSON-RPC messages (only 2025-03-26, "Sending Messages to the Server")."""
    primes_streams: bool
    """A stream begins with an event that has an id and empty data (2025-11-25, "Sending Messages to the Server", 6).
    Clients of earlier revisions try to parse the empty data as JSON and drop the connection."""
    argument_errors_are_results: bool
    """Invalid arguments are reported in a result with `isError`, which the model reads, not as a JSON-RPC error
    (2025-11-25, key changes, SEP-1303)."""


_ROWS = (
    #        name          handshake batches primes_streams argument_errors_are_results
    Revision("2026-07-28", False, False, False, True),
    Revision("2025-11-25", True, False, True, True),
    Revision("2025-06-18", True, False, False, False),
    Revision("2025-03-26", True, True, False, False),
    Revision("2024-11-05", True, False, False, False),
)

REVISIONS: Dict[str, Revision] = {row.name: row for row in _ROWS}
SUPPORTED: Tuple[str, ...] = tuple(REVISIONS)
"""Newest first."""
NEWEST_HANDSHAKE = REVISIONS["2025-11-25"]
ASSUMED = REVISIONS["2025-03-26"]
"""The revision of a request without session and `MCP-Protocol-Version` (2025-06-18, "Protocol Version Header")."""


# -- what clients say about themselves ---------------------------------------------------------------------------------

PREFIX = "io.modelcontextprotocol/"
VERSION_HEADER = "MCP-Protocol-Version"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""RFC 5424 severities, lowest first (server/utilities/logging). No log messages are sent."""


class Introduction(NamedTuple):
    """The revision that both sides speak from now on, or for one request, and who the client is."""

    revision: Revision
    client_name: str = ""
    client_version: str = ""


def read_handshake(params: Mapping[str, Any]) -> Introduction:
    """Read the parameters of `initialize`. Raises RpcError. The revision is the requested one if that is supported, or
    else the newest with a handshake (lifecycle, "Version Negotiation")."""
    version = params.get("protocolVersion", NEWEST_HANDSHAKE.name)
    information = params.get("clientInfo", {})
    if type(version) is not str:
        raise RpcError(INVALID_PARAMS, '"protocolVersion" must be a string.')
    if type(information) is not dict:
        raise RpcError(INVALID_PARAMS, '"clientInfo" must be an object.')
    revision = REVISIONS.get(version, NEWEST_HANDSHAKE)
    return Introduction(revision if revision.handshake else NEWEST_HANDSHAKE, *_identity(information))


def unsupported_version(requested: Any) -> RpcError:
    """The refusal of an unsupported version. It lists the supported ones."""
    data = {"supported": list(SUPPORTED), "requested": requested}
    return RpcError(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", data, status=400)


def is_stateless(header_version: Optional[str], request: Any) -> bool:
    """Is this message meant for a revision without sessions? Unknown versions count as such."""
    if header_version is not None:
        revision = REVISIONS.get(header_version)
        if revision is None or not revision.handshake:
            return True
    return isinstance(request, Request) and _meta(request).get(PREFIX + "protocolVersion") is not None


def _meta(request: Request) -> Dict[str, Any]:
    meta = request.params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def read_metadata(headers: Mapping[str, str], request: Request) -> Introduction:
    """Check a stateless request's metadata. Raises RpcError."""
    meta = _meta(request)
    header_version = headers.get(VERSION_HEADER)
    version = meta.get(PREFIX + "protocolVersion")
    if version is None:
        if header_version is not None and header_version not in REVISIONS:
            raise unsupported_version(header_version)
        raise _invalid(f'"_meta" must have "{PREFIX}protocolVersion".')
    if type(version) is not str:
        raise _invalid(f'"{PREFIX}protocolVersion" must be a string.')
    if header_version is None:
        raise _mismatch(f"the header {VERSION_HEADER} is missing")
    if header_version.strip() != version:
        raise _mismatch(f"the header {VERSION_HEADER} is not the version in the body")
    revision = REVISIONS.get(version)
    if revision is None or revision.handshake:
        raise unsupported_version(version)
    capabilities = meta.get(PREFIX + "clientCapabilities")
    if not isinstance(capabilities, dict):
        raise _invalid(f'"_meta" must have an object "{PREFIX}clientCapabilities".')
    information = meta.get(PREFIX + "clientInfo", {})
    if not isinstance(information, dict):
        raise _invalid(f'"{PREFIX}clientInfo" must be an object.')
    log_level = meta.get(PREFIX + "logLevel")
    if log_level is not None and log_level not in LOG_LEVELS:
        raise _invalid('"{}logLevel" must be one of {}.'.format(PREFIX, ", ".join(LOG_LEVELS)))
    _check_header(headers, "Mcp-Method", request.method, encodable=False)
    name = request.params.get("name")
    if request.method == "tools/call" and type(name) is str:
        _check_header(headers, "Mcp-Name", name, encodable=True)
    return Introduction(revision, *_identity(information))


def _identity(information: Mapping[str, Any]) -> Tuple[str, str]:
    """The name and version from `clientInfo`, each a short printable line; empty where there is none."""
    return _short(information.get("name")), _short(information.get("version"))


def _short(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    # It is shown in titles, in the status bar and in the log.
    return " ".join("".join(mark if mark.isprintable() else " " for mark in value[:100]).split())


def _invalid(sentence: str) -> RpcError:
    return RpcError(INVALID_PARAMS, sentence, status=400)


def _mismatch(what: str) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"Header mismatch: {what}.", status=400)


def _check_header(headers: Mapping[str, str], name: str, expected: str, encodable: bool) -> None:
    value = headers.get(name)
    if value is None:
        raise _mismatch(f"the header {name} is missing")
    value = value.strip(" \t")
    if encodable:
        value = _decoded(name, value)
    if value != expected:
        raise _mismatch(f"the header {name} does not match the body")


def _decoded(name: str, value: str) -> str:
    if not (value.startswith("=?base64?") and value.endswith("?=") and len(value) >= 11):
        return value
    try:
        return base64.b64decode(value[9:-2].encode("ascii"), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeError):
        raise _mismatch(f"the header {name} is not valid Base64 of UTF-8") from None
