"""Looks at the files of a folder, again and again, and reads those that are others than at the last look.

Theory of operation: a file whose time stamps, size and number on the disk are the same holds the same bytes, unless it
was written in the very moment of the last look: then it is read once more. What is being written while it is read is
left to the next look.

Rule: only regular files are read, and only such as lie in the folder itself: a link is followed nowhere on the way.
Nothing is written.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import os
import stat
import time
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

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


class Reading(NamedTuple):
    """What was found at a path; `data` are the bytes, None if they are too many to be kept, or there is no file."""

    content: Content
    data: Optional[bytes] = None


class Looks:
    """The looks at one folder. One thread at a time.

    `like` is an identity of the kind that the folder's repository uses, "" without one.
    """

    def __init__(self, folder: str, like: str = "") -> None:
        self._folder = folder
        self._like = like
        self._known: Dict[str, Signature] = {}

    def look(self, paths: Iterable[str], cancelled: Callable[[], bool]) -> Dict[str, Reading]:
        """What differs from the last look, by path relative to the folder, with `/`; a file that has gone is `NOTHING`.

        All files on the first look. `cancelled` ends it early, with what was found until then.
        """
        found: Dict[str, Reading] = {}
        known, self._known = self._known, {}
        solid: Dict[str, bool] = {"": True}
        now = time.time_ns()
        start = os.path.join(self._folder, "")
        for number, path in enumerate(paths):
            if number % _EVERY == 0 and cancelled():
                self._known = {**known, **self._known}
                return found
            try:
                status = os.lstat(start + path)
            except (OSError, ValueError):
                continue
            if not stat.S_ISREG(status.st_mode) or not self._is_solid(path.rpartition("/")[0], solid):
                continue
            signature = _signature(status)
            if known.get(path) == signature:
                self._known[path] = signature
                continue
            reading = self._read(start + path, status)
            if reading is None:
                if path in known:
                    self._known[path] = known[path]
                continue
            found[path] = reading
            fresh = max(status.st_mtime_ns, status.st_ctime_ns) + _FRESH_NANOSECONDS > now
            self._known[path] = () if fresh else signature
        found.update((path, Reading(NOTHING)) for path in known.keys() - self._known.keys())
        return found

    def _is_solid(self, folder: str, solid: Dict[str, bool]) -> bool:
        """Whether no part of the way to a folder is a link."""
        if folder not in solid:
            try:
                mode = os.lstat(os.path.join(self._folder, folder)).st_mode
            except OSError:
                mode = 0
            solid[folder] = stat.S_ISDIR(mode) and self._is_solid(folder.rpartition("/")[0], solid)
        return solid[folder]

    def _read(self, path: str, status: os.stat_result) -> Optional[Reading]:
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
        content = Content(identity(data, self._like), mode, len(data))
        return Reading(content, data if len(data) <= COPIED_BYTES else None)


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


def _signature(status: os.stat_result) -> Signature:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode
