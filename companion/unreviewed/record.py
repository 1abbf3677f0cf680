"""What is written down of one folder's unreviewed changes, so that they outlive the process.

Rule: a record that cannot be written costs the survival and nothing else, unless it is about to be needed for an undo.
What is read is checked; a record that makes no sense is none.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import hashlib
import logging
from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

from .contents import Content
from .following import Shelved
from .store import Store

logger = logging.getLogger("gemini_companion.unreviewed")


class Step(NamedTuple):
    """What an undo does with one file: it `held` this, and is to hold what is `wanted`."""

    path: str
    held: Content
    wanted: Content


Group = Tuple[Step, ...]
"""What an undo does with one change that is listed: all of these steps or none; a rename has two."""


class Undone(NamedTuple):
    """What an undo has taken, to be brought back, and `when`: the last undo has the latest time of the wall clock."""

    groups: Tuple[Group, ...] = ()
    when: float = 0.0


class Record(NamedTuple):
    """`files`: what unreviewed files held before, and at the last look. `blobs`: what git has as what, if otherwise.

    `turn`: what they held when the last turn began, None if no program has told of turns.
    """

    files: Mapping[str, Tuple[Content, Content]] = {}
    undone: Undone = Undone()
    shelved: Mapping[str, Shelved] = {}
    blobs: Mapping[str, str] = {}
    turn: Optional[Mapping[str, Content]] = None


def write_record(store: Store, folder: str, record: Record, secure: bool) -> None:
    """Write it down, or remove what there is if it is empty. Raises `OSError` if it has to be `secure`."""
    needed = [content for pair in (*record.files.values(), *record.shelved.values()) for content in pair]
    needed += [content for group in record.undone.groups for step in group for content in step[1:]]
    needed += (record.turn or {}).values()
    names = {content.identity for content in needed if content.there}
    fields = {
        "folder": folder,
        "files": {path: [list(each) for each in pair] for path, pair in record.files.items()},
        "undone": [[[path, list(held), list(to)] for path, held, to in group] for group in record.undone.groups],
        "undone_at": record.undone.when,
        "shelved": {path: [list(each) for each in pair] for path, pair in record.shelved.items()},
        "blobs": {name: record.blobs[name] for name in names if name in record.blobs},
        "identities": sorted(names),
        "turn": None if record.turn is None else {path: list(each) for path, each in record.turn.items()},
    }
    try:
        store.write_record(_name(folder), fields if needed else None, to_disk=secure)
    except OSError as error:
        if secure:
            raise
        logger.error("the unreviewed changes cannot be noted: %s", error.strerror)


def read_record(store: Store, folder: str) -> Record:
    """What is written down of a folder; an empty record if that is nothing. Raises `OSError`."""
    found = store.record(_name(folder)) or {}
    turn = found.get("turn")
    try:
        return Record(
            {path: (_content(before), _content(now)) for path, (before, now) in found.get("files", {}).items()},
            Undone(tuple(map(_group, found.get("undone", ()))), float(found.get("undone_at", 0.0))),
            {path: Shelved(*map(_content, pair)) for path, pair in found.get("shelved", {}).items()},
            {name: _text(blob) for name, blob in found.get("blobs", {}).items()},
            {path: _content(each) for path, each in turn.items()} if turn is not None else None,
        )
    except (AttributeError, TypeError, ValueError) as error:
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


def _group(found: List[Any]) -> Group:
    return tuple(Step(_text(path), _content(held), _content(wanted)) for path, held, wanted in found)


def _content(found: object) -> Content:
    if not isinstance(found, list) or [type(each) for each in found] != [str, int, int]:
        raise TypeError("a content")
    return Content(*found)


def _text(found: object) -> str:
    if not isinstance(found, str):
        raise TypeError("a text")
    return found
