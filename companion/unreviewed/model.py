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

from enum import Enum
from typing import (
    Any,
    Dict,
    Hashable,
    List,
    NamedTuple,
    Optional,
    Tuple,
)

from ..common.arrivals import numbers
from .content import NOTHING, Content, folders_of, full_path
from .evidence import NO_CLAIMS, UNNAMED, Claims, Origin


class Event(Enum):
    """Why a file holds something else. What it held before becomes what it holds now, or what a comment says."""

    WRITTEN = "a program wrote outside the editor"  # stays what it was
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


class Made(NamedTuple):
    """A change that agents have made of a file, and its origin."""

    before: Content
    now: Content
    origin: Origin


class Layer(NamedTuple):
    """A change that was undecided when the user saved the file with it; then something else was written. It goes from
    `before` to the `before` of the layer above. `turn`: what the path held when the last turn began, if within it."""

    before: Content
    origin: Origin
    turn: Optional[Content] = None


SAVED_FIELDS = 9
"""The first so many fields of a `Row` are stored."""


class Row(NamedTuple):
    """All that is known of a path: `now` is what it held at the last look.

    `before`: what it held when the user last approved it, if that is something else. `origin` says where the change
    comes from, and `turn` is what the path held when the last turn began, if it was unreviewed then. `made` is the last
    change that was an agent's alone: it is that again once the file holds it again, as when a stash is brought back.
    `only_in_store`: whether git has not committed what the path holds, so that only the store has it beside the file;
    `saved`: whether the user has saved it in the editor.

    `save` is what the user saved last, if changes were undecided then. Once something else is written it is `before`,
    and the undecided change is the last one of those `below`.

    The store has all this, but not the `number` of the change, nor the `claims`: what `origin` becomes once one of
    these calls has ended.
    """

    now: Content = NOTHING
    before: Optional[Content] = None
    turn: Optional[Content] = None
    origin: Origin = UNNAMED
    only_in_store: bool = False
    saved: bool = False
    made: Optional[Made] = None
    below: Tuple[Layer, ...] = ()
    save: Optional[Content] = None
    number: int = 0
    claims: Claims = NO_CLAIMS

    @property
    def unreviewed(self) -> bool:
        """Whether the path holds something else than when the user last approved it."""
        return self.before is not None

    @property
    def approved(self) -> Content:
        """What the path held when the user last approved it."""
        return self.now if self.before is None else self.before

    @property
    def is_plain(self) -> bool:
        """Whether nothing is known beside what the path holds."""
        return self.before is None and self.made is None and not self.only_in_store

    def befores(self) -> List[Content]:
        """All contents that the user may still go back to: first what the next change would be compared with."""
        saved = [self.save] if self.save is not None and self.now.holds(self.save) else []
        return [*saved, self.approved, *(layer.before for layer in reversed(self.below))]

    def contents(self) -> List[Content]:
        """All contents in the row, except where there was no file."""
        held = [self.now, self.before, self.turn, self.save, *(self.made[:2] if self.made else ())]
        held += [content for layer in self.below for content in (layer.before, layer.turn)]
        return [each for each in held if each is not None and each.there]

    def after(
        self,
        event: Event,
        now: Content,
        before: Optional[Content] = None,
        origin: Optional[Origin] = None,
        claims: Claims = NO_CLAIMS,
        below: Tuple[Layer, ...] = (),
    ) -> Row:
        """The row once the path holds `now`, because of `event`. An event that moves `before` moves it there, or to
        `before`, with these layers `below`.

        `origin` is that of what was added to the change, if something was, with the `claims` on that.
        """
        row, is_new = self, False
        if event in LEAVES_BEFORE:
            row, is_new = self._leaving_save(event, now)
            before = row.approved
        else:
            row = row._replace(below=below)
        before = now if before is None else before
        row = row._replace(now=now)
        if row.below and before.holds(now):
            (row, before), origin = row.risen(event), None
        row = row.compared(before, origin, claims, is_new)
        if event is not Event.WRITTEN and not row.unreviewed:
            row = row._replace(made=None, turn=None)  # the user has decided
        return row

    def compared(
        self, before: Content, origin: Optional[Origin], claims: Claims = NO_CLAIMS, is_new: bool = False
    ) -> Row:
        """The row with what the path held before, and the origin by which the change has grown, or is new."""
        if before.holds(self.now):
            return self._replace(before=None, number=0, origin=UNNAMED, claims=NO_CLAIMS, save=None)
        is_new = is_new or self.before is None
        row = self._replace(before=before, number=next(numbers) if is_new else self.number)
        if is_new:
            row = row._replace(origin=origin or UNNAMED, claims=claims)
        elif origin is not None:
            former = {call: claimed.grown(origin) for call, claimed in row.claims.items()}
            grown = {call: row.claims.get(call, row.origin).grown(claimed) for call, claimed in claims.items()}
            row = row._replace(origin=row.origin.grown(origin), claims={**former, **grown})
        if row.made is not None and row.made.before.holds(before) and row.made.now.holds(row.now):
            return row._replace(origin=row.made.origin, claims=NO_CLAIMS)
        return row._replace(turn=None if is_new else row.turn).noted()

    def noted(self) -> Row:
        """The row with the change noted as `made`, if it is an agent's alone."""
        if self.before is None or not self.origin.counted or self.origin.perhaps or self.claims:
            return self
        return self._replace(made=Made(self.before, self.now, self.origin))

    def joined(self) -> Row:
        """The row with one change made of the one that is shown and the one below it."""
        *left, layer = self.below
        return self._replace(
            before=layer.before,
            below=tuple(left),
            origin=layer.origin.grown(self.origin),
            turn=self.turn or layer.turn,
            claims={call: layer.origin.grown(claimed) for call, claimed in self.claims.items()},
        )

    def in_new_turn(self) -> Row:
        """The row once another turn has begun."""
        turn = self.now if self.before is not None else self.made and self.made.now
        above = [layer.before for layer in self.below[1:]] + [self.approved]
        return self._replace(
            turn=turn, below=tuple(layer._replace(turn=held) for layer, held in zip(self.below, above))
        )

    def _leaving_save(self, event: Event, now: Content) -> Tuple[Row, bool]:
        """The row while the path comes to hold `now`, and whether that is a change of its own, above the one that was
        undecided when the user saved the file. What the user himself undoes is none."""
        if self.before is None or self.save is None or now.holds(self.save) or not self.now.holds(self.save):
            return self, False
        if event is Event.UNDONE:
            return self._replace(save=now), False
        below = (*self.below, Layer(self.before, self.origin, self.turn))
        return self._replace(below=below, before=self.save, save=None, turn=None), True

    def risen(self, event: Event) -> Tuple[Row, Content]:
        """The row once nothing is left of the change that is shown, so that the one below it is, unless nothing is left
        of that either; and what was before that."""
        row, before = self, self.now
        while row.below and before.holds(row.now):
            *left, (before, origin, turn) = row.below
            row = row._replace(save=row.now, claims=NO_CLAIMS, below=tuple(left), origin=origin, turn=turn)
        return (row if event is Event.WRITTEN else row._replace(made=None)), before  # else the user has decided


class Model:
    """The files of one folder, each with its row."""

    def __init__(self) -> None:
        self._plain: Dict[str, Content] = {}  # of nearly all files nothing else is known
        self.rows: Dict[str, Row] = {}
        """The rows of which that is not all."""

    def row(self, path: str) -> Row:
        """The row of a path."""
        return self.rows.get(path) or Row(self._plain.get(path, NOTHING))

    def put(self, path: str, row: Row) -> None:
        """Have this row for a path from now on. Another thread may read one of the two meanwhile, but not none."""
        if not row.is_plain:
            self.rows[path] = row
            self._plain.pop(path, None)
            return
        if row.now.there:
            self._plain[path] = row.now
        else:
            self._plain.pop(path, None)
        self.rows.pop(path, None)

    def learn(self, path: str, before: Content, now: Content) -> None:
        """Note what a path held that was not looked at yet; twice one content, if the user has seen it."""
        if path not in self.rows and before.holds(now) and now.there:
            self._plain[path] = now  # as most files at a first look, which must not take long
        else:
            self.put(path, self.row(path)._replace(now=now).compared(before, UNNAMED))

    def happened(self, event: Event, path: str, now: Content, *details: Any, **named: Any) -> None:
        """Note that the path holds `now`, because of `event`; the arguments are those of `Row.after`."""
        self.put(path, self.row(path).after(event, now, *details, **named))

    def recall(self, path: str, row: Row) -> None:
        """Take over the row that an earlier process had for a path."""
        is_unreviewed = not row.approved.holds(row.now)
        row = row if is_unreviewed else row._replace(before=None, below=(), save=None)
        self.put(path, row._replace(number=next(numbers) if is_unreviewed else 0))

    def leave(self, path: str) -> None:
        """Forget a path."""
        self.put(path, Row())

    def begin_turn(self) -> None:
        """Count what was written until now as written in an earlier turn."""
        self.rows = {path: row.in_new_turn() for path, row in self.rows.items()}

    def settle(self, call: Hashable) -> bool:
        """Note that a call has ended: what it claims is its agent's. Whether it claimed anything."""
        claimed = {path: row for path, row in self.rows.items() if call in row.claims}
        for path, row in claimed.items():
            self.rows[path] = row._replace(origin=row.claims[call], claims=NO_CLAIMS).noted()
        return bool(claimed)

    def move(self, old: str, new: str) -> None:
        """Give a file that the user has moved its row at the new path."""
        row = self.row(old)
        self.leave(old)
        self.put(new, row)

    def changes(self, scope: ChangeScope = ChangeScope.SINCE_KEPT) -> List[UnreviewedChange]:
        """List the unreviewed changes, the oldest first. A new file that holds what a deleted one held was renamed,
        unless something is in the former place by now, so that the rename could not be undone as a whole."""
        unreviewed = sorted((row.number, path, row) for path, row in self.rows.items() if row.unreviewed)
        rows = {path: row for _, path, row in unreviewed}
        befores = {path: row.approved for path, row in rows.items()}
        if scope is ChangeScope.LAST_TURN:
            befores = {path: row.turn or row.approved for path, row in rows.items()}
        rows = {path: row for path, row in rows.items() if not befores[path].holds(row.now)}
        new = dict.fromkeys(path for path in reversed([*rows]) if not befores[path].there)
        folders = {folder for path in new for folder in folders_of(path)}
        gone = {
            befores[path].identity: path
            for path, row in rows.items()
            if not row.now.there and path not in folders and folders_of(path).isdisjoint(new)
        }
        renamed: Dict[str, str] = {}
        for path in new:
            old_path = gone.pop(rows[path].now.identity, "") if rows[path].now.readable else ""
            if old_path:
                renamed[path] = old_path
        found, taken = [], set(renamed.values())
        for path, row in rows.items():
            old_path = renamed.get(path, "")
            before, origin = befores[old_path or path], row.origin
            if old_path:
                kind, origin = ChangeKind.RENAMED, rows[old_path].origin.grown(origin)
            elif not before.there:
                kind = ChangeKind.NEW
            else:
                kind = ChangeKind.CHANGED if row.now.there else ChangeKind.DELETED
            if path not in taken and origin.counted is not (scope is ChangeScope.OUTSIDE):
                found.append(
                    UnreviewedChange(path, kind, before, row.now, row.number, old_path, origin, bool(row.below))
                )
        return found

    def all_paths(self) -> List[str]:
        """The paths of all files that are there, or were."""
        return [*self._plain, *self.rows]

    def knows(self, path: str) -> bool:
        """Whether there is, or was, a file."""
        row = self.rows.get(path)
        return path in self._plain or (row is not None and (row.now.there or row.approved.there))
