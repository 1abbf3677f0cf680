"""A client that sends the literal messages of Claude Code 2.1.330, or of opencode 1.18.33, over a WebSocket.

It stands in for Claude Code where that may not be installed without its user's consent. Needs aiohttp.
"""

from __future__ import annotations

import asyncio
import glob
import json
import os
from typing import Any, Dict, List, Optional

import aiohttp

from tests.clients.loop_thread import LoopThread

HEADER = "X-Claude-Code-Ide-Authorization"
INFORMATION = {
    "claude-code": {
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {"listChanged": True}, "elicitation": {}},
        "clientInfo": {"name": "claude-code", "version": "2.1.330"},
    },
}


def introduction(name: str) -> Dict[str, Any]:
    """That of opencode, and of programs that nobody knows."""
    information = {"name": name, "version": "0.0.0"}
    return {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": information}


def lock_files(home: str, folder: str = ".claude") -> Dict[int, Dict[str, Any]]:
    """The lock files in a home directory, by port; a fork has a `folder` of its own there."""
    found: Dict[int, Dict[str, Any]] = {}
    for path in glob.glob(os.path.join(glob.escape(home), folder, "ide", "*.lock")):
        with open(path, encoding="utf-8") as file:
            found[int(os.path.basename(path)[: -len(".lock")])] = json.load(file)
    return found


class ClaudeClient(LoopThread):
    """One connection. `connect` first; leaving the `with` block closes it."""

    def __init__(self, home: str, cwd: str, name: str = "claude-code", pid: int = 0, folder: str = ".claude") -> None:
        """`pid` is the process that the client says it is; by default this one."""
        super().__init__()
        self._home = home
        self._folder = folder
        self._cwd = os.path.realpath(cwd)
        self._name = name
        self._pid = pid or os.getpid()
        self._answers: Dict[int, asyncio.Future[Any]] = {}
        self._next_id = 0
        self._http: Optional[aiohttp.ClientSession] = None
        self._socket: Optional[aiohttp.ClientWebSocketResponse] = None
        self.port = 0
        self._reading: Optional[asyncio.Future[None]] = None
        self.tools: List[str] = []

    def connect(self) -> ClaudeClient:
        """Find the lock file of this folder and shake hands; Claude Code asks for the tools, opencode does not."""
        self.port, lock = self.wait_until(self._find)
        self.run(self._connect(lock["authToken"]))
        return self

    def _find(self) -> Any:
        for port, lock in lock_files(self._home, self._folder).items():
            if any((self._cwd + os.sep).startswith(folder + os.sep) for folder in lock["workspaceFolders"]):
                return port, lock
        return None

    async def _connect(self, token: str) -> None:
        self._http = aiohttp.ClientSession()
        address = f"http://127.0.0.1:{self.port}/"
        agent = "claude-code/2.1.330 (cli)"
        self._socket = await self._http.ws_connect(
            address, protocols=["mcp"], headers={HEADER: token, "User-Agent": agent}, max_msg_size=0
        )
        self._reading = asyncio.ensure_future(self._read(self._socket))
        await self._ask("initialize", INFORMATION.get(self._name) or introduction(self._name))
        await self._send({"method": "notifications/initialized", "jsonrpc": "2.0"})
        if self._name == "claude-code":
            await self._send({"method": "ide_connected", "params": {"pid": self._pid}, "jsonrpc": "2.0"})
            listed = await self._ask("tools/list", {})
            self.tools = [tool["name"] for tool in listed["result"]["tools"]]

    async def _read(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            value = json.loads(message.data)
            if "method" in value:
                self.notifications.append((value["method"], value.get("params")))
            elif value["id"] in self._answers:
                self._answers.pop(value["id"]).set_result(value)

    async def _send(self, message: Dict[str, Any]) -> None:
        assert self._socket is not None
        await self._socket.send_str(json.dumps(message))

    async def _ask(self, method: str, params: Dict[str, Any]) -> Any:
        number, self._next_id = self._next_id, self._next_id + 1
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._send({"method": method, "params": params, "jsonrpc": "2.0", "id": number})
        return await answer

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The answer to a tool call: its texts, or the exception in the server's words."""
        meta = {"claudecode/toolUseId": "toolu_1"}
        answer = await self._ask("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})
        result = answer.get("result")
        if result is None or result.get("isError"):
            return answer
        return [block["text"] for block in result["content"]]

    def open_diff(self, path: str, text: str, name: str) -> Any:
        """Ask for a decision: a future with the texts of the answer."""
        return self.begin(
            self.call("openDiff", old_file_path=path, new_file_path=path, new_file_contents=text, tab_name=name)
        )

    @property
    def ended(self) -> bool:
        """Whether the other side has ended the connection."""
        return self._socket is not None and self._socket.closed

    def break_off(self) -> None:
        """Let the connection break, as a crash does."""
        assert self._socket is not None

        async def abort() -> None:
            connection = self._socket._response.connection  # type: ignore[union-attr]
            if connection is not None and connection.transport is not None:
                connection.transport.abort()

        self.run(abort())

    def close(self) -> None:
        """Close the connection, as an exit does."""

        async def close() -> None:
            if self._socket is not None:
                await self._socket.close()
            if self._http is not None:
                await self._http.close()

        self.run(close())
        self.end_loop()

    def __enter__(self) -> ClaudeClient:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
