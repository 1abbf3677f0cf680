"""A client of the package's own servers, to find out whether they answer.

Rule: a server is left as it was: the session that is opened is closed again. Every method belongs to the loop thread.
Implements MCP 2025-06-18, "Lifecycle" and transports, "Streamable HTTP", as far as a handshake needs it.
"""

from __future__ import annotations

from typing import Any, Dict

import aiohttp

SECONDS = 3.0  # for one request on the loopback device
PROTOCOL_VERSION = "2025-06-18"


class Refused(Exception):
    """The server answered with something else than what was asked for. `str()` says what."""


class Client:
    """Calls the server on `port` with `token`, introducing itself by `name` and `version`."""

    def __init__(self, port: int, token: str, name: str, version: str) -> None:
        self._url = f"http://127.0.0.1:{port}/mcp"
        self._name = name
        self._version = version
        self._headers = {
            "Authorization": "Bearer " + token,
            "Accept": "application/json, text/event-stream",
            "User-Agent": f"{name}/{version}",
        }

    async def count_tools(self) -> int:
        """Open a session, list the tools, close the session. Raises Refused, OSError or asyncio.TimeoutError."""
        try:
            async with self._connection() as connection:
                async with connection.post(self._url, json=self._hello()) as answer:
                    if answer.status != 200:
                        raise Refused(f"the handshake was answered with {answer.status}")
                    session = {
                        "Mcp-Session-Id": answer.headers.get("Mcp-Session-Id", ""),
                        "MCP-Protocol-Version": PROTOCOL_VERSION,
                    }
                try:
                    return await self._list_tools(connection, session)
                finally:
                    async with connection.delete(self._url, headers=session):
                        pass
        except aiohttp.ClientError as error:
            raise _as_usual(error) from error

    async def status(self) -> int:
        """The HTTP status that a handshake gets. Raises Refused, OSError or asyncio.TimeoutError."""
        try:
            async with self._connection() as connection, connection.post(self._url, json=self._hello()) as answer:
                return int(answer.status)
        except aiohttp.ClientError as error:
            raise _as_usual(error) from error

    def _connection(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS), headers=self._headers)

    async def _list_tools(self, connection: aiohttp.ClientSession, session: Dict[str, str]) -> int:
        async with connection.post(self._url, json=_request("tools/list", {}), headers=session) as answer:
            if answer.status != 200:
                raise Refused(f"the question for its tools was answered with {answer.status}")
            try:
                return len((await answer.json())["result"]["tools"])
            except (KeyError, TypeError, ValueError):
                raise Refused("the answer was not what MCP asks for") from None

    def _hello(self) -> Dict[str, Any]:
        introduction = {"name": self._name, "version": self._version}
        return _request(
            "initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": introduction}
        )


def _request(method: str, params: Dict[str, Any]) -> Dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _as_usual(error: aiohttp.ClientError) -> Exception:
    """What a caller who does not know the library can catch."""
    return error if isinstance(error, OSError) else Refused(f"the connection failed: {error}")
