"""The package's own server, with its own tools, whose calls are answered at once."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from control import CONTEXT, serve

from companion.agents.ide_companion import IDE_COMPANION
from companion.protocol.serving import Hooks, Secrets
from companion.protocol.tools import EMPTY, Implementation, ToolCall, ToolResult
from companion.transport.server import CompanionServer


async def call_tool(call: ToolCall) -> ToolResult:
    """Answers as `openDiff` does."""
    return EMPTY


async def main() -> None:
    identity = Implementation("gemini-companion", "Gemini Companion", "1.0.0")
    secrets = Secrets(os.environ["BENCHMARK_TOKEN"])
    server = CompanionServer(IDE_COMPANION, secrets, Hooks(call_tool), identity=identity)

    def notify() -> None:
        server.notify("ide/contextUpdate", CONTEXT, collapse="ide/contextUpdate")

    await serve((await server.start()).port, notify)
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main())
