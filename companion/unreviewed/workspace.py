"""The unreviewed changes of one folder: looks at its files, keeps what they held, and knows what the user has said.

Theory of operation: `look` compares the files with the last look and tells the model. In a git work tree a file that
was clean when tracking began needs no copy, because git has what it held; of the others copies are kept, within bounds.
What an unreviewed file held before is on the disk as soon as it is listed, so that it outlives the process.

What the user says is known by content. A save of his hands over the text that was saved; a proposal that he accepted is
expected, and has arrived once the file holds it. Either moves his own edits into what the file held before (`history`).
While nobody tracks the folder, whatever is written counts as his.

Rule: nothing is written in the folder. What cannot be known, because it was too large to be kept or because nobody
looked, is never guessed.

Disk threads; the lock makes them take turns.
"""

from __future__ import annotations

import itertools
import os
import stat
import threading
import time
from codecs import BOM_UTF8
from contextlib import suppress
from functools import lru_cache
from typing import Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ..comparison import Hunk
from ..review.document.text import without_mark
from ..system.files import identity_of
from .files import Files, Rules
from .git import GitMove, Repository
from .history import History
from .looking import FileReading, Looks
from .model import ChangeScope, Content, Event, UnreviewedChange, full_path, identity
from .store import Group, Record, SavedRow, Store, Undone, read_record, write_record
from .texts import holds_edit, with_hunks

SAVING_SECONDS = 10.0  # that the editor may take to save a tab
EXPECTED_SECONDS = 600.0  # that a program may take to write what was accepted


class _Expected(NamedTuple):
    text: Callable[[], bytes]
    shown: Content
    since: float


class Workspace:
    """One folder, by its real path; `repository` is None where git does not serve it."""

    def __init__(self, folder: str, store: Store, repository: Optional[Repository] = None) -> None:
        self.folder = folder
        self._store = store
        self._repository = repository
        self._lock = threading.RLock()  # held by disk threads only
        self._files = Files(folder, repository)
        self._looks = Looks(folder)
        self._history = History(store, repository)
        self._model, self._copies = self._history.model, self._history.copies
        self._saving: Dict[str, float] = {}  # since when the editor saves a path, by the steady clock
        self._expected: Dict[str, List[_Expected]] = {}
        self.last_undone = Undone()
        """What the last undo was, to be restored where nobody has touched the file since."""
        self.tracked = False
        """Whether tracking has begun and not ended."""
        self.only_undo = threading.Lock()
        """Held by an undo, or a restore, from its beginning to its end."""
        self._root: Optional[Tuple[int, int]] = None  # which folder it is, whatever it is called
        self._load()

    # -- looks --------------------------------------------------------------------------------------------------------

    def use(self, rules: Rules) -> None:
        """From the next look on, look at what these rules allow. What they uncover the user has seen."""
        with self._lock:
            self._files.use(rules)
            for path in [path for path in self._model.all_paths() if self._files.is_secret(path)]:
                self._model.leave(path)
                self._looks.leave(path)

    def begin(self, cancelled: Callable[[], bool]) -> None:
        """Begin to track, or to track again: what was written until now the user has seen.

        What was unreviewed when tracking ended is so still. Raises `GitError` and `OSError`; then nothing has begun.
        """
        with self._lock:
            self.tracked = False
            self._root = identity_of(os.stat(self.folder))
            self._files.begin()
            self._look(cancelled)
            self.tracked = not cancelled()

    def end(self, cancelled: Callable[[], bool]) -> None:
        """Track no more: a last look, and from then on only unreviewed files are looked at. Raises as `look` does."""
        with self._lock:
            try:
                if self.tracked:
                    self.look(cancelled)
            finally:
                self.tracked = False

    def look(self, cancelled: Callable[[], bool], who: Optional[str] = None) -> None:
        """Look again, but not while git is at work. `who` is the program that writes now, as `Model.at_work` has it.

        Raises `GitError` and `OSError`.
        """
        with self._lock:
            if not self.is_there():
                self.tracked = self.tracked and not os.path.isdir(self.folder)  # to begin again with another one
                raise OSError("the folder is not there any more")
            if not self.tracked:
                self._look_at(self._model.paths())
            elif not self.is_git_at_work():
                self._model.at_work = who
                try:
                    self._look(cancelled)
                finally:
                    self._model.at_work = None

    def look_at(self, paths: Sequence[str]) -> None:
        """Look at these files alone, because a tab has just read them, or something was done to them."""
        with self._lock:
            if self.is_there():
                self._look_at(paths)

    def is_there(self) -> bool:
        """Whether the folder is the one that was looked at first."""
        try:
            found = identity_of(os.stat(self.folder))
        except OSError:
            return False
        self._root = self._root or found
        return found == self._root

    def is_git_at_work(self) -> bool:
        """Whether git is changing files at this moment."""
        return self._repository is not None and self._repository.at_work()

    def _look_at(self, paths: Sequence[str]) -> None:
        model = self._model
        known = [path for path in paths if (model.knows(path) if self.tracked else model.unreviewed(path))]
        self._take(self._looks.look_at(known, self._files.entries.files), None)

    def _look(self, cancelled: Callable[[], bool]) -> None:
        whole = False
        try:
            paths = self._files.list()
            move = self._files.move() if self.tracked else None
            self._looks.like = self._files.like
            self._take(self._looks.look(paths, cancelled), move)
            whole = not self._looks.torn and not cancelled()
        finally:
            self._files.listed(whole)

    # -- what a look has found ----------------------------------------------------------------------------------------

    def _take(self, found: Dict[str, FileReading], move: Optional[GitMove]) -> None:
        fresh = {path for path, reading in found.items() if self._found(path, reading, move)}
        changed = bool(fresh)
        if move is not None:
            for path in self._model.paths():
                now = self._model.now(path)
                names = self._history.names(now)
                if path not in fresh and move.follows(path, names, names):
                    self._history.happened(Event.FOLLOWED, path, now)
                    changed = True
            if move.ends:
                shelved = [path for path, row in self._model.rows.items() if row.shelved is not None]
                for path in shelved:
                    self._model.shelve(path, None)
                changed = changed or bool(shelved)
        if changed:
            self._write_record()

    def _found(self, path: str, reading: FileReading, move: Optional[GitMove]) -> bool:
        """A look has found something at a path. Whether it is something else than before."""
        now, shown = reading.content, self._model.now(path)
        if now == shown:
            return False
        if reading.blob and reading.blob != now.identity:
            self._copies.blobs[now.identity] = reading.blob
        if reading.data is not None:
            self._copies.hold(now, reading.data)
        if not self._model.knows(path) and now.there and (self._files.uncovers or self._files.was_ignored(path)):
            # It was there before anybody looked. What it held then nobody knows, if it has been written to since.
            self._model.learn(path, now, now)
            return False
        if time.monotonic() - self._saving.get(path, float("-inf")) < SAVING_SECONDS:
            self._looks.remember(path)  # `saved` will say what of it is the user's
            return False
        history, shelved = self._history, self._model.row(path).shelved
        if not self.tracked:
            history.said(Event.SAVED, path, now, shown, now)
        elif self._arrived(path, now, reading):
            pass
        elif move is not None and move.follows(path, history.names(shown), history.names(now, reading)):
            history.followed(path, now, move)
        elif move is not None and move.brings_back and shelved is not None:
            history.brought_back(path, now, shelved, move)
        else:
            history.happened(Event.WRITTEN, path, now)
        if reading.data is not None and self._model.unreviewed(path):
            self._copies.keep(now, reading.data)
        return True

    def _arrived(self, path: str, now: Content, reading: FileReading) -> bool:
        """Whether it is a text that the user has accepted, or what somebody has written since beside all of that."""
        known = self._expected.get(path, []) if now.there else []
        for index in reversed(range(len(known))):
            expected = known[index]
            data = reading.data if reading.data is not None else self._copies.data(now)
            if data is None or time.monotonic() - expected.since >= EXPECTED_SECONDS:
                continue
            wanted = now
            if not says(data, expected.text()):
                shown, text = self._copies.data(expected.shown), _formed(expected.text(), data)
                if shown is None or not holds_edit(shown, text, data):
                    continue
                wanted = self._history.content(text, now)
            del known[: index + 1]  # in place, since the main thread may append meanwhile
            for place, each in enumerate(known):
                known[place] = each._replace(shown=wanted)  # it was made of this
            self._history.said(Event.ACCEPTED, path, now, expected.shown, wanted)
            return True
        return False

    # -- what the user says -------------------------------------------------------------------------------------------

    def saving(self, path: str) -> None:
        """The editor is about to save a tab: until `saved`, what a look finds may be the user's. Any thread."""
        self._saving[path] = time.monotonic()

    def saved(self, path: str, data: bytes) -> None:
        """The user has saved `data` from a tab; the file may hold something else again by now."""
        with self._lock:
            self._saving.pop(path, None)
            shown = self._model.now(path)
            name = identity(data, shown.identity or self._looks.like)
            if name == shown.identity or self._files.is_secret(path):
                return
            mode = shown.mode
            with suppress(OSError):
                mode = stat.S_IMODE(os.lstat(full_path(self.folder, path)).st_mode)
            now = Content(name, mode, len(data))
            self._copies.hold(now, data)
            self._history.said(Event.SAVED, path, now, shown, now)
            self._looks.forget(path)
            self._write_record()

    def expect(self, path: str, accepted: Union[bytes, Callable[[], bytes]]) -> None:
        """The user has accepted a proposal; `accepted` is what the file is about to hold, or gives it on a disk thread.
        Any thread.

        Call this before the client hears of it: after that the file may hold it already.
        """
        text = lru_cache(maxsize=1)(accepted) if callable(accepted) else lambda: accepted
        self._expected.setdefault(path, []).append(_Expected(text, self._model.now(path), time.monotonic()))

    def keep(self, path: str, before: Content, now: Content, hunks: Sequence[Hunk] = ()) -> bool:
        """Keep what was made of a file, or some of the hunks of it alone, in lines as `texts.lines_of` counts.

        False if it holds something else by now. It outlives the process once `write_down` was called.
        """
        with self._lock:
            if self._model.now(path) != now:
                return False
            wanted = now
            if hunks:
                texts = self._copies.data(before), self._copies.data(now)
                if texts[0] is None or texts[1] is None:
                    return False
                wanted = self._history.content(with_hunks(texts[0], texts[1], hunks), now)
            self._history.said(Event.KEPT, path, now, before, wanted)
            return True

    def write_down(self) -> None:
        """Write down what is known."""
        with self._lock:
            self._write_record()

    def begin_turn(self) -> None:
        """A program begins another turn. What is to count as earlier was looked at before."""
        with self._lock:
            self._model.begin_turn()
            self._write_record()

    # -- what there is ------------------------------------------------------------------------------------------------

    def repositories(self) -> Tuple[str, ...]:
        """The folders below that are repositories of their own, relative."""
        return self._files.entries.repositories

    def changes(self, scope: ChangeScope = ChangeScope.SINCE_KEPT) -> List[UnreviewedChange]:
        """All that is unreviewed, the newest first."""
        with self._lock:
            return self._model.changes(scope)

    @property
    def has_turns(self) -> bool:
        """Whether a program has told of turns."""
        return self._model.has_turns

    def data(self, content: Content) -> Optional[bytes]:
        """The bytes that a file held, or None if nobody has them any more."""
        return self.all_data([content])[0]

    def all_data(self, contents: Sequence[Content]) -> List[Optional[bytes]]:
        """The same for several files, for which git is asked once."""
        with self._lock:
            return self._copies.all_data(contents)

    # -- undo ---------------------------------------------------------------------------------------------------------

    def undoing(self, wanted: Collection[Group], when: float) -> Collection[Group]:
        """These are about to be undone: keep them, so that they can be restored. Raises `OSError`; then undo nothing.

        The result are those that can be undone, because it is known what their files hold and held.
        """
        with self._lock:
            contents = [content for group in wanted for step in group for content in step[1:]]
            known = self._copies.secure(contents)
            ready = dict.fromkeys(
                group for group in wanted if all(each.identity in known for step in group for each in step[1:])
            )
            if not ready:
                return ready
            former, self.last_undone = self.last_undone, Undone(tuple(ready), when)
            try:
                self._write_record(secure=True)
            except OSError:
                self.last_undone = former
                raise
            return ready

    def exchanged(self, event: Event, done: Sequence[Group], undone: Undone) -> None:
        """These were undone, or (`WRITTEN`) restored: then they are unreviewed as they were, whether anybody tracks.

        From now on `undone` can be restored.
        """
        with self._lock:
            for path, held, wanted in itertools.chain.from_iterable(done):
                if event is Event.UNDONE:
                    self._history.carry_turn(path, held, wanted)
                self._history.happened(event, path, wanted)
                self._looks.remember(path)  # somebody may have written since
            self.last_undone = undone
            self._write_record()

    def content(self, data: bytes, like: Content) -> Content:
        """Bytes that a file is about to have, which are kept, with the permissions of another content."""
        with self._lock:
            return self._history.content(data, like)

    # -- the record ---------------------------------------------------------------------------------------------------

    def _write_record(self, secure: bool = False) -> None:
        rows = self._model.rows
        saved = {path: SavedRow(self._model.now(path), row.before, row.turn, row.shelved) for path, row in rows.items()}
        record = Record(saved, self.last_undone, self._copies.blobs, self._model.has_turns)
        write_record(self._store, self.folder, record, secure)

    def _load(self) -> None:
        record = read_record(self._store, self.folder)
        self._copies.blobs.update(record.blobs)
        self.last_undone = record.undone
        self._model.has_turns = record.has_turns
        for path, (now, before, turn, shelved) in record.rows.items():
            if before is not None:
                self._model.learn(path, before, now)
                self._model.set_turn(path, turn)
                if now.there:
                    self._looks.remember(path)
            self._model.shelve(path, shelved)


def says(data: bytes, text: bytes) -> bool:
    """Whether a file holds a text, whatever its line ends are, with a byte order mark or without."""
    return _plain(data) == _plain(text)


def _plain(data: bytes) -> bytes:
    return without_mark(data)[1].replace(b"\r\n", b"\n").rstrip(b"\n")


def _formed(text: bytes, like: bytes) -> bytes:
    """A text with the byte order mark and the line ends of another."""
    text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if b"\r\n" in like else text
    return BOM_UTF8 + text if like.startswith(BOM_UTF8) and not text.startswith(BOM_UTF8) else text
