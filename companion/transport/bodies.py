"""Request bodies: may this one be read, and what does it hold?

Rules: only identity-encoded UTF-8 JSON comes in, and a missing `Content-Type` is refused, because web pages can leave
it out; no more is read than the bound, whatever the header says, and for no longer than the time bound.
Implements RFC 9110, 8.3, 8.4 and 10.1.1.
"""

from __future__ import annotations

import asyncio
from typing import List, Mapping, Optional, Union

from aiohttp import StreamReader, http_exceptions, web

from ..protocol.limits import Limits
from .responses import closing, refusal, too_large


def body_complaint(headers: Mapping[str, str]) -> Optional[str]:
    """None if the body may be read as UTF-8 JSON, else a sentence for a 415."""
    content_type = headers.get("Content-Type")
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
    encoding = headers.get("Content-Encoding")
    if encoding is not None and encoding.strip().lower() not in ("", "identity"):
        return "The body must not be compressed."
    return None


async def read_body(request: web.BaseRequest, limits: Limits) -> Union[bytes, web.Response]:
    """The body's bytes, or the response that refuses it: 413 or 408."""
    most = limits.body_bytes
    length = request.content_length
    if length is not None and length > most:
        return too_large(most)
    content = request.content
    if content.is_eof():  # It came in one piece with the header, as small ones do.
        body = content.read_nowait(-1)
        return body if len(body) <= most else too_large(most)
    if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    try:
        return await asyncio.wait_for(_read_up_to(content, most), limits.request_seconds)
    except (ConnectionError, web.RequestPayloadError, http_exceptions.HttpProcessingError):
        return closing(refusal(400, "The body broke off."))
    except asyncio.TimeoutError:
        return closing(refusal(408, "The body took too long."))


async def _read_up_to(content: StreamReader, most: int) -> Union[bytes, web.Response]:
    parts: List[bytes] = []
    size = 0
    while True:
        part = await content.readany()
        if not part:
            return b"".join(parts)
        size += len(part)
        if size > most:
            return too_large(most)
        parts.append(part)
