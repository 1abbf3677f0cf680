"""Looks at the files of a folder, again and again, and reads those that are others than at the last look.

Theory of operation: a file whose time stamps, size and number on the disk are the same holds the same bytes, unless it
was written in the very moment of the last look: then it is read once more. What is being written while it is read is
left to the next look.

Rule: only regular files are read, and only such as lie in the folder itself: a link is followed nowhere on the way.
Nothing is written.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import itertools
import operator
import os
import stat
import time
from typing import Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from .contents import NOTHING, Content, identity, unread_identity

COPIED_BYTES = 1 << 20
"""The most that is kept of one file."""
READ_BYTES = 1 << 24
"""A larger file is told by its time stamp and never read."""
_FRESH_NANOSECONDS = 2_000_000_000  # the coarsest time stamps of file systems
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_EVERY = 500  # files after which `cancelled` is asked

Signature = Tuple[int, ...]
_signature = operator.attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_ino", "st_mode")


class Reading(NamedTuple):
    """What was found at a path. `data` are the bytes: None if git has them, they are too many, or there is no file.

    `blob` is what git has them as, "" if it has not; the file may have other line ends than the blob. `modified` is the
    file's time stamp, in nanoseconds.
    """

    content: Content
    data: Optional[bytes] = None
    blob: str = ""
    modified: int = 0


class Looks:
    """The looks at one folder. One thread at a time.

    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: Dict[str, Signature] = {}
        self._blobs: Mapping[str, str] = {}

    def look(self, blobs: Mapping[str, str], cancelled: Callable[[], bool]) -> Dict[str, Reading]:
        """What differs from the last look, by path relative to the folder, with `/`; a file that has gone is `NOTHING`.

        All files on the first look. `blobs` are the paths to look at, with what git has of them, "" where it has not.
        `cancelled` ends it early, with what was found until then.
        """
        self._blobs, paths = blobs, blobs.keys()
        found: Dict[str, Reading] = {}
        known, start, lstat = self._known, os.path.join(self._folder, ""), os.lstat
        solid: Dict[str, bool] = {"": True}
        now = time.time_ns()
        left = iter(paths)
        while not cancelled():
            some = list(itertools.islice(left, _EVERY))
            if not some:
                break
            for path in some:
                try:
                    status = lstat(start + path)
                except (OSError, ValueError):
                    self._gone(path, found)
                    continue
                signature = _signature(status)
                if known.get(path) != signature:
                    self._look_at(path, status, signature, solid, now, found)
        for path in known.keys() - paths:
            self._gone(path, found)
        return found

    def forget(self, path: str) -> None:
        """Look at this path the next time as if it had changed."""
        if path in self._known:
            self._known[path] = ()

    def _gone(self, path: str, found: Dict[str, Reading]) -> None:
        if self._known.pop(path, None) is not None:
            found[path] = Reading(NOTHING)

    def _look_at(
        self,
        path: str,
        status: os.stat_result,
        signature: Signature,
        solid: Dict[str, bool],
        now: int,
        found: Dict[str, Reading],
    ) -> None:
        if not stat.S_ISREG(status.st_mode) or not self._is_solid(path.rpartition("/")[0], solid):
            self._gone(path, found)
            return
        reading = self._read(os.path.join(self._folder, path), status, self._blobs[path])
        if reading is None:
            return  # the next look will tell
        reading = reading._replace(modified=status.st_mtime_ns)
        fresh = max(status.st_mtime_ns, status.st_ctime_ns) + _FRESH_NANOSECONDS > now
        self._known[path] = () if fresh else signature
        found[path] = reading

    def _is_solid(self, folder: str, solid: Dict[str, bool]) -> bool:
        """Whether no part of the way to a folder is a link."""
        if folder not in solid:
            try:
                mode = os.lstat(os.path.join(self._folder, folder)).st_mode
            except OSError:
                mode = 0
            solid[folder] = stat.S_ISDIR(mode) and self._is_solid(folder.rpartition("/")[0], solid)
        return solid[folder]

    def _read(self, path: str, status: os.stat_result, blob: str) -> Optional[Reading]:
        """None if the file is being written, or cannot be read."""
        mode = stat.S_IMODE(status.st_mode)
        if status.st_size > READ_BYTES:
            unread = unread_identity(status.st_mtime_ns, status.st_size, status.st_ino)
            return Reading(Content(unread, mode, status.st_size))
        try:
            descriptor = os.open(path, _FLAGS)
            try:
                portions: List[bytes] = []
                while sum(map(len, portions)) <= READ_BYTES:
                    portions.append(os.read(descriptor, READ_BYTES))
                    if not portions[-1]:
                        break
                if _signature(os.fstat(descriptor)) != _signature(status):
                    return None
            finally:
                os.close(descriptor)
        except OSError:
            return None
        data = b"".join(portions)
        if len(data) != status.st_size:
            return None
        content = Content(identity(data, blob), mode, len(data))
        if blob and (content.identity == blob or _with_line_feeds(data, blob)):
            return Reading(content, blob=blob)
        return Reading(content, data if len(data) <= COPIED_BYTES else None)


def _with_line_feeds(data: bytes, blob: str) -> bool:
    """Whether the blob is the same text with line feeds, as it is where git converts line ends."""
    if b"\r\n" not in data:
        return False
    plain = data.replace(b"\r\n", b"\n")
    return identity(plain, blob) == blob and plain.replace(b"\n", b"\r\n") == data


def walk(folder: str, excluded: Callable[[str, bool], bool], most: int) -> Iterator[str]:
    """The files below a folder that git knows nothing of, without links and special files, `most` at the most.

    `excluded` is asked about each path, relative and with `/`, and whether it is a folder.
    """
    folders = [""]
    count = 0
    while folders:
        here = folders.pop()
        try:
            with os.scandir(os.path.join(folder, here)) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in listed:
            path = f"{here}/{entry.name}" if here else entry.name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                if excluded(path, is_folder):
                    continue
                if is_folder:
                    folders.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield path
                    count += 1
                    if count >= most:
                        return
            except OSError:
                continue
