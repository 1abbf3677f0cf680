"""The unit of the server's benchmarks: an aiohttp handler that parses what comes and answers the same JSON.

It keeps nothing and knows no protocol: it decodes each message, but compares no token, and looks at no header and no
argument. Its events have no id, so that none of them could be sent again. The rest is what any MCP server must do, and
what ours does on top.
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from typing import List, Set

from aiohttp import web
from control import CONTEXT, serve

RESULTS = json.loads(os.environ["BENCHMARK_RESULTS"])
"""By method, what the measured server answers."""

streams: List[web.StreamResponse] = []
tasks: Set[asyncio.Task[None]] = set()


async def handle(request: web.BaseRequest) -> web.StreamResponse:
    """Answers a message, or opens an event stream."""
    if request.method == "GET":
        stream = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await stream.prepare(request)
        streams.append(stream)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            streams.remove(stream)
    if request.method == "DELETE":
        return web.Response(status=204)
    message = json.loads(await request.content.read())
    if "id" not in message:
        return web.Response(status=202)
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}
    headers = {"Content-Type": "application/json"}
    if message["method"] == "initialize":
        headers["Mcp-Session-Id"] = uuid.uuid4().hex
    return web.Response(body=json.dumps(answer).encode(), headers=headers)


async def write_to_all() -> None:
    """Sends the context on every stream, serialised once."""
    text = json.dumps({"jsonrpc": "2.0", "method": "ide/contextUpdate", "params": CONTEXT})
    data = b"event: message\ndata: " + text.encode() + b"\n\n"
    for stream in streams:
        await stream.write(data)


def notify() -> None:
    """Begins to write to all."""
    task = asyncio.get_running_loop().create_task(write_to_all())
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def main() -> None:
    server = web.Server(handle, access_log=None, handler_cancellation=True)  # so that streams of the gone are forgotten
    listener = await asyncio.get_running_loop().create_server(server, "127.0.0.1", 0)
    await serve(listener.sockets[0].getsockname()[1], notify)


if __name__ == "__main__":
    asyncio.run(main())
