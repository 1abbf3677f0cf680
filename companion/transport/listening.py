"""The listening socket of an endpoint.

Rule: the event loop accepts few connections at a time, so that it reads from them in between. The others wait in the
kernel, where they take no descriptor of this process.
"""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Callable

BACKLOG = 128
"""Connections that may wait in the kernel."""
ACCEPTED_AT_ONCE = 8
"""Connections per iteration of the event loop. asyncio accepts as many as the backlog that it is told, and reads the
first bytes of a connection two iterations later."""


class Port:
    """A port on which connections are taken. Loop thread."""

    def __init__(self, server: asyncio.AbstractServer, listening: socket.socket) -> None:
        self._server = server
        self._listening = listening
        self.number = int(listening.getsockname()[1])

    def close(self) -> None:
        """Take no connections any more. Those that are open stay."""
        self._server.close()

    def abandon(self) -> None:
        """The same without the event loop, which cannot do it any more."""
        self._listening.close()


async def listen_on_port(protocols: Callable[[], asyncio.BaseProtocol], address: str, port: int) -> Port:
    """Take connections on the IPv4 address and the port, 0 for any free one. Raises OSError if the port is in use."""
    listening = listen(address, port)
    try:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(protocols, sock=listening, backlog=ACCEPTED_AT_ONCE)
    except BaseException:
        listening.close()
        raise
    listening.listen(BACKLOG)
    return Port(server, listening)


def listen(address: str, port: int) -> socket.socket:
    """A socket bound to the IPv4 address and the port, 0 for any free one. Raises OSError if the port is in use."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            # On Windows this option would let two processes share a port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)
        listening.bind((address, port))
    except BaseException:
        listening.close()
        raise
    return listening
