"""A real server on a real socket, and clients that behave or do not.

Every test is one coroutine under a time limit. Afterwards nothing may be left: no task, no open connection, no logged
error, no token and no text in the log.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple

import aiohttp
import pytest

from companion.agents.ide_companion import IDE_COMPANION
from companion.protocol.limits import Limits
from companion.protocol.serving import Hooks
from companion.protocol.tools import EMPTY, Implementation, ToolCall, ToolResult, text_result
from companion.transport.server import CompanionServer
from tests.host.waiting import comes_true, ends
from tests.support.raw_requests import request_head

TOKEN = "a-token-that-must-never-be-logged-0123456789"
SECRET = "geheim"
"""Stands for selected text or file content: a test that sends it checks that no log has it."""
IDENTITY = Implementation("gemini-companion", "Gemini Companion", "0")


class Served:
    """A running server with what it told the application."""

    def __init__(self, limits: Limits, call_tool: Optional[Callable[[ToolCall], Awaitable[ToolResult]]]) -> None:
        self.opened: List[Any] = []
        self.closed: List[Any] = []
        self.calls: List[ToolCall] = []
        self.changed = asyncio.Event()
        self._call_tool = call_tool
        self.server = self.make(limits)
        self.port = 0

    def make(self, limits: Limits) -> CompanionServer:
        """A server that tells this object what happens."""
        hooks = Hooks(self._call, self._opened, self._closed)
        return CompanionServer(IDE_COMPANION, {"": TOKEN}, hooks, identity=IDENTITY, limits=limits)

    async def _call(self, call: ToolCall) -> ToolResult:
        self.calls.append(call)
        if self._call_tool is not None:
            return await self._call_tool(call)
        return text_result(json.dumps({"content": None})) if call.name == "closeDiff" else EMPTY

    def _opened(self, client: Any) -> None:
        self.opened.append(client)
        self.changed.set()

    def _closed(self, client: Any) -> None:
        self.closed.append(client)
        self.changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds."""
        await comes_true(condition)

    @property
    def url(self) -> str:
        """The MCP endpoint."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def client(self, name: str = "client", revision: str = "2025-06-18") -> Client:
        """A well-behaved MCP client."""
        return Client(self, name, revision)

    async def raw(self, data: bytes, *, read: bool = True) -> Tuple[int, Dict[str, str], bytes]:
        """Send bytes on a fresh connection; status, headers (lower case) and body of the first answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            return await read_response(reader)
        finally:
            writer.close()

    def head(self, method: str = "POST", path: str = "/mcp", **headers: Optional[str]) -> bytes:
        """The head of a request that is right in everything not overridden; None leaves a header out."""
        return request_head(self.port, TOKEN, method, path, headers)

    async def post(self, body: bytes = b'{"jsonrpc":"2.0","id":1,"method":"ping"}', **headers: Optional[str]) -> Any:
        """POST bytes; (status, headers, body)."""
        return await self.raw(self.head(**{"Content-Length": str(len(body)), **headers}) + body)


async def read_response(reader: asyncio.StreamReader) -> Tuple[int, Dict[str, str], bytes]:
    """One HTTP response with a Content-Length; status 0 if the server closed without one."""
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return int(lines[0].split(" ")[1]), headers, body


class Client:
    """An MCP client that remembers event ids, as the official SDKs do."""

    def __init__(self, served: Served, name: str, revision: str) -> None:
        self.served = served
        self.name = name
        self.revision = revision
        self.token = TOKEN
        self.session_id = ""
        self.last_event_id: Optional[str] = None
        self.messages: List[Any] = []
        self.http: Any = None

    async def __aenter__(self) -> Client:
        self.http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.http.close()

    def headers(self, **more: str) -> Dict[str, str]:
        """What every request carries."""
        headers = {"Authorization": "Bearer " + self.token, "Accept": "application/json, text/event-stream"}
        if self.session_id:
            headers["Mcp-Session-Id"] = self.session_id
            headers["MCP-Protocol-Version"] = self.revision
        return {**headers, **more}

    async def send(self, message: Any) -> Any:
        """POST a message; (status, decoded body or None, headers)."""
        async with self.http.post(self.served.url, json=message, headers=self.headers()) as response:
            text = await response.text()
            return response.status, json.loads(text) if text else None, response.headers

    async def request(self, method: str, params: Any = None) -> Any:
        """The result of a request that must succeed."""
        status, body, _ = await self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}})
        assert status == 200, body
        return body["result"]

    async def call(self, name: str, **arguments: Any) -> Any:
        """The result of a tool call."""
        return await self.request("tools/call", {"name": name, "arguments": arguments})

    async def connect(self) -> Client:
        """Initialize."""
        information = {"name": self.name, "version": "1"}
        params = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": information}
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        status, _, headers = await self.send(message)
        assert status == 200
        self.session_id = headers["Mcp-Session-Id"]
        status, _, _ = await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert status == 202
        return self

    async def listen(self, url: Optional[str] = None) -> Any:
        """Open the event stream; the response."""
        headers = self.headers(Accept="text/event-stream")
        if self.last_event_id is not None:
            headers["Last-Event-ID"] = self.last_event_id
        response = await self.http.get(url or self.served.url, headers=headers)
        assert response.status == 200
        return response

    async def read(self, response: Any, enough: Callable[[], bool] = lambda: False) -> None:
        """Take messages from a stream until there are enough or it ends."""
        data: List[str] = []
        event_id: Optional[str] = None
        while not enough():
            line = (await response.content.readline()).decode("ascii")
            if not line:
                return
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "id":
                event_id = value
            elif name == "data":
                data.append(value)
            elif line == "\n":
                if event_id is not None:
                    self.last_event_id = event_id
                if any(data):
                    self.messages.append(json.loads("\n".join(data)))
                data, event_id = [], None

    async def follow(self, count: int) -> None:
        """Open a stream and read until `count` messages have come in all."""
        response = await self.listen()
        await self.read(response, lambda: len(self.messages) >= count)
        response.close()


@pytest.fixture
def run(caplog):
    """Runs one coroutine against a server; then nothing may be left of it."""
    caplog.set_level(logging.DEBUG)

    def run_it(
        scenario: Callable[[Served], Awaitable[None]],
        limits: Limits = Limits(),
        call_tool: Optional[Callable[[ToolCall], Awaitable[ToolResult]]] = None,
    ) -> None:
        async def main() -> None:
            served = Served(limits, call_tool)
            served.port = (await served.server.start()).port
            try:
                await ends(scenario(served))
            finally:
                await served.server.stop()
                await nothing_left(served)

        asyncio.run(main())
        ours = [record for record in caplog.records if record.name.startswith(("gemini_companion", "asyncio"))]
        for record in ours:
            text = record.getMessage() + str(record.exc_info or "")
            assert TOKEN not in text
            assert SECRET not in text
        serious = [record.getMessage() for record in ours if record.levelno >= logging.ERROR]
        assert serious == [] or "a failing tool" in caplog.text

    return run_it


async def nothing_left(served: Served) -> None:
    """Every task of the server ends soon after its stop."""

    def left() -> Any:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        return others or served.server._streams._writers

    await comes_true(lambda: not left(), left)
