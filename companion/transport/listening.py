"""Where connections are taken: a port of the loopback address, or a path in the file system.

Rules: the event loop accepts few connections at a time, so that it reads from them in between. The others wait in the
kernel, where they take no descriptor of this process. A socket in the file system is the user's alone: it stands in a
folder of its own that was made a moment ago, belongs to the user and is closed to others; a folder of another kind is
refused. Its path is as short as the system wants it. Windows has no such sockets for programs that ask for them; there
a named pipe takes their place, with a random name.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from typing import Any, Awaitable, Callable, List, Optional, Tuple

from ..protocol.serving import Address
from ..system.folders import NAME, PREFIX, check_folder, make_folder, remove

BACKLOG = 128
"""Connections that may wait in the kernel."""
ACCEPTED_AT_ONCE = 8
"""Connections per iteration of the event loop. asyncio accepts as many as its argument for the backlog says, and reads
the first bytes of a connection two iterations later."""
SOCKET_MODE = 0o600
PIPES = "\\\\.\\pipe\\"

Protocols = Callable[[], asyncio.BaseProtocol]


class ListeningSocket:
    """A socket or a named pipe on which connections come in. Loop thread."""

    def __init__(self, address: Address, servers: List[Any], folder: str = "") -> None:
        """`folder`: was made for the socket, and goes with it."""
        self.address = address
        self._servers = servers
        self._folder = folder

    def close(self) -> None:
        """Take no connections any more, and remove what was made. Connections that are open stay."""
        for server in self._servers:
            server.close()
        folder, self._folder = self._folder, ""
        if folder:
            remove(folder)

    def is_cut_off(self) -> bool:
        """Whether somebody has removed the socket: systems clean their directories of temporary files."""
        return bool(self._folder) and not os.path.lexists(self.address.socket)

    async def listen_again(self, protocols: Protocols) -> ListeningSocket:
        """Listen on the same path, which was removed; connections that are open stay. Raises OSError."""
        for server in self._servers:
            server.close()
        return await listen_locally(protocols, self._folder)


async def listen_on_port(protocols: Protocols, address: str, port: int) -> ListeningSocket:
    """Take connections on the IPv4 address and the port, 0 for any free one. Raises OSError if the port is in use."""
    listening = socket.create_server((address, port), backlog=BACKLOG)
    try:
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(protocols, sock=listening, backlog=ACCEPTED_AT_ONCE)
    except BaseException:
        listening.close()
        raise
    listening.listen(BACKLOG)  # `create_server` has asked for fewer
    return ListeningSocket(Address(int(listening.getsockname()[1])), [server])


async def listen_locally(protocols: Protocols, folder: str = "") -> ListeningSocket:
    """Listen on a new path, or in a `folder` that was removed. Raises OSError with a sentence if there is none that is
    safe. Loop thread."""
    if sys.platform == "win32":
        pipe = PIPES + PREFIX + secrets.token_hex(16)
        return ListeningSocket(Address(socket=pipe), await serve_pipe(protocols, pipe))
    folder = make_folder(folder) if folder else make_folder()
    try:
        check_folder(folder)
        path = os.path.join(folder, NAME)
        listening = bind(path)
        try:
            loop = asyncio.get_running_loop()
            server = await loop.create_unix_server(protocols, sock=listening, backlog=ACCEPTED_AT_ONCE)
        except BaseException:
            listening.close()
            raise
        listening.listen(BACKLOG)
    except BaseException:
        remove(folder)
        raise
    return ListeningSocket(Address(socket=path), [server], folder)


async def open_locally(path: str) -> Tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection to what listens locally at this path. Raises OSError. Loop thread."""
    if sys.platform == "win32":
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.create_pipe_connection(lambda: protocol, path)
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
    return await asyncio.open_unix_connection(path)


def bind(path: str) -> socket.socket:
    """A socket at a path in the file system, the user's alone. Raises OSError. POSIX only."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.setblocking(False)
        listening.bind(path)
        os.chmod(path, SOCKET_MODE)
    except BaseException:
        listening.close()
        raise
    return listening


async def serve_pipe(protocols: Protocols, path: str) -> List[Any]:
    """The servers of a named pipe. Raises OSError. Windows only."""
    loop = asyncio.get_running_loop()
    serve: Optional[Callable[[Protocols, str], Awaitable[List[Any]]]] = getattr(loop, "start_serving_pipe", None)
    if serve is None:
        raise OSError("this Python's event loop serves no named pipes, so programs that need one cannot connect")
    return await serve(protocols, path)
