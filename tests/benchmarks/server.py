"""How fast the server is, in units of a bare aiohttp handler that answers the same JSON on the same Python.

    python tests/benchmarks/server.py [--json]

Every server is a process of its own (see `processors`), asked in turns. The official SDKs' servers are measured beside
it for scale, where run.py has set them up; they have no target.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Tuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from processors import set_apart  # noqa: E402
from ratio import Measurement, show, summary  # noqa: E402
from traffic import Client, Target, calls_per_second, message, wait_for_mark  # noqa: E402

TURNS = 15
TURNS_FOR_SCALE = 3
MEMORY_TURNS = 5
SESSIONS, FIRST_SESSIONS = 100, 20
MARK = b'"the-end-of-it"'
CONTEXT = {
    "workspaceState": {
        "openFiles": [
            {"path": "/workspace/file%d.py" % n, "timestamp": 1700000000000 + n, "isActive": n == 0} for n in range(10)
        ],
        "isTrusted": True,
        "selectedText": "x" * 1000,
        "last": "the-end-of-it",
    }
}

Sample = Callable[["Server"], float]


class Server:
    """A server under measurement."""

    def __init__(self, name: str, command: List[str], environment: Dict[str, str]) -> None:
        self.name = name
        token = secrets.token_hex(16)
        with set_apart():
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **environment, "BENCHMARK_TOKEN": token, "BENCHMARK_CONTEXT": json.dumps(CONTEXT)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                universal_newlines=True,
            )
        assert self._process.stdout is not None
        self.target = Target(int(self._process.stdout.readline()), token)

    def used(self, what: str) -> float:
        """How many `seconds` of processor time or `bytes` of memory the process has used so far."""
        self.tell(what)
        assert self._process.stdout is not None
        return float(self._process.stdout.readline())

    def tell(self, order: str) -> None:
        """Give an order (see `control`)."""
        assert self._process.stdin is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """The end of its input ends it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def open_diff(size: int) -> bytes:
    """A call of `openDiff` with a program of about so many bytes."""
    line = '    print("line", number, \'of a "program"\')  # and so on\n'
    return message(
        "tools/call",
        {"name": "openDiff", "arguments": {"filePath": "/workspace/a.py", "newContent": line * (size // len(line))}},
    )


def handshake(server: Server) -> float:
    """Seconds from nothing to an open stream, on new connections."""
    began = time.perf_counter()
    client = Client(server.target)
    taken = time.perf_counter() - began
    client.end()
    return taken


def latency(body: bytes, count: int) -> Sample:
    """Median seconds of a call."""

    def measure(server: Server) -> float:
        client = Client(server.target, listens=False)
        times = []
        for _ in range(count):
            began = time.perf_counter()
            client.post(body)
            times.append(time.perf_counter() - began)
        client.end()
        return statistics.median(times)

    return measure


def processor(body: bytes, count: int) -> Sample:
    """Seconds of processor time for a call."""

    def measure(server: Server) -> float:
        client = Client(server.target, listens=False)
        before = server.used("seconds")
        for _ in range(count):
            client.post(body)
        taken = server.used("seconds") - before
        client.end()
        return taken / count

    return measure


def throughput(body: bytes, connections: int, each: int) -> Sample:
    """Calls a second."""

    def measure(server: Server) -> float:
        clients = [Client(server.target, listens=False) for _ in range(connections)]
        result = calls_per_second(clients, body, each)
        for client in clients:
            client.end()
        return result

    return measure


class Crowd:
    """Many clients that listen. They go when the servers do."""

    def __init__(self, servers: List[Server], count: int) -> None:
        self._clients = {server: [self._listener(server) for _ in range(count)] for server in servers}

    @staticmethod
    def _listener(server: Server) -> Client:
        client = Client(server.target)
        client.post(open_diff(100))  # at once, by which the SDKs' servers get to know whom to notify
        return client

    def notify(self, server: Server) -> float:
        """Seconds until the last one has a notification."""
        streams = [client.stream for client in self._clients[server] if client.stream is not None]
        began = time.perf_counter()
        server.tell("notify")
        wait_for_mark(streams, MARK)
        return time.perf_counter() - began


def growth(server: Server) -> float:
    """Bytes that a session takes with its open stream. What the first ones alone bring about does not count."""
    clients = [Client(server.target) for _ in range(FIRST_SESSIONS)]
    before = server.used("bytes")
    clients += [Client(server.target) for _ in range(SESSIONS)]
    taken = server.used("bytes") - before
    for client in clients:
        client.end()
    return taken / SESSIONS


def compare(
    name: str,
    servers: List[Server],
    sample: Sample,
    *,
    target: float,
    at_least: bool = False,
    turns: int = TURNS,
    pairs: int = 1,
) -> Iterator[Measurement]:
    """Measure all servers in turns; the last one is the unit, and the first one has the target.

    A turn is so many `pairs` of samples taken one right after the other, and its ratio the median of theirs. Many short
    ones say more than a long one: what disturbs the machine for a moment spoils a few pairs and not the turn. Rare
    costs, such as a full collection of garbage, do not count either.
    """
    for server in servers:
        sample(server)
    ratios: Dict[str, List[float]] = {server.name: [] for server in servers[:-1]}
    for turn in range(turns):
        asked = servers if turn < TURNS_FOR_SCALE else [servers[0], servers[-1]]
        found: Dict[str, List[float]] = {server.name: [] for server in asked}
        for pair in range(turn, turn + pairs):
            for server in asked if pair % 2 else asked[::-1]:
                found[server.name].append(sample(server))
        base = found.pop(servers[-1].name)
        for other, values in found.items():
            ratios[other].append(statistics.median(value / one for value, one in zip(values, base)))
    unit = servers[-1].name
    for number, server in enumerate(servers[:-1]):
        one = summary(
            name if number == 0 else f"  {server.name}: {name}",
            ratios[server.name],
            target=target if number == 0 else None,
            unit="x " + unit,
            at_least=at_least,
        )
        yield one


def commands() -> List[Tuple[str, List[str]]]:
    """The servers to measure beside the two of ours: name and command line, as run.py has set them up."""
    return [(name, list(command)) for name, command in json.loads(os.environ.get("BENCHMARK_SDKS", "[]"))]


@contextlib.contextmanager
def running(*, scale: bool = True) -> Iterator[List[Server]]:
    """Our server, those of the SDKs if they are wanted for `scale`, and the bare one."""
    folder = HERE / "servers"
    servers: List[Server] = []
    try:
        servers.append(Server("companion", [sys.executable, str(folder / "companion_server.py")], {}))
        client = Client(servers[0].target, listens=False)
        results = {
            "initialize": client.opening["result"],
            "tools/call": client.post(open_diff(100)).message()["result"],
        }
        client.end()
        for name, command in commands() if scale else ():
            servers.append(Server(name, command, {}))
        bare = [sys.executable, str(folder / "bare.py")]
        servers.append(Server("bare aiohttp", bare, {"BENCHMARK_RESULTS": json.dumps(results)}))
        yield servers
    finally:
        for server in servers:
            server.close()


def measurements() -> Iterator[Measurement]:
    """All that is measured, with its targets."""
    small, large = open_diff(2_000), open_diff(1_000_000)
    with running() as servers:
        yield from compare("handshake", servers, handshake, target=1.5, turns=81)
        yield from compare("tools/call 2 KB, latency", servers, latency(small, 60), target=1.5)
        yield from compare("tools/call 2 KB, CPU", servers, processor(small, 40), target=1.2, turns=21, pairs=15)
        yield from compare("tools/call 1 MB, latency", servers, latency(large, 5), target=1.2)
        both = [servers[0], servers[-1]]  # the SDKs answer with streams, whose end is dearer to find
        yield from compare(
            "calls/s, 16 connections", both, throughput(small, 16, 60), target=0.65, at_least=True, turns=25
        )
        crowd = Crowd(servers, SESSIONS)
        yield from compare("notification to 100 sessions", servers, crowd.notify, target=1.25, turns=21, pairs=25)
    yield from memory()


def memory() -> Iterator[Measurement]:
    """Memory that a session takes, in servers that have served nobody before: memory is seldom given back."""
    ratios, kilobytes = [], []
    for _ in range(MEMORY_TURNS):
        with running(scale=False) as (ours, bare):
            taken = growth(ours)
            ratios.append(taken / growth(bare))
            kilobytes.append(taken / 1024)
    yield summary("memory of a session", ratios, target=1.2, unit="x bare aiohttp")
    yield summary("  of ours", kilobytes, target=None, unit="KB")


if __name__ == "__main__":
    sys.exit(show(list(measurements())))
