"""What is about to be done to a file, noted before the first byte of it changes: a crash leaves nothing half done.

A note is a file in the package's storage. It names the file, what else is made in its folder for a moment, and, where
the file is rewritten in place, all of its old and its new bytes. It goes when the file is whole. One that nobody uses
was left by a run that ended in the midst of a write; `recovery` brings that to an end.

The editor is not known here. These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import Iterator, List, NamedTuple, Tuple

from . import private_files
from .private_files import PrivateFile

SUFFIX = ".write"


class StorageError(OSError):
    """Nothing can be noted in the package's storage."""


class Entry(NamedTuple):
    """What is done to the file `path`, in which no link is left to follow.

    `beside` is the file that is made beside it for a moment, `folders` are those made for it, outermost first.
    `holds_place` is whether a file without content keeps its name free. `identity` is which file it is; it and the
    bytes are given if it is rewritten.
    """

    path: str
    beside: str
    folders: Tuple[str, ...] = ()
    holds_place: bool = False
    identity: Tuple[int, int] = (0, 0)
    old: bytes = b""
    new: bytes = b""


class Note:
    """An entry on the disk, in the folder `storage`. Making and changing it raises `StorageError`."""

    def __init__(self, storage: str, entry: Entry) -> None:
        self._storage = storage
        self._file = self._made(entry)

    def change(self, entry: Entry) -> None:
        """Something else is done now."""
        former, self._file = self._file, self._made(entry)
        former.remove()

    def leave(self) -> None:
        """Leave it to the next start."""
        self._file.release()

    def remove(self) -> None:
        """The file is whole. Never raises."""
        self._file.remove()

    def _made(self, entry: Entry) -> PrivateFile:
        fields = entry._asdict()
        old, new = fields.pop("old"), fields.pop("new")
        head = json.dumps(dict(fields, size=len(old))).encode("ascii")
        try:
            return private_files.make(self._storage, SUFFIX, b"\n".join((head, old)) + new)
        except OSError as error:
            raise StorageError(error.errno, error.strerror) from error


@contextmanager
def noted(storage: str, entry: Entry) -> Iterator[Note]:
    """Have the entry on the disk for the duration of the block. Raises `StorageError` if that cannot be."""
    note = Note(storage, entry)
    try:
        yield note
    finally:
        note.remove()


def left_over(storage: str) -> Iterator[PrivateFile]:
    """The notes that nobody uses."""
    return private_files.left_over(storage, SUFFIX)


def read(note: PrivateFile) -> Entry:
    """What was noted. Raises `OSError`, or `ValueError` if it cannot be understood."""
    head, _, rest = note.read().partition(b"\n")
    try:
        fields = json.loads(head.decode("ascii"))
        size = fields.pop("size")
        folders: List[str] = fields.pop("folders")
        device, number = fields.pop("identity")
        entry = Entry(**fields, folders=tuple(folders), identity=(device, number), old=rest[:size], new=rest[size:])
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(type(error).__name__) from error
    if not all(isinstance(each, str) for each in (entry.path, entry.beside, *entry.folders)):
        raise ValueError("a path is none")
    return entry
