"""Lists the unreviewed changes as the user reads them, each with all that a list or a review says of it.

Rule: what is shown here is what an undo compares with. Counting is done once for two contents.

Disk threads; what is made here never changes.
"""

from __future__ import annotations

import itertools
import sys
from typing import Dict, Iterable, NamedTuple, Optional, Sequence, Tuple

from ..comparison import compare_lines, split_lines
from ..review.document.disk import Kind, ReadLimits, format_of, original_of
from ..review.document.text import DEFAULT_FALLBACK
from ..review.document.whole_file import WrittenText, whole_file_changes
from .content import portions
from .model import ChangeScope, UnreviewedChange
from .reading import COPIED_BYTES
from .texts import hunks_between
from .workspace import Workspace

UNLIMITED = ReadLimits(sys.maxsize, sys.maxsize)
NOT_KEPT = "{} cannot be undone: “context_exclude” names it, so what it held is not kept."


class Lists(NamedTuple):
    """What agents have changed, the oldest first; what they have changed in the last turn, which is all of it until an
    agent tells of turns; and what else has changed.

    `restorable`: whether something was undone.
    """

    changes: Tuple[UnreviewedChange, ...] = ()
    last_turn: Tuple[UnreviewedChange, ...] = ()
    outside: Tuple[UnreviewedChange, ...] = ()
    restorable: bool = False

    def of(self, scope: ChangeScope) -> Tuple[UnreviewedChange, ...]:
        """The changes of one scope."""
        if scope is ChangeScope.LAST_TURN:
            return self.last_turn
        return self.changes if scope is ChangeScope.SINCE_KEPT else self.outside


def joined(lists: Sequence[Lists]) -> Lists:
    """Join several into one, in which each file is once."""
    changes = _oldest_first(each.changes for each in lists)
    counted = {change.full_path for change in changes}
    return Lists(
        changes,
        _oldest_first(each.last_turn for each in lists),
        tuple(each for each in _oldest_first(each.outside for each in lists) if each.full_path not in counted),
        any(each.restorable for each in lists),
    )


def _oldest_first(lists: Iterable[Tuple[UnreviewedChange, ...]]) -> Tuple[UnreviewedChange, ...]:
    found = {each.full_path: each for each in itertools.chain.from_iterable(lists)}
    return tuple(sorted(found.values(), key=lambda change: change.number))


_Key = Tuple[str, str, str]


def _key(change: UnreviewedChange) -> _Key:
    return change.path, change.before.identity, change.now.identity


class _Counts(NamedTuple):
    added: int
    removed: int
    whole_file: Tuple[str, ...]
    binary: bool
    obstacle: str


class Listing:
    """Lists the changes of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._counts: Dict[_Key, _Counts] = {}
        self._fallback = DEFAULT_FALLBACK

    def lists(self, fallback_encoding: str = DEFAULT_FALLBACK) -> Lists:
        """List all that is unreviewed. What is not UTF-8 is read in `fallback_encoding`, one of the editor's names."""
        self._fallback = fallback_encoding
        counts, self._counts = self._counts, {}
        changes = self._listed(counts, ChangeScope.SINCE_KEPT)
        turn = self._listed(counts, ChangeScope.LAST_TURN)
        outside = self._listed(counts, ChangeScope.OUTSIDE)
        return Lists(changes, turn, outside, bool(self._workspace.last_undone.groups))

    def _listed(self, counts: Dict[_Key, _Counts], scope: ChangeScope) -> Tuple[UnreviewedChange, ...]:
        changes = {_key(change): change for change in self._workspace.model.changes(scope)}
        self._counts.update((key, counts[key]) for key in changes if key in counts)
        uncounted = [change for key, change in changes.items() if key not in self._counts]
        for some in portions(uncounted, lambda change: change.before.size + change.now.size):
            data = iter(self._workspace.all_data([each for change in some for each in (change.before, change.now)]))
            self._counts.update((_key(change), self._count(change, next(data), next(data))) for change in some)
        return tuple(self._line(each, self._counts[key]) for key, each in changes.items())

    def _line(self, change: UnreviewedChange, counts: _Counts) -> UnreviewedChange:
        workspace, line = self._workspace, change._replace(folder=self._workspace.folder, **counts._asdict())
        if workspace.files.is_excluded(change.path):
            name = change.path.rpartition("/")[2]
            return line._replace(excluded=True, obstacle=NOT_KEPT.format(name))
        return line._replace(ignored=workspace.is_left_out(change))

    def _count(self, change: UnreviewedChange, old: Optional[bytes], new: Optional[bytes]) -> _Counts:
        obstacle = _obstacle(change, old, new)
        binary = any(data is not None and format_of(data).binary for data in (old, new))
        if old is None or new is None or binary or old == new or max(len(old), len(new)) > COPIED_BYTES:
            return _Counts(0, 0, (), binary, obstacle)
        left, right = (original_of(change.path, data, UNLIMITED, "", self._fallback) for data in (old, new))
        if left.kind is Kind.TEXT and right.kind is Kind.TEXT:
            hunks = compare_lines(split_lines(left.text), split_lines(right.text))
            before, after = (WrittenText(each.exact, each.encoding) for each in (left, right))
            there = change.before.there and change.now.there
            whole_file = whole_file_changes(before, after) if there else ()
        else:
            hunks, whole_file = hunks_between(old, new), ()
        added, removed = sum(hunk.right_count for hunk in hunks), sum(hunk.left_count for hunk in hunks)
        return _Counts(added, removed, whole_file, binary, obstacle)


def _obstacle(change: UnreviewedChange, old: Optional[bytes], new: Optional[bytes]) -> str:
    name = change.path.rpartition("/")[2]
    if old is None:
        return f"{name} cannot be undone: what it held before is not kept."
    if new is None:
        return f"{name} cannot be undone: what it holds now cannot be kept."
    return ""
