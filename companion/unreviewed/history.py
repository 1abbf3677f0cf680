"""What the files of one folder held, with their bytes: what the model knows of them, and the copies behind it.

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
from typing import Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

from ..common.clock import clock
from .calls import NO_CLAIMS, PERHAPS, Claims, Origin
from .git import Repository
from .looking import COPIED_BYTES, FileReading, blob_names
from .model import NOTHING, Content, Event, Layer, Model, Row, folders_of, identity, portions
from .store import Record, Store
from .texts import are_apart, holds_edit, rebased

logger = logging.getLogger("gemini_companion.unreviewed")

COPIED_FILES = 2000
COPIES_BYTES = 1 << 25
"""Of files that nobody has changed, and that the user has not saved in the editor."""
REFRESHED_SECONDS = 24 * 3600.0


class Copies:
    """The bytes of one folder's files. `blobs` is what git has as what, if its identity is another than the file's."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self._store = store
        self._repository = repository
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
        return self._store.kept(content.identity) if content.readable else None

    def keep(self, content: Content, data: Optional[bytes]) -> bool:
        """Keep these bytes in the store, so that they outlive the process. Whether it has them now."""
        if data is None or len(data) > COPIED_BYTES:
            return False
        try:
            self._store.keep(content.identity, data)
        except OSError as error:
            logger.error("what a file held cannot be kept: %s", error.strerror)
            return False
        return True

    def keep_all(self, contents: Iterable[Content]) -> None:
        """Keep what these files held, of which git may have some."""
        lacking = [each for each in contents if each.there and each.readable and not self._store.has(each.identity)]
        for portion in portions(dict.fromkeys(lacking), lambda content: content.size):
            for content, data in zip(portion, self.all_data(portion)):
                self.keep(content, data)

    def touch(self, contents: Iterable[Content]) -> None:
        """Have the store keep these as if they were new."""
        for content in contents:
            self._store.touch(content.identity)

    def has(self, content: Content) -> bool:
        """Whether the store has it."""
        return content.there and self._store.has(content.identity)

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

    def is_blob(self, content: Content, blob: str) -> bool:
        """Whether git has a content as this; "" is no file."""
        if not content.there or not blob or not content.readable:
            return content.identity == blob
        if blob in (content.identity, self.blobs.get(content.identity)):
            return True
        return blob in blob_names(content.identity, self._at_hand(content) or b"")

    def _from_git(self, repository: Repository, names: Sequence[str]) -> Iterator[Tuple[str, bytes]]:
        blobs = repository.blobs([self.blobs.get(name, name) for name in names])
        for name in names:
            data = blobs.get(self.blobs.get(name, name), b"")
            for each in (data, data.replace(b"\n", b"\r\n")):
                if identity(each, name) == name:
                    yield name, each
                    break


class LeftContents:
    """What the files held when an earlier process looked last, which has not ended to track. Of what git had not
    committed there are rows: this is of all else."""

    def __init__(self, copies: Copies, repository: Optional[Repository], record: Record) -> None:
        """`record`: what that process has left, with the paths that are `unkept`. Raises `GitError`."""
        self._copies = copies
        self._repository = repository
        self._unknown = record.unkept or frozenset()
        self.patterns = record.patterns
        self._committed = repository.tree(record.head) if repository is not None else {}

    def missed(self, staged: Mapping[str, str]) -> Iterable[str]:
        """The paths at which there were files, of those that git has `staged` as that process has left them."""
        all_known = "/" not in self._unknown  # else some of them may have gone before
        return [path for path, each in self._committed.items() if all_known and staged.get(path) == each.identity]

    def at(self, found: Mapping[str, FileReading]) -> Dict[str, Content]:
        """What was at these paths, where that is known, and is neither what was found nor what git has now. Raises
        `GitError`."""
        known: Dict[str, Content] = {}
        for path, (now, _, blob, _) in found.items():
            before = self._at(path)
            if before is not None and now.readable and (not blob or blob == before.identity != now.identity):
                known[path] = before._replace(mode=now.mode or before.mode)
        committed = [path for path, before in known.items() if before.there]
        if committed and self._repository is not None:
            crlf = self._repository.with_crlf(committed)
            for path in [path for path in crlf if found[path].blob]:
                del known[path]  # it is as it was
            for some in portions([path for path in crlf if path in known], lambda path: 0):
                known.update(zip(some, self._with_crlf([known[path] for path in some])))
        return known

    def _at(self, path: str) -> Optional[Content]:
        if path in self._unknown:
            return None
        committed = self._committed.get(path)
        if committed is not None:
            return committed if committed.readable else None
        was_seen = self._unknown.isdisjoint(f"{folder}/" for folder in ("", *folders_of(path)))
        return NOTHING if was_seen else None

    def _with_crlf(self, committed: Sequence[Content]) -> Iterator[Content]:
        for content, data in zip(committed, self._copies.all_data(committed)):
            if data is None or b"\r" in data or b"\0" in data:
                yield content  # git leaves it alone, or nobody knows
                continue
            text = data.replace(b"\n", b"\r\n")
            name = identity(text, content.identity)
            self._copies.blobs[name] = content.identity
            yield Content(name, content.mode, len(text))


# -- what happens to files ---------------------------------------------------------------------------------------------


class _Kept(NamedTuple):
    """What the user has kept last: the path, and its row before and afterwards."""

    path: str
    former: Row
    later: Row

    def is_still(self, row: Row) -> bool:
        """Whether nothing has happened to the path since."""
        rows = [(each.before, each.below, each.save, each.turn, each.claims) for each in (self.later, row)]
        return rows[0] == rows[1] and row.now.holds(self.later.now)


class History:
    """That of one folder. `committed` is what the last commit that was seen has changed, as `Repository.committed` has
    it."""

    def __init__(self, store: Store, repository: Optional[Repository]) -> None:
        self.model = Model()
        self.copies = Copies(store, repository)
        self.committed: Mapping[str, Tuple[str, str]] = {}
        self.holds = False
        """Whether what the user has seen is kept, because somebody may change it."""
        self.unkept: Set[str] = set()
        """Meanwhile, the paths of uncommitted files without a copy."""
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
        """Somebody has written `now`, with these bytes where git has not committed them. Whether it is unreviewed."""
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
        """Whether git can bring back what was there before: it was committed, and what is there now is committed.

        What the user had made of the former commit may be in the new one, too.
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

    def look_for_room(self) -> None:
        """Count what is kept of files that nobody has changed."""
        sizes = [row.now.size for row in self.model.rows.values() if row.only_in_store and not row.unreviewed]
        self._room = COPIED_FILES - len(sizes), COPIES_BYTES - sum(sizes)

    def seen(self, path: str, now: Content, data: Optional[bytes]) -> None:
        """The user has seen what a path holds: it is kept from now on, if these bytes are not committed."""
        files, size = self._room
        is_own = self.holds and data is not None and ((files > 0 and len(data) <= size) or self.model.row(path).saved)
        is_kept = is_own and self.copies.keep(now, data)
        if is_kept:
            self._room = files - 1, size - len(data or b"")
        self._own(path, is_kept, now.there and (data is not None or not now.readable or now.size > COPIED_BYTES))

    def _own(self, path: str, kept: bool, uncommitted: bool, saved: bool = False) -> None:
        row = self.model.row(path)
        self.model.put(path, row._replace(only_in_store=kept, saved=saved or row.saved))
        (self.unkept.add if uncommitted and not kept else self.unkept.discard)(path)

    def drop_copy(self, path: str) -> None:
        """Nobody needs the copy of what the path holds any more."""
        self.model.put(path, self.model.row(path)._replace(only_in_store=False))

    def refresh(self) -> None:
        """Once in a while, have the store keep for longer what is as it was."""
        if clock.now() - self._refreshed > REFRESHED_SECONDS:
            self._refreshed = clock.now()
            self.copies.touch(row.now for row in self.model.rows.values() if row.only_in_store)

    def said(self, event: Event, path: str, now: Content, shown: Content, wanted: Content) -> None:
        """The path holds `now`, and the user has made `wanted` of `shown`, by an event that moves what was before."""
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
        """The user has kept what was made of `before` in a path that holds `held`, or as much of it as is `wanted`."""
        former = self.model.row(path)
        self.said(Event.KEPT, path, held, before, wanted)
        self._last_kept = _Kept(path, former, self.model.row(path))

    def keep_no_more(self, path: str) -> bool:
        """Take back what the user has kept last. False if that was in another path, or something has happened since."""
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
        """The layer with the edit by which the user has made `wanted` of `shown`."""
        before = self._rebased(layer.before, shown, wanted)
        turn = self._rebased(layer.turn, shown, wanted) if layer.turn is not None else None
        return Layer(before[0] if before else layer.before, layer.origin, turn[0] if turn else layer.turn)

    def _with_joined_layers(self, row: Row) -> Row:
        """The row with the layers joined that are about different lines: the user has saved or accepted again."""
        while row.below:
            texts = self.copies.all_data([row.below[-1].before, row.approved, row.now])
            if texts[0] is None or texts[1] is None or texts[2] is None or not are_apart(texts[0], texts[1], texts[2]):
                break
            row = row.joined()
        return row

    def rebase_turn(self, path: str, shown: Content, wanted: Content) -> None:
        """The user has made `wanted` of `shown`: what an earlier turn has brought does not return."""
        row = self.model.row(path)
        if row.before is not None and row.turn is not None:
            edited = self._rebased(row.turn, shown, wanted)
            self.model.put(path, row._replace(turn=edited[0] if edited else row.turn))

    def _rebased(self, base: Content, shown: Content, wanted: Content) -> Optional[Tuple[Content, bool]]:
        """`base` with the edit from `shown` to `wanted`, and whether that is all of it; None if it cannot be made."""
        if shown.holds(wanted):
            return base, True
        if base.identity in (shown.identity, wanted.identity) or not shown.there or not wanted.there:
            return wanted, True
        texts = self.copies.data(base), self.copies.data(shown), self.copies.data(wanted)
        if texts[0] is None or texts[1] is None or texts[2] is None or any(b"\0" in (text or b"") for text in texts):
            return None  # nor has it lines of which one could say whose they are
        data, whole = rebased(texts[0], texts[1], texts[2])
        return (self.content(data, wanted) if data or base.there else NOTHING), whole

    def content(self, data: bytes, like: Content) -> Content:
        """These bytes, which are kept, with the permissions of another content."""
        made = Content(identity(data, like.identity), like.mode, len(data))
        self.copies.keep(made, data)
        return made
