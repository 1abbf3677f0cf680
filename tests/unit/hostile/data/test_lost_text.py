"""No accepted text is lost without a word: what a client did not read is given back, whatever its kernel has taken.

The clients are processes of their own, suspended and killed as a terminal does it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any, Awaitable, Callable, List

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from companion.agents.ide_companion import TOOLS
from companion.protocol.limits import Limits
from companion.protocol.tools import EMPTY, Implementation, ToolCall, ToolResult
from companion.transport.server import CompanionServer

ROOT = Path(__file__).resolve().parents[4]
TOKEN = "a-token-of-this-test"
TEXT = {"filePath": "/a", "content": "accepted"}
LIMITS = Limits(stream_grace_seconds=0.3)
CLIENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from tests.clients.standard_library import Client
client = Client(int(sys.argv[2]), sys.argv[3])
information = {"name": "victim", "version": "1"}
client.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": information})
client._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
client._open_stream()
print("listening", flush=True)
while True:
    message = client.messages.get()
    print(message["method"], flush=True)
    if message["method"] == "ask":
        client.request("ping", {})
        print("asked", flush=True)
"""

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be suspended here")


class World:
    """A server, and what it tells the application of a client that has gone."""

    def __init__(self) -> None:
        self.opened: List[Any] = []
        self.closed: List[Any] = []
        self.unread: List[object] = []
        self.server = CompanionServer(
            token=TOKEN,
            tools=TOOLS,
            call_tool=self._call,
            session_opened=self.opened.append,
            session_closed=self._closed,
            identity=Implementation("test", "Test", "0"),
            limits=LIMITS,
        )

    async def _call(self, call: ToolCall) -> ToolResult:
        return EMPTY

    def _closed(self, client: Any, unread: List[object]) -> None:
        self.closed.append(client)
        self.unread.extend(unread)

    def tell(self, method: str = "ide/diffAccepted", tag: object = "the text") -> None:
        assert self.server.notify(method, TEXT, session=self.opened[-1].id, tag=tag)

    async def gone(self) -> None:
        while not self.closed:
            await asyncio.sleep(0.01)


def run(scenario: Callable[[World, Any], Awaitable[None]]) -> None:
    """Run the scenario with a client process that listens."""

    async def main() -> None:
        world = World()
        port = await world.server.start()
        client = await asyncio.create_subprocess_exec(
            sys.executable, "-c", CLIENT, str(ROOT), str(port), TOKEN, stdout=asyncio.subprocess.PIPE
        )
        try:
            await said(client, b"listening")
            await asyncio.wait_for(scenario(world, client), 30)
        finally:
            if client.returncode is None:
                client.kill()
            await client.wait()
            await world.server.stop()

    asyncio.run(main())


def suspend(client: Any) -> None:
    """Suspend the client's process. When this returns, none of its threads runs any more."""
    os.kill(client.pid, signal.SIGSTOP)
    _, status = os.waitpid(client.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)


async def said(client: Any, what: bytes) -> None:
    while True:
        line = await asyncio.wait_for(client.stdout.readline(), 30)
        assert line, "the client has ended"
        if line.strip() == what:
            return


def test_what_a_suspended_client_never_read_is_given_back_when_it_is_killed():
    async def scenario(world, client):
        suspend(client)
        world.tell()
        await asyncio.sleep(0.2)  # The server writes it, and the suspended client's kernel takes it.
        client.kill()
        await world.gone()
        assert world.unread == ["the text"]

    run(scenario)


def test_what_was_read_is_not_given_back_when_the_client_is_killed_afterwards():
    async def scenario(world, client):
        world.tell()
        await said(client, b"ide/diffAccepted")
        client.kill()
        await world.gone()
        assert world.unread == []

    run(scenario)


def test_a_client_that_was_suspended_and_went_on_has_read_it():
    async def scenario(world, client):
        suspend(client)
        world.tell()
        await asyncio.sleep(0.2)
        os.kill(client.pid, signal.SIGCONT)
        await said(client, b"ide/diffAccepted")
        client.kill()
        await world.gone()
        assert world.unread == []

    run(scenario)


def test_a_later_request_shows_what_came_before_it_was_read():
    async def scenario(world, client):
        world.tell(tag="read")
        world.tell("ask", tag=None)
        await said(client, b"asked")
        suspend(client)
        world.tell(tag="unread")
        await asyncio.sleep(0.2)
        client.kill()
        await world.gone()
        assert world.unread == ["unread"]

    run(scenario)


def test_disconnecting_a_suspended_client_gives_back_what_it_did_not_read():
    async def scenario(world, client):
        suspend(client)
        world.tell()
        await asyncio.sleep(0.2)
        world.server.disconnect()
        assert world.unread == ["the text"]

    run(scenario)


@pytest.mark.parametrize("ends", ["closes", "resets"])
def test_what_is_written_after_the_clients_end_was_not_read(ends):
    """The end lies unread in our kernel while we write: the answer to that is a reset, which must not be missed."""

    async def scenario(world, client):
        port = world.server._gate.port
        answer = await request(port, b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
        session = answer.split(b"Mcp-Session-Id: ")[1].split(b"\r\n")[0]
        listening = socket.create_connection(("127.0.0.1", port))
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(listening, head("GET", port, b"Mcp-Session-Id: " + session))
        heard = b""
        while b"id: " not in heard:
            heard += await loop.sock_recv(listening, 4096)
        world.tell(tag="first")
        while b"accepted" not in heard:
            heard += await loop.sock_recv(listening, 4096)
        if ends == "resets":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        world.tell(tag="second")
        listening.close()  # Before the loop has had its turn: it writes first, and only then sees the end.
        await world.gone()
        assert "second" in world.unread

    run(scenario)


def head(method: str, port: int, *more: bytes) -> bytes:
    lines = [
        b"%s /mcp HTTP/1.1" % method.encode(),
        b"Host: 127.0.0.1:%d" % port,
        b"Authorization: Bearer " + TOKEN.encode(),
        b"Accept: application/json, text/event-stream",
        b"Content-Type: application/json",
        *more,
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


async def request(port: int, body: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head("POST", port, b"Content-Length: %d" % len(body), b"Connection: close") + body)
    try:
        return await reader.read()
    finally:
        writer.close()
