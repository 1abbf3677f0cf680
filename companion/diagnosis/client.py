"""Tests the package's own servers over real connections, as a client would.

Rules: a test introduces itself by a name of this run, so that the package does not count it as a client, and leaves
nothing behind: it closes the session that it opens. Loop thread only: importing this module imports aiohttp.
Implements MCP 2025-06-18, "Lifecycle" and transports, "Streamable HTTP", as far as a handshake needs it.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any, Dict, List, Mapping, Optional, Union

import aiohttp

from ..agents.agent import Agent
from ..agents.dialect import Transport
from ..endpoint.agents_at_work import SELF_TEST
from ..endpoint.context_answers import ContextAnswers, Holding
from .checks import DISABLED, LOG, RESTART, Check, WindowFacts, failed, noted, passed

SECONDS = 3.0  # for one request on the loopback device
PROTOCOL_VERSION = "2025-06-18"
UNREACHABLE = (
    RESTART + " If that does not help, a firewall or another program may be blocking connections to 127.0.0.1."
)


class Refused(Exception):
    """The server did not answer as expected. `str()` is the end of a sentence that says how it did answer."""

    def __init__(self, sentence: str, status: Optional[int] = None) -> None:
        """`status`: of an HTTP answer that is no success."""
        super().__init__(sentence)
        self.status = status


class HttpClient:
    """Talks to the HTTP server on a port, or at the path of a socket, and shows a secret in a header."""

    def __init__(self, place: Union[int, str], header: str, secret: str, version: str) -> None:
        self._place = place
        self.where = f"socket {place}" if isinstance(place, str) else f"port {place}"
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


class WebSocketClient(HttpClient):
    """Tries a server that speaks over a WebSocket, as `HttpClient` tries the others."""

    async def _list_tools(self, connection: aiohttp.ClientSession) -> Any:
        async with connection.ws_connect(f"http://127.0.0.1:{self._place}/", protocols=("mcp",)) as socket:
            await socket.send_json(self._initialize)
            await socket.receive_json(timeout=SECONDS)
            await socket.send_json({"jsonrpc": "2.0", "method": "notifications/initialized"})
            await socket.send_json(_request("tools/list", {}))
            return await socket.receive_json(timeout=SECONDS)


def _request(method: str, params: Dict[str, Any]) -> Dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


# -- checks -----------------------------------------------------------------------------------------------------------


async def try_server(window: WindowFacts, token: str, version: str) -> List[Check]:
    """Connect with the right token, which is in no check, and with a wrong one."""
    answers, port = f"{window.title} is served", window.port
    if port is None:
        return [failed(answers, window.problem or "its server is not running", RESTART)]
    checks = [await check_handshake(answers, on_port(port, token, version))]
    refuses = f"{window.title} refuses a wrong token"
    try:
        await on_port(port, secrets.token_urlsafe(32), version).count_tools()
    except Refused as error:
        told = str(error)
        checks.append(passed(refuses, told) if error.status == 401 else failed(refuses, told, LOG))
    except (OSError, asyncio.TimeoutError) as error:
        checks.append(failed(refuses, describe(error), UNREACHABLE))
    else:
        checks.append(failed(refuses, "the handshake was answered with 200", LOG))
    return checks


async def check_handshake(name: str, client: HttpClient) -> Check:
    """Open a session, list the tools and close the session."""
    try:
        return passed(name, f"{client.where}, {await client.count_tools()} tools")
    except Refused as error:
        return failed(name, f"{client.where}: {error}", RESTART)
    except (OSError, asyncio.TimeoutError) as error:
        return failed(name, f"{client.where}: {describe(error)}", UNREACHABLE)


async def check_agent_server(name: str, agent: Agent, content: Mapping[str, Any], version: str) -> Check:
    """Shake hands as a program does that has found this discovery file."""
    address, secret = agent.identity(content)
    dialect, port = agent.dialect, address if type(address) is int else 0
    if dialect.transport is Transport.HTTP_ON_PORT:
        return await check_handshake(name, on_port(port, str(secret), version))
    if dialect.transport is Transport.HTTP_ON_SOCKET:
        return await check_handshake(name, HttpClient(str(address), dialect.secret_header, str(secret), version))
    return await check_handshake(name, WebSocketClient(port, dialect.secret_header, str(secret), version))


def on_port(port: int, token: str, version: str) -> HttpClient:
    """A client that shows its token as MCP's "Authorization" has it."""
    return HttpClient(port, "Authorization", f"Bearer {token}", version)


async def check_answers(answers: ContextAnswers) -> Check:
    """Whether a program that asks the one editor that answers, instead of looking for a window, asks this one."""
    name = f"{answers.agent.title} can ask this editor"
    if answers.holding is Holding.OFF:
        return noted(name, DISABLED)
    if answers.holding is Holding.REFUSED:
        return failed(name, answers.problem, "Correct that; it is tried again within seconds.")
    if answers.holding is not Holding.HELD:
        return noted(name, "another editor answers it; this one does when that has ended")
    try:
        return passed(name, await answers.tried())
    except OSError as error:
        return failed(name, describe(error), RESTART)


def describe(error: BaseException) -> str:
    """A connection error for the report."""
    if isinstance(error, asyncio.TimeoutError):
        return "no answer in time"
    return "{}: {}".format(type(error).__name__, getattr(error, "strerror", None) or error)
