"""What the files of one folder held, with their bytes: what the model knows of them, and the copies behind it.

Theory of operation: whatever the user says is an edit of his, from one content to another: he saves a file, accepts a
proposal, keeps a change or some hunks of it. It is made in what the file held before, too, except where it touches what
nobody has reviewed (`merging`); and likewise in what the file held when the last turn began.

Rule: where one of the texts is not known any more, what the file held before is not known either. Then nothing can be
undone, and that is said.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Optional

from .contents import NOTHING, UNKNOWN, Content, identity
from .copies import Copies
from .following import Move, Shelved
from .git import Repository
from .looking import Reading, blob_names
from .merging import carried
from .model import Event, Model
from .store import Store


class History:
    """That of one folder."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self.model = Model()
        self.copies = Copies(store, repository, self.model.all_before)
        self.shelved: Dict[str, Shelved] = {}
        """What git has taken away and may bring back."""

    def happened(self, event: Event, path: str, now: Content, before: Optional[Content] = None) -> None:
        """As the model has it. What is unreviewed is kept in the store from now on."""
        self.model.happened(event, path, now, before)
        held = self.model.before(path)
        if self.model.unreviewed(path):
            self.copies.keep(held)
            self.copies.keep(now)
        else:
            self.copies.take_back(held)

    def said(self, event: Event, path: str, now: Content, shown: Content, wanted: Content) -> None:
        """The path holds `now`, and the user has made `wanted` of `shown`, by an event that moves what was before."""
        before = self._carried(self.model.before(path), shown, wanted)
        self._carry_turn(path, shown, wanted)
        self.happened(event, path, now, before)

    def begin_turn(self) -> None:
        """What was written until now, be it away for the moment, was written in an earlier turn."""
        self.model.begin_turn()
        for path, shelved in self.shelved.items():
            self.shelved[path] = shelved._replace(earlier=shelved.held)

    def undone(self, path: str, held: Content, left: Content) -> None:
        """The user has undone something: what was written in an earlier turn is not to come back with a later one."""
        self._carry_turn(path, held, left)
        self.happened(Event.UNDONE, path, left)

    def _carry_turn(self, path: str, shown: Content, wanted: Content) -> None:
        turn = self.model.turn
        if turn is not None and path in turn:
            turn[path] = self._carried(turn[path], shown, wanted)

    def _carried(self, base: Content, shown: Content, wanted: Content) -> Content:
        """`base` with the user's edit."""
        if base.identity in (shown.identity, wanted.identity) or not shown.there or not wanted.there:
            return wanted
        texts = self.copies.data(base), self.copies.data(shown), self.copies.data(wanted)
        if texts[0] is None or texts[1] is None or texts[2] is None or any(b"\0" in (text or b"") for text in texts):
            return UNKNOWN  # nor has it lines of which one could say whose they are
        data = carried(texts[0], texts[1], texts[2])
        return self.content(data, wanted) if data or base.there else NOTHING

    def content(self, data: bytes, like: Content) -> Content:
        """These bytes, which are kept, with the permissions of another content."""
        made = Content(identity(data, like.identity), like.mode, len(data))
        self.copies.hold(made, data)
        self.copies.keep(made, data)
        return made

    # -- what git does ------------------------------------------------------------------------------------------------

    def names(self, content: Content, reading: Optional[Reading] = None) -> FrozenSet[str]:
        """All that git may have this as."""
        if not content.readable or not content.there:
            return frozenset([content.identity])
        names = {content.identity, self.copies.blobs.get(content.identity, content.identity)}
        if reading is not None and reading.data is not None:
            names.update(blob_names(content.identity, reading.data))
        elif reading is None:
            names.update(blob_names(content.identity, self.copies.data(content) or b""))
        return frozenset(names)

    def followed(self, path: str, now: Content, move: Move) -> None:
        """Git has put there what the path holds."""
        shelved = Shelved(self.model.before(path), self.model.now(path), now, self.model.earlier(path))
        if now != shelved.held and move.takes_away(path, self.names(shelved.held)):
            known = self.shelved.get(path)
            if move.brings_back and known is not None and known.held == now:
                self.brought_back(path, now, move)  # it was away and is here again
                return
            if known is None:
                self.shelved[path] = shelved
                for content in shelved:
                    self.copies.keep(content)
        elif move.brings_back and path in self.shelved and now != shelved.held:
            if not move.has_committed(path, self.names(now)):
                self.brought_back(path, now, move)
                return
            del self.shelved[path]
        self.happened(Event.FOLLOWED, path, now)

    def brought_back(self, path: str, now: Content, move: Move) -> None:
        """Git has brought back what it had taken away, with something else in it if the commit has that.

        What else is in it somebody has written since.
        """
        before, held, left, earlier = self.shelved.pop(path)
        is_as_taken = self.model.now(path) == left and not move.commits(path)
        texts = self.copies.data(before), self.copies.data(held), self.copies.data(now)
        if now == held or is_as_taken:
            self.happened(Event.FOLLOWED, path, now, before)
            if self.model.turn is not None and earlier.readable:
                self.model.turn[path] = earlier
        elif texts[0] is None or texts[1] is None or texts[2] is None:
            self.happened(Event.WRITTEN, path, now)
        elif before.there and held.there and now.there:
            self.happened(Event.FOLLOWED, path, now, self.content(carried(texts[0], texts[1], texts[2]), now))
        else:
            self.happened(Event.WRITTEN, path, now)
