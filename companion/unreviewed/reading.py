"""Reads a folder again and again: which files are there (`Walks`), and which are others than before (`Looks`).

Theory of operation: a file whose time stamps, size, number on the disk and mode are the same holds the same bytes,
unless it was written in the very moment of the last look: then it is read once more. What is being written while it is
read is left to the next look. What was looked at once is looked at until it has gone, whatever is left out by then.
Where names differ by case alone, a file that is renamed so is there under both: it has gone from the former one.

The time stamp of a folder changes when something in it comes or goes. So a folder that has the same one as at the last
walk, and had not just got it then, is not listed again. Not every disk keeps such a stamp, and the clock of one on the
network may be another: so each folder is listed again once in a while, some at each walk.

Rule: only regular files are read, and only such as lie in the folder itself: a link is followed nowhere on the way. A
file that cannot be read, or has become something else, is there all the same, with unknown bytes. Nothing is written.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import itertools
import os
import stat
import time
from contextlib import contextmanager, suppress
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from ..system.files import COARSE_NANOSECONDS, Stamp, opened, read_all, stamp_fields
from .content import NOTHING, UNKNOWN, Content, full_path, identity, unread_identity

COPIED_BYTES = 1 << 20
"""The most that is kept of one file."""
READ_BYTES = 1 << 24
"""A larger file is told by its time stamp and never read."""
LOOK_BYTES = 1 << 30
"""Neither is what one look would read beyond so much."""
_STANDS_FOR_ANOTHER = 0x20000000  # the bit of a reparse tag (MS-FSCC 2.1.2.1); files in a cloud have other tags
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)
_EVERY = 500  # files after which `cancelled` is asked
_TRIES = 3
NO_FILE = Stamp()


class FileReading(NamedTuple):
    """What was found at a path. `data` are the bytes: None if git has them, they are too many, or there is no file.

    `blob` is what git has them as, "" if it has not; the file may have other line ends than the blob. `changed`: the
    time of the last change, of the content or of the name, in nanoseconds since the epoch; 0 where there is no file.
    """

    content: Content
    data: Optional[bytes] = None
    blob: str = ""
    changed: int = 0


class Reader:
    """Reads the files of one folder. One thread at a time.

    `like` is an identity of the kind that git has here. `torn`: whether a file was being written at the last look.
    `is_excluded`: whether a file is not to be read, so that only its time stamp, its size and its number tell a change.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: Dict[str, Tuple[int, ...]] = {}  # `stamp_fields`; of `NO_FILE` where it is read again
        self._blobs: Mapping[str, str] = {}
        self._left_bytes = 0
        self.like = ""
        self.torn = False
        self.is_excluded: Callable[[str], bool] = lambda path: False

    def read_changed(self, blobs: Mapping[str, str], cancelled: Callable[[], bool]) -> Dict[str, FileReading]:
        """Read what differs from the last look, by path relative to the folder. A file that has gone is `NOTHING`.

        All files on the first look. `blobs` are the paths to look at, with what git has of them, "" where it has not.
        `cancelled` ends it early, with what was found until then.
        """
        self.torn = False
        return self._compare(itertools.chain(blobs, self._known.keys() - blobs.keys()), blobs, cancelled)

    def read_again(self, paths: Iterable[str], blobs: Mapping[str, str]) -> Dict[str, FileReading]:
        """Read those of these paths that differ from the last look."""
        return self._compare(iter(paths), blobs, lambda: False)

    def remember(self, path: str) -> None:
        """Note that there was a file at this path."""
        self._known[path] = NO_FILE

    @contextmanager
    def again(self, found: Iterable[str]) -> Iterator[None]:
        """Have the next look read all of this again if what is done with it now fails."""
        try:
            yield
        except BaseException:
            for path in found:
                self.remember(path)
            raise

    def missing(self, paths: Iterable[str]) -> List[str]:
        """Find those of these paths at which there is no file."""
        return [path for path in paths if path not in self._known]

    def forget(self, path: str) -> None:
        """Have the next look read this path as if it had changed."""
        if path in self._known:
            self._known[path] = NO_FILE

    def reads(self, path: str, size: int) -> bool:
        """Whether a file with so many bytes is read, so that its identity is theirs."""
        return size <= READ_BYTES and not self.is_excluded(path)

    def leave(self, path: str) -> None:
        """Look at this path no more, unless `blobs` has it."""
        self._known.pop(path, None)

    def _compare(
        self, paths: Iterable[str], blobs: Mapping[str, str], cancelled: Callable[[], bool]
    ) -> Dict[str, FileReading]:
        self._blobs = blobs
        found: Dict[str, FileReading] = {}
        known, start, lstat, stamp_at = self._known, os.path.join(self._folder, ""), os.lstat, stamp_fields
        came: Dict[str, str] = {}  # by the name in lower case
        first = not known
        self._left_bytes = LOOK_BYTES
        solid: Dict[str, bool] = {"": True}
        now = time.time_ns()
        left = iter(paths)
        while not cancelled():
            some = list(itertools.islice(left, _EVERY))
            if not some:
                break
            with suppress(OSError, ValueError):
                # Nearly always nothing has changed, and the interpreter finds that out without a line of ours.
                if list(map(stamp_at, map(lstat, map(start.__add__, some)))) == list(map(known.get, some)):
                    continue
            for path in some:
                try:
                    status = lstat(start + path)
                except (FileNotFoundError, NotADirectoryError):
                    if known.pop(path, None) is not None:
                        found[path] = FileReading(NOTHING)
                    continue
                except (OSError, ValueError):
                    continue  # a disk that does not answer has lost nothing
                stamp = stamp_at(status)
                if known.get(path) != stamp:
                    if path not in known:
                        came[path.casefold()] = path
                    self._read_path(path, status, stamp, solid, now, found)
        if came and not first:
            self._tell_apart(came, found)
        return found

    def _tell_apart(self, came: Mapping[str, str], found: Dict[str, FileReading]) -> None:
        """Find the files that are known by two names, by one of which they have just come."""
        for path in [path for path in self._known if came.get(path.casefold(), path) != path]:
            other = came[path.casefold()]
            with suppress(OSError):
                if os.path.samestat(os.lstat(f"{self._folder}/{path}"), os.lstat(f"{self._folder}/{other}")):
                    if path in self._blobs:  # it is looked at by that name
                        path, other = other, path
                    self._known.pop(path, None)
                    found[path] = FileReading(NOTHING)

    def _read_path(
        self,
        path: str,
        status: os.stat_result,
        stamp: Tuple[int, ...],
        solid: Dict[str, bool],
        now: int,
        found: Dict[str, FileReading],
    ) -> None:
        if not stat.S_ISREG(status.st_mode) or not self._is_solid(path.rpartition("/")[0], solid):
            if path in self._known:  # what has never been a file is none of ours
                self._known[path] = stamp
                found[path] = FileReading(NOTHING if stat.S_ISDIR(status.st_mode) else UNKNOWN)
            return
        full, blob = os.path.join(self._folder, path), self._blobs.get(path, "")
        if self.is_excluded(path):
            unread = unread_identity(status.st_mtime_ns, status.st_size, status.st_ino)
            reading: Optional[FileReading] = FileReading(Content(unread, stat.S_IMODE(status.st_mode), status.st_size))
        else:
            reading = self._read(full, status, blob)
        for _ in range(_TRIES):
            if reading is not None:
                break
            try:
                status = os.lstat(full)
            except OSError:
                self.torn = True
                return  # the next look will tell
            reading, stamp = self._read(full, status, blob), NO_FILE
        if reading is None:
            self.torn = True
            if path in self._known:
                return
            reading, stamp = FileReading(UNKNOWN), NO_FILE
        changed = max(status.st_mtime_ns, status.st_ctime_ns)
        self._known[path] = NO_FILE if changed + COARSE_NANOSECONDS > now else stamp
        found[path] = reading._replace(changed=changed)

    def _is_solid(self, folder: str, solid: Dict[str, bool]) -> bool:
        """Whether no part of the way to a folder is a link."""
        if folder not in solid:
            solid[folder] = is_solid(self._folder, folder)
        return solid[folder]

    def _read(self, path: str, status: os.stat_result, blob: str) -> Optional[FileReading]:
        """None if the file is being written."""
        mode = stat.S_IMODE(status.st_mode)
        unread = unread_identity(status.st_mtime_ns, status.st_size, status.st_ino)
        self._left_bytes -= status.st_size
        if status.st_size > READ_BYTES or self._left_bytes < 0:
            return FileReading(Content(unread, mode, status.st_size))
        try:
            with opened(path, _FLAGS) as (descriptor, _):
                data = read_all(descriptor, status.st_size)
                if Stamp.of(os.fstat(descriptor)).content != Stamp.of(status).content:
                    return None
        except FileNotFoundError:
            return None
        except OSError:
            return FileReading(Content(unread, mode, status.st_size))
        content = Content(identity(data, blob or self.like), mode, len(data))
        if blob and blob in blob_names(content.identity, data):
            return FileReading(content, blob=blob)
        return FileReading(content, data if len(data) <= COPIED_BYTES else None)


def changed_at(folder: str, path: str, reading: FileReading) -> int:
    """When a file below `folder` was changed last, in nanoseconds since the epoch; of one that has gone, when a file
    has come or gone beside it. 0 if that is not known."""
    if not reading.content.there:
        with suppress(OSError):
            return os.lstat(os.path.dirname(full_path(folder, path))).st_mtime_ns
    return reading.changed


def is_later(changed: int, since: int) -> bool:
    """Whether a change with this time stamp was made after `since`, both in nanoseconds since the epoch, or may have
    been where the disk keeps whole seconds."""
    return changed >= since or (changed % 10**9 == 0 and changed + COARSE_NANOSECONDS > since)


def is_real_folder(found: os.stat_result) -> bool:
    """Whether it is a folder and no link to one. Python takes a junction, such a link on Windows, for a folder."""
    return stat.S_ISDIR(found.st_mode) and not getattr(found, "st_reparse_tag", 0) & _STANDS_FOR_ANOTHER


def is_solid(root: str, folder: str) -> bool:
    """Whether no part of the way from `root` to a folder below it, relative to it, is a link."""
    while folder:
        try:
            if not is_real_folder(os.lstat(os.path.join(root, folder))):
                return False
        except OSError:
            return False
        folder = folder.rpartition("/")[0]
    return True


def blob_names(name: str, data: bytes) -> Tuple[str, ...]:
    """The blobs that git may have for `data`, whose identity is `name`: itself, or with line feeds alone."""
    if b"\r\n" in data:
        plain = data.replace(b"\r\n", b"\n")
        if plain.replace(b"\n", b"\r\n") == data:
            return name, identity(plain, name)
    return (name,)
