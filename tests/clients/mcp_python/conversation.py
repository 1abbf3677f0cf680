"""A client of the official Python SDK: initialize, list, openDiff, context, accept; prints what it got as JSON.

Argument: `legacy` for the handshake, `auto` to ask the server first, which makes it speak the stateless revision.
URL and token come from the environment. Runs in an environment of its own, with `mcp` in it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any, Dict

import httpx2
from mcp import Client
from mcp.client.extension import ClientExtension, NotificationBinding
from mcp.client.streamable_http import streamable_http_client
from pydantic import BaseModel, ConfigDict

FILE = "/workspace/greeting.txt"
METHODS = ("ide/contextUpdate", "ide/diffAccepted")


class Params(BaseModel):
    """Any params."""

    model_config = ConfigDict(extra="allow")


class Notifications(ClientExtension):
    """Takes the companion's notifications."""

    identifier = "io.github.gemini-companion/tests"

    def __init__(self) -> None:
        self.first: Dict[str, asyncio.Future[Any]] = {
            method: asyncio.get_running_loop().create_future() for method in METHODS
        }

    def notifications(self) -> Any:
        return [
            NotificationBinding(method=method, params_type=Params, handler=self._taker(method)) for method in METHODS
        ]

    def _taker(self, method: str) -> Any:
        async def take(params: Params) -> None:
            if not self.first[method].done():
                self.first[method].set_result(params.model_dump())

        return take


async def main(mode: str) -> None:
    notifications = Notifications()
    headers = {"Authorization": "Bearer " + os.environ["COMPANION_TEST_TOKEN"]}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(os.environ["COMPANION_TEST_URL"], http_client=http)
        async with Client(transport, mode=mode, extensions=[notifications]) as client:
            got: Dict[str, Any] = {"revision": client.protocol_version, "server": client.server_info.name}
            got["tools"] = [tool.name for tool in (await client.list_tools()).tools]
            opened = await client.call_tool("openDiff", {"filePath": FILE, "newContent": "proposed\n"})
            got["opened"] = {"content": opened.content, "isError": opened.is_error}
            if mode == "legacy":
                got["context"] = await asyncio.wait_for(notifications.first["ide/contextUpdate"], 90)
                got["accepted"] = await asyncio.wait_for(notifications.first["ide/diffAccepted"], 90)
            closed = await client.call_tool("closeDiff", {"filePath": FILE, "suppressNotification": True})
            got["closed"] = [block.text for block in closed.content]
            print(json.dumps(got))


asyncio.run(main(sys.argv[1]))
