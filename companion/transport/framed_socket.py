"""Frames on a socket that one editor of a user may have: taken where it is free, served, and given back.

A frame is its length (4 bytes, little-endian) and a text of so many bytes.

Rules: an editor that answers at the path keeps it. A path at which no editor answers is removed only if it is a socket
of the user's, and of two editors that try at once one alone does. A path that is no longer ours is not removed. Silent
connections shut no other out: a frame that has begun comes soon, and of the connections between two frames the one that
has been silent longest makes room for a new one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
import struct
import sys
from typing import Any, Awaitable, Callable, Dict, List, NamedTuple, Optional, Set

from ..common.clock import clock
from ..system.folders import is_answered
from .listening import bind, listen_locally, serve_pipe

logger = logging.getLogger("gemini_companion.transport")

MOST_BYTES = 1 << 20  # of a frame that is read
MOST_CONNECTIONS = 32
FRAME_SECONDS = 5.0  # for the first frame, for the rest of one that has begun, and for reading an answer
PLATFORM: str = sys.platform
WAITING = 16  # connections in the kernel
CONNECT_SECONDS = 1.0
YOUNG_SECONDS = 2.0
"""A younger socket is never taken for a dead one: it refuses connections until its owner listens."""

_LENGTH = struct.Struct("<I")
_LINUX_PEER = struct.Struct("3i")  # process, user and group: SO_PEERCRED
_MACOS_PEER = 0, 2  # SOL_LOCAL, LOCAL_PEERPID

Answer = Callable[[bytes, Optional[int]], Awaitable[Optional[bytes]]]
"""The answer to a frame of this process (None: unknown), or None if it gets none."""


class Claim(NamedTuple):
    """A path that is ours. On Windows, where pipes have no file, both numbers are 0."""

    path: str
    listening: Optional[socket.socket] = None
    device: int = 0
    inode: int = 0

    def is_lost(self) -> bool:
        """Whether the path is not ours any more. Never raises."""
        try:
            return self.listening is not None and not self._is_there()
        except OSError:
            return True

    def _is_there(self) -> bool:
        status = os.lstat(self.path)
        return (status.st_dev, status.st_ino) == (self.device, self.inode)

    def leave(self) -> None:
        """Remove the path if it is still ours. Never raises; may be repeated. Any thread; uses the disk."""
        try:
            if self.listening is not None and self._is_there():
                os.unlink(self.path)
        except OSError as error:
            logger.debug("could not remove a socket: %s", type(error).__name__)

    def release(self) -> None:
        """Remove the path if it is still ours, and close the socket. Not while an event loop listens there."""
        self.leave()
        if self.listening is not None:
            self.listening.close()


def claim(path: str) -> Optional[Claim]:
    """Listen at a path in a folder that was checked; None while it is somebody else's.

    Raises `OSError` with a sentence if what stands there is no socket of the user's. Blocks on the disk. POSIX only.
    """
    import fcntl

    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        return _claim(path) if _is_free(path) else None
    finally:
        os.close(folder)


def _is_free(path: str) -> bool:
    """Whether nothing stands there, once a dead socket is removed."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return True
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.getuid():
        raise OSError(f"{path} is no socket of yours, so none is opened there")
    if abs(clock.date() - status.st_mtime) < YOUNG_SECONDS or is_answered(path):
        return False
    os.unlink(path)
    return True


def _claim(path: str) -> Claim:
    listening = bind(path)
    try:
        listening.listen(WAITING)
        status = os.lstat(path)
    except OSError:
        listening.close()
        raise
    return Claim(path, listening, status.st_dev, status.st_ino)


class FrameServer:
    """Answers frames, one after the other on each connection. Loop thread."""

    def __init__(self, answer: Answer, frame_seconds: float = FRAME_SECONDS) -> None:
        self.frame_seconds = frame_seconds
        """Seconds that a frame, or the reading of an answer, may take."""
        self._answer = answer
        self._servers: List[Any] = []
        self._tasks: Set[asyncio.Future[None]] = set()
        self._silent: Dict[asyncio.StreamWriter, None] = {}  # between two frames; who has been so longest comes first

    async def serve(self, claimed: Claim) -> None:
        """Take connections at a path that is ours; on Windows at a pipe, if no other process has it.

        Raises `OSError`.
        """
        loop, protocol = asyncio.get_running_loop(), self._protocol
        if claimed.listening is not None:
            self._servers.append(await loop.create_unix_server(protocol, sock=claimed.listening, backlog=WAITING))
            return
        # The first instance of a pipe says that it is the first: where another process has one, Windows refuses it.
        self._servers.extend(await serve_pipe(protocol, claimed.path))

    async def serve_locally(self) -> str:
        """Take connections at a path that nobody else can find; which it is. Raises `OSError`."""
        listening = await listen_locally(self._protocol)
        self._servers.append(listening)
        return listening.address.socket

    def _protocol(self) -> asyncio.BaseProtocol:
        loop = asyncio.get_running_loop()
        return asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), self._connected, loop=loop)

    def close(self) -> None:
        """Take no connections any more, and end those that are open."""
        for server in self._servers:
            server.close()
        self._servers.clear()
        for task in self._tasks:
            task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= MOST_CONNECTIONS and not self._make_room():
            writer.close()
            return
        task = asyncio.ensure_future(self._carry(reader, writer))
        self._tasks.add(task)  # nothing else refers to it
        self._silent[writer] = None
        task.add_done_callback(self._tasks.discard)

    def _make_room(self) -> bool:
        """End the connection that has been silent longest; False if none is."""
        writer = next(iter(self._silent), None)
        if writer is None:
            return False
        del self._silent[writer]
        writer.transport.abort()
        return True

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        silent_seconds: Optional[float] = self.frame_seconds
        try:
            process = _process_of(writer)
            while True:
                begun = await asyncio.wait_for(reader.readexactly(1), silent_seconds)
                self._silent.pop(writer, None)
                answer = await self._answer(await asyncio.wait_for(_rest(begun, reader), self.frame_seconds), process)
                if answer is not None:
                    writer.write(_LENGTH.pack(len(answer)) + answer)
                    await asyncio.wait_for(writer.drain(), self.frame_seconds)
                silent_seconds = None  # a program may keep its connection for the next question
                self._silent[writer] = None
        except asyncio.IncompleteReadError:
            return
        except asyncio.TimeoutError:
            writer.transport.abort()  # else what has not been read yet would keep it open
        except OSError as error:
            logger.info("ended a connection: %s", error)
        finally:
            self._silent.pop(writer, None)
            writer.close()


async def _rest(begun: bytes, reader: asyncio.StreamReader) -> bytes:
    """The text of a frame that has begun. Raises `OSError` if it is too long."""
    (size,) = _LENGTH.unpack(begun + await reader.readexactly(_LENGTH.size - len(begun)))
    if not 0 < size <= MOST_BYTES:
        raise OSError(f"a frame of {size} bytes")
    return await reader.readexactly(size)


def _process_of(writer: asyncio.StreamWriter) -> Optional[int]:
    """The process at the other end, where the system tells it. Raises `OSError` if it is another user's."""
    connection = writer.get_extra_info("socket")
    if connection is None:
        return None
    credentials = getattr(socket, "SO_PEERCRED", None)
    if credentials is not None:  # Linux
        told = connection.getsockopt(socket.SOL_SOCKET, credentials, _LINUX_PEER.size)
        process, user, _ = _LINUX_PEER.unpack(told)
        if user != os.getuid():
            raise OSError("a process of another user")
        return int(process) or None
    return (int(connection.getsockopt(*_MACOS_PEER)) or None) if PLATFORM == "darwin" else None


async def ask(path: str, message: bytes, seconds: float = CONNECT_SECONDS) -> bytes:
    """Send one frame as a program does; the answer. Raises `OSError`, also without one in time. POSIX only."""

    async def exchange() -> bytes:
        reader, writer = await asyncio.open_unix_connection(path)
        try:
            writer.write(_LENGTH.pack(len(message)) + message)
            (size,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
            return await reader.readexactly(size)
        finally:
            writer.close()

    try:
        return await asyncio.wait_for(exchange(), seconds)
    except (asyncio.TimeoutError, asyncio.IncompleteReadError):
        raise OSError("no answer") from None
