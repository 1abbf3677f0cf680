"""What passes before a request is handled: access control, and then the reading of its body.

Rules of access, before anything else of the request is read: only requests addressed to this machine and port are
served, so that a web page cannot reach the endpoint under a domain of its own (DNS rebinding). Requests from web pages
are refused in any case. All others need the token, which is compared in constant time. The log says who was refused and
why, at a limited rate, so that a client that keeps trying cannot fill it, and never which token was sent.

Rules of bodies: only uncompressed UTF-8 JSON is accepted. A missing `Content-Type` is refused, because web pages can
omit it. Size and time are limited whatever the header says; all bodies that are being read share one limit of bytes.
Implements MCP 2025-11-25, transports, "Security Warning"; RFC 6750, 2.1 (the bearer token) and 3 (the
`WWW-Authenticate` challenge); RFC 9112, 3.2.2; RFC 9110, 8.3 (Content-Type), 8.4 (Content-Encoding) and 10.1.1
(Expect).
"""

from __future__ import annotations

import asyncio
import functools
import hmac
import logging
import re
from typing import Any, Awaitable, Callable, List, Mapping, Optional, Sequence, Union

from aiohttp import StreamReader, hdrs, http_exceptions, web
from multidict import istr

from ..protocol.jsonrpc import AT_ONCE_BYTES, read_value
from ..protocol.limits import Limits
from .connections import Connection, LetIn, closing
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
        """The valid tokens by name. A token may become invalid while an admitted request still waits for its body."""
        self._secret_header = istr(secret_header)
        self._is_bearer = self._secret_header == hdrs.AUTHORIZATION
        self._next_warning = 0.0

    def let_in_again(self, request: web.BaseRequest) -> Optional[str]:
        """The name of the request's token if its headers are, letter by letter, those that its connection was let in
        with before, and that token is still taken. None: `turned_away` and `admit` have to judge it."""
        connection: Connection = request.protocol
        former, headers = connection.let_in, request.headers
        if former is None or not request.raw_path.startswith("/") or hdrs.TRANSFER_ENCODING in headers:
            return None
        secrets = headers.getall(self._secret_header, ())
        if headers.getall(hdrs.HOST, ()) != former.hosts or headers.getall(hdrs.ORIGIN, ()) != former.origins:
            return None
        if len(secrets) != 1 or not secrets[0].isascii() or not hmac.compare_digest(secrets[0], former.secret):
            return None
        return former.name if self.tokens.get(former.name) == former.token else None

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
            if not connection.token_shown():
                return closing(request, refusal(503, "Too many connections are open.", {"Retry-After": "1"}))
            if shown is not None and shown.isascii():
                hosts, origins = headers.getall(hdrs.HOST, ()), headers.getall(hdrs.ORIGIN, ())
                connection.let_in = LetIn(hosts, origins, shown, name, self.tokens[name])
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


# -- bodies ------------------------------------------------------------------------------------------------------------

InWorker = Callable[..., Awaitable[Any]]


async def in_default_executor(function: Callable[..., Any], *args: Any) -> Any:
    """Call the function on a thread of the event loop's own executor."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


def body_complaint(headers: Mapping[str, str]) -> Optional[str]:
    """Return a sentence for a 415, or None if the body may be read as UTF-8 JSON."""
    content_type = headers.get(hdrs.CONTENT_TYPE)
    if content_type != "application/json":
        if content_type is None:
            return "The header Content-Type is missing: send application/json."
        media_type, _, parameters = content_type.lower().partition(";")
        if media_type.strip() != "application/json":
            return "The body must be application/json."
        for parameter in parameters.split(";"):
            name, _, value = parameter.partition("=")
            if name.strip() == "charset" and value.strip(' "') not in ("utf-8", "utf8"):
                return "The body must be UTF-8."
    encoding = headers.get(hdrs.CONTENT_ENCODING)
    if encoding is not None and encoding.strip().lower() not in ("", "identity"):
        return "The body must not be compressed."
    return None


class Bodies:
    """The bodies that one endpoint is reading. Loop thread."""

    def __init__(self, in_worker: InWorker) -> None:
        """`in_worker` calls a function on a worker thread."""
        self._in_worker = in_worker
        self._held = 0
        """Bytes of the bodies in memory that are incomplete or being decoded."""

    async def read(self, request: web.BaseRequest, limits: Limits) -> Union[bytes, WholeResponse]:
        """The body once it has come, or the response that refuses it: 400, 408, 413 or 503."""
        most = limits.body_bytes
        content: StreamReader = request.content
        if content.is_eof():  # it came together with the header, as small bodies do
            body: bytes = content.read_nowait(-1)
            return body if len(body) <= most else _too_large(request, most)
        length = request.content_length
        if length is not None and length > most:
            return _too_large(request, most)
        if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            return await asyncio.wait_for(self._read_up_to(request, limits), limits.request_seconds)
        except (ConnectionError, web.RequestPayloadError, http_exceptions.HttpProcessingError):
            return closing(request, refusal(400, "The body broke off."))
        except asyncio.TimeoutError:
            return closing(request, refusal(408, "The body took too long."))

    async def decode(self, body: bytes, limits: Limits) -> Any:
        """The value of a body; one of more than `AT_ONCE_BYTES` is decoded on a worker thread. Raises RpcError."""
        if len(body) <= AT_ONCE_BYTES:
            return read_value(body, limits)
        self._held += len(body)
        try:
            return await self._in_worker(read_value, body, limits)
        finally:
            self._held -= len(body)

    async def _read_up_to(self, request: web.BaseRequest, limits: Limits) -> Union[bytes, WholeResponse]:
        content: StreamReader = request.content
        parts: List[bytes] = []
        size = 0
        try:
            while True:
                part = await content.readany()
                if not part:
                    return b"".join(parts)
                size += len(part)
                if size > limits.body_bytes:
                    return _too_large(request, limits.body_bytes)
                self._held += len(part)
                parts.append(part)
                # A body that is read alone may always be completed.
                if self._held > limits.body_bytes * limits.bodies_at_once and self._held > size:
                    sentence = "Too many large requests are being read."
                    return closing(request, refusal(503, sentence, {"Retry-After": "1"}))
        finally:
            self._held -= size if size <= limits.body_bytes else size - len(part)


def _too_large(request: web.BaseRequest, most: int) -> WholeResponse:
    """413; the connection is closed, because the rest of the body is not read."""
    return closing(request, refusal(413, f"The body is larger than {most} bytes."))
