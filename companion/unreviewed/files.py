"""Says which files of a folder count, and whether git has moved since the last look.

Rule: git is asked only for what may have changed: the index while its file is another, the commit while one of the
files is that tells of it, untracked files while something has come or gone. It is asked again once in a while all the
same: other rules may say what is ignored. A file that was there and left out before is not taken for a new one. What is
staged and not committed counts as what git has not: it may throw it away.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

import heapq
import os
import time
from typing import Callable, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..common.clock import clock
from ..review.document.file_replacement import SUFFIX
from ..system.files import COARSE_NANOSECONDS, Stamp, stamp_fields
from .content import folders_of
from .git import Entries, Repository
from .reading import NO_FILE, is_real_folder

WALKED_FILES = 50000
ASKED_SECONDS = 60.0
NAMED_FILES = 5000
"""The most files without a copy that are noted by name."""
_FEW_FILES = 1000
EXCLUDED_FILES = 1000
"""The most files, ignored by git and excluded by the rules, whose changes are listed."""
IGNORES = ".gitignore"
_NOT_OURS = (SUFFIX, ".sublime-workspace")
"""What is made beside a file for a moment, while it is written, is our own; and the editor keeps windows in files."""


class Rules(NamedTuple):
    """`excluded` files are not read: only that they have changed is known. Outside of git, what the editor has
    `left_out` is not looked at. Both are asked about an absolute path, the latter also about whether that is a folder.
    Rules of the same `patterns` say the same."""

    excluded: Callable[[str], bool]
    left_out: Callable[[str, bool], bool]
    patterns: str = ""


def is_left_alone(path: str) -> bool:
    """Whether a file belongs to the companion or the editor, so that it is never tracked."""
    return path.endswith(_NOT_OURS)


NO_RULES = Rules(lambda path: False, lambda path, is_folder: False)


class Files:
    """The files of one folder. `entries` has what git has staged, with "" for what is in no commit; `uncovers` says
    whether files may have been there at the last look that it did not find."""

    def __init__(self, folder: str, repository: Optional[Repository]) -> None:
        self._folder = folder
        self.head = ""
        """The commit that is checked out."""
        self._former_head: Optional[str] = None  # at the last look, if there was one
        self._ignored: FrozenSet[str] = frozenset()
        self._ignored_folders = self._passed_by = self._ignored  # the latter by walks
        self._without_excluded = self._ignored  # ignored folders, in which nothing is listed
        self._asked_excluded: Optional[FrozenSet[str]] = None  # the excluded files when git was asked for those
        self._repository = repository
        self.entries = Entries({}, ())
        self._staged: Optional[Entries] = None
        self._position_stamp: Tuple[Stamp, ...] = ()
        self._paths: Dict[str, str] = {}
        self._asked_at = float("-inf")
        self.has_moved = False
        """Whether the commit, the branch, the stash or what is staged is another than at the last look."""
        self._is_index_anew = False  # whether git has written it since then
        self.use(NO_RULES)

    def use(self, rules: Rules) -> None:
        """Follow other rules from now on."""
        self._rules = rules
        self._known_excluded: Dict[str, bool] = {}
        self._walks = Walks(self._folder, self._is_left_out, WALKED_FILES)
        self._walked: Optional[Walked] = None
        self._named_walk: Tuple[Optional[Walked], FrozenSet[str]] = None, frozenset()  # a walk, and its files
        self._unseen: Optional[FrozenSet[str]] = None
        self._index_stamp: Optional[Stamp] = None
        self.uncovers = True
        self._beyond = False  # whether there were more files than the last walk has named

    @property
    def patterns(self) -> str:
        """A text that differs if other files are looked at."""
        return f"{'' if self._repository is None else 'git '}{self._rules.patterns}"

    def stood_at(self, head: str) -> None:
        """Note the commit that was checked out at the last look of an earlier process."""
        self._former_head = head

    def begin(self) -> None:
        """Begin to track: note what git ignores now. Raises `GitError`."""
        self._unseen = self._index_stamp = None
        if self._repository is not None:
            self._ignored = self._repository.ignored()
            self._ignored_folders = self._passed_by = self._repository.ignored_folders(self._ignored)
            self._without_excluded, self._asked_excluded = self._ignored_folders, None

    def list(self) -> Dict[str, str]:
        """List the files that count, with the blobs that git has committed. Raises `GitError` and `OSError`."""
        walked, former = self._walks.walk(), self._paths
        if self._repository is None:
            self._beyond = not walked.whole
            if walked is not self._walked:
                self.entries = Entries({}, walked.repositories)
                self._paths = {path: "" for path in walked.files if not is_left_alone(path)}
        else:
            self._ask(self._repository, walked)
        self._walked = walked
        if self._paths is not former:
            self._unseen = None
        return self._paths

    def _ask(self, repository: Repository, walked: Walked) -> None:
        """Ask git for what may be another than at the last look."""
        is_another = self.note_position()
        stamp = repository.index_stamp()
        former, is_index_another = self._staged, self._index_stamp != stamp
        self._note_index(stamp)
        if former is None or is_index_another:
            self._staged = repository.entries()
            self.has_moved = self.has_moved or (former is not None and self._staged.files != former.files)
        all_staged = self._staged or self.entries
        if is_index_another or is_another:
            staged = all_staged.files
            uncommitted = repository.uncommitted(self.head) if self.head else staged.keys()
            files = {path: blob for path, blob in staged.items() if not is_left_alone(path)}
            files.update((path, "") for path in files if path in uncommitted or self.is_excluded(path))
            self.entries = Entries(files, ())
        is_old = clock.now() - self._asked_at > ASKED_SECONDS
        if is_index_another or is_another or is_old or walked is not self._walked:
            now = clock.now()
            untracked = repository.untracked()
            paths = {path: "" for path in untracked.files if not is_left_alone(path)}
            paths.update(self.entries.files)
            paths.update((path, "") for path in self._ignored_and_excluded(repository, walked, paths))
            self.entries = self.entries._replace(repositories=(*all_staged.repositories, *untracked.repositories))
            if len(walked.files) > 2 * len(paths) + _FEW_FILES:
                self._passed_by = repository.ignored_folders(repository.ignored())
            self._paths, self._asked_at = paths, now
        self._index_stamp = stamp

    def _ignored_and_excluded(self, repository: Repository, walked: Walked, paths: Mapping[str, str]) -> Iterable[str]:
        """The files that git ignores one by one and the rules exclude, such as `.env`."""
        left = (path for path in walked.files if path not in paths)
        found = [path for path in left if not self._lies_in_ignored(path) and self.is_excluded(path)]
        if self._asked_excluded is None or not self._asked_excluded.issuperset(found):
            if self._asked_excluded is not None:
                self._without_excluded = repository.ignored_folders(repository.ignored())
            self._asked_excluded = frozenset(found)
        return [path for path in found if not self._lies_in_ignored(path)][:EXCLUDED_FILES]

    def _lies_in_ignored(self, path: str) -> bool:
        return not self._without_excluded.isdisjoint(folders_of(path))

    def ask_again(self) -> None:
        """Ask git again at the next look, because other files may be ignored than before."""
        self._asked_at = float("-inf")

    def knows_left_out(self) -> bool:
        """Whether all files were listed, so that it is known what is left out."""
        return self._walked is not None

    def is_left_out(self, path: str) -> bool:
        """Whether the last list has left out a file; False for one that has come since."""
        if path in self._paths:
            return False
        if self._repository is None:
            return path in self.left_out_now([path])
        return path in self._walked_files() or not self._passed_by.isdisjoint(folders_of(path))

    def _walked_files(self) -> FrozenSet[str]:
        if self._walked is not None and self._walked is not self._named_walk[0]:
            self._named_walk = self._walked, frozenset(self._walked.files)
        return self._named_walk[1]

    def left_out_now(self, paths: Sequence[str]) -> FrozenSet[str]:
        """Find which of these files git ignores, or the editor leaves out, at this moment. Raises `GitError`."""
        if self._repository is not None:
            return self._repository.ignored_among(paths)
        left_out = self._rules.left_out
        return frozenset(
            path
            for path in paths
            if left_out(f"{self._folder}/{path}", False)
            or any(left_out(f"{self._folder}/{folder}", True) for folder in folders_of(path))
        )

    def note_position(self) -> bool:
        """Note which commit, branch and stash git is at. Whether one is another. Raises `GitError` and `OSError`."""
        repository = self._repository
        if repository is None:
            return False
        stamp, former = repository.position_stamp(), self._position_stamp
        if stamp == former:
            return False
        self.head, self._position_stamp = repository.head(), stamp
        self.has_moved = self.has_moved or bool(former) or self._former_head not in (None, self.head)
        return True

    def _note_index(self, stamp: Stamp) -> None:
        self._is_index_anew = self._is_index_anew or self._index_stamp not in (None, stamp)

    def restored(self, path: str) -> Optional[str]:
        """The blob that git has staged for a path, if git may have written the file since the last look."""
        return self._staged.files.get(path) if self._is_index_anew and self._staged is not None else None

    def note_moves(self) -> None:
        """Note whether git has moved while the files were read. Raises `OSError`."""
        if self._repository is not None:
            self._note_index(self._repository.index_stamp())
            is_another = self._repository.position_stamp() != self._position_stamp
            self.has_moved = self.has_moved or is_another or self._repository.at_work()

    def committed(self) -> Mapping[str, Tuple[str, str]]:
        """What commits have changed since the last look, as `Repository.committed` gives it."""
        if self._repository is None or self._former_head in (None, self.head):
            return {}
        return self._repository.committed(self._former_head or "", self.head)

    def listed(self, whole: bool) -> None:
        """Note that all listed files were looked at, or (not `whole`) only some: then the next look lists anew.

        Git moves before it writes, or afterwards: a move of the last moments counts at the next look, too.
        """
        if whole:
            self.uncovers, self._is_index_anew = self._beyond, False
            self._former_head = self.head
            newest = max((stamp.modified for stamp in self._position_stamp), default=0)
            self.has_moved = self.has_moved and newest + COARSE_NANOSECONDS > time.time_ns()
        else:
            self._index_stamp = self._walked = self._unseen = None

    @property
    def like(self) -> str:
        """An identity made with the hash that this repository uses, if there is one."""
        return next(filter(None, self.entries.files.values()), self.head)

    def is_excluded(self, path: str) -> bool:
        """Whether a file is not to be read."""
        known = self._known_excluded.get(path)
        if known is None:
            known = self._known_excluded[path] = self._rules.excluded(f"{self._folder}/{path}")
        return known

    def _is_left_out(self, path: str, is_folder: bool) -> bool:
        if self._repository is not None:
            return is_folder and path in self._passed_by
        return self._rules.left_out(f"{self._folder}/{path}", is_folder)

    def unseen(self) -> FrozenSet[str]:
        """The paths at which there is something that is not looked at, except what the rules leave out, and those at
        which git has something and the disk has not. A folder ends with `/` and stands for all in it; `/` alone stands
        for everything, if there are too many."""
        if self._unseen is None:
            self._unseen = self._name_unseen()
        return self._unseen

    def _name_unseen(self) -> FrozenSet[str]:
        walked = self._walked
        if walked is None or not walked.whole:
            return frozenset("/")
        here = self._paths.keys() ^ set(walked.files) if self._repository is not None else ()
        folders = frozenset(f"{folder}/" for folder in (*self._passed_by, *walked.repositories))
        if len(here) + len(folders) > NAMED_FILES:
            return frozenset("/")
        return folders.union(path for path in here if not (is_left_alone(path) or self.is_excluded(path)))

    def was_ignored(self, path: str) -> bool:
        """Whether git ignored what was at a path when tracking began."""
        return path in self._ignored or not self._ignored_folders.isdisjoint(folders_of(path))


# -- walks -------------------------------------------------------------------------------------------------------------


RELISTED_SECONDS = 60.0
RELISTED_FOLDERS = 100  # at most at one walk, so that none takes long


class Walked(NamedTuple):
    """The files, the repositories among the folders, both relative and with `/`; and whether these are all."""

    files: List[str]
    repositories: Tuple[str, ...]
    whole: bool


class _Listed(NamedTuple):
    stamp: Stamp
    since: float  # by the monotonic clock, in seconds
    files: List[str]
    folders: List[str]
    is_repository: bool


class Walks:
    """The walks through one folder. One thread at a time.

    `left_out` is asked about each path, relative and with `/`, and whether it is a folder. A walk ends at `most` files.
    """

    def __init__(self, folder: str, left_out: Callable[[str, bool], bool], most: int) -> None:
        self._folder = folder
        self._left_out = left_out
        self._most = most
        self._listed: Dict[str, _Listed] = {}
        self._walked = Walked([], (), whole=False)
        self._now = 0.0
        self._due: FrozenSet[str] = frozenset()  # folders that this walk lists again, whatever their time stamps say

    def walk(self) -> Walked:
        """What is there now: the very same object as at the last walk, if nothing has come or gone."""
        files: List[str] = []
        repositories: List[str] = []
        waiting, before, self._listed = [""], self._listed, {}
        self._now = clock.now()
        self._due = self._longest_unlisted(before)
        same = True
        while waiting:
            here = waiting.pop()
            listed = self._list(here, before)
            if listed is None:
                continue
            self._listed[here] = listed
            same = same and here in before and before[here][2:] == listed[2:]
            if here and listed.is_repository:
                repositories.append(here)
                continue
            files += listed.files
            waiting += listed.folders
            if len(files) > self._most:
                self._walked = Walked(files[: self._most], tuple(repositories), whole=False)
                return self._walked
        if not (same and self._walked.whole and len(before) == len(self._listed)):
            self._walked = Walked(files, tuple(repositories), whole=True)
        return self._walked

    def _list(self, here: str, before: Dict[str, _Listed]) -> Optional[_Listed]:
        path = os.path.join(self._folder, here)
        try:
            status = os.lstat(path)
            if here and not is_real_folder(status):
                return None
            stamp = Stamp._make(stamp_fields(status))
            known = before.get(here)
            if known is not None and known.stamp == stamp and here not in self._due:
                return known
            with os.scandir(path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return before.get(here)
        prefix = here + "/" if here else ""
        files: List[str] = []
        folders: List[str] = []
        for entry in found:
            name = prefix + entry.name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_ours = (is_folder or entry.is_file(follow_symlinks=False)) and entry.name != ".git"
            except OSError:
                continue  # the others are there all the same
            if is_ours and not self._left_out(name, is_folder):
                (folders if is_folder else files).append(name)
        is_repository = any(entry.name == ".git" for entry in found)
        return _Listed(stamp if stamp.settled else NO_FILE, self._now, files, folders, is_repository)

    def _longest_unlisted(self, listed: Dict[str, _Listed]) -> FrozenSet[str]:
        """Of the folders that were not listed for a while, those for which that is longest ago."""
        limit = self._now - RELISTED_SECONDS
        due = [(known.since, name) for name, known in listed.items() if known.since < limit]
        return frozenset(name for _, name in heapq.nsmallest(RELISTED_FOLDERS, due))
