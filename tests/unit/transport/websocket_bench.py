"""A server for WebSockets whose one tool is answered by the test, and clients of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Awaitable, Callable, List, Optional

import aiohttp

from companion.protocol.limits import Limits
from companion.protocol.serving import Hooks
from companion.protocol.tools import Implementation, Tool, ToolCall, ToolResult, text_result
from companion.transport.gate import in_default_executor
from companion.transport.websocket_server import WebSocketServer
from tests.host.waiting import NEVER_SECONDS, comes_true, ends
from tests.support.dialects import dialect

HEADER = "X-Claude-Code-Ide-Authorization"
TOKEN = "the-secret-of-this-test"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "clientInfo": {"name": "claude-code", "version": "2.1.330"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PING = {"jsonrpc": "2.0", "id": 9, "method": "ping"}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "openDiff"}}


class Bench:
    """The server, and what it told the application."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.opened: List[Any] = []
        self.closed: List[Any] = []
        self.listed: List[Any] = []
        self.notified: List[Any] = []
        self.called: List[ToolCall] = []
        self.cancelled: List[Any] = []
        self.worked: List[Any] = []
        self.decision = asyncio.get_running_loop().create_future()
        tool = Tool("openDiff", "Open Diff", "Opens a diff.", {"type": "object"})
        told = (self.opened.append, self.closed.append, self.listed.append, lambda *told: self.notified.append(told))
        self.server = WebSocketServer(
            dialect([tool], secret_header=HEADER, process_id=self._process_id),
            {"": TOKEN},
            Hooks(self._call, *told),
            identity=Implementation("gemini-companion", "Gemini Companion", "1"),
            limits=limits,
            in_worker=self._in_worker,
        )

    async def _in_worker(self, function: Callable[..., Any], *args: Any) -> Any:
        self.worked.append(function)
        return await in_default_executor(function, *args)

    def _process_id(self, method: str, params: Any) -> Optional[int]:
        return params["pid"] if method == "ide_connected" else None

    async def _call(self, call: ToolCall) -> ToolResult:
        self.called.append(call)
        call.on_cancelled(self.cancelled.append)
        return text_result(await self.decision)

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until the condition holds."""
        await comes_true(condition)


def run(scenario: Callable[[Bench, aiohttp.ClientSession, int], Awaitable[None]]) -> None:
    """Run a scenario with a server; whoever came has gone afterwards."""

    async def main() -> None:
        bench = Bench()
        port = (await bench.server.start()).port
        try:
            async with aiohttp.ClientSession() as http:
                await ends(scenario(bench, http, port))
        finally:
            await bench.server.stop()
        await bench.until(lambda: not bench.server._peers)
        assert not bench.server.sessions
        assert len(bench.closed) == len(bench.opened), "whoever came has gone"

    asyncio.run(main())


async def connect(http: aiohttp.ClientSession, port: int, token: str = TOKEN, **options: Any) -> Any:
    """Upgrade."""
    return await http.ws_connect(f"http://127.0.0.1:{port}/", protocols=["mcp"], headers={HEADER: token}, **options)


async def heard(socket: Any) -> Any:
    """The next message."""
    return json.loads((await socket.receive(NEVER_SECONDS)).data)


async def handshake(socket: Any) -> None:
    """Shake hands; the server has heard all of it."""
    await socket.send_json(INITIALIZE)
    assert (await heard(socket))["id"] == 0
    await socket.send_json(INITIALIZED)
    await socket.send_json(PING)
    assert (await heard(socket))["id"] == 9
