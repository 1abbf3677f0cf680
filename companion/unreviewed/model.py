"""What files of a folder hold, and which of them hold something else than when the user last had a say.

Theory of operation: for each path there is what it held *before*, when the user last had a say, and what it holds
*now*, as far as it was looked at. A path is unreviewed while the two differ. Every event is about what moves `before`:

| event | what happened | before becomes |
| --- | --- | --- |
| `WRITTEN` | somebody wrote outside the editor | what it was |
| `FOLLOWED` | git moved, and the file holds what git has there | now |
| `SAVED` | the user saved it in the editor | now, without what nobody has reviewed |
| `ACCEPTED` | a proposal that the user accepted has arrived | now |
| `KEPT` | the user kept the change, or a part of it | now, or the part |
| `UNDONE` | the user undid the change, or a part of it | what it was |

A program may tell that it begins another *turn*. Of the files that are unreviewed then it is known what they hold, so
that what was written since can be told from what was written earlier.

Rule: nothing is guessed. Whose a change is, is told by what the file holds and never by when it came. Two files that
have one identity hold the same bytes; it is that of a git blob, so a file that git has need not be kept twice. One that
is too large to be read has an identity of its own, which changes with its time stamp.

Pure; knows neither disk, git nor editor. One thread at a time for a model, any thread for the rest.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from enum import Enum
from typing import Callable, Dict, FrozenSet, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar

Item = TypeVar("Item")

PORTION_FILES = 200
PORTION_BYTES = 1 << 25
"""As many files, and bytes of them, are in memory at once where there are many to be dealt with."""
_UNREAD = "?"
_SHA256_DIGITS = 64


class Content(NamedTuple):
    """What is at a path: `identity` is "" where there is no file. `mode`: the permission bits, 0 if they are not known;
    `size`: bytes.
    """

    identity: str
    mode: int = 0
    size: int = 0

    @property
    def there(self) -> bool:
        """Whether there is a file."""
        return bool(self.identity)

    @property
    def readable(self) -> bool:
        """Whether its bytes were read, so that the identity is theirs."""
        return not self.identity.startswith(_UNREAD)


NOTHING = Content("")
UNKNOWN = Content(_UNREAD)
"""There was a file, and nobody knows what it held."""


def identity(data: bytes, like: str = "") -> str:
    """The identity of bytes, as git computes it with SHA-1; with SHA-256 if `like`, another identity, is of that."""
    algorithm = hashlib.sha256 if len(like) == _SHA256_DIGITS else hashlib.sha1
    digest = algorithm(b"blob %d\0" % len(data))  # git's own identity, no protection against anybody
    digest.update(data)
    return digest.hexdigest()


def portions(items: Iterable[Item], size: Callable[[Item], int]) -> Iterator[List[Item]]:
    """All of them in their order, so many at a time that no portion is too large. One alone may be."""
    portion: List[Item] = []
    total = 0
    for item in items:
        if portion and (len(portion) == PORTION_FILES or total + size(item) > PORTION_BYTES):
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += size(item)
    if portion:
        yield portion


def full_path(folder: str, path: str) -> str:
    """Where a file is, by its path relative to `folder`, with `/`."""
    return os.path.join(folder, *path.split("/"))


def unread_identity(modified: int, size: int, number: int) -> str:
    """The identity of a file that is not read, by its time stamp in nanoseconds, its size, its number on the disk."""
    return f"{_UNREAD}{modified}.{size}.{number}"


# -- which files have changed ------------------------------------------------------------------------------------------


class Event(Enum):
    """Why a file holds something else."""

    WRITTEN = "somebody wrote outside the editor"
    FOLLOWED = "git moved, and the file holds what git has there"
    SAVED = "the user saved it in the editor"
    ACCEPTED = "a proposal that the user accepted has arrived"
    KEPT = "the user kept the change, or a part of it"
    UNDONE = "the user undid the change, or a part of it"


MOVES_BEFORE: Dict[Event, bool] = {
    Event.WRITTEN: False,
    Event.FOLLOWED: True,
    Event.SAVED: True,
    Event.ACCEPTED: True,
    Event.KEPT: True,
    Event.UNDONE: False,
}


class Kind(Enum):
    """What a change did to a file."""

    NEW = "new"
    DELETED = "deleted"
    CHANGED = "changed"
    RENAMED = "renamed"


class Scope(Enum):
    """Since when changes are meant."""

    SINCE_KEPT = "since the user last had a say"
    LAST_TURN = "since a program last began a turn"


class Change(NamedTuple):
    """An unreviewed change of the file at `path`, relative to the folder and with `/`; it was at `old_path` if renamed.

    `before` and `now` are what is shown and may be undone. `number` grows with each change that is seen in any folder:
    the newest has the largest. `who` is the program that was at work each time when it was seen to grow, if it was the
    only one, or empty. What follows is known once it is listed (`listing`): the real path of the folder; how many lines
    were added and removed; whether it is no text; a sentence why it cannot be undone, or empty.
    """

    path: str
    kind: Kind
    before: Content
    now: Content
    number: int
    old_path: str = ""
    who: str = ""
    folder: str = ""
    added: int = 0
    removed: int = 0
    binary: bool = False
    obstacle: str = ""

    @property
    def full_path(self) -> str:
        """Where the file is."""
        return full_path(self.folder, self.path)


def _folders_of(path: str) -> FrozenSet[str]:
    """All folders that lead to a path."""
    parts = path.split("/")
    return frozenset("/".join(parts[:count]) for count in range(1, len(parts)))


_numbers = itertools.count(1)


class Model:
    """The files of one folder."""

    def __init__(self) -> None:
        self._before: Dict[str, Content] = {}
        self._now: Dict[str, Content] = {}
        self._unreviewed: Dict[str, Tuple[int, str]] = {}  # number, and who was at work
        self.at_work: Optional[str] = None
        """Who is, while that is known of what happens; "" is nobody who is certain."""
        self.turn: Optional[Dict[str, Content]] = None
        """What files held that were unreviewed when the last turn began; None if no program has told of turns."""

    def learn(self, path: str, before: Content, now: Content) -> None:
        """What a path held that nobody has looked at yet: the same twice, if the user has seen it."""
        self._set(self._before, path, before)
        self._set(self._now, path, now)
        self._note(path)

    def leave(self, path: str) -> None:
        """The path is none of ours any more."""
        for each in (self._before, self._now, self.turn or {}):
            each.pop(path, None)
        self._unreviewed.pop(path, None)

    def before(self, path: str) -> Content:
        """What the path held when the user last had a say."""
        return self._before.get(path, NOTHING)

    def earlier(self, path: str) -> Content:
        """What it held when the last turn began."""
        return (self.turn or {}).get(path, self.before(path))

    def begin_turn(self) -> None:
        """What is unreviewed now was written in an earlier turn."""
        self.turn = {path: self.now(path) for path in self._unreviewed}

    def now(self, path: str) -> Content:
        """What it held at the last look."""
        return self._now.get(path, NOTHING)

    def unreviewed(self, path: str) -> bool:
        """Whether the two differ."""
        return self.before(path) != self.now(path)

    def happened(self, event: Event, path: str, now: Content, before: Optional[Content] = None) -> None:
        """The path holds `now`, because of `event`. An event that moves `before` moves it there, or to `before`."""
        changed = self.now(path) != now
        self._set(self._now, path, now)
        if MOVES_BEFORE[event]:
            self._set(self._before, path, now if before is None else before)
        if changed or not self.unreviewed(path):
            self._note(path)

    def changes(self, scope: Scope = Scope.SINCE_KEPT) -> List[Change]:
        """All that is unreviewed, the newest first. A new file that holds what one that has gone held is that one,
        unless something else is in its place by now, so that it could not be taken back as a whole."""
        before = self.before if scope is Scope.SINCE_KEPT else self.earlier
        paths = [path for path in reversed(self.paths()) if before(path) != self.now(path)]
        new = dict.fromkeys(path for path in paths if not before(path).there)
        folders = {folder for path in new for folder in _folders_of(path)}
        gone = {
            before(path).identity: path
            for path in reversed(paths)
            if not self.now(path).there and path not in folders and _folders_of(path).isdisjoint(new)
        }
        renamed: Dict[str, str] = {}
        for path in new:
            if self.now(path).readable:
                old_path = gone.pop(self.now(path).identity, "")
                if old_path:
                    renamed[path] = old_path
        taken = set(renamed.values())
        return [self._change(path, before, renamed.get(path, "")) for path in paths if path not in taken]

    def paths(self) -> List[str]:
        """The unreviewed paths, the one that changed first at the front."""
        return sorted(self._unreviewed, key=self._unreviewed.__getitem__)

    def all_paths(self) -> List[str]:
        """The paths of all files that are there, or were."""
        return list({**self._before, **self._now})

    def knows(self, path: str) -> bool:
        """Whether there is, or was, a file."""
        return path in self._before or path in self._now

    def all_before(self) -> Iterable[Content]:
        """What all files held when the user last had a say, or when the last turn began."""
        return [*self._before.values(), *(self.turn or {}).values()]

    def _change(self, path: str, before_of: Callable[[str], Content], old_path: str) -> Change:
        before, now = before_of(old_path or path), self.now(path)
        if old_path:
            kind = Kind.RENAMED
        elif not before.there:
            kind = Kind.NEW
        else:
            kind = Kind.CHANGED if now.there else Kind.DELETED
        number, who = self._unreviewed[path]
        return Change(path, kind, before, now, number, old_path, who)

    @staticmethod
    def _set(contents: Dict[str, Content], path: str, content: Content) -> None:
        if content.there:
            contents[path] = content
        else:
            contents.pop(path, None)

    def _note(self, path: str) -> None:
        if self.unreviewed(path):
            who = self.at_work or ""
            _, known = self._unreviewed.get(path, (0, who))
            self._unreviewed[path] = next(_numbers), known if self.at_work in (None, known) else ""
        else:
            self._unreviewed.pop(path, None)
            if self.turn is not None:
                self.turn.pop(path, None)
