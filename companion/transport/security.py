"""Who may talk to the endpoint at all: pure decisions on three headers.

Rules: only a request addressed to this very machine and port is served, so that a web page cannot reach the endpoint
under a name of its own (DNS rebinding); a web page is refused even so; and whoever is left must show the token, which
is compared in constant time.
Implements MCP 2025-11-25, transports, "Security Warning"; RFC 6750 for the token.
"""

from __future__ import annotations

import hmac
from typing import Optional, Sequence

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
CONTAINER_NAME = "host.docker.internal"
"""How a client inside a container names the machine it runs on."""
CHALLENGE = 'Bearer realm="companion"'

GRANTED, MISSING, WRONG = "granted", "missing", "wrong"


def host_allowed(values: Sequence[str], port: int) -> bool:
    """Is the `Host` header one value, a name of this machine with our port?"""
    if len(values) != 1:
        return False
    name, _, given_port = values[0].strip().lower().rpartition(":")
    return given_port == str(port) and (name in LOOPBACK_NAMES or name == CONTAINER_NAME)


def origin_allowed(values: Sequence[str], port: int) -> bool:
    """Is there no `Origin` header, or one that is the endpoint's own loopback origin?"""
    if not values:
        return True
    if len(values) != 1:
        return False
    scheme, separator, rest = values[0].strip().lower().partition("://")
    name, _, given_port = rest.rpartition(":")
    return scheme == "http" and bool(separator) and name in LOOPBACK_NAMES and given_port == str(port)


def bearer(value: Optional[str], token: str) -> str:
    """GRANTED, MISSING (no `Authorization` at all) or WRONG. Takes the same time whatever the token's first wrong
    byte."""
    if value is None:
        return MISSING
    scheme, _, credentials = value.strip().partition(" ")
    shown = credentials.strip().encode("utf-8", "surrogatepass")
    right = hmac.compare_digest(shown, token.encode("utf-8"))
    return GRANTED if right and scheme.lower() == "bearer" else WRONG
