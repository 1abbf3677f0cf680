"""The unreviewed changes of one folder: looks at its files, keeps what they held, and knows what the user has said.

Theory of operation: `look` compares the files with the last look and tells the model. In a git work tree a file that
was clean when tracking began needs no copy, because git has what it held; of the others copies are kept, within bounds.
What an unreviewed file held before is on the disk as soon as it is listed, so that it outlives a crash.

What the user says is known by content. A save of his hands over the text that was saved; a proposal that he accepted is
expected, and has arrived once the file holds it. Either moves his own edits into what the file held before, and leaves
there what nobody has reviewed (`merging`).

Rule: nothing is written in the folder. What cannot be known, because it was too large to be kept, is never guessed.

Disk threads; the lock makes them take turns.
"""

from __future__ import annotations

import hashlib
import threading
import time
import zlib
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..comparison import Hunk
from .contents import Content, identity
from .git import Entries, GitError, Position, Repository
from .looking import COPIED_BYTES, Looks, Reading, walk
from .merging import carried, with_hunk
from .model import Change, Event, Model
from .store import Store

COPIED_FILES = 2000
COPIES_BYTES = 1 << 25
WALKED_FILES = 50000
CLOCK_NANOSECONDS = 20_000_000  # by which a file's time stamp may lie behind the clock
SAVING_NANOSECONDS = 10_000_000_000  # that the editor may take to save a tab


class Rules(NamedTuple):
    """What is not looked at: `secret` files, by absolute path; and, outside of git, what the editor leaves out."""

    secret: Callable[[str], bool]
    left_out: Callable[[str, bool], bool]


class Undone(NamedTuple):
    """One file of the last undo: what it held `then`, and what the undo has `left` there."""

    path: str
    then: Content
    left: Content


class Workspace:
    """One folder; `repository` is None where git does not serve it."""

    def __init__(self, folder: str, store: Store, rules: Rules, repository: Optional[Repository] = None) -> None:
        self.folder = folder
        self._store = store
        self._rules = rules
        self._repository = repository
        self._lock = threading.RLock()  # held by disk threads only
        self._looks = Looks(folder)
        self._model = Model({})
        self._copies: Dict[str, bytes] = {}  # compressed, by identity
        self._copied = 0
        self._blobs: Dict[str, str] = {}  # where the blob's identity is another than the file's
        self._entries = Entries({}, ())
        self._stamps: Tuple[object, ...] = ()
        self._position = Position("")
        self._saving: Dict[str, int] = {}  # since when the editor saves a path, in nanoseconds of the wall clock
        self._expected: Dict[str, List[bytes]] = {}
        self._undone: List[Undone] = []
        self._begun = False

    # -- looks --------------------------------------------------------------------------------------------------------

    def begin(self, cancelled: Callable[[], bool]) -> None:
        """Begin to track: what the files hold now the user has seen, but for what an earlier run had listed."""
        with self._lock:
            if self._repository is not None:
                self._position = self._repository.position()
            found = self._looks.look(self._paths(), cancelled)
            for reading in found.values():
                self._note_blob(reading)
                if reading.data is not None:
                    self._copy(reading.content, reading.data)
            self._model = Model({path: reading.content for path, reading in found.items()})
            self._begun = True
            self._restore()

    def look(self, cancelled: Callable[[], bool]) -> bool:
        """Look again. True if `changes` may say something else now. Raises `GitError`; then nothing was looked at."""
        with self._lock:
            before = self._entries
            paths = self._paths()
            moved = self._moved()
            found = self._looks.look(paths, cancelled)
            for path, reading in found.items():
                self._found(path, reading)
            followed = moved and self._follow(before)
            if found or followed:
                self._write_record()
            return bool(found or followed)

    def changes(self) -> List[Change]:
        """All that is unreviewed, the newest first."""
        with self._lock:
            return self._model.changes()

    def data(self, content: Content) -> Optional[bytes]:
        """The bytes that a file held, or None if nobody has them any more."""
        with self._lock:
            if not content.there:
                return b""
            name = content.identity
            copy = self._copies.get(name)
            if copy is not None:
                return zlib.decompress(copy)
            kept = self._store.kept(name)
            return self._blob(name) if kept is None else kept

    def _paths(self) -> Dict[str, str]:
        """The files to look at, with what git has of them."""
        if self._repository is None:
            found = walk(self.folder, self._rules.left_out, WALKED_FILES)
            return {path: "" for path in found if not self._is_secret(path)}
        stamp = self._repository.index_stamp()
        if self._stamps[:1] != (stamp,):
            staged = self._repository.entries()
            files = {path: blob for path, blob in staged.files.items() if not self._is_secret(path)}
            self._entries, self._stamps = Entries(files, staged.repositories), (stamp,)
        untracked = self._repository.untracked().files
        return {**{path: "" for path in untracked if not self._is_secret(path)}, **self._entries.files}

    def _is_secret(self, path: str) -> bool:
        return self._rules.secret(f"{self.folder}/{path}")

    def _copy(self, content: Content, data: bytes) -> None:
        """Keep what a file holds that git has not, as far as there is room for it."""
        if content.identity in self._copies or len(data) > COPIED_BYTES:
            return
        copy = zlib.compress(data, 1)
        if len(self._copies) >= COPIED_FILES or self._copied + len(copy) > COPIES_BYTES:
            wanted = {each.identity for each in self._model.all_before()}
            self._copies = {name: kept for name, kept in self._copies.items() if name in wanted}
            self._copied = sum(map(len, self._copies.values()))
        if len(self._copies) < COPIED_FILES and self._copied + len(copy) <= COPIES_BYTES:
            self._copies[content.identity] = copy
            self._copied += len(copy)

    def _note_blob(self, reading: Reading) -> None:
        if reading.blob and reading.blob != reading.content.identity:
            self._blobs[reading.content.identity] = reading.blob

    def _blob(self, name: str) -> Optional[bytes]:
        if self._repository is None:
            return None
        blob = self._blobs.get(name, name)
        try:
            data = self._repository.blobs([blob]).get(blob)
        except GitError:
            return None
        if data is None:
            return None
        for each in (data, data.replace(b"\n", b"\r\n")):
            if identity(each, name) == name:
                return each
        return None

    def _found(self, path: str, reading: Reading) -> None:
        """A look has found something else at a path."""
        now, shown = reading.content, self._model.now(path)
        if now == shown:
            return
        since = self._saving.get(path, 0)
        if since and since - CLOCK_NANOSECONDS <= reading.modified and time.time_ns() - since < SAVING_NANOSECONDS:
            self._looks.forget(path)  # `saved` will say what of it is the user's
            return
        self._note_blob(reading)
        if reading.data is not None:
            self._store.keep(now.identity, reading.data)
        for text in self._expected.pop(path, []):
            if now.there and _says(self.data(now), text):
                self._said(Event.ACCEPTED, path, now, shown)
                return
        self._happened(Event.WRITTEN, path, now)

    def _happened(self, event: Event, path: str, now: Content, before: Optional[Content] = None) -> None:
        self._model.happened(event, path, now, before)
        held = self._model.before(path)
        if self._model.unreviewed(path):
            copy = self._copies.get(held.identity)
            if copy is not None:
                self._store.keep(held.identity, zlib.decompress(copy))
        else:
            # The store will not have it any more once no record names it.
            data = self._store.kept(held.identity) if held.there else None
            if data is not None:
                self._copy(held, data)

    # -- git ----------------------------------------------------------------------------------------------------------

    def _moved(self) -> bool:
        """Whether git has moved since the last look, or is moving."""
        if self._repository is None:
            return False
        stamp = self._repository.position_stamp()
        if self._stamps[1:] == (stamp,) and not self._position.under_way:
            return False
        last, self._position = self._position, self._repository.position()
        self._stamps = (*self._stamps[:1], stamp)
        return last != self._position or self._position.under_way

    def _follow(self, before: Entries) -> bool:
        """Files that hold what git has there are not listed any more; `before` was staged at the last look."""
        if self._repository is None:
            return False
        staged, committed = self._entries.files, self._repository.committed()
        followed = False
        for change in self._model.changes():
            for path in filter(None, (change.path, change.old_path)):
                now = self._model.now(path)
                if now.there:
                    blob = self._blobs.get(now.identity, now.identity)
                    follows = blob in (staged.get(path), committed.get(path))
                else:
                    follows = path in before.files and path not in staged and path not in committed
                if follows:
                    self._happened(Event.FOLLOWED, path, now)
                    followed = True
        return followed

    # -- what the user says -------------------------------------------------------------------------------------------

    def saving(self, path: str) -> None:
        """The editor is about to save a tab: until `saved`, what a look finds may be the user's. Any thread."""
        self._saving[path] = time.time_ns()

    def saved(self, path: str, data: bytes) -> None:
        """The user has saved `data` from a tab; the file may hold something else again by now."""
        with self._lock:
            self._saving.pop(path, None)
            shown = self._model.now(path)
            name = identity(data, shown.identity)
            if not self._begun or name == shown.identity:
                return
            if len(data) <= COPIED_BYTES:
                self._store.keep(name, data)
            self._said(Event.SAVED, path, Content(name, shown.mode, len(data)), shown)
            self._write_record()

    def expect(self, path: str, text: bytes) -> None:
        """The user has accepted a proposal; `text`, in UTF-8, is what the file is about to hold.

        Must be said before the client is told, or the file may hold it already.
        """
        with self._lock:
            self._expected.setdefault(path, []).append(text)

    def _said(self, event: Event, path: str, now: Content, shown: Content) -> None:
        """The user has made `now` of `shown`: what was unreviewed in `shown` stays so, all else he has seen."""
        before = self._model.before(path)
        if before == shown or not before.there or not shown.there:
            self._happened(event, path, now)
            return
        texts = self.data(before), self.data(shown), self.data(now)
        if None in texts:
            self._happened(Event.WRITTEN, path, now)  # whose is what cannot be told
            return
        seen = carried(*texts)  # type: ignore[arg-type]
        content = Content(identity(seen, now.identity), now.mode, len(seen))
        self._store.keep(content.identity, seen)
        self._happened(event, path, now, content)

    def keep(self, path: str, shown: Content) -> bool:
        """Keep what is at a path, if that is still what was `shown`. False if it is something else by now."""
        with self._lock:
            if self._model.now(path) != shown:
                return False
            self._happened(Event.KEPT, path, shown)
            self._write_record()
            return True

    def keep_hunk(self, path: str, before: Content, shown: Content, hunk: Hunk) -> bool:
        """Keep one of the hunks between the two texts that were shown. False if either is another by now."""
        with self._lock:
            if (self._model.before(path), self._model.now(path)) != (before, shown):
                return False
            texts = self.data(before), self.data(shown)
            if texts[0] is None or texts[1] is None:
                return False
            seen = with_hunk(texts[0], texts[1], hunk)
            content = Content(identity(seen, shown.identity), before.mode if before.there else shown.mode, len(seen))
            self._store.keep(content.identity, seen)
            self._happened(Event.KEPT, path, shown, content)
            self._write_record()
            return True

    def undoing(self, undone: Sequence[Undone]) -> None:
        """This is about to be undone: keep it, so that it can be restored. Raises `OSError`; then do not undo it."""
        with self._lock:
            for each in undone:
                if each.then.there and self._store.kept(each.then.identity) is None:
                    data = self.data(each.then)
                    if data is None:
                        raise OSError("what is to be undone cannot be kept")
                    self._store.keep(each.then.identity, data)
            self._undone = list(undone)
            self._write_record()

    def last_undone(self) -> List[Undone]:
        """What the last undo was, to be restored where nobody has touched the file since."""
        with self._lock:
            return list(self._undone)

    # -- the record ---------------------------------------------------------------------------------------------------

    def _write_record(self) -> None:
        before = {path: list(content) for path, content in self._model.unreviewed_before().items()}
        undone = [[each.path, list(each.then), list(each.left)] for each in self._undone]
        identities = {content.identity for content in self._model.contents()}
        identities.update(content.identity for each in self._undone for content in (each.then, each.left))
        record = {
            "folder": self.folder,
            "before": before,
            "undone": undone,
            "blobs": {name: self._blobs[name] for name in identities if name in self._blobs},
            "identities": sorted(name for name in identities if name),
        }
        self._store.write_record(self._record_name, record if before or undone else None)

    def _restore(self) -> None:
        record = self._store.record(self._record_name) or {}
        try:
            before = {path: Content(*content) for path, content in _items(record, "before")}
            undone = record.get("undone", [])
            self._undone = [Undone(path, Content(*then), Content(*left)) for path, then, left in undone]
            self._blobs.update(_items(record, "blobs"))
        except (TypeError, ValueError):
            return
        self._model.restore({path: content for path, content in before.items() if not self._is_secret(path)})

    @property
    def _record_name(self) -> str:
        return hashlib.sha256(self.folder.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _items(record: Mapping[str, Any], name: str) -> List[Tuple[str, Any]]:
    found = record.get(name, {})
    return list(found.items()) if isinstance(found, dict) else []


def _says(data: Optional[bytes], text: bytes) -> bool:
    """Whether a file holds a text, whatever its line ends are, with a byte order mark or without."""
    return data is not None and _plain(data) == _plain(text)


def _plain(data: bytes) -> bytes:
    data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    return data.replace(b"\r\n", b"\n").rstrip(b"\n")


