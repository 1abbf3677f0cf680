"""Which files of a folder are to be looked at, and what git has done since they were asked for the last time.

Rule: git is asked only for what may have changed: the index while its file is another, the position while one of the
files is that tells of it, untracked files while something has come or gone. It is asked again once in a while all the
same: other rules may say what is ignored. A file that was there and left out before is not taken for a new one.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

import time
from typing import Callable, Dict, FrozenSet, NamedTuple, Optional, Tuple

from ..review.document.file_replacement import SUFFIX
from .git import Entries, GitMove, Repository, RepositoryPosition
from .looking import Walked, Walks

WALKED_FILES = 50000
ASKED_SECONDS = 60.0
_FEW_FILES = 1000


class Rules(NamedTuple):
    """What is not looked at: `secret` files; and, outside of git, what the editor leaves out. Both are asked about an
    absolute path, `left_out` also about whether that is a folder."""

    secret: Callable[[str], bool]
    left_out: Callable[[str, bool], bool]


NO_RULES = Rules(lambda path: False, lambda path, is_folder: False)


class Files:
    """The files of one folder. `entries` is what git has staged; `uncovers` whether files that were not there at the
    last look may have been there all the same."""

    def __init__(self, folder: str, repository: Optional[Repository]) -> None:
        self._folder = folder
        self._repository = repository
        self.entries = Entries({}, ())
        self._staged_repositories: Tuple[str, ...] = ()
        self._ignored: FrozenSet[str] = frozenset()
        self._index_stamp: Tuple[int, ...] = (-1,)
        self._position = RepositoryPosition("")
        self._position_stamp: Tuple[Tuple[int, ...], ...] = ()
        self._former = self.entries, self._position
        self._paths: Dict[str, str] = {}
        self._ignored_folders = self._passed_by = self._ignored  # the latter by walks
        self._asked = float("-inf")
        self.use(NO_RULES)

    def use(self, rules: Rules) -> None:
        """Other rules from now on."""
        self._rules = rules
        self._secret: Dict[str, bool] = {}
        self._walks = Walks(self._folder, self._is_left_out, WALKED_FILES)
        self._walked: Optional[Walked] = None
        self._index_stamp = (-1,)
        self.uncovers = True
        self._beyond = False  # whether there were more files than the last walk has named

    def begin(self) -> None:
        """What is there from now on counts. Raises `GitError`."""
        self.uncovers = True
        if self._repository is not None:
            self._ignored = self._repository.ignored()
            self._ignored_folders = self._passed_by = self._repository.ignored_folders(self._ignored)
            self._position = self._repository.position()

    def list(self) -> Dict[str, str]:
        """The files that are there, with what git has of them. Raises `GitError`."""
        self._former = self.entries, self._position
        walked = self._walks.walk()
        if self._repository is None:
            self._beyond = not walked.whole
            if walked is not self._walked:
                self.entries = Entries({}, walked.repositories)
                self._paths = {path: "" for path in walked.files if not self.is_secret(path)}
        else:
            self._ask(self._repository, walked)
        self._walked = walked
        return self._paths

    def _ask(self, repository: Repository, walked: Walked) -> None:
        """Ask git for what may be another than at the last look."""
        stamp = repository.index_stamp()
        is_index_another = self._index_stamp != stamp
        if is_index_another:
            staged = repository.entries()
            files = {path: blob for path, blob in staged.files.items() if not self.is_secret(path)}
            self.entries, self._staged_repositories = Entries(files, ()), staged.repositories
        is_old = time.monotonic() - self._asked > ASKED_SECONDS
        if is_index_another or is_old or walked is not self._walked:
            asked = time.monotonic()
            untracked = repository.untracked()
            paths = {path: "" for path in untracked.files if not self.is_secret(path)}
            paths.update(self.entries.files)
            self.entries = self.entries._replace(repositories=(*self._staged_repositories, *untracked.repositories))
            if len(walked.files) > 2 * len(paths) + _FEW_FILES:
                self._passed_by = repository.ignored_folders(repository.ignored())
            self._paths, self._asked = paths, asked
        self._index_stamp = stamp

    def listed(self, whole: bool) -> None:
        """All that was listed was looked at, or (not `whole`) some was not: then git has not moved since either."""
        if whole:
            self.uncovers = self._beyond
        else:
            self.entries, self._position = self._former
            self._index_stamp, self._position_stamp = (-1,), ()
            self._walked = None

    def move(self) -> Optional[GitMove]:
        """What git has done since the list before the last one; None if nothing. Raises `GitError`."""
        if self._repository is None:
            return None
        former, position = self._former
        is_index_another = self.entries.files is not former.files
        stamp = self._repository.position_stamp()
        if self._position_stamp != stamp or position.under_way:
            self._position, self._position_stamp = self._repository.position(), stamp
        applied = is_index_another and bool(self._position.stash)
        if position == self._position and not position.under_way and not applied:
            return None
        return GitMove(self._repository, (position, self._position), (former, self.entries))

    @property
    def like(self) -> str:
        """An identity of the kind that git has here, if there is one."""
        return next(filter(None, self.entries.files.values()), self._position.head)

    def is_secret(self, path: str) -> bool:
        """Whether a path is not to be looked at, whatever there is."""
        known = self._secret.get(path)
        if known is None:
            # What is made beside a file for a moment, while it is written, is our own.
            known = path.endswith(SUFFIX) or self._rules.secret(f"{self._folder}/{path}")
            self._secret[path] = known
        return known

    def _is_left_out(self, path: str, is_folder: bool) -> bool:
        if self._repository is not None:
            return is_folder and path in self._passed_by
        return self._rules.left_out(f"{self._folder}/{path}", is_folder)

    def was_ignored(self, path: str) -> bool:
        """Whether git ignored what was at a path when tracking began."""
        if path in self._ignored:
            return True
        parts = path.split("/")
        return any("/".join(parts[:count]) in self._ignored_folders for count in range(1, len(parts)))
