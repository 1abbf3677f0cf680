"""A load generator that costs next to nothing itself: plain sockets and bytes made beforehand.

Rule: it reads no more of an answer than it must to know where the answer ends. One thread.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from typing import Any, Dict, List, Optional

ADDRESS = "127.0.0.1"
SECONDS = 30.0
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Answer:
    """One HTTP answer: its status, its header block and its body."""

    def __init__(self, head: bytes, body: bytes) -> None:
        self.status = int(head.split(b" ", 2)[1])
        self.head = head
        self.body = body

    def header(self, name: str) -> Optional[str]:
        """The header's value, or None."""
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name.lower():
                return value.strip()
        return None

    def message(self) -> Any:
        """The JSON message in it, whether plain or as an event."""
        text = self.body.decode("utf-8")
        for line in text.splitlines():
            if line.startswith("data: {"):
                return json.loads(line[6:])
        return json.loads(text)


class Target:
    """Where requests go, and with which token."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token

    def request(self, method: str, body: bytes = b"", session: str = "") -> bytes:
        """The bytes of a request."""
        accept = "text/event-stream" if method == "GET" else "application/json, text/event-stream"
        lines = [
            method + " /mcp HTTP/1.1",
            f"Host: {ADDRESS}:{self.port}",
            "Authorization: Bearer " + self.token,
            "Accept: " + accept,
        ]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        if session:
            lines += ["Mcp-Session-Id: " + session, "Mcp-Protocol-Version: 2025-11-25"]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + body

    def connect(self) -> socket.socket:
        """A connection to the server."""
        connection = socket.create_connection((ADDRESS, self.port), SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


def message(method: str, params: Dict[str, Any], number: Optional[int] = 1) -> bytes:
    """A JSON-RPC request, or with no number a notification."""
    value: Dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        value["id"] = number
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def exchange(connection: socket.socket, request: bytes, *, head_only: bool = False) -> Answer:
    """Sends a request and returns its answer, or only the head of it. Raises ConnectionError."""
    connection.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        data += _receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    answer = Answer(head, body)
    if head_only or answer.status in (202, 204):
        return answer
    length = answer.header("Content-Length")
    if length is not None:
        while len(answer.body) < int(length):
            answer.body += _receive(connection)
    else:
        while not answer.body.endswith(b"0\r\n\r\n"):
            answer.body += _receive(connection)
    return answer


def _receive(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 20)
    if not data:
        raise ConnectionError("the server closed the connection")
    return data


class Client:
    """A client with a session and, if it listens, an open stream."""

    def __init__(self, target: Target, *, listens: bool = True) -> None:
        self.target = target
        self.connection = target.connect()
        first = exchange(self.connection, target.request("POST", message("initialize", INITIALIZE)))
        self.opening = first.message()
        self.session = first.header("Mcp-Session-Id") or ""
        self.post(message("notifications/initialized", {}, None))
        self.stream: Optional[socket.socket] = None
        if listens:
            self.stream = target.connect()
            answer = exchange(self.stream, target.request("GET", session=self.session), head_only=True)
            if answer.status != 200:
                raise ConnectionError("no stream: {}".format(answer.head.decode("latin-1")))

    def post(self, body: bytes) -> Answer:
        """Posts a message and returns the answer. Raises ConnectionError if it is refused."""
        answer = exchange(self.connection, self.target.request("POST", body, self.session))
        if answer.status not in (200, 202):
            raise ConnectionError("refused: {}".format(answer.body[:300].decode("utf-8", "replace")))
        return answer

    def end(self) -> None:
        """Ends the session and the connections."""
        exchange(self.connection, self.target.request("DELETE", session=self.session), head_only=True)
        self.connection.close()
        if self.stream is not None:
            self.stream.shutdown(socket.SHUT_RDWR)  # which reaches a thread that is reading it
            self.stream.close()


class SocketClient:
    """A client on a WebSocket, with a session; the answers are told from notifications by nobody."""

    def __init__(self, target: Target, secret_header: str) -> None:
        self.connection = target.connect()
        lines = [
            "GET / HTTP/1.1",
            f"Host: {ADDRESS}:{target.port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol: mcp",
            f"{secret_header}: {target.token}",
        ]
        answer = exchange(self.connection, "\r\n".join([*lines, "", ""]).encode("ascii"), head_only=True)
        if answer.status != 101:
            raise ConnectionError("refused: {}".format(answer.head.decode("latin-1")))
        self.opening = json.loads(self.post(message("initialize", INITIALIZE)))
        self.connection.sendall(framed(message("notifications/initialized", {}, None)))
        self.post(message("ping", {}))  # which shows that the session is there

    def post(self, body: bytes) -> bytes:
        """Sends a message and returns the answer. Raises ConnectionError."""
        self.connection.sendall(framed(body))
        data = _receive(self.connection)
        while len(data) < 2 or len(data) < _frame_size(data):
            data += _receive(self.connection)
        return data[_frame_size(data, head_only=True) :]

    def end(self) -> None:
        """Ends the connection."""
        self.connection.close()


def framed(body: bytes) -> bytes:
    """A message as one frame. RFC 6455, 5.2; masked with zeros, which leaves it as it is."""
    length = len(body)
    if length < 126:
        return bytes([0x81, 0x80 | length, 0, 0, 0, 0]) + body
    if length < 1 << 16:
        return bytes([0x81, 0x80 | 126]) + length.to_bytes(2, "big") + bytes(4) + body
    return bytes([0x81, 0x80 | 127]) + length.to_bytes(8, "big") + bytes(4) + body


def _frame_size(data: bytes, *, head_only: bool = False) -> int:
    length, head = data[1], 2
    if length == 126:
        length, head = int.from_bytes(data[2:4], "big"), 4
    elif length == 127:
        length, head = int.from_bytes(data[2:10], "big"), 10
    return head if head_only else head + length


def calls_per_second(clients: List[Client], body: bytes, each: int) -> float:
    """How many of these calls a second the server answers when every client has one under way all the time."""
    size = {}
    for client in clients:
        answer = client.post(body)
        if answer.header("Content-Length") is None:
            raise ConnectionError("cannot tell where the answers end")
        size[client.connection] = len(answer.head) + 4 + len(answer.body)
    requests = {client.connection: client.target.request("POST", body, client.session) for client in clients}
    left = dict.fromkeys(requests, each)
    received = dict.fromkeys(requests, 0)
    with selectors.DefaultSelector() as selector:
        for connection in requests:
            selector.register(connection, selectors.EVENT_READ, connection)
        began = time.perf_counter()
        for connection, request in requests.items():
            connection.sendall(request)
        waiting = len(requests)
        while waiting:
            for key, _ in selector.select(SECONDS):
                connection = key.data
                received[connection] += len(_receive(connection))
                if received[connection] >= size[connection]:
                    received[connection] = 0
                    left[connection] -= 1
                    if left[connection]:
                        connection.sendall(requests[connection])
                    else:
                        waiting -= 1
        return each * len(requests) / (time.perf_counter() - began)


def wait_for_mark(streams: List[socket.socket], mark: bytes) -> None:
    """Returns when each stream has brought some bytes that hold `mark`. Raises ConnectionError, TimeoutError."""
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ)
        waiting = dict.fromkeys(streams, b"")
        while waiting:
            ready = selector.select(SECONDS)
            if not ready:
                raise TimeoutError(f"{len(waiting)} streams have brought nothing")
            for key, _ in ready:
                stream = key.fileobj
                assert isinstance(stream, socket.socket)
                data = waiting.get(stream, b"") + _receive(stream)
                if mark in data:
                    waiting.pop(stream, None)
                elif stream in waiting:
                    waiting[stream] = data
