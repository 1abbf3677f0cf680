"""Files by their descriptors: opened only if they are regular files, read and written whole, flushed to the disk.

Rule: descriptors are used raw. A buffered file would try to write the rest of what had failed when it is closed.

The editor is not known here. These calls block on the disk, and raise `OSError`. Disk threads.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
from typing import Iterator, List, Optional, Tuple

_PORTION = 1 << 20  # bytes read or written at a time
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _BINARY
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}  # a file system that has no such thing


class NotRegularError(OSError):
    """What the path leads to is a folder, a FIFO, a device or the like."""


@contextmanager
def opened(path: str, flags: int) -> Iterator[Tuple[int, os.stat_result]]:
    """A descriptor of the regular file and its status. Raises `NotRegularError` for anything else.

    That is asked before opening, because opening a FIFO or a device is noticed at its other end, and again afterwards,
    because the path may lead elsewhere by then; therefore it is opened without waiting.
    """
    _check_regular(os.stat(path))
    descriptor = os.open(path, flags | _BINARY | _NO_WAITING)
    try:
        found = os.fstat(descriptor)
        _check_regular(found)
        yield descriptor, found
    finally:
        os.close(descriptor)


def _check_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularError(errno.EINVAL, "it is not a regular file")


def identity_of(found: os.stat_result) -> Tuple[int, int]:
    """Which file it is, whatever it is called: what `os.path.samestat` compares."""
    return found.st_dev, found.st_ino


@contextmanager
def new_file(path: str, mode: int = 0o600) -> Iterator[int]:
    """A descriptor of a file that was not there. It is removed again if the block fails."""
    descriptor = os.open(path, _NEW, mode)
    try:
        try:
            yield descriptor
        finally:
            os.close(descriptor)
    except BaseException:
        remove(path)
        raise


def remove(path: str) -> bool:
    """Remove a file or a link, but never its target. False if that failed. Never raises."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def read_all(descriptor: int, most: Optional[int] = None) -> bytes:
    """The file's bytes from its start. With `most`, at most one more than that: a file that grows would have no end."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    portions: List[bytes] = []
    left = most + 1 if most is not None else None
    while left is None or left > 0:
        portion = os.read(descriptor, _PORTION if left is None else min(left, _PORTION))
        if not portion:
            break
        portions.append(portion)
        left = left - len(portion) if left is not None else None
    return b"".join(portions)


def write_all(descriptor: int, place: int, data: bytes) -> None:
    """Write all of `data` from `place` on."""
    os.lseek(descriptor, place, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        count = os.write(descriptor, rest[:_PORTION])
        if not count:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        rest = rest[count:]


def flush(descriptor: int) -> None:
    """Bring what was written to the disk."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def flush_folder(folder: str) -> None:
    """Make the names in a folder last. Never raises: they are there, whatever comes of this."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | _BINARY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
