"""Files by their descriptors, and the package's own files: whole or not there, in use by one process at a time.

Theory of operation: one of our own files is made under another name, brought to the disk, and renamed, so that it is
found whole or not at all, whenever the power fails. The process that uses it holds a lock on it, which the system takes
away when the process ends, however it ends. So a file that is not locked was left by a run that ended too early.

Rules: only regular files are opened. Descriptors are used raw: a buffered file would try to write the rest of what had
failed when it is closed. Only the user can read our own files and their folder.

The editor is not known here. These calls block on the disk, and raise `OSError`. Disk threads.
"""

from __future__ import annotations

import errno
import operator
import os
import secrets
import stat
import sys
import time
from contextlib import contextmanager, suppress
from typing import Iterator, List, NamedTuple, Optional, Tuple

from . import shared_folders

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_PORTION = 1 << 20  # bytes read or written at a time
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
COARSE_NANOSECONDS = 2 * 10**9
"""File systems keep time so coarsely that two changes that are so close to each other may bear the same one."""
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}  # a file system that has no such thing
MAXIMUM_BYTES = 1 << 29
TEMPORARY, ASIDE = ".new", ".unreadable"
_TRIES = 10
_LOCKED_PLACE = 1 << 30  # behind the content: on Windows other processes cannot read the bytes that are locked


class NotRegularError(OSError):
    """The path leads to a folder, a FIFO, a device or the like."""


@contextmanager
def opened(path: str, flags: int) -> Iterator[Tuple[int, os.stat_result]]:
    """A descriptor of the regular file and its status. Raises `NotRegularError` for anything else.

    The kind is checked before opening, because the other end of a FIFO or a device notices that, and again afterwards,
    because the path may lead elsewhere by then; therefore it is opened without waiting.
    """
    _check_regular(os.stat(path))
    descriptor = os.open(path, flags | _BINARY | _NO_WAITING)
    try:
        found = os.fstat(descriptor)
        _check_regular(found)
        shared_folders.check(path, found)
        yield descriptor, found
    finally:
        os.close(descriptor)


def _check_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegularError(errno.EINVAL, "it is not a regular file")


stamp_fields = operator.attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns", "st_mode")
"""The fields of a `Stamp` in a plain tuple, which is equal to it: for thousands of files at a time."""


class Stamp(NamedTuple):
    """Tells whether a file is still the same: which one it is, and numbers that change with it; times in nanoseconds.

    The one type for that question. Without arguments it is that of no file. On Windows `changed` and `mode` differ
    between a file's name and its descriptor: stamps from the same source are compared, or their `content`.
    """

    device: int = 0
    number: int = 0
    size: int = 0
    modified: int = 0
    changed: int = 0
    mode: int = 0

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """The stamp of a file with this status."""
        return cls._make(stamp_fields(found))

    @property
    def file(self) -> Tuple[int, int]:
        """Which file it is, whatever its name is: `os.path.samestat` compares this."""
        return self[:2]

    @property
    def content(self) -> Tuple[int, ...]:
        """Which file it is, and what changes when it is written; a new name or mode leaves it as it is."""
        return self[:4]

    @property
    def settled(self) -> bool:
        """Whether the last change is so long ago that the next one gives another stamp."""
        return time.time_ns() - max(self.modified, self.changed) > COARSE_NANOSECONDS


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


def real_place(path: str) -> str:
    """Where a name is, with no link on the way to it: it may be one itself. Raises ValueError if no file can be called
    so, on some versions of Python."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


# -- the package's own files ------------------------------------------------------------------------------------------


class PrivateFile:
    """A file that this process alone uses, until `remove`, `set_aside` or `release`."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def read(self) -> bytes:
        """Return the bytes of the file. Raises OSError."""
        return read_all(self._descriptor, MAXIMUM_BYTES)

    def age(self) -> float:
        """Return the seconds since the file was made. Raises OSError."""
        return time.time() - os.fstat(self._descriptor).st_mtime

    def remove(self) -> None:
        """Remove the file, and the folder if it was the last one. Never raises; what was released stays."""
        if self._descriptor < 0:
            return
        remove(self.path)
        self.release()
        remove(self.path)  # Windows lets only now
        with suppress(OSError):
            os.rmdir(os.path.dirname(self.path))

    def set_aside(self) -> str:
        """Rename the file so that no run takes it for left over again. Never raises; returns its new path."""
        self.release()
        return set_aside(self.path)

    def release(self) -> None:
        """Leave the file where it is, for the next one who looks for what was left over."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def make(folder: str, suffix: str, data: bytes) -> PrivateFile:
    """A new file with a name of its own that ends with `suffix`. Raises OSError; nothing is left then."""
    for _ in range(_TRIES):
        path = os.path.join(folder, secrets.token_hex(8) + suffix)
        # A process that removes the last other file takes the folder along, and may take this one for a left-over.
        with suppress(FileNotFoundError):
            if not os.path.isdir(folder):
                os.makedirs(folder, 0o700, exist_ok=True)
                flush_folder(os.path.dirname(folder))
            made = _made(path, data)
            if made is not None:
                flush_folder(folder)
                return made
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def left_over(folder: str, suffix: str) -> Iterator[PrivateFile]:
    """The files in the folder that no process uses, each in use by this one from then on. Never raises."""
    remove_unfinished(folder, suffix)
    left: List[str] = []
    with suppress(OSError):
        left = paths(folder, suffix)
    for path in left:
        with suppress(OSError):
            found = _take(path)
            if found is not None:
                yield found
    with suppress(OSError):
        os.rmdir(folder)  # while it is empty


def remove_unfinished(folder: str, suffix: str = "", seconds: float = float("-inf")) -> None:
    """Remove what was to end with `suffix`, was never finished, and is older than so many seconds. Never raises."""
    with suppress(OSError):
        for path in paths(folder, suffix + TEMPORARY):
            with suppress(OSError):
                if time.time() - os.lstat(path).st_mtime > seconds:
                    os.unlink(path)


def paths(folder: str, suffix: str) -> List[str]:
    """The files in the folder that end with `suffix`; none if there is no folder. Raises OSError."""
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(suffix)]
    except FileNotFoundError:
        return []


def set_aside(path: str) -> str:
    """Rename a file that no process uses, as `PrivateFile.set_aside` does. Never raises; returns its new path."""
    with suppress(OSError):
        os.replace(path, path + ASIDE)
        return path + ASIDE
    return path


def write(path: str, data: bytes, temporary: str = "", *, to_disk: bool = True) -> None:
    """Write a file without locking it: it holds all of `data` afterwards, or what it held before. Raises OSError.

    `temporary` is its name until then, if it is to have a certain one. Without `to_disk` it outlives the process, but
    perhaps not a failure of the power.
    """
    root, suffix = os.path.splitext(path)
    temporary = temporary or f"{root}.{secrets.token_hex(4)}{suffix}{TEMPORARY}"
    _write(temporary, data, to_disk)
    try:
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise
    if to_disk:
        flush_folder(os.path.dirname(path))


def write_in_folder(path: str, data: bytes, *, to_disk: bool = True) -> None:
    """Write a file in a folder of ours, and make the folder if it is not there. Raises OSError.

    A process that removes the last other file removes the folder, too.
    """
    for _ in range(_TRIES):
        with suppress(FileNotFoundError):
            write(path, data, to_disk=to_disk)
            return
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))


def _write(path: str, data: bytes, to_disk: bool = True) -> None:
    with new_file(path) as descriptor:
        write_all(descriptor, 0, data)
        if to_disk:
            flush(descriptor)


def _made(path: str, data: bytes) -> Optional[PrivateFile]:
    """Make the file, whole or not at all, and use it; None if another process was quicker. Raises OSError.

    Nobody finds it before it is in use, except on Windows, which renames no open file.
    """
    temporary = path + TEMPORARY
    _write(temporary, data)
    made: Optional[PrivateFile] = None
    try:
        if sys.platform != "win32":
            made = _take(temporary)
        os.replace(temporary, path)
    except OSError:
        if made is not None:
            made.release()
        remove(temporary)
        raise
    if made is None:
        return _take(path)
    made.path = path
    return made


def _take(path: str) -> Optional[PrivateFile]:
    """Use the file; None if another process does, or it has gone. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDWR | _NO_LINK | _BINARY)
    except FileNotFoundError:
        return None
    taken = PrivateFile(path, descriptor)
    with suppress(FileNotFoundError):
        # Between opening and locking its user may have removed it.
        if _lock(descriptor) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
            return taken
    taken.release()
    return None


def _lock(descriptor: int) -> bool:
    """Lock the open file until it is closed. False if somebody else has, in this process or in another one."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LOCKED_PLACE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN)  # what is left is a file system without locks
    return True
