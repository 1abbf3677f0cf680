"""Tries the package's own servers over real connections, as a client would.

Rule: a server is left as it was: the session that a trial opens is closed again, and by its client's name nobody takes
it for a client. Loop thread. aiohttp is imported here on first use, so that the package loads without it.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional

from . import SELF_TEST
from .checks import LOG, RESTART, Check, failed, passed

if TYPE_CHECKING:
    import aiohttp

SECONDS = 3.0  # for one request on the loopback device
PROTOCOL_VERSION = "2025-06-18"
ACCEPT = "application/json, text/event-stream"
UNREACHABLE = RESTART + " If it stays so, a firewall or another program may guard connections to 127.0.0.1."


class Target(NamedTuple):
    """A server and the token to show. It holds a secret: never put it into a report or a log."""

    window: str
    port: Optional[int]
    token: str
    problem: Optional[str] = None  # as the endpoint knows it


class Refused(Exception):
    """The server answered with something else than what was asked for. `str()` is a sentence for the report."""


async def try_server(target: Target, version: str) -> List[Check]:
    """Connect with the right token and with a wrong one."""
    answers = "{} is served".format(target.window)
    if target.port is None:
        return [failed(answers, target.problem or "its server does not listen", RESTART)]
    checks = [await check_handshake(answers, target.port, target.token, version)]
    refuses = "{} refuses a wrong token".format(target.window)
    try:
        status = await _status_with(target.port, secrets.token_urlsafe(32), version)
    except (OSError, asyncio.TimeoutError) as error:
        checks.append(failed(refuses, describe(error), UNREACHABLE))
    else:
        detail = "answered with {}".format(status)
        checks.append(passed(refuses, detail) if status == 401 else failed(refuses, detail, LOG))
    return checks


async def check_handshake(name: str, port: int, token: str, version: str) -> Check:
    """Open a session, list the tools and close it again."""
    try:
        tools = await _handshake(port, token, version)
    except Refused as error:
        return failed(name, "port {}: {}".format(port, error), RESTART)
    except (OSError, asyncio.TimeoutError, ValueError) as error:
        return failed(name, "port {}: {}".format(port, describe(error)), UNREACHABLE)
    return passed(name, "port {}, {} tools".format(port, tools))


def describe(error: BaseException) -> str:
    """An error of a connection, in words."""
    if isinstance(error, asyncio.TimeoutError):
        return "no answer within {:g} seconds".format(SECONDS)
    return "{}: {}".format(type(error).__name__, getattr(error, "strerror", None) or error)


def _client(token: str, version: str) -> aiohttp.ClientSession:
    import aiohttp

    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=SECONDS),
        headers={
            "Authorization": "Bearer " + token,
            "Accept": ACCEPT,
            "User-Agent": "{}/{}".format(SELF_TEST, version),
        },
    )


def _message(method: str, params: Dict[str, Any]) -> Dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _hello(version: str) -> Dict[str, Any]:
    introduction = {"name": SELF_TEST, "version": version}
    return _message(
        "initialize", {"protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": introduction}
    )


async def _handshake(port: int, token: str, version: str) -> int:
    """The number of tools. Raises Refused, OSError (what aiohttp raises is one or is a timeout), ValueError."""
    import aiohttp

    url = "http://127.0.0.1:{}/mcp".format(port)
    try:
        async with _client(token, version) as client:
            async with client.post(url, json=_hello(version)) as answer:
                if answer.status != 200:
                    raise Refused("the handshake was answered with {}".format(answer.status))
                headers = {
                    "Mcp-Session-Id": answer.headers.get("Mcp-Session-Id", ""),
                    "MCP-Protocol-Version": PROTOCOL_VERSION,
                }
            try:
                async with client.post(url, json=_message("tools/list", {}), headers=headers) as answer:
                    if answer.status != 200:
                        raise Refused("the question for its tools was answered with {}".format(answer.status))
                    result = (await answer.json())["result"]["tools"]
            finally:
                async with client.delete(url, headers=headers):
                    pass
    except aiohttp.ClientError as error:
        if isinstance(error, OSError):
            raise
        raise Refused("the connection failed: {}".format(error)) from error
    except (KeyError, TypeError) as error:
        raise Refused("the answer was not what MCP asks for") from error
    return len(result)


async def _status_with(port: int, token: str, version: str) -> int:
    """The HTTP status of a handshake with this token. Raises OSError or a timeout."""
    import aiohttp

    try:
        url = "http://127.0.0.1:{}/mcp".format(port)
        async with _client(token, version) as client, client.post(url, json=_hello(version)) as answer:
            return int(answer.status)
    except aiohttp.ClientError as error:
        raise error if isinstance(error, OSError) else OSError(str(error)) from error
