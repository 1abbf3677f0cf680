"""The package's own server for WebSockets, with the tools of the other one, whose calls are answered at once."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from control import CONTEXT, serve

from companion.agents.claude_dialect import CLAUDE
from companion.agents.ide_companion import TOOLS
from companion.protocol.tools import EMPTY, Implementation, ToolCall, ToolResult
from companion.transport.websocket_server import WebSocketServer


async def call_tool(call: ToolCall) -> ToolResult:
    """Answers as `openDiff` does."""
    return EMPTY


async def main() -> None:
    server = WebSocketServer(
        token=os.environ["BENCHMARK_TOKEN"],
        secret_header=CLAUDE.secret_header,
        tools=TOOLS,
        call_tool=call_tool,
        session_opened=lambda client: None,
        session_closed=lambda client: None,
        identity=Implementation("gemini-companion", "Gemini Companion", "1.0.0"),
    )

    def notify() -> None:
        server.notify("ide/contextUpdate", CONTEXT, collapse="ide/contextUpdate")

    await serve(await server.start(), notify)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main())
