"""Knows the unreviewed changes of one folder: looks at its files, keeps what they held, and follows the user.

Theory of operation: `look` compares the files with the last look and notes the differences in the model. What git has
committed needs no copy; of all else copies are in the store, within bounds, before a look ends: so it outlives the
process.

What the user does is known by content. A save hands over the text that was saved; an accepted proposal is expected, and
has arrived once the file holds it. Either makes the user's edits in what the file held before, too (`edits`). Renames
and deletions in the side bar are the user's as well. While the folder is not tracked, whatever is written counts as the
user's. What has changed between two processes does not, if the first one could not stop tracking (`copies`).

An agent may write before the first look has come to a file. What the file held before is not known then, nor who has
written; the time stamp says that it was written too late to be taken for what was there.

Rule: nothing is written in the folder. What is not known, because it was too large to be kept or was not looked at, is
never guessed. What is unreviewed stays so until the user decides.

Disk threads; one at a time, which has the folder's turn (`folder`).
"""

from __future__ import annotations

import itertools
import os
import stat
from contextlib import suppress
from functools import lru_cache
from typing import (
    Callable,
    Collection,
    Dict,
    FrozenSet,
    Hashable,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ..common.clock import clock
from ..comparison import Hunk
from ..review.document.whole_file import BytesMaker
from ..system.files import Stamp
from ..system.paths import is_below
from .content import NOTHING, UNKNOWN, Content, full_path, identity
from .copies import LeftContents
from .edits import Edits
from .evidence import NO_CLAIMS, PERHAPS, Evidence, Moment
from .files import IGNORES, NAMED_FILES, Files, Rules, is_left_alone
from .git import GitError, Repository, git_of
from .model import Event, Layer, Row, UnreviewedChange
from .reading import FileReading, Reader, changed_at, is_later
from .store import Group, Record, Step, Store, Undone, contents_of, read_record, write_record
from .texts import accepted_of, sizes, with_hunks
from .user_acts import Saves, SideBar

EXPECTED_SECONDS = 600.0  # that an agent may take to write what was accepted


class _Expected(NamedTuple):
    text: BytesMaker
    shown: Content
    since: float
    agreed: Optional[BytesMaker] = None


class Workspace:
    """One folder, by its real path; `repository` is None where git does not serve it."""

    def __init__(
        self,
        folder: str,
        store: Store,
        repository: Optional[Repository] = None,
        now: Callable[[], Moment] = Moment,
        saves: Optional[Saves] = None,
    ) -> None:
        """`now` is the moment in the windows that have the folder."""
        self.folder = folder
        self._store = store
        self._repository = repository
        self.git = git_of(folder)
        self._now = now
        self._moment = Moment()  # at which the last look began that has seen all
        self._saves = saves or Saves()
        self.files = Files(folder, repository)
        self._reader = Reader(folder)
        self._reader.is_excluded = self.files.is_excluded
        self._ignored: FrozenSet[str] = frozenset()  # as far as git was asked
        self.edits = Edits(store, repository)
        self.model, self.copies = self.edits.model, self.edits.copies
        self._expected: Dict[str, List[_Expected]] = {}
        self.side_bar = SideBar(folder, self.model)
        self.last_undone = Undone()
        """What the last undo was, to be restored where nobody has touched the file since."""
        self.tracked = False
        """Whether tracking has begun and not ended."""
        self._root: Optional[Tuple[int, int]] = None  # which folder it is, whatever it is called
        self._left: Optional[LeftContents] = None  # by an earlier process, until all was looked at
        self._noted: Optional[FrozenSet[str]] = None  # as unkept, when the record was written last
        self._early = 0  # until the first look has ended, since when a program may have written
        self._load()

    # -- looks --------------------------------------------------------------------------------------------------------

    def use(self, rules: Rules) -> None:
        """Read what these rules allow, from the next look on. The user has seen what they uncover; no copy stays of
        what they hide."""
        uncovered = set(filter(self.files.is_excluded, self.model.all_paths()))
        self.files.use(rules)
        if self._left is not None and self._left.patterns != self.files.patterns:
            self._left = None
        is_excluded = self.files.is_excluded
        undone = [group for group in self.last_undone.groups if any(is_excluded(step.path) for step in group)]
        rows = {path: self.model.row(path) for path in filter(is_excluded, self.model.all_paths())}
        hidden = [path for path, row in rows.items() if any(each.readable for each in row.contents())]
        for path in (each for each in uncovered if not is_excluded(each)):
            if self.model.row(path).unreviewed:
                self._reader.forget(path)
            else:
                self.model.leave(path)
                self._reader.leave(path)
        names = {content.identity for content in contents_of(undone)}
        for path in hidden:
            names.update(content.identity for content in rows[path].contents())
            self.model.leave(path)
            self._reader.leave(path)
            self.edits.unkept.discard(path)
        if names:
            left = tuple(group for group in self.last_undone.groups if group not in undone)
            self.last_undone = self.last_undone._replace(groups=left)
            self.write_down()
            self._store.drop(names)

    def begin(self, cancelled: Callable[[], bool]) -> None:
        """Begin to track, or to track again. The user has seen what was written until now, except what was written
        after the end of an earlier process that could not stop tracking.

        What was unreviewed when tracking ended is so still. Raises `GitError` and `OSError`; then nothing has begun.
        """
        self.tracked = False
        self._root = Stamp.of(os.stat(self.folder)).file
        self._begin_looking(cancelled)
        self.tracked = not cancelled()
        self.write_down()

    def _begin_looking(self, cancelled: Callable[[], bool]) -> bool:
        self.files.begin()
        self.edits.holds = True
        return self._take_all(cancelled)

    def end(self, cancelled: Callable[[], bool]) -> None:
        """Track no more: a last look, and from then on only unreviewed files are looked at. Raises as `look` does."""
        try:
            if self.tracked and self.look(cancelled):
                self._settle()  # else the next process finds what this one has not seen
        finally:
            self.tracked = False

    def _settle(self) -> None:
        """Note that nothing is tracked any more: what is not unreviewed is the user's from now on."""
        was_held, self.edits.holds = self.edits.holds, False
        kept = [path for path, row in self.model.rows.items() if row.only_in_store]
        for path in kept:
            self.edits.drop_copy(path)
        if kept or was_held:
            self.tracked = False
            self.write_down()

    def look(self, cancelled: Callable[[], bool]) -> bool:
        """Look again, but not while git is at work. Whether all was seen. Raises `GitError` and `OSError`."""
        if not self.is_there():
            self.tracked = self.tracked and not os.path.isdir(self.folder)  # to begin again with another one
            raise OSError("the folder is not there any more")
        if not self.tracked:
            with suppress(GitError):
                self.files.note_position()
            if self._left is None:
                self._take_paths(list(self.model.rows))
            elif not self._begin_looking(cancelled):
                return False
            self._settle()
            return True
        return not self.is_git_at_work() and self._take_all(cancelled)

    def refresh(self, paths: Sequence[str]) -> None:
        """Look at these files alone, because a tab has just read them, or something was done to them."""
        if self.is_there():
            self._take_paths([path for path in paths if self.tracked or path in self.model.rows])

    def is_there(self) -> bool:
        """Whether the folder is the one that was looked at first."""
        try:
            found = Stamp.of(os.stat(self.folder)).file
        except OSError:
            return False
        self._root = self._root or found
        return found == self._root

    def is_git_at_work(self) -> bool:
        """Whether git is changing files at this moment."""
        return self._repository is not None and self._repository.at_work()

    def _take_paths(self, paths: Iterable[str]) -> None:
        known = [path for path in paths if self.model.knows(path)]
        found = self._reader.read_again(known, self.files.entries.files)
        with self._reader.again(found):
            self._take(found, self._now())

    def _take_all(self, cancelled: Callable[[], bool]) -> bool:
        whole, moment = False, self._now()
        try:
            paths = self.files.list()
            self._reader.like = self.files.like
            if self._left is not None:
                for path in self._left.missed(self.files.entries.files):
                    self._reader.remember(path)
            found = self._reader.read_changed(paths, cancelled)
            ignores = [path for path in found if path.endswith(IGNORES)]
            if not all(found[path].content.holds(self.model.row(path).now) for path in ignores):
                self.files.ask_again()
                self.files.list()  # what has come to be listed is looked at the next time
            self._early = 0 if self.tracked else self._now().early
            with self._reader.again(found):
                self.edits.committed = self.files.committed()
                self._take(found, moment)
            whole = not self._reader.torn and not cancelled()
        finally:
            self.edits.committed, self._early = {}, 0
            self.files.listed(whole)
        if whole:
            self._moment, self._left = moment, None
        self.edits.refresh()
        return whole

    # -- what a look has found ----------------------------------------------------------------------------------------

    def _take(self, found: Dict[str, FileReading], moment: Moment) -> None:
        """Note what a look has found that began at this moment."""
        for path in self.last_undone.take_out(found):
            self._reader.remember(path)
        fresh: List[str] = []
        if found:
            with suppress(OSError):
                self.files.note_moves()
            only_hooked = self._moment.only_hooked and moment.only_hooked
            evidence = self._moment.evidence(Evidence(None, self.files.has_moved, only_hooked))
            self.edits.measure_room()
            self.side_bar.follow(found, evidence)
            saving = self._saves.files()
            fresh = self._found_since(found) if self._left is not None else []
            oldest_first = sorted(found.items(), key=lambda each: changed_at(self.folder, *each))
            fresh += [path for path, each in oldest_first if self._found(path, each, evidence, saving)]
            fresh += self._found_missing()
            rows = [self.model.row(path) for path in fresh]
            self.copies.keep_all(row.approved for row in rows if row.unreviewed)
        for path in self.edits.committed.keys() & self.model.rows.keys():
            row = self.model.row(path)
            if row.unreviewed and not self.edits.written(path, row.now, None, None):
                fresh.append(path)
        if fresh or (self.tracked and self._noted != self._unkept()):
            self.write_down()

    def _found_since(self, found: Mapping[str, FileReading]) -> List[str]:
        """Note what was written, or deleted, after an earlier process has ended. The paths."""
        new = {path: reading for path, reading in found.items() if not self.model.knows(path)}
        new = {path: reading for path, reading in new.items() if not self.files.is_excluded(path)}
        left = self._left.at(new) if self._left is not None else {}
        for path, before in left.items():
            self.model.learn(path, before, before)
            self.edits.written(path, new[path].content, new[path].data, PERHAPS)
        return list(left)

    def _found_missing(self) -> List[str]:
        """Note the files of git that the first look does not find, and that may have gone just now. The paths."""
        missing = self._reader.missing(self.files.entries.files) if self._early else []
        gone = [path for path in missing if not self.model.knows(path) and self._is_early(path, FileReading(NOTHING))]
        for path in gone:
            self.model.learn(path, UNKNOWN, UNKNOWN)
            self.edits.written(path, NOTHING, None, PERHAPS)
        return gone

    def _is_early(self, path: str, reading: FileReading) -> bool:
        """Whether an agent may have written what the first look has found, before the look came there."""
        if not self._early or reading.blob:  # git can bring that back
            return False
        return is_later(changed_at(self.folder, path, reading), self._early)

    def _found(
        self, path: str, reading: FileReading, evidence: Callable[[str], Evidence], saving: Collection[str]
    ) -> bool:
        """Note what a look has found at a path. Whether that is to be written down."""
        now, data, row, edits = reading.content, reading.data, self.model.row(path), self.edits
        shown = row.now
        if reading.blob and reading.blob != now.identity:
            self.copies.blobs[now.identity] = reading.blob
        if now.holds(shown):
            self.model.happened(Event.WRITTEN, path, now)  # its permissions may be others
            if row.before is None:
                edits.seen(path, now, data)
            return self.model.row(path).only_in_store is not row.only_in_store
        if not self.model.knows(path) and now.there and (self.files.uncovers or self.files.was_ignored(path)):
            return self._was_there(path, reading, saving)
        if saving and full_path(self.folder, path) in saving:
            self._reader.remember(path)  # `saved` will say what of it is the user's
            return False
        if self.tracked and self._arrived(path, now, reading):
            return True
        if self.tracked or row.only_in_store:
            seen = evidence(full_path(self.folder, path))
            if self.files.restored(path) in (now.identity, reading.blob or now.identity):
                seen = seen._replace(git_moved=True)
            edits.written(path, now, data, seen.origin, seen.claims)
        elif self._is_early(path, reading):
            edits.written(path, now, data, PERHAPS)
        elif row.before is None:
            self.model.happened(Event.SAVED, path, now)
            edits.seen(path, now, data)
        elif now.there and shown.there:
            self.copies.keep(now, data)
            edits.said(Event.SAVED, path, now, shown, now)
        else:
            edits.written(path, now, data, PERHAPS)  # what was to be reviewed is so still
        return True

    def _was_there(self, path: str, reading: FileReading, saving: Collection[str]) -> bool:
        """Note a file that was there before the first look; what it held is not known if it was written to since.
        Whether that is to be written down."""
        if self._is_early(path, reading) and full_path(self.folder, path) not in saving:
            self.model.learn(path, UNKNOWN, UNKNOWN)
            self.edits.written(path, reading.content, reading.data, PERHAPS)
            return True
        self.model.learn(path, reading.content, reading.content)
        self.edits.seen(path, reading.content, reading.data)
        return self.model.row(path).only_in_store

    def _arrived(self, path: str, now: Content, reading: FileReading) -> bool:
        """Note a text that the user has accepted, whatever was written beside it since. Whether it is one."""
        known = self._expected.get(path, []) if now.there else []
        for index in reversed(range(len(known))):
            expected = known[index]
            data = reading.data if reading.data is not None else self.copies.data(now)
            agreed = expected.agreed
            if self.files.is_excluded(path):  # it is not read; it has just the size
                data, agreed = expected.text() if now.size in sizes(expected.text()) else None, None
            if data is None or clock.now() - expected.since >= EXPECTED_SECONDS:
                continue
            self.copies.keep(now, reading.data)
            shown = self.copies.data(expected.shown)
            accepted = accepted_of(data, expected.text(), agreed() if agreed is not None else None, shown)
            if accepted is None:
                continue
            wanted = now if accepted == data else self.edits.content(accepted, now)
            del known[: index + 1]  # in place, since the main thread may append meanwhile
            for place, each in enumerate(known):
                known[place] = each._replace(shown=wanted)  # it was made of this
            self.edits.said(Event.ACCEPTED, path, now, expected.shown, wanted)
            return True
        return False

    # -- what the user says -------------------------------------------------------------------------------------------

    def saved(self, path: str, data: bytes) -> bool:
        """Note that the user has saved `data` from a tab; the file may hold something else again by now. Whether that
        is another text than an unreviewed change had left."""
        row = self.model.row(path)
        shown, was_unreviewed = row.now, row.unreviewed
        now = self._saved_content(path, data, shown)
        is_same = now.holds(shown)
        if is_left_alone(path) or (is_same and not self.tracked):
            return False
        self.edits.said(Event.SAVED, path, now, shown, now)
        if not is_same and now.readable:
            self._reader.forget(path)
        self.write_down()
        return was_unreviewed and not is_same

    def _saved_content(self, path: str, data: bytes, shown: Content) -> Content:
        """Keep what the user has saved, unless the file is not read. Its content."""
        if not self._reader.reads(path, len(data)):
            found = self._reader.read_again([path], {}).get(path)
            return found.content if found is not None else shown
        mode = shown.mode
        with suppress(OSError):
            mode = stat.S_IMODE(os.lstat(full_path(self.folder, path)).st_mode)
        now = Content(identity(data, shown.identity or self._reader.like), mode, len(data))
        self.copies.keep(now, data)
        return now

    def settle(self, call: Hashable) -> None:
        """Note that a tool call has ended that was doubtful."""
        if self.model.settle(call):
            self.write_down()

    def removed(self, name: str) -> None:
        """Note that the user has deleted this file or folder in the side bar, unless it is still there."""
        for path in [path for path in self.model.all_paths() if is_below(name, path)]:
            if self.model.knows(path) and not os.path.lexists(full_path(self.folder, path)):
                self.model.happened(Event.SAVED, path, NOTHING)
                self.edits.drop_copy(path)
                self.edits.unkept.add(path)  # until a look finds that it has gone
        self.write_down()

    def expect(self, path: str, accepted: Union[bytes, BytesMaker], agreed: Optional[BytesMaker] = None) -> None:
        """Expect what the user has accepted: `accepted`, or what it makes, is what the file is about to hold. Where it
        arrives with other line ends, or another mark or encoding, than `agreed` has, that is left to be reviewed.

        Any thread, before the agent hears of it: after that the file may hold it already.
        """
        text = lru_cache(maxsize=1)(accepted) if callable(accepted) else lambda: accepted
        self._expected.setdefault(path, []).append(_Expected(text, self.model.row(path).now, clock.now(), agreed))

    def keep(self, path: str, before: Content, now: Content, hunks: Sequence[Hunk] = ()) -> bool:
        """Keep what was made of a file, or some of the hunks of it alone, in lines as `texts.lines_of` counts.

        False if it holds something else by now. It outlives the process once `write_down` was called.
        """
        held = self.model.row(path).now
        if not held.holds(now):
            return False
        wanted = held
        if hunks:
            old, new = self.copies.all_data([before, held])
            if old is None or new is None:
                return False
            wanted = self.edits.content(with_hunks(old, new, hunks), held)
        self.edits.keep(path, held, before, wanted)
        return True

    def keep_no_more(self, path: str) -> bool:
        """Take back what was kept last. False if that was another file's, or something has happened to it since."""
        is_taken_back = self.edits.keep_no_more(path)
        if is_taken_back:
            self.write_down()
        return is_taken_back

    def begin_turn(self) -> None:
        """Note that an agent begins another turn. What is to count as earlier was looked at before."""
        self.model.begin_turn()
        self.write_down()

    # -- what there is ------------------------------------------------------------------------------------------------

    def is_left_out(self, change: UnreviewedChange) -> bool:
        """Whether the file is there and would not be listed if it came now."""
        if not change.now.there:
            return False
        is_known = self.tracked and self.files.knows_left_out()
        return change.path in self._ignored or (is_known and self.files.is_left_out(change.path))

    def ignored_now(self, paths: Sequence[str]) -> FrozenSet[str]:
        """Find which of these files are left out at this moment."""
        try:
            found = self.files.left_out_now(paths)
        except GitError:
            found = frozenset()
        self._ignored |= found
        return found

    def all_data(self, contents: Sequence[Content]) -> List[Optional[bytes]]:
        """The bytes that files held, None where nobody has them any more. Any thread: no content ever changes."""
        return self.copies.all_data(contents)

    # -- undo ---------------------------------------------------------------------------------------------------------

    def undoing(self, wanted: Collection[Group], when: float) -> Collection[Group]:
        """Keep what is about to be undone, so that it can be restored. Raises `OSError`; then undo nothing.

        Give the groups that can be undone, because the bytes that their files hold and held are known.
        """
        known = self.copies.secure(contents_of(wanted))
        ready = dict.fromkeys(
            group for group in wanted if all({step.held.identity, step.wanted.identity} <= known for step in group)
        )
        if not ready:
            return ready
        former, self.last_undone = self.last_undone, Undone(tuple(ready), when, under_way=True)
        try:
            self.write_down(secure=True)
        except OSError:
            self.last_undone = former
            raise
        return ready

    def restoring(self) -> None:
        """Note that what was undone is about to be restored, so that it is unreviewed then even if this process ends.
        Raises `OSError`; then restore nothing."""
        self.last_undone = self.last_undone._replace(under_way=True)
        steps = itertools.chain.from_iterable(self.last_undone.groups)
        done = {each.path: each for each in steps if self.model.row(each.path).now.holds(each.wanted)}
        self.write_down(secure=True, restored=done)

    def exchanged(self, event: Event, done: Sequence[Group], undone: Undone) -> None:
        """Note that these were undone, or (`WRITTEN`) restored: then they are unreviewed as before, tracked or not.

        From now on `undone` can be restored.
        """
        for path, held, wanted, origin in itertools.chain.from_iterable(done):
            if event is Event.UNDONE:
                self.edits.rebase_turn(path, held, wanted)
            self.model.happened(event, path, wanted)
            if event is Event.WRITTEN:  # whatever a look has noted meanwhile
                row = self.model.row(path)
                if row.unreviewed:
                    row = row._replace(origin=origin, claims=NO_CLAIMS, made=None, save=row.now)
                self.model.put(path, row)
            is_kept = self.edits.holds and self.copies.has(wanted)
            self.model.put(path, self.model.row(path)._replace(only_in_store=is_kept))
            self._reader.remember(path)  # a program may have written since
        self.last_undone = undone
        self.write_down()

    # -- the record ---------------------------------------------------------------------------------------------------

    def write_down(self, secure: bool = False, restored: Mapping[str, Step] = {}) -> None:
        """Write down what is known; of what is `restored`, what is known once that is done. Raises `OSError` if it has
        to be `secure`."""
        saved = dict(self.model.rows)
        for path, step in restored.items():
            row, left = self.model.row(path), self.model.row(path).below
            left = left if row.before is None else (*left, Layer(row.before, row.origin, row.turn))
            saved[path] = Row(step.held, step.wanted, None, step.origin, below=left)
        files, noted, self._noted = self.files, self._unkept(), None
        record = Record(saved, self.last_undone, self.copies.blobs, files.head, noted, files.patterns)
        write_record(self._store, self.folder, record, secure)
        self._noted = noted  # if it could not be written, the next look tries again

    def _unkept(self) -> Optional[FrozenSet[str]]:
        is_named = self.tracked and len(self.edits.unkept) <= NAMED_FILES  # in the record
        return self.files.unseen().union(self.edits.unkept) if is_named else None

    def _load(self) -> None:
        record = read_record(self._store, self.folder)
        self.copies.blobs.update(record.blobs)
        self.last_undone = record.undone
        if record.rows or record.unkept is not None:
            self.files.stood_at(record.head)
        if record.unkept is not None and (self._repository is not None or not record.head):
            with suppress(GitError):  # the commit may have gone
                self._left = LeftContents(self.copies, self._repository, record)
        for path, row in record.rows.items():
            self.model.recall(path, row)
            if row.now.there:
                self._reader.remember(path)
