"""A client of the package's own servers, which checks whether they answer.

Rule: the client leaves nothing behind: it closes the session that it opens. Loop thread only: importing this module
imports aiohttp.
Implements MCP 2025-06-18, "Lifecycle" and transports, "Streamable HTTP", as far as a handshake needs it.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

import aiohttp

from ..endpoint.clients import SELF_TEST

SECONDS = 3.0  # for one request on the loopback device
PROTOCOL_VERSION = "2025-06-18"


class Refused(Exception):
    """The server did not answer as expected. `str()` is the end of a sentence that says how it did answer."""

    def __init__(self, sentence: str, status: Optional[int] = None) -> None:
        """`status`: of an HTTP answer that is no success."""
        super().__init__(sentence)
        self.status = status


class Client:
    """Talks to the HTTP server on a port, or at the path of a socket, and shows a secret in a header."""

    def __init__(self, place: Union[int, str], header: str, secret: str, version: str) -> None:
        self._place = place
        self._headers = {
            header: secret,
            "Accept": "application/json, text/event-stream",
            "User-Agent": f"{SELF_TEST}/{version}",
        }
        introduction = {"name": SELF_TEST, "version": version}
        self._initialize = _request(
            "initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": introduction}
        )

    async def count_tools(self) -> int:
        """Shake hands, list the tools, end the session. Raises Refused, OSError or asyncio.TimeoutError."""
        # It refuses what is no socket before it connects.
        connector = aiohttp.UnixConnector(self._place) if isinstance(self._place, str) else None
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        try:
            async with aiohttp.ClientSession(connector=connector, timeout=timeout, headers=self._headers) as connection:
                return len((await self._list_tools(connection))["result"]["tools"])
        except aiohttp.WSServerHandshakeError as error:
            raise Refused(f"the handshake was answered with {error.status}", error.status) from None
        except (KeyError, TypeError, ValueError):
            raise Refused("the answer was not what MCP asks for") from None
        except aiohttp.ClientError as error:  # as a type that can be caught without aiohttp
            raise error if isinstance(error, OSError) else Refused(f"the connection failed: {error}") from error

    async def _list_tools(self, connection: aiohttp.ClientSession) -> Any:
        """The answer to `tools/list`."""
        url = f"http://127.0.0.1:{self._place}/mcp" if isinstance(self._place, int) else "http://localhost/mcp"
        async with connection.post(url, json=self._initialize) as answer:
            if answer.status != 200:
                raise Refused(f"the handshake was answered with {answer.status}", answer.status)
            session = {
                "Mcp-Session-Id": answer.headers.get("Mcp-Session-Id", ""),
                "MCP-Protocol-Version": PROTOCOL_VERSION,
            }
        try:
            async with connection.post(url, json=_request("tools/list", {}), headers=session) as answer:
                if answer.status != 200:
                    raise Refused(f"the question for its tools was answered with {answer.status}", answer.status)
                return await answer.json()
        finally:
            async with connection.delete(url, headers=session):
                pass


class WebSocketClient(Client):
    """The same for a server that speaks over a WebSocket."""

    async def _list_tools(self, connection: aiohttp.ClientSession) -> Any:
        async with connection.ws_connect(f"http://127.0.0.1:{self._place}/", protocols=("mcp",)) as socket:
            await socket.send_json(self._initialize)
            await socket.receive_json(timeout=SECONDS)
            await socket.send_json({"jsonrpc": "2.0", "method": "notifications/initialized"})
            await socket.send_json(_request("tools/list", {}))
            return await socket.receive_json(timeout=SECONDS)


def _request(method: str, params: Dict[str, Any]) -> Dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
