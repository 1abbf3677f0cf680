"""Which requests are allowed: pure decisions on the headers `Host`, `Origin` and `Authorization`.

Rules: only requests addressed to this machine and port are served, so that a web page cannot reach the endpoint under a
domain of its own (DNS rebinding). Requests from web pages are refused in any case. All others need the token, which is
compared in constant time.
Implements MCP 2025-11-25, transports, "Security Warning"; RFC 6750, 2.1 (the bearer token); RFC 9112, 3.2.2.
"""

from __future__ import annotations

import functools
import hmac
import re
import secrets
from typing import Mapping, Optional, Sequence

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
CONTAINER_NAME = "host.docker.internal"
"""The name of the host machine inside a container."""
CHALLENGE = 'Bearer realm="companion"'


_TOKEN_BYTES = 32  # 256 bits


def new_token() -> str:
    """Generate a token that cannot be guessed. Any thread."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def hosts_named(target: str, values: Sequence[str]) -> Sequence[str]:
    """The hosts to which a request is addressed: what its target says in absolute form, whatever the `Host` header
    says (RFC 9112, 3.2.2), and otherwise the values of that header."""
    scheme, separator, rest = target.partition("://")
    if target.startswith("/") or not separator:
        return values
    if scheme.lower() != "http" or len(values) != 1:
        return ()
    return (re.split("[/?#]", rest, maxsplit=1)[0],)


def host_allowed(values: Sequence[str], port: Optional[int]) -> bool:
    """Is it one value, a name of this machine with our port? Without a port: is it `localhost`?"""
    return len(values) == 1 and _names_us(values[0], port)


@functools.lru_cache(maxsize=64)
def _names_us(value: str, port: Optional[int]) -> bool:
    if port is None:
        return value.strip().lower() == "localhost"
    name, _, given_port = value.strip().lower().rpartition(":")
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
    """The name of the token in an `Authorization` header, or None. `tokens` has the tokens by name.

    The time does not depend on the position of the first wrong byte, nor on which token matches.
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
