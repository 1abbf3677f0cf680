"""A program for a Python with nothing but its standard library: serves with the package, and calls one tool.

    python -I -S wheels_alone.py PACKAGE LIB

`PACKAGE` is the built package, `LIB` a folder as Package Control fills it. Rule: prints the tool's answer, and fails
when any module came from elsewhere.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
from typing import Any, Dict, List, Optional

package, lib = sys.argv[1:]
standard = [folder for folder in sys.path if "site-packages" not in folder]
sys.path[:] = [*standard, package, lib]

from companion.agents.ide_companion import IDE_COMPANION  # noqa: E402
from companion.protocol.serving import Hooks  # noqa: E402
from companion.protocol.tools import EMPTY, Implementation, ToolCall, ToolResult  # noqa: E402
from companion.transport.server import CompanionServer  # noqa: E402

TOKEN = "a-token-of-this-program"
CALLS: List[str] = []


async def answer(call: ToolCall) -> ToolResult:
    CALLS.append(call.name)
    return EMPTY


def talk(port: int) -> Dict[str, Any]:
    """The answer to `tools/call`, after a handshake. Blocking."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=90)
    session: Optional[str] = None

    def post(message: Dict[str, Any]) -> bytes:
        nonlocal session
        headers = {
            "Authorization": "Bearer " + TOKEN,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if session is not None:
            headers.update({"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18"})
        connection.request("POST", "/mcp", json.dumps(dict(message, jsonrpc="2.0")).encode("utf-8"), headers)
        response = connection.getresponse()
        session = session or response.getheader("Mcp-Session-Id")
        return response.read()

    post(
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "alone", "version": "1"},
            },
        }
    )
    post({"method": "notifications/initialized"})
    arguments = {"filePath": "/a/b.py" if sys.platform != "win32" else "C:\\a\\b.py", "newContent": "x = 1\n"}
    found = post({"id": 2, "method": "tools/call", "params": {"name": "openDiff", "arguments": arguments}})
    connection.close()
    return json.loads(found.decode("utf-8"))


async def main() -> None:
    identity = Implementation("gemini-companion", "Gemini Companion", "0")
    server = CompanionServer(IDE_COMPANION, {"": TOKEN}, Hooks(answer), identity=identity)
    port = (await server.start()).port
    print(json.dumps(await asyncio.get_running_loop().run_in_executor(None, talk, port)))
    await server.stop()


asyncio.run(main())
assert CALLS == ["openDiff"], CALLS
places = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
foreign = [name for name, place in places.items() if "site-packages" in place or "dist-packages" in place]
assert not foreign, foreign
for name in ("aiohttp", "jsonschema"):
    assert places[name].startswith(lib), places[name]
assert places["companion"].startswith(package), places["companion"]
