"""A client of the package's own servers, which checks whether they answer.

Rule: the client leaves nothing behind: it closes the session that it opens. Loop thread only.
Implements MCP 2025-06-18, "Lifecycle" and transports, "Streamable HTTP", as far as a handshake needs it.
"""

from __future__ import annotations

from typing import Any, Dict

import aiohttp

SECONDS = 3.0  # for one request on the loopback device
PROTOCOL_VERSION = "2025-06-18"


class Refused(Exception):
    """The server did not answer as expected. `str()` is the end of a sentence that says how it did answer."""


class Client:
    """Talks to the server on `port` with `token`; `name` and `version` become its `clientInfo`."""

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
                async with connection.post(self._url, json=self._initialize()) as answer:
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
        """The HTTP status of the answer to `initialize`. Raises Refused, OSError or asyncio.TimeoutError."""
        try:
            async with self._connection() as connection, connection.post(self._url, json=self._initialize()) as answer:
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

    def _initialize(self) -> Dict[str, Any]:
        introduction = {"name": self._name, "version": self._version}
        return _request(
            "initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": introduction}
        )


class SocketClient(Client):
    """The same for a server on a socket in the file system, which wants its secret in a header of another name."""

    def __init__(self, path: str, header: str, secret: str, name: str, version: str) -> None:
        super().__init__(0, "", name, version)
        self._path = path
        self._url = "http://localhost/mcp"
        self._headers = {
            header: secret,
            "Accept": self._headers["Accept"],
            "User-Agent": self._headers["User-Agent"],
        }

    def _connection(self) -> aiohttp.ClientSession:
        # It refuses what is no socket before it connects.
        connector = aiohttp.UnixConnector(self._path)
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        return aiohttp.ClientSession(connector=connector, timeout=timeout, headers=self._headers)


class WebSocketClient(Client):
    """The same for a server that speaks over a WebSocket."""

    def __init__(self, port: int, header: str, secret: str, name: str, version: str) -> None:
        super().__init__(port, "", name, version)
        self._url = f"http://127.0.0.1:{port}/"
        self._headers = {header: secret, "User-Agent": self._headers["User-Agent"]}

    async def count_tools(self) -> int:
        """Shake hands, list the tools, close the connection. Raises Refused, OSError or asyncio.TimeoutError."""
        try:
            async with self._connection() as connection, connection.ws_connect(self._url, protocols=("mcp",)) as socket:
                await socket.send_json(self._initialize())
                await socket.receive_json(timeout=SECONDS)
                await socket.send_json({"jsonrpc": "2.0", "method": "notifications/initialized"})
                await socket.send_json(_request("tools/list", {}))
                return len((await socket.receive_json(timeout=SECONDS))["result"]["tools"])
        except aiohttp.WSServerHandshakeError as error:
            raise Refused(f"the handshake was answered with {error.status}") from None
        except (KeyError, TypeError, ValueError):
            raise Refused("the answer was not what MCP asks for") from None
        except aiohttp.ClientError as error:
            raise _as_usual(error) from error


def _request(method: str, params: Dict[str, Any]) -> Dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _as_usual(error: aiohttp.ClientError) -> Exception:
    """The same error as a type that can be caught without aiohttp."""
    return error if isinstance(error, OSError) else Refused(f"the connection failed: {error}")
