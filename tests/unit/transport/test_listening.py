"""Where servers listen: how many connections may wait there, and that none is taken after the end."""

from __future__ import annotations

import asyncio
import os
import socket
import sys

import pytest

from companion.protocol.serving import Hooks
from companion.protocol.tools import Implementation, Tool
from companion.transport import listening
from companion.transport.listening import ACCEPTED_AT_ONCE, BACKLOG
from companion.transport.server import CompanionServer
from companion.transport.websocket_server import WebSocketServer
from tests.host.waiting import NEVER_SECONDS
from tests.support.dialects import dialect

TOKEN = "the-secret-of-this-test"
REQUEST = (
    "GET /{path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer " + TOKEN + "\r\nX-Secret: " + TOKEN + "\r\n"
    "Accept: text/event-stream\r\n{more}\r\n"
)
UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
UPGRADE += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
IDENTITY = Implementation("gemini-companion", "Gemini Companion", "1")


def server_of(server, **traits):
    """A server that does not listen yet."""
    tools = [Tool("openDiff", "Open Diff", "Opens a diff.", {"type": "object"})]
    return server(dialect(tools, **traits), {"": TOKEN}, Hooks(lambda call: None), identity=IDENTITY)


class OnPort:
    """Streamable HTTP on a port; its client listens for events."""

    first_bytes = b"HTTP/1.1 200"
    path, more = "events", ""

    def __init__(self):
        self.server = server_of(CompanionServer)

    async def start(self):
        self.port = (await self.server.start()).port

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=NEVER_SECONDS)
        client.sendall(REQUEST.format(path=self.path, host=f"127.0.0.1:{self.port}", more=self.more).encode())
        return client

    def is_free(self):
        with socket.create_server(("127.0.0.1", self.port)):
            return True


class OverWebSocket(OnPort):
    first_bytes = b"HTTP/1.1 101"
    path, more = "", UPGRADE

    def __init__(self):
        self.server = server_of(WebSocketServer, secret_header="X-Secret")


class OnSocket(OnPort):
    def __init__(self):
        self.server = server_of(CompanionServer, secret_header="X-Secret", handshake_only=True, on_socket=True)

    async def start(self):
        self.socket_path = (await self.server.start()).socket

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(NEVER_SECONDS)
        client.connect(self.socket_path)
        client.sendall(REQUEST.format(path=self.path, host="localhost", more=self.more).encode())
        return client

    def is_free(self):
        return not os.path.exists(os.path.dirname(self.socket_path))


@pytest.mark.parametrize("kind", [OnPort, OverWebSocket, OnSocket])
def test_few_connections_are_taken_at_a_time_and_none_after_the_end(kind, monkeypatch):
    if kind is OnSocket and sys.platform == "win32":
        pytest.skip("Windows has named pipes instead")
    asked = []

    class Socket(socket.socket):
        def listen(self, backlog):
            asked.append(backlog)
            super().listen(backlog)

    monkeypatch.setattr(listening.socket, "socket", Socket)

    async def scenario():
        loop = asyncio.get_running_loop()
        name = "create_unix_server" if kind is OnSocket else "create_server"
        create = getattr(loop, name)

        async def note(protocols, *, sock, backlog):
            asked.append((backlog, sock.getblocking()))
            return await create(protocols, sock=sock, backlog=backlog)

        monkeypatch.setattr(loop, name, note)
        bench = await made(kind)
        bench.connect().close()
        await bench.server.stop()
        with pytest.raises((ConnectionRefusedError, FileNotFoundError)):
            bench.connect()

    asyncio.run(scenario())
    assert (ACCEPTED_AT_ONCE, False) in asked
    assert asked[-1] == BACKLOG


async def made(kind):
    bench = kind()
    await bench.start()
    return bench
