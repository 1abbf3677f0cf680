"""A client that sends the literal messages of GitHub Copilot CLI 1.0.102, on a socket in the file system.

Needs aiohttp; POSIX only.
"""

from __future__ import annotations

import asyncio
import glob
import json
import os
from typing import Any, Dict, List, Optional

import aiohttp

from tests.clients.loop_thread import LoopThread

PROBE = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
INFORMATION = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "copilot-cli", "version": "1.0.102"},
}
REQUIRED = ("socketPath", "scheme", "headers", "pid", "ideName", "timestamp", "workspaceFolders")


def lock_files(home: str) -> List[Dict[str, Any]]:
    """What stands in the lock files of a home directory, in the order of their names."""
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(home), ".copilot", "ide", "*.lock"))):
        with open(path, encoding="utf-8") as file:
            found.append(json.load(file))
    return found


class CopilotClient(LoopThread):
    """One session. `connect` first; leaving the `with` block closes it."""

    def __init__(self, home: str, cwd: str) -> None:
        super().__init__()
        self._home = home
        self._cwd = os.path.realpath(cwd)
        self._http: Optional[aiohttp.ClientSession] = None
        self._headers: Dict[str, str] = {}
        self._next_id = 0
        self._reading: Optional[asyncio.Future[None]] = None
        self.tools: List[str] = []
        self.socket = ""

    def connect(self) -> CopilotClient:
        """Find the lock file that names this very folder and shake hands."""
        lock = self.wait_until(self._find)
        self.socket = lock["socketPath"]
        self.run(self._connect(lock["headers"]))
        return self

    def _find(self) -> Any:
        for lock in lock_files(self._home):
            if all(name in lock for name in REQUIRED) and self._cwd in lock["workspaceFolders"]:
                return lock
        return None

    async def _connect(self, headers: Dict[str, str]) -> None:
        self._http = aiohttp.ClientSession(connector=aiohttp.UnixConnector(self.socket))
        self._headers = {
            **headers,
            "Host": "localhost",
            "Accept": "application/json, text/event-stream",
            "X-Copilot-Session-Id": "6f0e1bb0-6a60-4d27-b0ff-ba1b0f6f2d54",
            "X-Copilot-PID": str(os.getpid()),
            "X-Copilot-Parent-PID": str(os.getppid()),
        }
        probed = await self._ask("server/discover", PROBE)
        assert probed["error"]["code"] == -32601, probed
        await self._ask("initialize", INFORMATION)
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._reading = asyncio.ensure_future(self._listen())
        self.tools = [tool["name"] for tool in (await self._ask("tools/list", {}))["result"]["tools"]]

    async def _listen(self) -> None:
        assert self._http is not None
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._http.get("http://localhost/mcp", headers=self._headers, timeout=timeout) as stream:
            async for line in stream.content:
                if line.startswith(b"data: {"):
                    value = json.loads(line[6:])
                    if "method" in value:
                        self.notifications.append((value["method"], value.get("params")))

    async def _post(self, message: Dict[str, Any]) -> Any:
        assert self._http is not None
        timeout = aiohttp.ClientTimeout(total=None)
        async with self._http.post(
            "http://localhost/mcp", json=message, headers=self._headers, timeout=timeout
        ) as answer:
            session = answer.headers.get("mcp-session-id")
            if session is not None:
                self._headers["mcp-session-id"] = session
            text = await answer.text()
        if text.startswith("data:") or "\ndata: {" in text:
            text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
        return json.loads(text) if text else None

    async def _ask(self, method: str, params: Dict[str, Any]) -> Any:
        number, self._next_id = self._next_id, self._next_id + 1
        return await self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The JSON in the answer to a tool call, or the whole answer if it tells of a failure."""
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": self._next_id}}
        answer = await self._ask("tools/call", params)
        result = answer.get("result")
        if result is None or result.get("isError"):
            return answer
        (block,) = result["content"]
        return json.loads(block["text"])

    def open_diff(self, path: str, text: str, name: str) -> Any:
        """Ask for a decision: a future with the answer."""
        return self.begin(self.call("open_diff", original_file_path=path, new_file_contents=text, tab_name=name))

    def close(self) -> None:
        """End the session, as an exit does."""

        async def close() -> None:
            if self._http is not None:
                try:
                    async with self._http.delete("http://localhost/mcp", headers=self._headers):
                        pass
                except aiohttp.ClientError:
                    pass  # the server has ended
                await self._http.close()

        self.run(close())
        self.end_loop()

    def __enter__(self) -> CopilotClient:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
