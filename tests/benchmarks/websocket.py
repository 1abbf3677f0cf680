"""How fast a WebSocket is, in units of our own HTTP on the same Python, and what an idle connection holds.

    python tests/benchmarks/websocket.py [--json]

Both servers are the package's own, each in a process of its own, asked in turns with the same calls of the same tool.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import Any, Iterator, List

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from ratio import Measurement, show, summary  # noqa: E402
from server import Server, open_diff  # noqa: E402
from traffic import Client, SocketClient  # noqa: E402

from companion.agents.claude_code import CLAUDE  # noqa: E402

TURNS = 31
CALLS = 60
MEMORY_TURNS = 5
FIRST, IDLE = 10, 50
MOST_KILOBYTES = 64


def started(*kind: str) -> Server:
    """Our server for HTTP, or of the kind `websocket`."""
    return Server("companion", [sys.executable, str(HERE / "servers" / "companion_server.py"), *kind], {})


def latency(client: Any, body: bytes) -> float:
    """Median seconds of a call."""
    times = []
    for _ in range(CALLS):
        began = time.perf_counter()
        client.post(body)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def round_trips(body: bytes) -> Iterator[Measurement]:
    """A call over both transports, on connections that are open."""
    servers = [started(), started("websocket")]
    try:
        http = Client(servers[0].target, listens=False)
        socket = SocketClient(servers[1].target, CLAUDE.secret_header)
        assert b'"result":{' in socket.post(body), "the call was refused: nothing is measured"
        ratios = []
        for turn in range(TURNS):
            first, second = (http, socket) if turn % 2 else (socket, http)
            taken = {first: latency(first, body), second: latency(second, body)}
            ratios.append(taken[socket] / taken[http])
        yield summary("WebSocket, tools/call 2 KB, latency", ratios, target=1.3, unit="x our HTTP")
        http.end()
        socket.end()
    finally:
        for server in servers:
            server.close()


def growth() -> float:
    """Kilobytes that an idle connection takes in a server that has served nobody before."""
    server = started("websocket")
    clients: List[SocketClient] = []
    try:
        clients += [SocketClient(server.target, CLAUDE.secret_header) for _ in range(FIRST)]
        before = server.used("bytes")
        clients += [SocketClient(server.target, CLAUDE.secret_header) for _ in range(IDLE)]
        return (server.used("bytes") - before) / IDLE / 1024
    finally:
        for client in clients:
            client.end()
        server.close()


def measurements() -> Iterator[Measurement]:
    """All that is measured, with its targets."""
    yield from round_trips(open_diff(2_000))
    kilobytes = [growth() for _ in range(MEMORY_TURNS)]
    yield summary("idle WebSocket connection", kilobytes, target=MOST_KILOBYTES, unit="KB")


if __name__ == "__main__":
    sys.exit(show(list(measurements())))
