"""What the files of one folder held, with their bytes: what the model knows of them, and the copies behind it.

Theory of operation: bytes are in memory as far as there is room, in the store if they are those of an unreviewed file,
and else in git. Whatever the user says is an edit of his, from one content to another: he saves a file, accepts a
proposal, keeps a change or some hunks of it. `texts.carried` makes the edit in what the file held before, too, except
where it touches what nobody has reviewed; and likewise in what the file held when the last turn began.

Rule: where one of the texts is not known any more, what the file held before is not known either. Then nothing can be
undone, and the list says so; nothing fails because of that.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

import logging
import zlib
from typing import Callable, Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from .git import GitMove, Repository
from .looking import COPIED_BYTES, FileReading, blob_names
from .model import NOTHING, UNKNOWN, Content, Event, Model, Shelved, identity, portions
from .store import Store
from .texts import carried

logger = logging.getLogger("gemini_companion.unreviewed")

COPIED_FILES = 2000
COPIES_BYTES = 1 << 25
_TRIED_EVERY = 1000


class Copies:
    """The bytes of one folder's files. `wanted` are the contents that memory is for; `blobs` is what git has as what,
    where the identity is another than the file's."""

    def __init__(self, store: Store, repository: Optional[Repository], wanted: Callable[[], Iterable[Content]]) -> None:
        self._store = store
        self._repository = repository
        self._wanted = wanted
        self._held: Dict[str, bytes] = {}  # compressed, by identity
        self._size = 0
        self._refused = 0  # in a row
        self.blobs: Dict[str, str] = {}

    def data(self, content: Content) -> Optional[bytes]:
        """The bytes that a file held, or None if nobody has them any more."""
        return self.all_data([content])[0]

    def all_data(self, contents: Sequence[Content]) -> List[Optional[bytes]]:
        """The same for several files, for which git is asked once."""
        found = {content.identity: self._at_hand(content) for content in contents}
        missing = [content.identity for content in contents if content.readable and found[content.identity] is None]
        if missing and self._repository is not None:
            found.update(self._from_git(self._repository, missing))
        return [found[content.identity] for content in contents]

    def _at_hand(self, content: Content) -> Optional[bytes]:
        if not content.there:
            return b""
        if not content.readable:
            return None
        held = self._held.get(content.identity)
        return self._store.kept(content.identity) if held is None else zlib.decompress(held)

    def hold(self, content: Content, data: bytes) -> None:
        """Hold what a file holds that git has not in memory, as far as there is room for it."""
        if content.identity not in self._held and len(data) <= COPIED_BYTES and self._has_room(len(data)):
            self._held[content.identity] = copy = zlib.compress(data, 1)
            self._size += len(copy)

    def keep(self, content: Content, data: Optional[bytes] = None) -> None:
        """Keep this in the store, so that it outlives the process, if it is given or in memory."""
        if data is None and content.identity in self._held:
            data = zlib.decompress(self._held[content.identity])
        if data is None or len(data) > COPIED_BYTES:
            return
        try:
            self._store.keep(content.identity, data)
        except OSError as error:
            logger.error("what a file held cannot be kept: %s", error.strerror)

    def secure(self, contents: Iterable[Content]) -> Set[str]:
        """Have these in the store, on the disk itself. Raises `OSError` if they cannot be.

        The result are the identities of those whose bytes are known.
        """
        known: Set[str] = set()

        def texts() -> Iterator[Tuple[str, bytes]]:
            for portion in portions(dict.fromkeys(contents), lambda content: content.size):
                for content, data in zip(portion, self.all_data(portion)):
                    if data is not None:
                        known.add(content.identity)
                        if content.there:
                            yield content.identity, data

        self._store.secure(texts())
        return known

    def take_back(self, content: Content) -> None:
        """Hold in memory what the store will not keep any more."""
        data = self._store.kept(content.identity)
        if data is not None:
            self.hold(content, data)

    def _has_room(self, size: int) -> bool:
        """Whether a copy of so many bytes fits, once what nobody wants any more is dropped; that is seldom tried."""
        if self._is_full(size) and self._refused % _TRIED_EVERY == 0:
            wanted = {each.identity for each in self._wanted()}
            self._held = {name: held for name, held in self._held.items() if name in wanted}
            self._size = sum(map(len, self._held.values()))
        self._refused = self._refused + 1 if self._is_full(size) else 0
        return not self._refused

    def _is_full(self, size: int) -> bool:
        return len(self._held) >= COPIED_FILES or self._size + size > COPIES_BYTES

    def _from_git(self, repository: Repository, names: Sequence[str]) -> Iterator[Tuple[str, bytes]]:
        blobs = repository.blobs([self.blobs.get(name, name) for name in names])
        for name in names:
            data = blobs.get(self.blobs.get(name, name), b"")
            for each in (data, data.replace(b"\n", b"\r\n")):
                if identity(each, name) == name:
                    yield name, each
                    break


# -- what the user says ------------------------------------------------------------------------------------------------


class History:
    """That of one folder."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self.model = Model()
        self.copies = Copies(store, repository, self.model.all_before)

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
        self.carry_turn(path, shown, wanted)
        self.happened(event, path, now, before)

    def carry_turn(self, path: str, shown: Content, wanted: Content) -> None:
        """The user has made `wanted` of `shown`: what an earlier turn has brought does not return."""
        turn = self.model.row(path).turn
        if turn is not None:
            self.model.set_turn(path, self._carried(turn, shown, wanted))

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

    def names(self, content: Content, reading: Optional[FileReading] = None) -> FrozenSet[str]:
        """All that git may have this as."""
        if not content.readable or not content.there:
            return frozenset([content.identity])
        names = {content.identity, self.copies.blobs.get(content.identity, content.identity)}
        if reading is not None and reading.data is not None:
            names.update(blob_names(content.identity, reading.data))
        elif reading is None:
            names.update(blob_names(content.identity, self.copies.data(content) or b""))
        return frozenset(names)

    def followed(self, path: str, now: Content, move: GitMove) -> None:
        """Git has put there what the path holds."""
        shelved = Shelved(self.model.before(path), self.model.now(path), now, self.model.earlier(path))
        known = self.model.row(path).shelved
        if now != shelved.held and move.takes_away(path, self.names(shelved.held)):
            if move.brings_back and known is not None and known.held == now:
                self.brought_back(path, now, known, move)  # it was away and is here again
                return
            if known is None:
                self.model.shelve(path, shelved)
                for content in shelved:
                    self.copies.keep(content)
        elif move.brings_back and known is not None and now != shelved.held:
            if not move.has_committed(path, self.names(now)):
                self.brought_back(path, now, known, move)
                return
            self.model.shelve(path, None)
        self.happened(Event.FOLLOWED, path, now)

    def brought_back(self, path: str, now: Content, shelved: Shelved, move: GitMove) -> None:
        """Git has brought back what it had taken away, with something else in it if the commit has that.

        What else is in it somebody has written since.
        """
        before, held, left, earlier = shelved
        self.model.shelve(path, None)
        is_as_taken = self.model.now(path) == left and not move.commits(path)
        texts = self.copies.data(before), self.copies.data(held), self.copies.data(now)
        if now == held or is_as_taken:
            self.happened(Event.FOLLOWED, path, now, before)
            if earlier.readable:
                self.model.set_turn(path, earlier)
        elif texts[0] is None or texts[1] is None or texts[2] is None:
            self.happened(Event.WRITTEN, path, now)
        elif before.there and held.there and now.there:
            self.happened(Event.FOLLOWED, path, now, self.content(carried(texts[0], texts[1], texts[2]), now))
        else:
            self.happened(Event.WRITTEN, path, now)
