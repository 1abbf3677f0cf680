"""Where the server can be reached from: this machine, by its loopback address."""

from __future__ import annotations

import asyncio
import socket

from companion.agents.ide_companion import IDE_COMPANION
from companion.protocol.serving import Hooks
from companion.protocol.tools import EMPTY, Implementation
from companion.transport.server import CompanionServer
from tests.host.waiting import NEVER_SECONDS, ends


def test_only_the_loopback_address_listens():
    """A server that listened everywhere would also answer under another address of this machine."""

    async def nothing(call):
        return EMPTY

    async def scenario():
        identity = Implementation("gemini-companion", "Gemini Companion", "0")
        server = CompanionServer(IDE_COMPANION, {"": "token"}, Hooks(nothing), identity=identity)
        port = (await server.start()).port
        try:
            assert await reached("127.0.0.1", port)
            for address in other_addresses():
                assert not await reached(address, port), address
        finally:
            await server.stop()

    asyncio.run(ends(scenario()))


def other_addresses():
    """Addresses of this machine that a socket bound to every interface would take connections at."""
    candidates = {"127.0.0.2", "::1"}
    try:
        candidates.update(info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None))
    except OSError:
        pass  # a machine that does not know its own name
    return sorted(candidates - {"127.0.0.1"})


async def reached(address, port):
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(address, port), NEVER_SECONDS)
    except (OSError, asyncio.TimeoutError):
        return False
    writer.close()
    return True
