"""Who may talk to the endpoint at all: pure decisions on three headers.

Rules: only a request addressed to this very machine and port is served, so that a web page cannot reach the endpoint
under a name of its own (DNS rebinding); a web page is refused even so; and whoever is left must show the token, which
is compared in constant time.
Implements MCP 2025-11-25, transports, "Security Warning"; RFC 6750 for the token.
"""

from __future__ import annotations

import hmac
import secrets
from typing import Mapping, Optional, Sequence

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
CONTAINER_NAME = "host.docker.internal"
"""How a client inside a container names the machine it runs on."""
CHALLENGE = 'Bearer realm="companion"'


_TOKEN_BYTES = 32  # 256 bits


def new_token() -> str:
    """A token that nobody can guess. Any thread."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def host_allowed(values: Sequence[str], port: Optional[int]) -> bool:
    """Is the `Host` header one value, a name of this machine with our port? Without a port: is it `localhost`?"""
    if len(values) != 1:
        return False
    if port is None:
        return values[0].strip().lower() == "localhost"
    name, _, given_port = values[0].strip().lower().rpartition(":")
    return given_port == str(port) and (name in LOOPBACK_NAMES or name == CONTAINER_NAME)


def origin_allowed(values: Sequence[str], port: Optional[int]) -> bool:
    """Is there no `Origin` header, or one that is the endpoint's own loopback origin? Without a port it has none."""
    if not values:
        return True
    if len(values) != 1 or port is None:
        return False
    scheme, separator, rest = values[0].strip().lower().partition("://")
    name, _, given_port = rest.rpartition(":")
    return scheme == "http" and bool(separator) and name in LOOPBACK_NAMES and given_port == str(port)


def bearer(value: Optional[str], tokens: Mapping[str, str]) -> Optional[str]:
    """The name of the token that an `Authorization` header shows, or None. `tokens` has the tokens by name.

    Takes the same time whatever the first wrong byte, and whichever of the tokens it is.
    """
    scheme, _, credentials = (value or "").strip().partition(" ")
    found = token_shown(credentials, tokens)
    return found if scheme.lower() == "bearer" else None


def token_shown(value: Optional[str], tokens: Mapping[str, str]) -> Optional[str]:
    """The name of the token that this is, or None. Takes the same time whatever is wrong with it."""
    shown = (value or "").strip().encode("utf-8", "surrogatepass")
    found = None
    for name, token in tokens.items():
        if hmac.compare_digest(shown, token.encode("utf-8")):
            found = name
    return found
