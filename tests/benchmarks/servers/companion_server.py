"""The package's own server, with its own tools, whose calls are answered at once.

With the argument `websocket` it is the one that speaks over WebSockets, with the same tools.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from control import CONTEXT, serve

from companion.agents.claude_code import ClaudeDialect
from companion.agents.ide_companion import IDE_COMPANION
from companion.protocol.serving import Hooks
from companion.protocol.tools import EMPTY, Implementation, ToolCall, ToolResult
from companion.transport.server import CompanionServer
from companion.transport.websocket_server import WebSocketServer


class OverWebSocket(ClaudeDialect):
    """With the tools of the other server."""

    tools = IDE_COMPANION.tools


async def call_tool(call: ToolCall) -> ToolResult:
    """Answers as `openDiff` does."""
    return EMPTY


async def main() -> None:
    identity = Implementation("gemini-companion", "Gemini Companion", "1.0.0")
    tokens = {"": os.environ["BENCHMARK_TOKEN"]}
    over_websocket = sys.argv[1:] == ["websocket"]
    served, dialect = (WebSocketServer, OverWebSocket()) if over_websocket else (CompanionServer, IDE_COMPANION)
    server = served(dialect, tokens, Hooks(call_tool), identity=identity)

    def notify() -> None:
        server.notify("ide/contextUpdate", CONTEXT, collapse="ide/contextUpdate")

    await serve((await server.start()).port, notify)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main())
