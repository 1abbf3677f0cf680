"""What files held before, kept in the package's storage until the user has decided.

Theory of operation: bytes are kept compressed, in a file that is named for their identity, so that nothing is kept
twice. A *record* says what is unreviewed in one folder, and names the identities that this needs. `Store.tidy` removes
bytes that no record names. If there are too many, or they are too old, it removes first what was kept first.

Rule: only the user can read these files. What is read back is what was kept, or nothing: its identity is computed anew.

These calls block on the disk. Disk threads; several at a time.
"""

from __future__ import annotations

import json
import logging
import math
import os
import zlib
from contextlib import suppress
from typing import Any, Dict, Iterable, Iterator, Optional, Set, Tuple

from ..common.clock import clock
from ..common.workers import together
from ..system import files
from ..system.files import flush, flush_folder, opened
from .content import identity

logger = logging.getLogger("gemini_companion.unreviewed")

STORE = "Unreviewed"
"""The folder of a `Store` in the package's storage."""
MAXIMUM_BYTES = 1 << 26
MAXIMUM_SECONDS = 7 * 24 * 3600.0
UNTIDY_BYTES = 1 << 24
"""After so many bytes it is to be tidied: a file that grows all the time is kept as it was at each look."""
_KEPT, _RECORD = ".kept", ".changes"
_SETTLING_SECONDS = 60.0  # what is younger may belong to a record that is still to be written


class Store:
    """The files in one folder of the package's storage."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.written = 0
        """Bytes, since it was tidied last."""
        self.tidy_from = math.inf
        """The date, in seconds since 1970, from which it is to be tidied, however little was written."""

    def keep(self, name: str, data: bytes) -> None:
        """Keep bytes under their identity `name`. Raises `OSError`."""
        if not self.touch(name):
            self._write(self._path(name + _KEPT), zlib.compress(data, 1))

    def touch(self, name: str) -> bool:
        """Keep bytes for longer, if they are there: then True."""
        path = self._path(name + _KEPT)
        if not _has_content(path):
            return False
        with suppress(FileNotFoundError):
            os.utime(path)
        return True

    def secure(self, texts: Iterable[Tuple[str, bytes]]) -> None:
        """Keep all these, which are on the disk itself when this returns. Raises `OSError`."""
        paths = []
        for name, data in texts:
            paths.append(self._path(name + _KEPT))
            if self.kept(name) is None:
                with suppress(FileNotFoundError):  # it is damaged
                    os.unlink(paths[-1])
            self.keep(name, data)
        for _ in together(_flush, paths):
            pass
        flush_folder(self._folder)

    def kept(self, name: str) -> Optional[bytes]:
        """The bytes with this identity, or None if they are not there any more, or are damaged."""
        try:
            with open(self._path(name + _KEPT), "rb") as file:
                data = zlib.decompress(file.read())
        except (OSError, zlib.error):
            return None
        return data if identity(data, name) == name else None

    def has(self, name: str) -> bool:
        """Whether there are bytes with this identity."""
        return _has_content(self._path(name + _KEPT))

    def drop(self, names: Iterable[str]) -> None:
        """Remove what no record names any more, whenever it was kept.

        Of the same files there may be earlier copies. They go as soon as nothing that is unnamed can be needed.
        """
        self.tidy_from = clock.date() + _SETTLING_SECONDS
        try:
            unwanted = set(names).difference(*(_needed(record) for record in self.records()))
        except OSError as error:
            logger.error("what is kept of unreviewed changes cannot be looked through: %s", error.strerror)
            return
        for name in unwanted:
            files.remove(self._path(name + _KEPT))

    def record(self, name: str) -> Optional[Dict[str, Any]]:
        """The record of this name, or None. One that cannot be understood is set aside and logged.

        Raises `OSError`: one that cannot be read now may be read later.
        """
        path = self._path(name + _RECORD)
        try:
            with open(path, "rb") as file:
                found = json.loads(file.read().decode("ascii"))
            if not isinstance(found, dict):
                raise ValueError("it is no object")
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            logger.error(
                "the record of unreviewed changes cannot be understood and is set aside: %s", type(error).__name__
            )
            files.set_aside(path)
            return None
        return found

    def records(self) -> Iterator[Dict[str, Any]]:
        """All that can be understood. Raises `OSError`."""
        for name in self._names(_RECORD):
            yield self.record(name) or {}

    def write_record(self, name: str, record: Optional[Dict[str, Any]], to_disk: bool = False) -> None:
        """Write the record, or remove it (None). Raises `OSError`."""
        path = self._path(name + _RECORD)
        if record is None:
            with suppress(FileNotFoundError):
                os.unlink(path)
        else:
            self._write(path, json.dumps(record).encode("ascii"), to_disk)

    def tidy(self) -> Set[str]:
        """Remove what no record names, then the oldest of what is too much or too old: last what the user has saved.

        The result are the identities that had to go though a record names them. Nothing goes while a record cannot be
        read.
        """
        self.written, self.tidy_from = 0, math.inf
        wanted: Set[str] = set()
        last: Set[str] = set()  # to go
        try:
            for record in self.records():
                wanted.update(_needed(record))
                last.update(_needed(record, "saved"))
            all_kept = self._names(_KEPT)
        except OSError as error:
            logger.error("what is kept of unreviewed changes cannot be tidied: %s", error.strerror)
            return set()
        kept = {}
        now = clock.date()
        for name in all_kept:
            with suppress(OSError):
                found = os.stat(self._path(name + _KEPT))
                if name in wanted or now - found.st_mtime < _SETTLING_SECONDS:
                    kept[name] = (name in last, found.st_mtime, found.st_size)
                else:
                    os.unlink(self._path(name + _KEPT))
        files.remove_unfinished(self._folder, seconds=_SETTLING_SECONDS)
        total = sum(size for _, _, size in kept.values())
        gone = set()
        for name, (_, since, size) in sorted(kept.items(), key=lambda item: item[1]):
            if total > MAXIMUM_BYTES or now - since > MAXIMUM_SECONDS:
                with suppress(OSError):
                    os.unlink(self._path(name + _KEPT))
                total -= size
                gone.add(name)
        lost = gone & wanted
        if lost:
            logger.warning("%d texts of unreviewed changes were kept for too long or were too many", len(lost))
        return lost

    def _names(self, suffix: str) -> Iterable[str]:
        return [os.path.basename(path)[: -len(suffix)] for path in files.paths(self._folder, suffix)]

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _write(self, path: str, data: bytes, to_disk: bool = False) -> None:
        self.written += len(data)
        files.write_in_folder(path, data, to_disk=to_disk)


def _flush(path: str) -> None:
    with opened(path, os.O_RDWR) as (descriptor, _):
        flush(descriptor)


def _has_content(path: str) -> bool:
    """Whether there is a file, and not an empty one, as a failure of the power may leave."""
    try:
        return os.stat(path).st_size > 0
    except OSError:
        return False


def _needed(record: Dict[str, Any], which: str = "identities") -> Set[str]:
    """The identities that a record names, all or those of one kind."""
    found = record.get(which, ())
    return {each for each in found if isinstance(each, str)} if isinstance(found, (list, tuple)) else set()
