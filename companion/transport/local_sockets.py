"""Sockets in the file system, for programs that connect to a path: made for the user alone, and removed again.

Rules: a socket stands in a folder of its own that was made a moment ago, belongs to the user and lets nobody else in; a
folder of another kind is refused. Its path is as short as the system wants it. Windows has no such sockets for
programs that ask for them; there a named pipe takes their place, with a name that nobody can guess.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from typing import Any, Awaitable, Callable, List, Optional

from ..system.socket_folders import NAME, PREFIX, check_folder, make_folder, remove
from .listening import ACCEPTED_AT_ONCE, BACKLOG

logger = logging.getLogger("gemini_companion.transport")

SOCKET_MODE = 0o600
PIPES = "\\\\.\\pipe\\"

Protocols = Callable[[], asyncio.BaseProtocol]


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
