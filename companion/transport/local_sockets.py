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
import stat
import sys
import tempfile
from typing import Any, Awaitable, Callable, List, Optional

from .listening import ACCEPTED_AT_ONCE, BACKLOG

logger = logging.getLogger("gemini_companion.transport")

PREFIX = "gemini-companion-"
NAME = "mcp.sock"
MOST_BYTES = 100
"""Of a socket's path: macOS takes 103, Linux 107."""
FOLDER_MODE, SOCKET_MODE = 0o700, 0o600
PIPES = "\\\\.\\pipe\\"

Protocols = Callable[[], asyncio.BaseProtocol]


class LocalSocket:
    """A path on which connections are taken. Loop thread; `close` removes what was made."""

    def __init__(self, path: str, servers: List[Any], folder: Optional[str] = None) -> None:
        self.path = path
        self._servers = servers
        self._folder = folder

    def close(self) -> None:
        """Take no connections any more, and remove the socket. Those that are open stay."""
        for server in self._servers:
            server.close()
        if self._folder is not None:
            remove(self._folder)
            self._folder = None


async def listen_locally(protocols: Protocols) -> LocalSocket:
    """Listen on a new path. Raises OSError with a sentence if there is none that is safe. Loop thread."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        return await _listen_on_pipe(loop, protocols)
    folder = make_folder()
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
    return LocalSocket(path, [server], folder)


async def _listen_on_pipe(loop: asyncio.AbstractEventLoop, protocols: Protocols) -> LocalSocket:
    serve: Optional[Callable[[Protocols, str], Awaitable[List[Any]]]] = getattr(loop, "start_serving_pipe", None)
    if serve is None:
        raise OSError("this Python's event loop serves no named pipes, so programs that need one cannot connect")
    path = PIPES + PREFIX + secrets.token_hex(16)
    return LocalSocket(path, await serve(protocols, path))


def make_folder() -> str:
    """A new folder that is the user's alone. Raises OSError."""
    folder = tempfile.mkdtemp(prefix=PREFIX)
    if len(os.fsencode(os.path.join(folder, NAME))) <= MOST_BYTES:
        return folder
    os.rmdir(folder)
    return tempfile.mkdtemp(prefix=PREFIX, dir="/tmp")


def check_folder(folder: str) -> None:
    """Raise OSError unless the folder is a real one, the user's, and nobody else's in any way."""
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise OSError(f"{folder} is not a folder, so no socket is opened in it")
    if status.st_uid != os.getuid():
        raise OSError(f"{folder} belongs to somebody else, so no socket is opened in it")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise OSError(f"others may use {folder}, so no socket is opened in it")


def remove(folder: str) -> None:
    """Remove the folder of a socket. Never raises."""
    try:
        os.unlink(os.path.join(folder, NAME))
    except OSError as error:
        logger.debug("could not remove a socket: %s", type(error).__name__)
    try:
        os.rmdir(folder)
    except OSError as error:
        logger.debug("could not remove the folder of a socket: %s", type(error).__name__)


def is_left_over(path: str) -> bool:
    """Whether a path is that of a socket of ours at which nobody answers. Blocks: not for the loop or the main thread.

    Only such a path may be given to `remove` (its folder) by somebody who has not made it.
    """
    folder, name = os.path.split(path)
    if sys.platform == "win32" or name != NAME or not os.path.basename(folder).startswith(PREFIX):
        return False
    try:
        check_folder(folder)
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            return False
    except OSError:
        return False
    trial = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        trial.settimeout(1)
        trial.connect(path)
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    finally:
        trial.close()
    return False
