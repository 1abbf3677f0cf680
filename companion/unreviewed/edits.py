"""Makes the user's edits in the rows of one folder, and keeps the bytes that this takes.

Theory of operation: the store has the bytes of what git has not committed, as far as there is room, and of what an
unreviewed file held before and holds now; git has the others. Whatever the user decides is an edit from one
content to another: a save, an accepted proposal, a change or some hunks of it that are kept. `texts.rebased` makes the
edit in what the file held before, too, except where it touches an unreviewed change; and likewise in what the file held
when the last turn began. A change that the user has edited is partly the user's own. Later changes are compared with
what the user saves or accepts (a layer of `model`); at the next save two layers become one where they are about
different lines, since no text of the user is lost by that.

Rule: where one of the texts is not known, what the file held before stays as it is, and a part of the change is perhaps
the user's. Where the bytes are not known any more nothing can be undone, and the list says so; nothing fails.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

import logging
from typing import Mapping, NamedTuple, Optional, Set, Tuple

from ..common.clock import clock
from .content import NOTHING, Content, identity
from .copies import Copies
from .evidence import NO_CLAIMS, PERHAPS, Claims, Origin
from .git import Repository
from .model import Event, Layer, Model, Row
from .reading import COPIED_BYTES
from .store import Store
from .texts import are_apart, holds_edit, rebased

logger = logging.getLogger("gemini_companion.unreviewed")

COPIED_FILES = 2000
COPIES_BYTES = 1 << 25
"""Of files that nobody has changed, and that the user has not saved in the editor."""
REFRESHED_SECONDS = 24 * 3600.0


class _Kept(NamedTuple):
    """What the user has kept last: the path, and its row before and afterwards."""

    path: str
    former: Row
    later: Row

    def is_still(self, row: Row) -> bool:
        """Whether nothing has happened to the path since."""
        rows = [(each.before, each.below, each.save, each.turn, each.claims) for each in (self.later, row)]
        return rows[0] == rows[1] and row.now.holds(self.later.now)


class Edits:
    """The edits in one folder. `committed` is what the last commit that was seen has changed, as `Repository.committed`
    gives it."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self.model = Model()
        self.copies = Copies(store, repository)
        self.committed: Mapping[str, Tuple[str, str]] = {}
        self.holds = False
        """Whether copies are kept of what the user has seen, because an agent may change it."""
        self.unkept: Set[str] = set()
        """The paths of uncommitted files without a copy."""
        self._last_kept: Optional[_Kept] = None
        self._room = (0, 0)  # files and bytes
        self._refreshed = clock.now()

    def written(
        self,
        path: str,
        now: Content,
        data: Optional[bytes],
        origin: Optional[Origin],
        claims: Claims = NO_CLAIMS,
    ) -> bool:
        """Note that a program has written `now`, with these bytes where git has not committed them. Whether it is
        unreviewed."""
        if self.is_committed(path, now):
            self.model.happened(Event.COMMITTED, path, now)
        else:
            self.model.happened(Event.WRITTEN, path, now, origin=origin, claims=claims)
        unreviewed = self.model.row(path).unreviewed
        if unreviewed and data is not None:
            self.copies.keep(now, data)
        elif not unreviewed:
            self.seen(path, now, data)
        return unreviewed

    def is_committed(self, path: str, now: Content) -> bool:
        """Whether what was at a path before was committed, and what is there now is, so that git can bring both back.

        The new commit may have the user's edits of the former one, too.
        """
        former, latest = self.committed.get(path, ("", ""))
        if former == latest or not self.copies.is_blob(now, latest):
            return False
        row = self.model.row(path)
        befores = [each for each in row.befores() if not each.holds(now)]
        return all(self._is_in_commit(former, before, now) for before in befores or [row.approved])

    def _is_in_commit(self, former: str, before: Content, now: Content) -> bool:
        if self.copies.is_blob(before, former):
            return True
        committed, held, holds = self.copies.all_data([Content(former), before, now])
        if committed is None or held is None or holds is None or not before.there:
            return False
        return holds_edit(committed, held, holds)

    def measure_room(self) -> None:
        """Count the copies of reviewed files, and how much room is left for more."""
        sizes = [row.now.size for row in self.model.rows.values() if row.only_in_store and not row.unreviewed]
        self._room = COPIED_FILES - len(sizes), COPIES_BYTES - sum(sizes)

    def seen(self, path: str, now: Content, data: Optional[bytes]) -> None:
        """Keep a copy of what the user has seen at a path, if these bytes are not committed and there is room."""
        files, size = self._room
        is_own = self.holds and data is not None and ((files > 0 and len(data) <= size) or self.model.row(path).saved)
        is_kept = is_own and self.copies.keep(now, data)
        if is_kept:
            self._room = files - 1, size - len(data or b"")
        self._own(path, is_kept, now.there and (data is not None or not now.readable or now.size > COPIED_BYTES))

    def _own(self, path: str, kept: bool, uncommitted: bool, saved: bool = False) -> None:
        if kept or path in self.model.rows:
            row = self.model.row(path)
            self.model.put(path, row._replace(only_in_store=kept, saved=saved or row.saved))
        (self.unkept.add if uncommitted and not kept else self.unkept.discard)(path)

    def drop_copy(self, path: str) -> None:
        """Note that the copy of what a path holds is not needed any more."""
        self.model.put(path, self.model.row(path)._replace(only_in_store=False))

    def refresh(self) -> None:
        """Have the store keep the copies of unchanged files for longer, once a day."""
        if clock.now() - self._refreshed > REFRESHED_SECONDS:
            self._refreshed = clock.now()
            self.copies.touch(row.now for row in self.model.rows.values() if row.only_in_store)

    def said(self, event: Event, path: str, now: Content, shown: Content, wanted: Content) -> None:
        """Note that the user has made `wanted` of `shown`, by an event that moves `before`. The path holds `now`."""
        self.rebase_turn(path, shown, wanted)
        row = self.model.row(path)
        edited = self._rebased(row.approved, shown, wanted)
        before, whole = edited or (row.approved, False)
        below = tuple(self._rebased_layer(layer, shown, wanted) for layer in row.below)
        held = wanted if event is Event.ACCEPTED else now
        origin = None if whole or (edited and event is Event.KEPT) else PERHAPS
        self.model.happened(event, path, held, before, origin, below=below)
        row = self.model.row(path)
        if event is not Event.KEPT and self.copies.has(wanted) and row.now.holds(wanted) and row.unreviewed:
            self.model.put(path, self._with_joined_layers(row)._replace(save=row.now))
        if not row.now.holds(now):
            self.model.happened(Event.WRITTEN, path, now)  # somebody has written beside it
        self._own(path, self.holds and self.copies.has(now), now.there, saved=event is Event.SAVED)

    def keep(self, path: str, held: Content, before: Content, wanted: Content) -> None:
        """Note that the user has kept the change from `before` to `held`, or as much of it as is `wanted`."""
        former = self.model.row(path)
        self.said(Event.KEPT, path, held, before, wanted)
        self._last_kept = _Kept(path, former, self.model.row(path))

    def keep_no_more(self, path: str) -> bool:
        """Take back the last Keep. False if that was at another path, or something has happened to this one since."""
        kept, row = self._last_kept, self.model.row(path)
        if kept is None or kept.path != path or not kept.is_still(row):
            return False
        before = kept.former.before
        if before is None or self.copies.data(before) is None:
            return False
        self._last_kept = None
        self.model.put(path, kept.former._replace(now=row.now, only_in_store=row.only_in_store, saved=row.saved))
        return True

    def _rebased_layer(self, layer: Layer, shown: Content, wanted: Content) -> Layer:
        """Make the edit from `shown` to `wanted` in a layer."""
        before = self._rebased(layer.before, shown, wanted)
        turn = self._rebased(layer.turn, shown, wanted) if layer.turn is not None else None
        return Layer(before[0] if before else layer.before, layer.origin, turn[0] if turn else layer.turn)

    def _with_joined_layers(self, row: Row) -> Row:
        """Join the layers that are about different lines, once the user has saved or accepted again."""
        while row.below:
            texts = self.copies.all_data([row.below[-1].before, row.approved, row.now])
            if texts[0] is None or texts[1] is None or texts[2] is None or not are_apart(texts[0], texts[1], texts[2]):
                break
            row = row.joined()
        return row

    def rebase_turn(self, path: str, shown: Content, wanted: Content) -> None:
        """Make the edit from `shown` to `wanted` in what the path held when the last turn began."""
        row = self.model.row(path)
        if row.before is not None and row.turn is not None:
            edited = self._rebased(row.turn, shown, wanted)
            self.model.put(path, row._replace(turn=edited[0] if edited else row.turn))

    def _rebased(self, base: Content, shown: Content, wanted: Content) -> Optional[Tuple[Content, bool]]:
        """Make the edit from `shown` to `wanted` in `base`. The result, and whether it has all of the edit; None if it
        cannot be made."""
        if shown.holds(wanted):
            return base, True
        if base.identity in (shown.identity, wanted.identity) or not shown.there or not wanted.there:
            return wanted, True
        texts = self.copies.data(base), self.copies.data(shown), self.copies.data(wanted)
        if texts[0] is None or texts[1] is None or texts[2] is None or any(b"\0" in (text or b"") for text in texts):
            return None  # it is no text, or one of the texts is not known
        data, whole = rebased(texts[0], texts[1], texts[2])
        return (self.content(data, wanted) if data or base.there else NOTHING), whole

    def content(self, data: bytes, like: Content) -> Content:
        """Keep bytes that a file is about to have. Their content, with the permissions of another one."""
        made = Content(identity(data, like.identity), like.mode, len(data))
        self.copies.keep(made, data)
        return made
