"""Tests the package's own servers over real connections, as a client would.

Rules: a test introduces itself by a name of this run, so that the package does not count it as a client. The HTTP
client is imported on first use, so that the main thread can load this module. Loop thread.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any, List, Mapping

from ..agents.agent import Agent
from ..agents.dialect import Transport
from ..endpoint.context_answers import ContextAnswers, Holding
from .checks import LOG, RESTART, Check, WindowFacts, failed, noted, passed

if TYPE_CHECKING:
    from .client import Client

UNREACHABLE = (
    RESTART + " If that does not help, a firewall or another program may be blocking connections to 127.0.0.1."
)


async def try_server(window: WindowFacts, token: str, version: str) -> List[Check]:
    """Connect with the right token, which is in no check, and with a wrong one."""
    from .client import Refused

    answers, port = f"{window.title} is served", window.port
    if port is None:
        return [failed(answers, window.problem or "its server is not running", RESTART)]
    checks = [await check_handshake(answers, port, token, version)]
    refuses = f"{window.title} refuses a wrong token"
    try:
        await _on_port(port, secrets.token_urlsafe(32), version).count_tools()
    except Refused as error:
        told = str(error)
        checks.append(passed(refuses, told) if error.status == 401 else failed(refuses, told, LOG))
    except (OSError, asyncio.TimeoutError) as error:
        checks.append(failed(refuses, describe(error), UNREACHABLE))
    else:
        checks.append(failed(refuses, "the handshake was answered with 200", LOG))
    return checks


async def check_handshake(name: str, port: int, token: str, version: str) -> Check:
    """Open a session, list the tools and close the session."""
    return await _count_tools(name, f"port {port}", _on_port(port, token, version))


async def check_agent_server(name: str, agent: Agent, content: Mapping[str, Any], version: str) -> Check:
    """Shake hands as a program does that has found this discovery file."""
    from .client import Client, WebSocketClient

    address, secret = agent.identity(content)
    dialect, port = agent.dialect, address if type(address) is int else 0
    if dialect.transport is Transport.HTTP_ON_PORT:
        return await check_handshake(name, port, str(secret), version)
    if dialect.transport is Transport.HTTP_ON_SOCKET:
        on_socket = Client(str(address), dialect.secret_header, str(secret), version)
        return await _count_tools(name, f"socket {address}", on_socket)
    return await _count_tools(name, f"port {port}", WebSocketClient(port, dialect.secret_header, str(secret), version))


def _on_port(port: int, token: str, version: str) -> Client:
    from .client import Client

    return Client(port, "Authorization", f"Bearer {token}", version)


async def _count_tools(name: str, where: str, client: Client) -> Check:
    from .client import Refused

    try:
        tools = await client.count_tools()
    except Refused as error:
        return failed(name, f"{where}: {error}", RESTART)
    except (OSError, asyncio.TimeoutError) as error:
        return failed(name, f"{where}: {describe(error)}", UNREACHABLE)
    return passed(name, f"{where}, {tools} tools")


async def check_answers(answers: ContextAnswers) -> Check:
    """Whether a program that looks for no window, but asks whoever answers, asks this editor."""
    name = f"{answers.agent.title} can ask this editor"
    if answers.holding is Holding.OFF:
        return noted(name, f"switched off by the setting “{answers.agent.publish_setting}”")
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
