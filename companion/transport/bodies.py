"""Reads and decodes request bodies.

Rules: only uncompressed UTF-8 JSON is accepted. A missing `Content-Type` is refused, because web pages can omit it.
Size and time are limited whatever the header says; all bodies that are being read share one limit of bytes.
Implements RFC 9110, 8.3 (Content-Type), 8.4 (Content-Encoding) and 10.1.1 (Expect).
"""

from __future__ import annotations

import asyncio
from typing import Any, Awaitable, Callable, List, Mapping, Optional, Union

from aiohttp import StreamReader, hdrs, http_exceptions, web

from ..protocol.json_text import AT_ONCE_BYTES
from ..protocol.jsonrpc import read_value
from ..protocol.limits import Limits
from .connections import closing
from .responses import WholeResponse, refusal

InWorker = Callable[..., Awaitable[Any]]


async def in_default_executor(function: Callable[..., Any], *args: Any) -> Any:
    """Call the function on a thread of the event loop's own executor."""
    return await asyncio.get_running_loop().run_in_executor(None, function, *args)


def body_complaint(headers: Mapping[str, str]) -> Optional[str]:
    """None if the body may be read as UTF-8 JSON, or else a sentence for a 415."""
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
