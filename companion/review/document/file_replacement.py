"""Replaces the content of a file: by all of the new bytes, or not at all.

Theory of operation. A file is written in one of two ways.

*Replaced*: the new bytes go into a hidden file beside it, are flushed to the disk, and one rename puts them in place.
Nothing can go wrong half-way. But the result is another file, so this is done only where nobody can tell: we own the
file, it has one name, and its mode, group and extended attributes (access lists among them) can be given to the new one
and have been found there.

*Rewritten* everywhere else (hard links, another owner, a folder in which nothing may be made, macOS and Windows, whose
attributes Python cannot copy). A copy of the old bytes is put beside it first, if the folder allows it. Then the order
of the steps makes each failure one that can be taken back:
1. If the new text is longer, its end is written behind the old text and flushed. Only this needs room on the disk. If
   it fails, the file is cut to its old length.
2. The old bytes are overwritten and flushed. This needs no room. If it fails, they are written back.
3. If the new text is shorter, the rest of the file is cut off.
If even taking back fails, the copy is renamed into place. If that fails too, it stays, and the error names it.

A new file is made with O_EXCL, and removed again, with the folders made for it, if it cannot be written.

Rule: file descriptors are used raw. A buffered file would try to write the rest of what had failed when it is closed.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import errno
import logging
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import Iterator, List, Optional, Tuple

logger = logging.getLogger("gemini_companion.review")

SUFFIX = ".gemini-companion"  # of the files that are beside another for a moment

_PORTION = 1 << 20  # bytes written at a time
_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_NO_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | _BINARY
_CANNOT_FLUSH = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}  # a file system that has no such thing
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY, errno.EXDEV, errno.ENOTSUP, errno.ENAMETOOLONG}


class DamagedError(OSError):
    """The file holds neither the old bytes nor the new ones. `copy` is a file with the old ones, or empty."""

    def __init__(self, cause: OSError, copy: str) -> None:
        super().__init__(cause.errno, cause.strerror)
        self.copy = copy


class NotRegularError(OSError):
    """What the path leads to is a folder, a FIFO, a device or the like."""


class OvertakenError(OSError):
    """Somebody else has written to the file since it was opened."""


class _NotReplaceable(Exception):
    """The file cannot be replaced without a trace; it may be rewritten."""


@contextmanager
def opened(path: str, flags: int) -> Iterator[Tuple[int, os.stat_result]]:
    """A descriptor of the regular file and its status. Raises `OSError`, `NotRegularError` for anything else.

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


def create(path: str, data: bytes) -> None:
    """Make the file, and the folders that lead to it. Raises `OSError`; nothing new is left then."""
    folders = _make_folders(os.path.dirname(path))
    try:
        descriptor = os.open(path, _NEW, 0o666)
        try:
            _write(descriptor, 0, data)
            _flush(descriptor)
        except BaseException:
            os.close(descriptor)
            descriptor = -1
            with suppress(OSError):
                os.unlink(path)
            raise
        finally:
            if descriptor >= 0:
                os.close(descriptor)
    except BaseException:
        for folder in reversed(folders):
            with suppress(OSError):  # somebody else may use it already
                os.rmdir(folder)
        raise


def replace_content(descriptor: int, found: os.stat_result, path: str, old: bytes, new: bytes) -> None:
    """Make `new` the content of the open file at `path`, which holds `old`; `found` is its status before that was read.

    Raises `OSError`; the file holds `old` then, except after a `DamagedError`, or what an `OvertakenError` tells of.
    """
    if old == new:
        return
    try:
        _replace(descriptor, found, path, new)
    except _NotReplaceable as reason:
        logger.debug("the file is rewritten in place: %s", reason)
        with copy_beside(path, old) as copy:
            _check_untouched(os.fstat(descriptor), found)
            rewrite(descriptor, path, old, new, copy)


class Copy:
    """A copy of a file's old bytes beside it; `path` is empty if there could be none."""

    def __init__(self, path: str) -> None:
        self.path = path

    def remove(self) -> None:
        """Remove the copy."""
        if self.path:
            with suppress(OSError):
                os.unlink(self.path)
            self.path = ""

    def keep(self) -> str:
        """Leave the copy where it is, and return its path."""
        path, self.path = self.path, ""
        return path


def make_copy(path: str, old: bytes) -> Copy:
    """Copy the old bytes. Raises `OSError` if the disk is full; a folder that allows no new file is no error."""
    target = os.path.realpath(path)
    try:
        name, descriptor = _beside(target)
    except OSError as error:
        if error.errno in _NOT_ALLOWED:
            return Copy("")
        raise
    try:
        try:
            _write(descriptor, 0, old)
            with suppress(OSError, _NotReplaceable):
                _take_over(os.stat(target), target, descriptor)
            _flush(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        Copy(name).remove()
        raise
    return Copy(name)


@contextmanager
def copy_beside(path: str, old: bytes) -> Iterator[Copy]:
    """Make a copy for the duration of the block."""
    copy = make_copy(path, old)
    try:
        yield copy
    finally:
        copy.remove()


def rewrite(descriptor: int, path: str, old: bytes, new: bytes, copy: Copy) -> None:
    """Write `new` over `old` in place. Raises `OSError`; the file holds `old` then, except after a `DamagedError`."""
    try:
        kept = len(old)
        if len(new) > kept:
            _write(descriptor, kept, new[kept:])
            _flush(descriptor)
        _write(descriptor, 0, new[:kept])
        _flush(descriptor)
        if len(new) < kept:
            os.ftruncate(descriptor, len(new))
            _flush(descriptor)
    except OSError as error:
        put_back(descriptor, path, old, copy, error)
        raise


def put_back(descriptor: int, path: str, old: bytes, copy: Copy, cause: OSError) -> None:
    """Restore `old` by any means. Raises `DamagedError` because of `cause` if none works."""
    try:
        if os.fstat(descriptor).st_size > len(old):
            os.ftruncate(descriptor, len(old))  # first, because it makes room
        _write(descriptor, 0, old)
        _flush(descriptor)
        if read_all(descriptor) == old:
            return
    except OSError as error:
        logger.error("what was written could not be taken back: %s", error.strerror)
    try:
        if copy.path:
            os.replace(copy.path, os.path.realpath(path))
            copy.keep()
            return
    except OSError as error:
        logger.error("the copy could not be put in place: %s", error.strerror)
    raise DamagedError(cause, copy.keep()) from cause


def _check_untouched(now: os.stat_result, found: os.stat_result) -> None:
    if not os.path.samestat(now, found) or (now.st_mtime_ns, now.st_size) != (found.st_mtime_ns, found.st_size):
        raise OvertakenError(errno.EBUSY, "somebody else has just written to it")


def _replace(descriptor: int, found: os.stat_result, path: str, new: bytes) -> None:
    target = os.path.realpath(path)
    if not hasattr(os, "listxattr"):
        raise _NotReplaceable("its attributes cannot be copied on this system")
    if found.st_nlink != 1 or found.st_uid != os.geteuid():
        raise _NotReplaceable("it has several names, or another owner")
    if not os.path.samestat(os.stat(target), found):
        raise _NotReplaceable("another file has taken its place")
    try:
        name, beside = _beside(target)
    except OSError as error:
        if error.errno in _NOT_ALLOWED:
            raise _NotReplaceable("nothing may be made in its folder") from error
        raise
    try:
        try:
            _write(beside, 0, new)
            _take_over(found, descriptor, beside)
            _flush(beside)
        finally:
            os.close(beside)
        # A moment has passed: somebody may have written, or made another file of it.
        _check_untouched(os.stat(target), found)
        try:
            os.replace(name, target)
        except OSError as error:
            if error.errno in _NOT_ALLOWED:
                raise _NotReplaceable("it may not be renamed over") from error
            raise
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
    _flush_folder(os.path.dirname(target))


def _take_over(found: os.stat_result, source: int | str, descriptor: int) -> None:
    """Give the open file the owner, mode and attributes of another. Raises `_NotReplaceable` if that cannot be."""
    if not hasattr(os, "fchown"):
        raise _NotReplaceable("this system knows no owners")
    try:
        mine = os.fstat(descriptor)
        if (mine.st_uid, mine.st_gid) != (found.st_uid, found.st_gid):
            os.fchown(descriptor, found.st_uid, found.st_gid)
        if hasattr(os, "listxattr"):
            wanted = {name: os.getxattr(source, name) for name in _attributes(source)}
            for name in _attributes(descriptor):
                if name not in wanted:  # what the folder hands down
                    os.removexattr(descriptor, name)
            for name, value in wanted.items():
                os.setxattr(descriptor, name, value)
        os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
        mine = os.fstat(descriptor)
        same = (mine.st_uid, mine.st_gid, mine.st_mode) == (found.st_uid, found.st_gid, found.st_mode)
        if hasattr(os, "listxattr"):
            same = same and {name: os.getxattr(descriptor, name) for name in _attributes(descriptor)} == wanted
    except OSError as error:
        raise _NotReplaceable("its owner, mode or attributes cannot be copied") from error
    if not same:
        raise _NotReplaceable("its owner, mode or attributes were not taken")


def _attributes(file: int | str) -> List[str]:
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return []  # a file system without any
        raise


def _beside(target: str) -> Tuple[str, int]:
    """A new file in the folder of `target` that only we can read: its path and a descriptor."""
    folder, name = os.path.split(target)
    # A name has at most 255 bytes, so that of a file with a long one cannot be part of it.
    path = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(4)}{SUFFIX}")
    return path, os.open(path, _NEW, 0o600)


def _make_folders(folder: str) -> List[str]:
    """Make what is missing of the path `folder`; the folders made, outermost first. Raises `OSError`, none left."""
    missing: List[str] = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
    made: List[str] = []
    try:
        for folder in reversed(missing):
            try:
                os.mkdir(folder)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise
            else:
                made.append(folder)
    except OSError:
        for folder in reversed(made):
            with suppress(OSError):
                os.rmdir(folder)
        raise
    return made


def _write(descriptor: int, place: int, data: bytes) -> None:
    os.lseek(descriptor, place, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        count = os.write(descriptor, rest[:_PORTION])
        if not count:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        rest = rest[count:]


def _flush(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise


def _flush_folder(folder: str) -> None:
    """Make a rename last. It has happened, whatever comes of this."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | _BINARY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
