"""A client that speaks the frames of RFC 6455 by hand, so that it can speak them wrongly."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any, Dict, Optional, Tuple

import pytest

from tests.host.waiting import NEVER_SECONDS

HEADER = "X-Claude-Code-Ide-Authorization"
TOKEN = "a-token-that-the-attacker-does-not-have"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "clientInfo": {"name": "claude-code", "version": "2"}}}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def frame(
    opcode: int, payload: bytes = b"", *, final: bool = True, reserved: int = 0, said: Optional[int] = None
) -> bytes:
    """A masked frame. `reserved`: RSV bits as in the first byte; `said`: the length that its head claims."""
    length = len(payload) if said is None else said
    first = (0x80 if final else 0) | reserved | opcode
    if length < 126:
        head = struct.pack("!BB", first, 0x80 | length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", first, 0x80 | 126, length)
    else:
        head = struct.pack("!BBQ", first, 0x80 | 127, length)
    return head + b"\0\0\0\0" + payload  # a mask of zeros leaves the payload as it is


def text(message: Any) -> bytes:
    """A message as one frame."""
    return frame(TEXT, json.dumps(message).encode())


class Attacker:
    """One connection."""

    def __init__(self, target: Any, *, small: bool = False) -> None:
        self.target = target
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if small:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(NEVER_SECONDS)
        self.socket.connect(("127.0.0.1", target.port))
        self.received = b""

    def head(self, **headers: Optional[str]) -> bytes:
        """An upgrade that is right in everything not overridden; None leaves a header out."""
        fields: Dict[str, Optional[str]] = {
            "Host": f"127.0.0.1:{self.target.port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol": "mcp",
            HEADER: TOKEN,
        }
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        lines = ["GET / HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items() if value is not None]
        return "\r\n".join([*lines, "", ""]).encode()

    def upgrade(self, **headers: Optional[str]) -> int:
        """The status that an upgrade is answered with, 0 if the connection ends."""
        self.socket.sendall(self.head(**headers))
        while b"\r\n\r\n" not in self.received:
            try:
                part = self.socket.recv(65536)
            except ConnectionError:
                return 0
            if not part:
                return 0
            self.received += part
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        self.answered = head.decode("latin-1").lower()
        return int(head.split(b" ")[1])

    def enter(self) -> Attacker:
        """Upgrade and shake hands."""
        assert self.upgrade() == 101
        self.send(text(INITIALIZE))
        assert self.message()["id"] == 0
        self.send(text(READY))
        return self

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def frame(self) -> Tuple[int, bytes]:
        """The next frame of the server: opcode and payload; CLOSE without payload if the connection ends."""
        try:
            first, second = self._take(2)
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", self._take(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", self._take(8))
            return first & 15, self._take(length)
        except ConnectionError:
            return CLOSE, b""

    def _take(self, count: int) -> bytes:
        while len(self.received) < count:
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError
            self.received += part
        data, self.received = self.received[:count], self.received[count:]
        return data

    def message(self) -> Any:
        """The next message of the server."""
        opcode, payload = self.frame()
        assert opcode == TEXT, (opcode, payload)
        return json.loads(payload)

    def close_code(self) -> int:
        """The code with which the server ends the connection; 0 without one. Whatever comes before is passed over."""
        while True:
            opcode, payload = self.frame()
            if opcode == CLOSE:
                return struct.unpack("!H", payload[:2])[0] if payload else 0

    def flood(self, data: bytes, size: int, seconds: float = 10.0) -> int:
        """Send `data` again and again until so many bytes are sent, or no more are taken; how many were."""
        sent: int = self.target.flood(self.socket, data, size, seconds)
        self.socket.settimeout(NEVER_SECONDS)
        return sent

    def close(self) -> None:
        self.socket.close()


@pytest.fixture
def enter(attack):
    """Starts a target and lets clients in: `target, connect = enter(limits)`."""
    made = []

    def start(limits=None, **options):
        target = attack(limits, websocket=True, **options)

        def connect(**how):
            made.append(Attacker(target, **how))
            return made[-1]

        return target, connect

    yield start
    for each in made:
        each.close()
