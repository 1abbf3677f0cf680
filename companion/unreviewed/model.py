"""What files of a folder hold, and which of them hold something else than when the user last approved them.

Theory of operation: for each path there is what it held *before*, when the user last approved it, and what it holds
*now*, as far as it was looked at. A path is unreviewed while the two differ. An `Event` says why a path holds something
else, and so what becomes of `before`.

A file may be saved while a program's changes in it are undecided. They stay so, and what is written afterwards is
compared with what was saved: it is a change of its own, above the former one (a `Layer`), which is shown again once the
upper one is decided. So whatever the user saves is `before` for what comes after it.

A program may tell that it begins another *turn*. Of the files that are unreviewed then it is known what they hold, so
that what was written since can be told from what was written earlier.

Rule: nothing is guessed. Two files that have one identity hold the same bytes; it is that of a git blob, so a file that
git has need not be kept twice. One that is too large to be read has an identity of its own, which changes with its time
stamp. Permissions alone are no change.

Pure; knows neither disk, git nor editor. One thread at a time for a model, any thread for the rest.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from copy import copy
from enum import Enum
from typing import Callable, Dict, FrozenSet, Hashable, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar

from .calls import NO_CLAIMS, UNNAMED, Claims, Origin

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

    def holds(self, other: Content) -> bool:
        """Whether the bytes are the same, whatever the permissions are."""
        return self.identity == other.identity


NOTHING = Content("")
UNKNOWN = Content(_UNREAD)
"""There was a file, and nobody knows what it held."""


def identity(data: bytes, like: str = "", kind: bytes = b"blob") -> str:
    """The identity of bytes, as git computes it with SHA-1; with SHA-256 if `like`, another identity, is of that."""
    algorithm = hashlib.sha256 if len(like) == _SHA256_DIGITS else hashlib.sha1
    digest = algorithm(b"%s %d\0" % (kind, len(data)))  # git's own identity, no protection against anybody
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
    """Why a file holds something else. What it held before becomes what it holds now, or what a comment says."""

    WRITTEN = "somebody wrote outside the editor"  # stays what it was
    COMMITTED = "it was committed before, and it is committed now"  # now
    SAVED = "the user saved it in the editor"  # now, without the changes that are undecided
    ACCEPTED = "a proposal that the user accepted has arrived"  # the same
    KEPT = "the user kept the change, or a part of it"  # now, or the part
    UNDONE = "the user undid the change, or a part of it"  # stays what it was


LEAVES_BEFORE = (Event.WRITTEN, Event.UNDONE)


class ChangeKind(Enum):
    """What a change did to a file."""

    NEW = "new"
    DELETED = "deleted"
    CHANGED = "changed"
    RENAMED = "renamed"


class ChangeScope(Enum):
    """Which changes are meant."""

    SINCE_KEPT = "an agent's, since the user last approved the file"
    LAST_TURN = "an agent's, since one last began a turn"
    OUTSIDE = "those outside of an agent's steps, since the user last approved the file"


class UnreviewedChange(NamedTuple):
    """An unreviewed change of the file at `path`, relative to the folder and with `/`; it was at `old_path` if renamed.

    `before` and `now` are what is shown and may be undone. `number` grows with each file that comes to be unreviewed,
    in any folder: the oldest change has the smallest. `since_save`: whether `before` is what the user saved while
    earlier changes of the file were undecided. What follows it is known once it is listed (`listing`). `excluded`:
    whether the file is not read, so that its name alone is shown. `ignored`: whether it is left out by now, so that no
    command takes it that decides all. Then the real path of the folder; how many lines were added and removed; what has
    changed in all of the file, in sentences; whether it is no text; a sentence why it cannot be undone, or empty.
    """

    path: str
    kind: ChangeKind
    before: Content
    now: Content
    number: int
    old_path: str = ""
    origin: Origin = UNNAMED
    since_save: bool = False
    excluded: bool = False
    ignored: bool = False
    folder: str = ""
    added: int = 0
    removed: int = 0
    whole_file: Tuple[str, ...] = ()
    binary: bool = False
    obstacle: str = ""

    @property
    def full_path(self) -> str:
        """Where the file is."""
        return full_path(self.folder, self.path)


def folders_of(path: str) -> FrozenSet[str]:
    """All folders that lead to a path."""
    parts = path.split("/")
    return frozenset("/".join(parts[:count]) for count in range(1, len(parts)))


class Made(NamedTuple):
    """What programs have made of a file, and where that comes from."""

    before: Content
    now: Content
    origin: Origin


class Layer(NamedTuple):
    """A change that was undecided when the user saved the file with it; then something else was written. It goes from
    `before` to the `before` of the layer above. `turn`: what the path held when the last turn began, if within it."""

    before: Content
    origin: Origin
    turn: Optional[Content] = None


class PathRow:
    """What is known of a path beside what it holds. The store has these rows, but for their claims, and no others.

    `before`: what it held when the user last approved it, if that is something else. `number` is that of the change,
    `origin` says where it comes from, `claims` are what that becomes once one of these calls has ended, and `turn` is
    what the path held when the last turn began, if it was unreviewed then. `made` is the last change that was a
    program's alone: it is that again once the file holds it again, as when a stash is brought back. `own`: whether git
    has not committed what the path holds, so that only the store has it beside the file; `saved`: whether the user has
    saved it in the editor.

    `save` is what the user saved last, if changes were undecided then. Once something else is written it is `before`,
    and the undecided change is the last one of those `below`.
    """

    __slots__ = ("before", "below", "claims", "made", "number", "origin", "own", "save", "saved", "turn")

    def __init__(self) -> None:
        self.before: Optional[Content] = None
        self.turn: Optional[Content] = None
        self.number = 0
        self.origin = UNNAMED
        self.claims: Claims = NO_CLAIMS
        self.made: Optional[Made] = None
        self.own = self.saved = False
        self.below: Tuple[Layer, ...] = ()
        self.save: Optional[Content] = None

    def grow(self, origin: Origin, claims: Claims, is_new: bool) -> None:
        """Something was added to the change, or it `is_new`."""
        if is_new:
            self.origin, self.claims = origin, claims
            return
        former = {call: claimed.grown(origin) for call, claimed in self.claims.items()}
        grown = {call: self.claims.get(call, self.origin).grown(claimed) for call, claimed in claims.items()}
        self.origin, self.claims = self.origin.grown(origin), {**former, **grown}


_numbers = itertools.count(1)
_REVIEWED = PathRow()  # never changed


class Model:
    """The files of one folder: what each holds, and a row for each of which that is not all."""

    def __init__(self) -> None:
        self._now: Dict[str, Content] = {}
        self.rows: Dict[str, PathRow] = {}

    def learn(self, path: str, before: Content, now: Content) -> None:
        """What a path held that nobody has looked at yet: the same twice, if the user has seen it."""
        self._set_now(path, now)
        self._set_before(path, before, UNNAMED)

    def recall(
        self,
        path: str,
        origin: Origin,
        turn: Optional[Content],
        made: Optional[Made],
        below: Tuple[Layer, ...] = (),
        save: Optional[Content] = None,
    ) -> None:
        """What was known of a path that was learnt again."""
        if made is not None or self.unreviewed(path):
            row = self.rows.setdefault(path, PathRow())
            row.origin, row.claims, row.turn, row.made = origin, NO_CLAIMS, turn, made
        if self.unreviewed(path):
            self.rows[path].below, self.rows[path].save = below, save

    def mark_saved(self, path: str) -> None:
        """The user wants the file as it is now, whatever is undecided: what comes next is compared with that."""
        if self.unreviewed(path):
            self.rows[path].save = self.now(path)

    def bring_back(self, path: str, former: PathRow) -> None:
        """What was known of a path is known again, but for what is kept of it."""
        row = copy(former)
        row.own, row.saved = self.row(path).own, self.row(path).saved
        self.rows[path] = row

    def join(self, path: str) -> None:
        """Make one change of the one that is shown and the one below it."""
        row = self.rows[path]
        *left, layer = row.below
        row.before, row.below = layer.before, tuple(left)
        row.origin, row.turn = layer.origin.grown(row.origin), row.turn or layer.turn
        row.claims = {call: layer.origin.grown(claimed) for call, claimed in row.claims.items()}

    def leave(self, path: str) -> None:
        """The path is none of ours any more."""
        self._now.pop(path, None)
        self.rows.pop(path, None)

    def row(self, path: str) -> PathRow:
        """The row of a path; an empty one, which nobody changes, if there is none."""
        return self.rows.get(path, _REVIEWED)

    def now(self, path: str) -> Content:
        """What the path held at the last look."""
        return self._now.get(path, NOTHING)

    def before(self, path: str) -> Content:
        """What it held when the user last approved it."""
        before = self.row(path).before
        return self.now(path) if before is None else before

    def befores(self, path: str) -> List[Content]:
        """All that the user may still go back to, step by step: what the next change would be compared with first."""
        row = self.row(path)
        saved = [row.save] if row.save is not None and self.now(path).holds(row.save) else []
        return [*saved, self.before(path), *(layer.before for layer in reversed(row.below))]

    def earlier(self, path: str) -> Content:
        """What it held when the last turn began."""
        return self.row(path).turn or self.before(path)

    def unreviewed(self, path: str) -> bool:
        """Whether it holds something else than when the user last approved it."""
        return self.row(path).before is not None

    def begin_turn(self) -> None:
        """What was written until now was written in an earlier turn."""
        for path, row in self.rows.items():
            row.turn = self.now(path) if row.before is not None else row.made and row.made.now
            above = [layer.before for layer in row.below[1:]] + [self.before(path)]
            row.below = tuple(layer._replace(turn=turn) for layer, turn in zip(row.below, above))

    def own(self, path: str, own: bool, saved: bool = False) -> None:
        """Note whether only the store has what the path holds beside the file, and whether the user has saved that."""
        if own or path in self.rows:
            row = self.rows.setdefault(path, PathRow())
            row.own, row.saved = own, saved or row.saved
            self._drop_empty(path)

    def drop_own(self) -> bool:
        """Nothing is kept any more of what nobody has to review. Whether that is a change."""
        dropped = [path for path, row in self.rows.items() if row.own]
        for path in dropped:
            self.own(path, False)
        return bool(dropped)

    def happened(
        self,
        event: Event,
        path: str,
        now: Content,
        before: Optional[Content] = None,
        origin: Optional[Origin] = None,
        claims: Claims = NO_CLAIMS,
        below: Tuple[Layer, ...] = (),
    ) -> None:
        """The path holds `now`, because of `event`. An event that moves `before` moves it there, or to `before`, with
        these layers `below`.

        `origin` is that of what was added to the change, if something was, with the `claims` on that.
        """
        is_new = False
        if event in LEAVES_BEFORE:
            is_new = self._leave_save(event, path, now)
            before = self.before(path)
        elif path in self.rows:
            self.rows[path].below = below
        self._set_now(path, now)
        before = now if before is None else before
        row = self.rows.get(path)
        if row is not None and row.below and before.holds(now):
            before, origin = self._rise(event, row, now), None
        self._set_before(path, before, origin, claims, is_new)
        if event is not Event.WRITTEN and not self.unreviewed(path) and path in self.rows:
            self.rows[path].made = self.rows[path].turn = None  # the user has decided
            self._drop_empty(path)

    def settle(self, call: Hashable) -> bool:
        """A call has ended: what it claims is its program's. Whether that was something."""
        claimed = [(path, row) for path, row in self.rows.items() if call in row.claims]
        for path, row in claimed:
            row.origin, row.claims = row.claims[call], NO_CLAIMS
            self._note_made(path, row)
        return bool(claimed)

    def move(self, old: str, new: str) -> None:
        """The user has given a file another path: all that is known of it goes along."""
        self._now[new] = self._now.pop(old)
        row = self.rows.pop(old, None)
        if row is not None:
            self.rows[new] = row

    def changes(self, scope: ChangeScope = ChangeScope.SINCE_KEPT) -> List[UnreviewedChange]:
        """All that is unreviewed, the oldest first. A new file that holds what one that has gone held is that one,
        unless something else is in its place by now, so that it could not be taken back as a whole."""
        before = self.earlier if scope is ChangeScope.LAST_TURN else self.before
        paths = [path for path in self.paths() if not before(path).holds(self.now(path))]
        new = dict.fromkeys(path for path in reversed(paths) if not before(path).there)
        folders = {folder for path in new for folder in folders_of(path)}
        gone = {
            before(path).identity: path
            for path in paths
            if not self.now(path).there and path not in folders and folders_of(path).isdisjoint(new)
        }
        renamed: Dict[str, str] = {}
        for path in new:
            if self.now(path).readable:
                old_path = gone.pop(self.now(path).identity, "")
                if old_path:
                    renamed[path] = old_path
        taken = set(renamed.values())
        found = [self._change(path, before, renamed.get(path, "")) for path in paths if path not in taken]
        return [change for change in found if change.origin.counted is not (scope is ChangeScope.OUTSIDE)]

    def paths(self) -> List[str]:
        """The unreviewed paths, the one that changed first at the front."""
        found = [(row.number, path) for path, row in self.rows.items() if row.before is not None]
        return [path for _, path in sorted(found)]

    def all_paths(self) -> List[str]:
        """The paths of all files that are there, or were."""
        return list({**self._now, **self.rows})

    def knows(self, path: str) -> bool:
        """Whether there is, or was, a file."""
        return path in self._now or self.before(path).there

    def _change(self, path: str, before_of: Callable[[str], Content], old_path: str) -> UnreviewedChange:
        before, now = before_of(old_path or path), self.now(path)
        if old_path:
            kind = ChangeKind.RENAMED
        elif not before.there:
            kind = ChangeKind.NEW
        else:
            kind = ChangeKind.CHANGED if now.there else ChangeKind.DELETED
        row, origin = self.rows[path], self.rows[path].origin
        if old_path:
            origin = self.rows[old_path].origin.grown(origin)
        return UnreviewedChange(path, kind, before, now, row.number, old_path, origin, bool(row.below))

    def _leave_save(self, event: Event, path: str, now: Content) -> bool:
        """The path is about to hold `now`. Whether that is a change of its own, above the one that was undecided when
        the user saved the file. What the user himself undoes is none."""
        row = self.row(path)
        if row.before is None or row.save is None or now.holds(row.save) or not self.now(path).holds(row.save):
            return False
        if event is Event.UNDONE:
            row.save = now
            return False
        row.below = (*row.below, Layer(row.before, row.origin, row.turn))
        row.before, row.save, row.turn = row.save, None, None
        return True

    @staticmethod
    def _rise(event: Event, row: PathRow, now: Content) -> Content:
        """Nothing is left of the change that is shown: show the one below it, unless nothing is left of that either.
        What was before it is the result."""
        before = now
        while row.below and before.holds(now):
            *left, (before, row.origin, row.turn) = row.below
            row.save, row.claims, row.below = now, NO_CLAIMS, tuple(left)
        if event is not Event.WRITTEN:
            row.made = None  # the user has decided
        return before

    def _set_now(self, path: str, now: Content) -> None:
        if now.there:
            self._now[path] = now
        else:
            self._now.pop(path, None)

    def _set_before(
        self, path: str, before: Content, origin: Optional[Origin], claims: Claims = NO_CLAIMS, is_new: bool = False
    ) -> None:
        """Note what the path held before, and where that comes from by which the change has grown, or is new."""
        row = self.rows.get(path)
        if not before.holds(self.now(path)):
            row = row or self.rows.setdefault(path, PathRow())
            is_new, row.before = is_new or row.before is None, before
            if is_new:
                row.number = next(_numbers)
            if is_new or origin is not None:
                row.grow(origin or UNNAMED, claims, is_new)
            if row.made is not None and row.made.before.holds(before) and row.made.now.holds(self.now(path)):
                row.origin, row.claims = row.made.origin, NO_CLAIMS
            else:
                row.turn = None if is_new else row.turn
                self._note_made(path, row)
        elif row is not None:
            row.before, row.number, row.origin, row.claims, row.save = None, 0, UNNAMED, NO_CLAIMS, None
            self._drop_empty(path)

    def _note_made(self, path: str, row: PathRow) -> None:
        if row.before is not None and row.origin.counted and not row.origin.perhaps and not row.claims:
            row.made = Made(row.before, self.now(path), row.origin)

    def _drop_empty(self, path: str) -> None:
        row = self.rows[path]
        if row.before is None and row.made is None and not row.own:
            del self.rows[path]
