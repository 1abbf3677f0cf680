"""What git itself has changed: files that hold what it has put there are not somebody's unreviewed changes.

Theory of operation: a look may find that git has moved: `HEAD` or the newest stash is another, or an operation is, or
was, under way. A path *follows* git if git has something else there than at the last look, and the file holds just
that. It makes no difference whether git has written the file, or a commit has taken up what the file held.

What git takes away with changes that are in no commit (a stash, or the one of a rebase) is remembered: what the file
held, and what it had held before. When git brings it back, the same lines are unreviewed as were then.

Rule: a file that merely equals a commit does not follow. Somebody may have thrown the user's own work away.

The repository is asked for at most three trees for a move. Disk threads.
"""

from __future__ import annotations

from typing import FrozenSet, Mapping, NamedTuple, Sequence

from .contents import UNKNOWN, Content
from .git import Entries, Position, Repository


class Shelved(NamedTuple):
    """What git has taken away: what the user had last had a say on, what the file held, and what git has left there.

    `earlier`: what it held when the last turn began.
    """

    before: Content
    held: Content
    left: Content = UNKNOWN
    earlier: Content = UNKNOWN


class Move:
    """What git did between two looks."""

    def __init__(self, repository: Repository, positions: Sequence[Position], entries: Sequence[Entries]) -> None:
        """Each pair is that of the last look, and of this one. A stash counts as applied if the index is another.

        Raises `GitError`.
        """
        (then, now), (self._were_staged, self._staged) = positions, entries
        were, are = repository.tree(then.head), repository.tree(now.head)
        # A commit may be gone already. What it had nobody knows then, so that no file follows because of commits.
        self._were_committed, self._committed = ({}, {}) if were is None or are is None else (were, are)
        self._operation = then.under_way or now.under_way
        applied = bool(now.stash) and positions[0] == positions[1]
        self._stashed = applied or now.stash != then.stash
        self._stash: Mapping[str, str] = {}
        if self._stashed:
            self._stash = {**repository.stashed(then.stash), **repository.stashed(now.stash)}
        self.brings_back = self._stashed or then.under_way
        """Whether this may bring back what git had taken away."""
        self.ends = not now.under_way and not now.stash
        """Whether git has nothing left to bring back."""

    def follows(self, path: str, held: FrozenSet[str], holds: FrozenSet[str]) -> bool:
        """Whether a path follows. What it held at the last look and holds now, by all names that git may have it by;
        `{""}` where there is no file."""
        committed, staged = self._committed.get(path, ""), self._staged.files.get(path, "")
        if self.has_committed(path, holds):
            return True
        if self._operation and staged in holds and staged != self._were_staged.files.get(path, ""):
            return True
        if not self._stashed or not self._stash.get(path):
            return False
        taken = self._stash[path] in held and committed in holds
        return taken or self._stash[path] in holds

    def commits(self, path: str) -> bool:
        """Whether a path is another one in the commit than it was."""
        return self._committed.get(path, "") != self._were_committed.get(path, "")

    def has_committed(self, path: str, holds: FrozenSet[str]) -> bool:
        """Whether what it holds has come into the commit."""
        return self.commits(path) and self._committed.get(path, "") in holds

    def takes_away(self, path: str, held: FrozenSet[str]) -> bool:
        """Whether what a path held at the last look was in no commit."""
        return self._were_committed.get(path, "") not in held
