"""The server under attack, in a process of its own, with gauges for memory, descriptors and work.

Rule: nothing here protects the server. What holds the interpreter's lock holds the editor's main thread up as well:
so it is counted how long the text is that a single call is given while a message is decoded. The program listens on a
socket in the file system, whose path is its argument, and forks for each connection, because its imports take longer
than most attacks. The first line there has the options; the first answer is the process, the second the ports. Then
each line is a command, and every answer is one line of JSON.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Optional, Set

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.agents.claude_code import ClaudeDialect
from companion.agents.ide_companion import IDE_COMPANION, IdeCompanion
from companion.log import LogBuffer
from companion.protocol.limits import Limits
from companion.protocol.serving import Hooks
from companion.protocol.tools import EMPTY, Implementation
from companion.transport import gate
from companion.transport.server import CompanionServer
from companion.transport.websocket_server import WebSocketServer
from tests.support.work import Work

IDENTITY = Implementation("gemini-companion", "Gemini Companion", "0")
MEBIBYTE = 1024 * 1024


class Gauges:
    """What the attack costs."""

    def __init__(self) -> None:
        self.calls = 0
        self.clients: dict = {}
        self.notify = None
        self.loop: Optional[asyncio.AbstractEventLoop] = None
        self.decoding = 0
        self.longest = 0
        self.go_on = threading.Event()

    def watch_decoding(self, held: bool) -> None:
        """Count what is done to decode a long message; if `held`, that begins with the command to go on."""
        read_value = gate.read_value

        def counted(body, limits):
            if len(body) <= gate.AT_ONCE_BYTES:
                return read_value(body, limits)
            self.decoding += 1
            if held:
                self.go_on.wait()
            work = Work()
            try:
                with work.counted():
                    return read_value(body, limits)
            finally:
                self.longest = max(self.longest, work.longest)

        gate.read_value = counted

    def tasks(self) -> int:
        """How many tasks the loop has."""
        return len(asyncio.all_tasks(self.loop)) if self.loop is not None else 0

    def read(self) -> dict:
        return {
            "peak": peak_memory(),
            "descriptors": len(os.listdir("/dev/fd")),
            "calls": self.calls,
            "clients": len(self.clients),
            "tasks": self.tasks(),
            "decoding": self.decoding,
            "longest": self.longest,
        }


def peak_memory() -> float:
    """Mebibytes."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEBIBYTE


class OnSocket(IdeCompanion):
    """The same dialect where no port is."""

    on_socket = True


class OverWebSocket(ClaudeDialect):
    """With the tools of the other one."""

    tools = IDE_COMPANION.tools


async def serve(options: dict, gauges: Gauges, ready) -> None:
    """Run the servers until the process ends."""

    async def call_tool(call):
        gauges.calls += 1
        if options["waits"]:
            await asyncio.get_running_loop().create_future()
        return EMPTY

    if options["websocket"]:
        await serve_websocket(options, gauges, ready, call_tool)
    ports = []
    for number in range(options["servers"]):
        tokens, limits = {"": options["token"] + "-next" * number}, Limits(**options["limits"])
        on_socket = options["socket"] and number == options["servers"] - 1
        dialect = OnSocket() if on_socket else IDE_COMPANION
        address = await CompanionServer(dialect, tokens, Hooks(call_tool), identity=IDENTITY, limits=limits).start()
        ports.append(address.socket or address.port)
    ready(ports)
    await asyncio.get_running_loop().create_future()  # for ever


async def serve_websocket(options: dict, gauges: Gauges, ready, call_tool) -> None:
    """The same with a server for WebSockets."""
    tokens, limits = {"": options["token"]}, Limits(**options["limits"])
    server = WebSocketServer(OverWebSocket(), tokens, Hooks(call_tool), identity=IDENTITY, limits=limits)
    ready([(await server.start()).port])
    gauges.clients = server._protocol.registry.all()
    gauges.loop = asyncio.get_running_loop()
    gauges.notify = functools.partial(asyncio.get_running_loop().call_soon_threadsafe, notify, server)
    await asyncio.get_running_loop().create_future()  # for ever


def notify(server) -> None:
    """Many large messages that do not take each other's place."""
    for _ in range(100):
        server.notify("at_mentioned", {"filePath": "x" * 100_000})


def main() -> None:
    """Fork for each connection, until standard input ends."""
    threading.Thread(target=lambda: os._exit(bool(sys.stdin.read())), daemon=True).start()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(sys.argv[1])
    listening.listen()
    print("listening", flush=True)
    children: Set[int] = set()
    while True:
        connection, _ = listening.accept()
        children.add(os.fork())
        if 0 in children:
            listening.close()
            attend(connection)
        connection.close()
        children = {child for child in children if not os.waitpid(child, os.WNOHANG)[0]}


def attend(connection: socket.socket) -> None:
    """Serve, and answer commands until the connection ends."""
    commands, answers = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")
    options = json.loads(commands.readline())
    if options["descriptors"]:
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (options["descriptors"], options["descriptors"]))
    gauges = Gauges()
    gauges.watch_decoding(options["holds"])
    buffer = LogBuffer()
    logging.getLogger().addHandler(buffer)
    logging.getLogger().setLevel(logging.INFO)

    def say(value) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    def listen() -> None:
        for line in commands:
            if line.strip() == "go on":
                gauges.go_on.set()
                say("go on")
            elif line.strip() == "notify":
                gauges.notify()
                say("notify")
            elif line.strip() == "log":
                say(buffer.lines())
            else:
                say(gauges.read())
        os._exit(0)

    say(os.getpid())
    threading.Thread(target=lambda: asyncio.run(serve(options, gauges, say)), daemon=True).start()
    listen()


if __name__ == "__main__":
    main()
