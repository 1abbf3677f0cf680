"""Complete HTTP responses, each written at once, and which of the two media types the client accepts.

Rules: a missing `Accept` allows everything. A refusal is a JSON-RPC error with a sentence that gives the reason. No
response names software or versions. Header and body are written together: two writes take a quarter of the processor
time of a small call.
Implements RFC 9110, 6.6.1 (Date), 8.6 (Content-Length), 9.3.2 (HEAD) and, as far as two media types need it, 12.5.1
(Accept); RFC 9112, 9.3 (persistence).
"""

from __future__ import annotations

import functools
import http
import re
import time
from email.utils import formatdate
from typing import Any, Dict, Mapping, Optional, Tuple

from aiohttp import hdrs, web
from multidict import CIMultiDictProxy

from ..protocol.exchanges import JSON_TYPE
from ..protocol.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, RpcError, error_message

SERVER_NAME = "MCP"
"""Replaces aiohttp's, which names the versions of aiohttp and Python."""

_STATUS_LINES = {int(one): f"HTTP/1.1 {int(one)} {one.phrase}\r\n" for one in http.HTTPStatus}
_CONNECTION_LINES = {True: "Connection: keep-alive\r\n", False: "Connection: close\r\n"}
_NEVER = re.compile(r";\s*q\s*=\s*0(\.0*)?\s*(;|$)")
_LAST_LINE = f"Server: {SERVER_NAME}\r\n\r\n"


class WholeResponse:
    """A response whose bytes are all known, with the interface that aiohttp's connection needs. Loop thread."""

    __slots__ = ("_closing", "_writer", "body", "headers", "keep_alive", "status")

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.status = status
        self.body = body
        self.headers = headers
        self.keep_alive = False
        """Does the connection stay open for another request? Known once the response is written."""
        self._closing = False
        self._writer: Any = None

    def force_close(self) -> None:
        """Close the connection after this response."""
        self._closing = True

    async def prepare(self, request: web.BaseRequest) -> None:
        """Write the response. Raises ConnectionResetError if the connection was lost."""
        transport = request.transport
        if transport is None:
            raise ConnectionResetError("the connection was lost")
        self.keep_alive = request.keep_alive and not self._closing
        head = self._head(request.version < (1, 1))
        transport.write(head if request.method == "HEAD" else head + self.body)
        self._writer = request.writer

    async def write_eof(self) -> None:
        """Wait until the write buffer is small enough."""
        await self._writer.drain()

    def _head(self, is_old: bool) -> bytes:
        fields = "".join(map(_field, self.headers, self.headers.values()))
        length = "" if self.status == 204 else f"Content-Length: {len(self.body)}\r\n"
        connection = "" if self.keep_alive and not is_old else _CONNECTION_LINES[self.keep_alive]
        return (
            f"{_STATUS_LINES[self.status]}{fields}{length}{connection}{_date_line(int(time.time()))}{_LAST_LINE}"
        ).encode("latin-1")


@functools.lru_cache(maxsize=64)
def _field(name: str, value: str) -> str:
    """A field of the header. Raises ValueError if it would be more."""
    if "\n" in value or "\r" in value:
        raise ValueError("a header must be one line")
    return f"{name}: {value}\r\n"


@functools.lru_cache(maxsize=1)
def _date_line(now: int) -> str:
    """The field for this second since the epoch."""
    return f"Date: {formatdate(now, usegmt=True)}\r\n"


def refusal(status: int, sentence: str, headers: Optional[Dict[str, str]] = None) -> WholeResponse:
    """A refusal of a request whose JSON-RPC message was not read."""
    code = INTERNAL_ERROR if status >= 500 else INVALID_REQUEST
    return WholeResponse(status, error_message(None, RpcError(code, sentence)), {**JSON_TYPE, **(headers or {})})


def not_allowed(methods: str) -> WholeResponse:
    """405 with the methods that are allowed."""
    return refusal(405, "This method is not allowed here.", {"Allow": methods})


def accepted(headers: CIMultiDictProxy[str]) -> Tuple[bool, bool]:
    """Whether the `Accept` headers allow (JSON, event streams)."""
    return _accepted(",".join(headers.getall(hdrs.ACCEPT, ())))


@functools.lru_cache(maxsize=64)
def _accepted(value: str) -> Tuple[bool, bool]:
    kinds = {part.partition(";")[0].strip() for part in value.lower().split(",") if not _NEVER.search(part)}
    anything = not value or "*/*" in kinds
    return (
        anything or not kinds.isdisjoint(("application/json", "application/*")),
        anything or not kinds.isdisjoint(("text/event-stream", "text/*")),
    )
