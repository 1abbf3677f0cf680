"""Where connections are taken: a port of the loopback address, or a path in the file system.

Rules: the event loop accepts few connections at a time, so that it reads from them in between. The others wait in the
kernel, where they take no descriptor of this process. A socket in the file system is the user's alone: it stands in a
folder of its own that was made a moment ago, belongs to the user and lets nobody else in; a folder of another kind is
refused. Its path is as short as the system wants it. Windows has no such sockets for programs that ask for them; there
a named pipe takes their place, with a name that nobody can guess.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from typing import Any, Awaitable, Callable, List, Optional

from ..system.socket_folders import NAME, PREFIX, check_folder, make_folder, remove

BACKLOG = 128
"""Connections that may wait in the kernel."""
ACCEPTED_AT_ONCE = 8
"""Connections per iteration of the event loop. asyncio accepts as many as the backlog that it is told, and reads the
first bytes of a connection two iterations later."""
SOCKET_MODE = 0o600
PIPES = "\\\\.\\pipe\\"

Protocols = Callable[[], asyncio.BaseProtocol]


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


async def listen_on_port(protocols: Protocols, address: str, port: int) -> Port:
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


class LocalSocket:
    """A path on which connections are taken. Loop thread; `close` removes what was made."""

    def __init__(
        self,
        path: str,
        servers: List[Any],
        folder: Optional[str] = None,
        listening: Optional[socket.socket] = None,
    ) -> None:
        self.path = path
        self._servers = servers
        self._folder = folder
        self._listening = listening

    def close(self) -> None:
        """Take no connections any more, and remove the socket. Those that are open stay."""
        for server in self._servers:
            server.close()
        self._remove()

    def is_cut_off(self) -> bool:
        """Whether somebody has removed the socket: systems clean their directories of temporary files."""
        return self._folder is not None and not os.path.lexists(self.path)

    async def listen_again(self, protocols: Protocols) -> LocalSocket:
        """Listen on the same path, which was removed; connections that are open stay. Raises OSError."""
        for server in self._servers:
            server.close()
        return await listen_locally(protocols, self._folder or "")

    def abandon(self) -> None:
        """The same without the event loop, which cannot do it any more."""
        if self._listening is not None:
            self._listening.close()
        self._remove()

    def _remove(self) -> None:
        if self._folder is not None:
            remove(self._folder)
            self._folder = None


async def listen_locally(protocols: Protocols, folder: str = "") -> LocalSocket:
    """Listen on a new path, or in a `folder` that was removed. Raises OSError with a sentence if there is none that is
    safe. Loop thread."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        return await _listen_on_pipe(loop, protocols)
    folder = make_folder(folder) if folder else make_folder()
    try:
        check_folder(folder)
        path = os.path.join(folder, NAME)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.setblocking(False)
            listening.bind(path)
            os.chmod(path, SOCKET_MODE)
            server = await loop.create_unix_server(protocols, sock=listening, backlog=ACCEPTED_AT_ONCE)
        except BaseException:
            listening.close()
            raise
        listening.listen(BACKLOG)
    except BaseException:
        remove(folder)
        raise
    return LocalSocket(path, [server], folder, listening)


async def _listen_on_pipe(loop: asyncio.AbstractEventLoop, protocols: Protocols) -> LocalSocket:
    serve: Optional[Callable[[Protocols, str], Awaitable[List[Any]]]] = getattr(loop, "start_serving_pipe", None)
    if serve is None:
        raise OSError("this Python's event loop serves no named pipes, so programs that need one cannot connect")
    path = PIPES + PREFIX + secrets.token_hex(16)
    return LocalSocket(path, await serve(protocols, path))
