"""Keeps what files held, and the record of each folder, in the package's storage until the user has decided.

Theory of operation: bytes are kept compressed, in a file that is named for their identity, so that nothing is kept
twice. A *record* says what is unreviewed in one folder, and names the identities that this needs. `Store.tidy` removes
bytes that no record names. If there are too many, or they are too old, it removes first what was kept first.

Rule: only the user can read these files. What is read back is what was kept, or nothing: its identity is computed anew,
and a record that makes no sense, or names a path outside of its folder, is none. A record that cannot be written costs
the survival and nothing else, unless an undo is about to need it.

These calls block on the disk. Disk threads; several at a time.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import math
import os
import re
import zlib
from contextlib import suppress
from functools import lru_cache
from typing import (
    Any,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..common.clock import clock
from ..common.workers import together
from ..system import files
from ..system.files import flush, flush_folder, opened
from .content import Content, identity
from .evidence import UNNAMED, Origin
from .model import SAVED_FIELDS, Row
from .reading import FileReading

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
        """Keep bytes for longer. Whether they are there."""
        path = self._path(name + _KEPT)
        if not _has_content(path):
            return False
        with suppress(FileNotFoundError):
            os.utime(path)
        return True

    def secure(self, texts: Iterable[Tuple[str, bytes]]) -> None:
        """Keep all these, and return once they are on the disk itself. Raises `OSError`."""
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
        """Read the bytes with this identity; None if they are not there any more, or are damaged."""
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
        """Read the record of this name; None if there is none. One that cannot be understood is set aside and logged.

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
        """Read all records that can be understood. Raises `OSError`."""
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

        Give the identities that had to go though a record names them. Nothing goes while a record cannot be read.
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


# -- the record of one folder ------------------------------------------------------------------------------------------


_IDENTITY = re.compile(r"\??[0-9A-Za-z.]*\Z")
"""What may be part of a file's name, and of a line to git."""


class Step(NamedTuple):
    """What an undo does with a file that `held` this, and is to hold what is `wanted`. `origin` is the change's."""

    path: str
    held: Content
    wanted: Content
    origin: Origin = UNNAMED


Group = Tuple[Step, ...]
"""What an undo does with one change that is listed: all of these steps or none; a rename has two."""


def contents_of(groups: Iterable[Group]) -> List[Content]:
    """The contents that their files hold and held."""
    return [content for group in groups for step in group for content in (step.held, step.wanted)]


class Undone(NamedTuple):
    """What an undo has taken, to be brought back, and `when`: the last undo has the latest time of the wall clock.

    `under_way`: whether an undo, or a restore, has not ended.
    """

    groups: Tuple[Group, ...] = ()
    when: float = 0.0
    under_way: bool = False

    def take_out(self, found: Dict[str, FileReading]) -> List[str]:
        """Take the files out of what a look has found that an undo under way has written, and notes itself. Their
        paths."""
        steps = itertools.chain.from_iterable(self.groups if self.under_way else ())
        ours = {step.path: (step.held, step.wanted) for step in steps}
        written = [path for path in ours if path in found and any(map(found[path].content.holds, ours[path]))]
        for path in written:
            del found[path]
        return written


class Record(NamedTuple):
    """What is known of one folder: the `rows` of its files, the last undo, `blobs` as in `Copies`, and the commit that
    was checked out at the last look (`head`).

    `unkept`: the paths of uncommitted files without a copy, and of what was not looked at, as `Files.unseen` names it
    by rules of these `patterns`. None if no window tracks the folder, or there are too many.
    """

    rows: Mapping[str, Row] = {}
    undone: Undone = Undone()
    blobs: Mapping[str, str] = {}
    head: str = ""
    unkept: Optional[FrozenSet[str]] = None
    patterns: str = ""


def write_record(store: Store, folder: str, record: Record, secure: bool) -> None:
    """Write a record, or remove the former one if this one is empty. Raises `OSError` if it has to be `secure`."""
    needed = contents_of(record.undone.groups)
    needed += [content for row in record.rows.values() for content in row.contents()]
    names = {content.identity for content in needed if content.there}
    fields = {
        "folder": folder,
        "rows": {path: row[:SAVED_FIELDS] for path, row in record.rows.items()},
        "undone": record.undone,
        "blobs": {name: record.blobs[name] for name in names if name in record.blobs},
        "identities": sorted(names),
        "saved": sorted({each.identity for row in record.rows.values() if row.saved for each in row.contents()}),
        "head": record.head,
        "unkept": None if record.unkept is None else sorted(record.unkept),
        "patterns": record.patterns,
    }
    is_empty = not needed and record.unkept is None
    try:
        store.write_record(_name(folder), None if is_empty else fields, to_disk=secure)
    except OSError as error:
        if secure:
            raise
        logger.error("the unreviewed changes cannot be noted: %s", error.strerror)


def read_record(store: Store, folder: str) -> Record:
    """Read the record of a folder; an empty one if there is none. Raises `OSError`."""
    found = store.record(_name(folder))
    try:
        return _record(found) if found is not None else Record()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        logger.error("the record of unreviewed changes makes no sense: %s", type(error).__name__)
        return Record()


def has_record(store: Store, folder: str) -> bool:
    """Whether a folder has a record. Raises `OSError`."""
    return store.record(_name(folder)) is not None


def recorded_folders(store: Store) -> List[str]:
    """The folders that have records. Raises `OSError`."""
    return [folder for folder in (record.get("folder") for record in store.records()) if isinstance(folder, str)]


def _name(folder: str) -> str:
    return hashlib.sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _record(found: Mapping[str, Any]) -> Record:
    unkept = _decoded(Optional[Tuple[str, ...]], found["unkept"])
    return Record(
        {_path(path): _decoded(Row, row) for path, row in found["rows"].items()},
        _decoded(Undone, found["undone"]),
        {name: _identity(blob) for name, blob in found["blobs"].items()},
        _decoded(str, found["head"]),
        None if unkept is None else frozenset(unkept),
        _decoded(str, found["patterns"]),
    )


def _decoded(kind: Any, found: Any) -> Any:
    """Make a value of this type of what JSON has `found`. Raises `TypeError` and `ValueError`."""
    parts = get_args(kind)
    if get_origin(kind) is Union:
        return None if found is None else _decoded(parts[0], found)
    if parts:
        return tuple(_decoded(parts[0], each) for each in _checked(list, found))
    if not hasattr(kind, "_fields"):
        return _checked(kind, found)
    kinds = _kinds(kind)
    if len(kinds) != len(_checked(list, found)):
        raise ValueError(kind.__name__)
    value = kind(*map(_decoded, kinds, found))
    if kind is Content:
        _identity(value.identity)
    return value._replace(path=_path(value.path)) if kind is Step else value


@lru_cache(maxsize=None)
def _kinds(kind: Any) -> Tuple[Any, ...]:
    """The types of the stored fields of a named tuple."""
    return tuple(get_type_hints(kind).values())[: SAVED_FIELDS if kind is Row else None]


def _checked(kind: Any, found: Any) -> Any:
    if type(found) is not kind:
        raise TypeError(kind.__name__)
    return found


def _identity(found: Any) -> str:
    if not _IDENTITY.match(_checked(str, found)):
        raise ValueError("an identity")
    return str(found)


def _path(found: Any) -> str:
    """Check that a path leads to a file below its folder, and give it as `full_path` takes it."""
    parts = _checked(str, found).split("/")
    if "\0" in found or any(part in ("", ".", "..") or os.path.split(part)[0] for part in parts):
        raise ValueError("a path")
    return "/".join(parts)
