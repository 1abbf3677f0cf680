"""The record of one folder: what is known of its files, and what an undo has taken, as it outlives the process.

Rule: what is read back is what was written, or nothing: a record that makes no sense, or names a path outside of its
folder, is none. A record that cannot be written costs the survival and nothing else, unless an undo is about to need
it.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import hashlib
import itertools
import logging
import os
import re
from functools import lru_cache
from typing import (
    Any,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from .content import Content
from .evidence import UNNAMED, Origin
from .model import SAVED_FIELDS, Row
from .reading import FileReading
from .store import Store

logger = logging.getLogger("gemini_companion.unreviewed")

_IDENTITY = re.compile(r"\??[0-9A-Za-z.]*\Z")
"""What may be part of a file's name, and of a line to git."""


class Step(NamedTuple):
    """What an undo does with a file: it `held` this, and is to hold what is `wanted`. `origin` is the change's."""

    path: str
    held: Content
    wanted: Content
    origin: Origin = UNNAMED


Group = Tuple[Step, ...]
"""What an undo does with one change that is listed: all of these steps or none; a rename has two."""


def contents_of(groups: Iterable[Group]) -> List[Content]:
    """What their files hold and held."""
    return [content for group in groups for step in group for content in (step.held, step.wanted)]


class Undone(NamedTuple):
    """What an undo has taken, to be brought back, and `when`: the last undo has the latest time of the wall clock.

    `under_way`: whether an undo, or a restore, has not ended.
    """

    groups: Tuple[Group, ...] = ()
    when: float = 0.0
    under_way: bool = False

    def take_out(self, found: Dict[str, FileReading]) -> List[str]:
        """Take out of what a look has found what an undo that is under way has written, and which it notes itself. The
        paths of that."""
        steps = itertools.chain.from_iterable(self.groups if self.under_way else ())
        ours = {step.path: (step.held, step.wanted) for step in steps}
        written = [path for path in ours if path in found and any(map(found[path].content.holds, ours[path]))]
        for path in written:
            del found[path]
        return written


class Record(NamedTuple):
    """`rows`: what is known of paths. `blobs`: what git has as what, if otherwise. `head`: the commit at last look.

    `unkept`: the paths of which that is not known, though git has not committed what they hold, and what was not looked
    at, as `Files.unseen` names it by rules of these `patterns`. None if nobody tracks, or there are too many.
    """

    rows: Mapping[str, Row] = {}
    undone: Undone = Undone()
    blobs: Mapping[str, str] = {}
    head: str = ""
    unkept: Optional[FrozenSet[str]] = None
    patterns: str = ""


def write_record(store: Store, folder: str, record: Record, secure: bool) -> None:
    """Write it down, or remove what there is if it says nothing. Raises `OSError` if it has to be `secure`."""
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
    """What is written down of a folder; an empty record if that is nothing. Raises `OSError`."""
    found = store.record(_name(folder))
    try:
        return _record(found) if found is not None else Record()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        logger.error("the record of unreviewed changes makes no sense: %s", type(error).__name__)
        return Record()


def has_record(store: Store, folder: str) -> bool:
    """Whether anything is written down of a folder. Raises `OSError`."""
    return store.record(_name(folder)) is not None


def recorded_folders(store: Store) -> List[str]:
    """The folders of which something is written down. Raises `OSError`."""
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
    """A value of this type, for which JSON has `found`. Raises `TypeError` and `ValueError`."""
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
    """The types of what is stored of a named tuple."""
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
    """A path that leads to a file below its folder, as `full_path` takes it."""
    parts = _checked(str, found).split("/")
    if "\0" in found or any(part in ("", ".", "..") or os.path.split(part)[0] for part in parts):
        raise ValueError("a path")
    return "/".join(parts)
