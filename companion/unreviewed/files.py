"""Which files of a folder are to be looked at, and what git has done since they were asked for the last time.

Rule: git is asked only for what may have changed: the index while its file is another, the position while one of the
files is that tells of it. A file that was there and left out before is not taken for a new one.

These calls block on the disk and on a process. Disk threads; one at a time.
"""

from __future__ import annotations

from typing import Callable, Dict, FrozenSet, NamedTuple, Optional, Tuple

from .following import Move
from .git import Entries, Position, Repository
from .walking import Walks

WALKED_FILES = 50000


class Rules(NamedTuple):
    """What is not looked at: `secret` files; and, outside of git, what the editor leaves out. Both are asked about an
    absolute path, `left_out` also about whether that is a folder."""

    secret: Callable[[str], bool]
    left_out: Callable[[str, bool], bool]


class Files:
    """The files of one folder. `entries` is what git has staged; `uncovers` whether files that were not there at the
    last look may have been there all the same."""

    def __init__(self, folder: str, rules: Rules, repository: Optional[Repository]) -> None:
        self._folder = folder
        self._repository = repository
        self.entries = Entries({}, ())
        self._staged_repositories: Tuple[str, ...] = ()
        self._ignored: FrozenSet[str] = frozenset()
        self._index_stamp: Tuple[int, ...] = (-1,)
        self._position = Position("")
        self._position_stamp: Tuple[Tuple[int, ...], ...] = ()
        self._former = self.entries, self._position
        self.use(rules)

    def use(self, rules: Rules) -> None:
        """Other rules from now on."""
        self._rules = rules
        self._secret: Dict[str, bool] = {}
        self._walks = Walks(self._folder, self._is_left_out, WALKED_FILES)
        self._index_stamp = (-1,)
        self.uncovers = True
        self._beyond = False  # whether there were more files than the last walk has named

    def begin(self) -> None:
        """What is there from now on counts. Raises `GitError`."""
        self.uncovers = True
        if self._repository is not None:
            self._ignored = self._repository.ignored()
            self._position = self._repository.position()

    def is_git_at_work(self) -> bool:
        """Whether git is changing files at this moment."""
        return self._repository is not None and self._repository.at_work()

    def list(self) -> Dict[str, str]:
        """The files that are there, with what git has of them. Raises `GitError`."""
        self._former = self.entries, self._position
        if self._repository is None:
            walked = self._walks.walk()
            self.uncovers, self._beyond = self.uncovers or not walked.whole, not walked.whole
            self.entries = Entries({}, walked.repositories)
            return {path: "" for path in walked.files if not self.is_secret(path)}
        untracked = self._repository.untracked()
        stamp = self._repository.index_stamp()
        if self._index_stamp != stamp:
            staged = self._repository.entries()
            files = {path: blob for path, blob in staged.files.items() if not self.is_secret(path)}
            self.entries, self._staged_repositories = Entries(files, ()), staged.repositories
            self._index_stamp = stamp
        repositories = (*self._staged_repositories, *untracked.repositories)
        self.entries = self.entries._replace(repositories=repositories)
        paths = {path: "" for path in untracked.files if not self.is_secret(path)}
        paths.update(self.entries.files)
        return paths

    def listed(self, whole: bool) -> None:
        """All that was listed was looked at, or (not `whole`) some was not: then git has not moved since either."""
        if whole:
            self.uncovers = self._beyond
        else:
            self.entries, self._position = self._former
            self._index_stamp, self._position_stamp = (-1,), ()

    def move(self) -> Optional[Move]:
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
        return Move(self._repository, (position, self._position), (former, self.entries))

    @property
    def like(self) -> str:
        """An identity of the kind that git has here, if there is one."""
        return next(filter(None, self.entries.files.values()), self._position.head)

    def is_secret(self, path: str) -> bool:
        """Whether a path is not to be looked at, whatever there is."""
        known = self._secret.get(path)
        if known is None:
            known = self._secret[path] = self._rules.secret(f"{self._folder}/{path}")
        return known

    def _is_left_out(self, path: str, is_folder: bool) -> bool:
        return self._rules.left_out(f"{self._folder}/{path}", is_folder)

    def was_ignored(self, path: str) -> bool:
        """Whether git ignored what was at a path when tracking began."""
        if path in self._ignored:
            return True
        parts = path.split("/")
        return any("/".join(parts[:count]) + "/" in self._ignored for count in range(1, len(parts)))
