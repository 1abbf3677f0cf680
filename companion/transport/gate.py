"""Access control: every request passes it before anything else of the request is read.

Rule: `security` decides, this module makes the refusals. The log says who was refused and why, at a limited rate, so
that a client that keeps trying cannot fill it, and never which token was sent.
Implements RFC 6750, 3 (the `WWW-Authenticate` challenge).
"""

from __future__ import annotations

import logging
from typing import Mapping, Optional, Union

from aiohttp import hdrs, web
from multidict import istr

from .connections import Connection, closing
from .responses import WholeResponse, refusal
from .security import CHALLENGE, bearer, host_allowed, hosts_named, origin_allowed, token_shown

logger = logging.getLogger("gemini_companion.transport")
_WARNING_SECONDS = 60.0


class Gate:
    """Access control of one endpoint. Loop thread."""

    def __init__(self, tokens: Mapping[str, str], secret_header: str) -> None:
        """`secret_header`: where clients show a token; by itself, but in `Authorization` as a bearer token."""
        self.port: Optional[int] = 0
        """The endpoint's own; None if it listens on no port but in the file system, where no web page comes."""
        self._tokens = tokens
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
        name = bearer(shown, self._tokens) if self._is_bearer else token_shown(shown, self._tokens)
        if name is not None:
            connection: Connection = request.protocol
            if not connection.token_shown(self._tokens[name]):
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
        return closing(request, refusal(401, "A valid bearer token is required.", {"WWW-Authenticate": CHALLENGE}))
