"""What a hunk is, and where a reader expects it.

A hunk says that lines `left_start` to `left_end` of the left text became lines `right_start` to `right_end` of the
right one. Rule for every list of hunks in this package: they are in order, at least one equal line lies between two
neighbours, none is empty on both sides, and a hunk begins and ends with lines that differ.

Lines added between equal lines can often be said to stand a little higher or lower: a new function may take the blank
line before it or the one after it. `slide` moves a hunk to where it begins and ends between blocks: at little
indentation, after a blank line. The number of changed lines never grows. A hunk is moved only as far as its lines
repeat, and joined with a neighbour that it then touches.
"""

from __future__ import annotations

from enum import Enum
from typing import List, NamedTuple, Optional, Sequence, Tuple

from .budget import Budget
from .matching import common_prefix, common_suffix


class HunkKind(Enum):
    """What a hunk does to the left text."""

    ADDED = "added"
    """It has nothing on the left."""
    REMOVED = "removed"
    """It has nothing on the right."""
    CHANGED = "changed"


class Hunk(NamedTuple):
    """One place where two texts differ. Line numbers count from 0; the ends are not included."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int

    @property
    def kind(self) -> HunkKind:
        """What the hunk does to the left text."""
        if self.left_start == self.left_end:
            return HunkKind.ADDED
        if self.right_start == self.right_end:
            return HunkKind.REMOVED
        return HunkKind.CHANGED

    @property
    def left_count(self) -> int:
        """How many lines of the left text the hunk holds."""
        return self.left_end - self.left_start

    @property
    def right_count(self) -> int:
        """How many lines of the right text the hunk holds."""
        return self.right_end - self.right_start


# -- sliding -----------------------------------------------------------------------------------------------------------

_FURTHEST = 50
"""Lines a hunk is moved at most, each way."""

_PER_COLUMN = 4
_AFTER_BLANK = -10
_MAKES_A_CHANGE = -1000
_TAB = "    "


Texts = Tuple[Sequence[str], Sequence[str]]


def slide(
    hunks: Sequence[Hunk], left: Sequence[str], right: Sequence[str], budget: Budget, shown: Optional[Texts] = None
) -> List[Hunk]:
    """The same changes at the places that read best. Raises `Cancelled`.

    `shown` are the lines as they are read, if `left` and `right` are those lines without their whitespace.
    """
    placed: List[Hunk] = []
    pending = list(reversed(hunks))
    while pending:
        budget.poll()
        hunk = _trimmed(pending.pop(), left, right)
        if hunk.kind == HunkKind.CHANGED:
            placed.append(hunk)
        elif hunk.left_count or hunk.right_count:
            _place(hunk, placed, pending, (left, right), shown or (left, right))
    return placed


def _place(hunk: Hunk, placed: List[Hunk], pending: List[Hunk], compared: Texts, shown: Texts) -> None:
    """Put a hunk with lines on one side only where it reads best: at the end of `placed`, or joined, into `pending`."""
    above = placed[-1] if placed else Hunk(0, 0, 0, 0)
    left_count, right_count = len(compared[0]), len(compared[1])
    below = pending[-1] if pending else Hunk(left_count, left_count, right_count, right_count)
    gap_above, gap_below = hunk.left_start - above.left_end, below.left_start - hunk.left_end
    lines, start, end = _changed_lines(hunk, *shown)
    up, down = _room(_changed_lines(hunk, *compared)[0], start, end, gap_above, gap_below)

    def penalty(by: int) -> Tuple[int, int]:
        neighbours = [above] * (by == -gap_above) + [below] * (by == gap_below)
        makes_a_change = any(_complement(hunk, neighbour) for neighbour in neighbours)
        cuts = _split_penalty(lines, start + by) + _split_penalty(lines, end + by)
        return cuts + makes_a_change * _MAKES_A_CHANGE, -by

    best = min(range(-up, down + 1), key=penalty)
    moved = Hunk(*(place + best for place in hunk))
    if placed and best == -gap_above:
        placed.pop()
        pending.append(_union(above, moved))
    elif pending and best == gap_below:
        pending.pop()
        pending.append(_union(moved, below))
    else:
        placed.append(moved)


def _trimmed(hunk: Hunk, left: Sequence[str], right: Sequence[str]) -> Hunk:
    if hunk.kind != HunkKind.CHANGED:
        return hunk
    left_part = left[hunk.left_start : hunk.left_end]
    right_part = right[hunk.right_start : hunk.right_end]
    above = common_prefix(left_part, right_part)
    below = common_suffix(left_part[above:], right_part[above:])
    return Hunk(hunk.left_start + above, hunk.left_end - below, hunk.right_start + above, hunk.right_end - below)


def _changed_lines(hunk: Hunk, left: Sequence[str], right: Sequence[str]) -> Tuple[Sequence[str], int, int]:
    if hunk.kind == HunkKind.ADDED:
        return right, hunk.right_start, hunk.right_end
    return left, hunk.left_start, hunk.left_end


def _room(lines: Sequence[str], start: int, end: int, gap_above: int, gap_below: int) -> Tuple[int, int]:
    """How many lines a hunk may go up and down; the gaps are the equal lines up to its neighbours."""
    up = down = 0
    while up < min(gap_above, _FURTHEST) and lines[start - 1 - up] == lines[end - 1 - up]:
        up += 1
    while down < min(gap_below, _FURTHEST) and lines[start + down] == lines[end + down]:
        down += 1
    return up, down


def _complement(one: Hunk, other: Hunk) -> bool:
    """Whether two hunks would make a changed one: lines that were removed, and lines that were added."""
    return {one.kind, other.kind} == {HunkKind.ADDED, HunkKind.REMOVED} and bool(other.left_count or other.right_count)


def _union(first: Hunk, second: Hunk) -> Hunk:
    return Hunk(first.left_start, second.left_end, first.right_start, second.right_end)


def _split_penalty(lines: Sequence[str], at: int) -> int:
    """How badly a text reads if it is cut above line `at`."""
    if at == 0 or at == len(lines):
        return 0
    penalty = _PER_COLUMN * _indent_of_next(lines, at)
    return penalty if lines[at - 1].strip() else penalty + _AFTER_BLANK


def _indent_of_next(lines: Sequence[str], at: int) -> int:
    """Columns of indentation of the first line from `at` on that is not blank."""
    for line in lines[at : at + _FURTHEST]:
        if line.strip():
            return _indent(line)
    return 0


def _indent(line: str) -> int:
    """Columns of indentation; only the first 200 characters are looked at."""
    margin = line[:200]
    return len(margin[: len(margin) - len(margin.lstrip())].replace("\t", _TAB))
