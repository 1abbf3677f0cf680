"""Attacks over real sockets on a server in a process of its own; what they cost is measured there and printed.

Every test is bounded in time by its sockets, and by the leg.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest

from tests.host.driver import Host
from tests.host.waiting import NEVER_SECONDS
from tests.support.raw_requests import request_head
from tests.tools.desktop import Desktop

TOKEN = "a-token-that-the-attacker-does-not-have"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


class Target:
    """A running target and the ways to reach it."""

    def __init__(self, path: str, options: Dict[str, Any]) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(path)
        self._answers = self._connection.makefile("r", encoding="utf-8")
        self._made: List[socket.socket] = []
        self._say(json.dumps(options))
        self._pid = self._answer()
        self.ports: List[Any] = self._answer()
        self.port = self.ports[0]
        self.start = self.gauges()

    def _answer(self) -> Any:
        line = self._answers.readline()
        assert line, "the target has died"
        return json.loads(line)

    def ask(self, command: str) -> Any:
        self._say(command)
        return self._answer()

    def _say(self, line: str) -> None:
        self._connection.sendall(line.encode() + b"\n")

    def kill(self) -> None:
        """Also closes what is still connected to it."""
        for made in self._made:
            made.close()
        try:
            os.kill(self._pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has died already
        self._answers.read()  # which ends with it
        self._answers.close()
        self._connection.close()

    def gauges(self) -> Dict[str, float]:
        return self.ask("gauges")

    def log(self) -> List[str]:
        return self.ask("log")

    def grown(self) -> float:
        """Mebibytes that the peak has risen since the start."""
        return self.gauges()["peak"] - self.start["peak"]

    def connect(self, port: Optional[int] = None) -> socket.socket:
        made = socket.create_connection(("127.0.0.1", port or self.port), timeout=NEVER_SECONDS)
        self._made.append(made)
        return made

    def connect_to(self, server: int) -> socket.socket:
        """A connection to a server, on its port or its socket in the file system."""
        place = self.ports[server]
        if isinstance(place, int):
            return self.connect(place)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._made.append(made)
        made.settimeout(NEVER_SECONDS)
        made.connect(place)
        return made

    def post_to(self, server: int) -> bytes:
        """A whole POST with the token of a server."""
        place = self.ports[server]
        host = f"127.0.0.1:{place}" if isinstance(place, int) else "localhost"
        return self.post(Host=host, Authorization="Bearer " + TOKEN + "-next" * server)

    def head(self, method: str = "POST", path: str = "/mcp", **headers: Optional[str]) -> bytes:
        """The head of a request that is right in everything not overridden; None leaves a header out."""
        return request_head(self.port, TOKEN, method, path, headers)

    def post(self, body: bytes = PING, **headers: Optional[str]) -> bytes:
        """A whole POST."""
        return self.head(Content_Length=str(len(body)), **headers) + body

    def ping(self, server: int = 0) -> None:
        """A client with the token of a server is answered on a new connection."""
        with self.connect_to(server) as client:
            client.sendall(self.post_to(server))
            assert self.status(client) == 200

    @staticmethod
    def status(connection: socket.socket) -> int:
        """Read one answer with a Content-Length; its status, 0 if the connection ended without one."""
        data = b""
        try:
            while b"\r\n\r\n" not in data:
                part = connection.recv(65536)
                if not part:
                    return 0
                data += part
            head, _, body = data.partition(b"\r\n\r\n")
            length = 0
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            while len(body) < length:
                part = connection.recv(65536)
                if not part:
                    return 0
                body += part
            return int(head.split(b" ")[1])
        except ConnectionError:
            return 0

    @staticmethod
    def flood(connection: socket.socket, data: bytes, size: int, seconds: float = 10.0) -> int:
        """Send `data` again and again, `size` bytes in all; fewer if the server ends it or takes no more. The bytes."""
        sent = 0
        connection.settimeout(2.0)
        ending = time.monotonic() + seconds
        try:
            while sent < size and time.monotonic() < ending:
                sent += connection.send(data)
        except OSError:  # cut, or not read
            pass
        return sent

    @staticmethod
    def ended(connection: socket.socket) -> bool:
        """Whether the server ends the connection."""
        connection.settimeout(NEVER_SECONDS)
        try:
            while connection.recv(65536):
                pass
        except socket.timeout:
            return False
        except OSError:
            pass
        return True


@pytest.fixture
def desktop(tmp_path) -> Iterator[Desktop]:
    """An editor on a workspace with one file, where clients find it; at the end nothing may have gone wrong."""
    (tmp_path / "a.py").write_bytes(b"old\n")
    folder = os.path.realpath(str(tmp_path))
    with Host.start(folders=[folder]) as host:
        started = Desktop(host, folder)
        started.wait_published()
        yield started


@pytest.fixture(scope="session")
def targets(tmp_path_factory) -> Iterator[str]:
    """Where targets are started: the path of a socket."""
    if sys.platform == "win32":
        pytest.skip("the gauges are for POSIX systems")
    path = str(tmp_path_factory.mktemp("targets") / "socket")
    program = str(Path(__file__).with_name("target.py"))
    with subprocess.Popen([sys.executable, program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"
        yield path
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture
def attack(targets) -> Iterator[Any]:
    """Starts a target: `attack(limits, servers=1, descriptors=0)`; each server takes a token of its own. `websocket`:
    one that speaks over WebSockets; `socket`: the last server listens in the file system; `waits`: calls are never
    answered; `holds`: no long message is decoded before the command to go on."""
    started: List[Target] = []

    def start(
        limits: Optional[Dict[str, Any]] = None,
        *,
        servers: int = 1,
        descriptors: int = 0,
        websocket: bool = False,
        socket: bool = False,
        waits: bool = False,
        holds: bool = False,
    ) -> Target:
        options = {"token": TOKEN, "limits": limits or {}, "servers": servers, "descriptors": descriptors}
        options.update(websocket=websocket, socket=socket, waits=waits, holds=holds)
        started.append(Target(targets, options))
        return started[-1]

    yield start
    for target in started:
        target.kill()
