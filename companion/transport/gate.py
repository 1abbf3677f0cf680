"""Access control: every request passes it before anything else of the request is read.

Rules: only requests addressed to this machine and port are served, so that a web page cannot reach the endpoint under a
domain of its own (DNS rebinding). Requests from web pages are refused in any case. All others need the token, which is
compared in constant time. The log says who was refused and why, at a limited rate, so that a client that keeps trying
cannot fill it, and never which token was sent.
Implements MCP 2025-11-25, transports, "Security Warning"; RFC 6750, 2.1 (the bearer token) and 3 (the
`WWW-Authenticate` challenge); RFC 9112, 3.2.2.
"""

from __future__ import annotations

import functools
import hmac
import logging
import re
from typing import Mapping, Optional, Sequence, Union

from aiohttp import hdrs, web
from multidict import istr

from .connections import Connection, closing
from .responses import WholeResponse, refusal

logger = logging.getLogger("gemini_companion.transport")
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
CONTAINER_NAME = "host.docker.internal"
"""The name of the host machine inside a container."""
_CHALLENGE = 'Bearer realm="companion"'
_WARNING_SECONDS = 60.0


class Gate:
    """Access control of one endpoint. Loop thread."""

    def __init__(self, tokens: Mapping[str, str], secret_header: str) -> None:
        """`secret_header`: where clients show a token; by itself, but in `Authorization` as a bearer token."""
        self.port: Optional[int] = 0
        """The endpoint's own; None if it listens on no port but in the file system, where no web page comes."""
        self.tokens = tokens
        """Those that are taken, by name. What has been admitted may wait, for its body, say, until its own is not."""
        self._secret_header = istr(secret_header)
        self._is_bearer = self._secret_header == hdrs.AUTHORIZATION
        self._next_warning = 0.0

    def turned_away(self, request: web.BaseRequest) -> Optional[WholeResponse]:
        """The refusal of a request for another host, from a web page, or in a coding that is not understood (RFC 9112,
        6.1), or else None."""
        headers = request.headers
        if not host_allowed(hosts_named(request.raw_path, headers.getall(hdrs.HOST, ())), self.port):
            return closing(request, refusal(403, "The request does not name this endpoint as its host."))
        if not origin_allowed(headers.getall(hdrs.ORIGIN, ()), self.port):
            return closing(request, refusal(403, "Requests from web pages are refused."))
        codings = headers.getall(hdrs.TRANSFER_ENCODING, ())
        if codings and ",".join(codings).strip().lower() != "chunked":
            return closing(request, refusal(501, "No transfer coding but chunked is understood."))
        return None

    def admit(self, request: web.BaseRequest, now: float) -> Union[str, WholeResponse]:
        """The name of the request's token, or the refusal. `now` is in seconds of a monotonic clock."""
        headers = request.headers
        shown = headers.get(self._secret_header)
        name = bearer(shown, self.tokens) if self._is_bearer else token_shown(shown, self.tokens)
        if name is not None:
            connection: Connection = request.protocol
            if not connection.token_shown(self.tokens[name]):
                return closing(request, refusal(503, "Too many connections show this token.", {"Retry-After": "1"}))
            return name
        if now >= self._next_warning:
            self._next_warning = now + _WARNING_SECONDS
            if self._secret_header in headers:
                logger.warning("refused a client with a wrong token (%.80r)", headers.get("User-Agent", ""))
            else:
                logger.warning(
                    "refused a client without the header %s (%.80r): it is too old, update the CLI",
                    self._secret_header,
                    headers.get("User-Agent", ""),
                )
        if not self._is_bearer:
            return closing(request, refusal(401, f"The header {self._secret_header} does not show the secret."))
        return closing(request, refusal(401, "A valid bearer token is required.", {"WWW-Authenticate": _CHALLENGE}))


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
    own = [f"http://{name}:{port}" for name in LOOPBACK_NAMES if port is not None]
    return len(values) == 1 and values[0].strip().lower() in own


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
