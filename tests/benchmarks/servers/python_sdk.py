"""A server of the official Python SDK with a tool like ours. It sends the context as a log message."""

from __future__ import annotations

import asyncio
import logging
import socket
import warnings
from typing import List, Set

import uvicorn
from control import CONTEXT, serve
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("benchmark", log_level="CRITICAL")
sessions: List[object] = []
tasks: Set[object] = set()


@server.tool(name="openDiff")
async def open_diff(filePath: str, newContent: str, context: Context) -> None:  # noqa: N803 - the names on the wire
    """Answers at once."""
    if context.session not in sessions:
        sessions.append(context.session)


async def main() -> None:
    async def send_to_all() -> None:
        await asyncio.gather(*[session.send_log_message("info", CONTEXT) for session in sessions])  # type: ignore[attr-defined]

    def notify() -> None:
        task = asyncio.get_running_loop().create_task(send_to_all())
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio leaves Nagle on
    listener.bind(("127.0.0.1", 0))
    application = server.streamable_http_app(json_response=True)
    runner = uvicorn.Server(uvicorn.Config(application, log_level="critical", access_log=False))
    serving = asyncio.create_task(runner.serve([listener]))
    while not runner.started:
        await asyncio.sleep(0.01)
    await serve(listener.getsockname()[1], notify)
    runner.should_exit = runner.force_exit = True
    await serving


if __name__ == "__main__":
    asyncio.run(main())
