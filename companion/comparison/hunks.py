"""What a hunk is, where a reader expects it, and which blocks of lines were only moved.

A hunk says that lines `left_start` to `left_end` of the left text became lines `right_start` to `right_end` of the
right one. Rule for every list of hunks in this package: they are in order, at least one equal line lies between two
neighbours, none is empty on both sides, and a hunk begins and ends with lines that differ.

Lines added between equal lines can often be said to stand a little higher or lower: a new function may take the blank
line before it or the one after it. `slide` moves a hunk to where it begins and ends between blocks: at little
indentation, after a blank line. The number of changed lines never grows. A hunk is moved only as far as its lines
repeat, and joined with a neighbour that it then touches.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Callable, Container, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple

from .budget import Budget, never
from .matching import common_prefix, common_suffix


class HunkKind(Enum):
    """What a hunk does to the left text."""

    ADDED = "added"
    """Adds lines: it has none on the left."""
    REMOVED = "removed"
    """Removes lines: it has none on the right."""
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

    def joined(self, other: Hunk) -> Hunk:
        """This one, another one that does not begin before it, and what lies between them."""
        left_end, right_end = max(self.left_end, other.left_end), max(self.right_end, other.right_end)
        return Hunk(self.left_start, left_end, self.right_start, right_end)


def put_together(old: Sequence[str], new: Sequence[str], hunks: Iterable[Hunk]) -> List[str]:
    """The `old` lines, with these hunks as they are in `new`."""
    lines: List[str] = []
    place = 0  # in `old`
    for hunk in sorted(hunks):
        lines += [*old[place : hunk.left_start], *new[hunk.right_start : hunk.right_end]]
        place = hunk.left_end
    return [*lines, *old[place:]]


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
    """Slide hunks to the places where they read best. Raises `Cancelled`.

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
        pending.append(above.joined(moved))
    elif pending and best == gap_below:
        pending.pop()
        pending.append(moved.joined(below))
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


# -- blocks of lines that were moved -----------------------------------------------------------------------------------
# Removed in one place and added, unchanged, in another. Three lines in a row that both sides have once belong together.
# From each such place the block is followed up and down as far as its lines are equal and were removed here and added
# there. A block is named only if it is certain. It has at least three lines, exactly equal, two of them not blank, with
# a letter or digit among them; on each side it occurs once in the whole text, so that it is no copy of lines that
# stayed; and no line belongs to two blocks. Lines that a coarse comparison leaves in one hunk on both sides have not
# moved. The work is in proportion to the lines.

FEWEST_LINES = 3
_FEWEST_WRITTEN = 2
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")

_Triple = Tuple[str, str, str]
_Place = Tuple[int, Hunk]  # where three lines begin, and in which hunk


class Move(NamedTuple):
    """`length` lines from `left` on of the left text stand from `right` on in the right one. Counted from 0."""

    left: int
    right: int
    length: int


def moved_blocks(
    left: Sequence[str], right: Sequence[str], hunks: Sequence[Hunk], *, cancelled: Callable[[], bool] = never
) -> List[Move]:
    """The blocks that `hunks` certainly move, by their place on the left. Raises `Cancelled`. Any thread."""
    budget = Budget(cancelled)
    removed = _triples(left, [(hunk.left_start, hunk.left_end, hunk) for hunk in hunks], budget)
    added = _triples(right, [(hunk.right_start, hunk.right_end, hunk) for hunk in hunks], budget)
    candidates: Dict[_Triple, Tuple[_Place, _Place]] = {}
    for _, part in budget.slices(list(removed.items())):
        for triple, place in part:
            other = added.get(triple)
            if other is not None and place[1] != other[1]:
                candidates[triple] = (place, other)
    if not candidates:
        return []
    for triple in _repeated(left, candidates, budget) | _repeated(right, candidates, budget):
        del candidates[triple]
    moves: List[Move] = []
    covered = offset = 0
    # Those that are left stand in one place each; the places on the left rise, as dictionaries keep their order.
    for place, other in candidates.values():
        if place[0] < covered and other[0] - place[0] == offset:
            continue  # inside the block before
        budget.poll()
        move = _followed(left, place, right, other)
        covered, offset = move.left + move.length, move.right - move.left
        moves.append(move)
    return [move for move in _disjoint(moves) if _is_notable(left[move.left : move.left + move.length])]


def _triples(lines: Sequence[str], stretches: Sequence[Tuple[int, int, Hunk]], budget: Budget) -> Dict[_Triple, _Place]:
    """Where every three lines in a row inside the stretches stand; the last place of those that have several."""
    places: Dict[_Triple, _Place] = {}
    for start, end, hunk in stretches:
        for _, part in budget.slices(range(start, end - FEWEST_LINES + 1)):
            for row in part:
                triple = (lines[row], lines[row + 1], lines[row + 2])
                places[triple] = (row, hunk)
    return places


def _repeated(lines: Sequence[str], candidates: Container[_Triple], budget: Budget) -> Set[_Triple]:
    """Those candidates that the lines have more than once."""
    seen: Set[_Triple] = set()
    repeated: Set[_Triple] = set()
    for start, part in budget.slices(lines):
        following = lines[start + 1 : start + len(part) + 2]
        for triple in zip(part, following, following[1:]):
            if triple in candidates:
                (repeated if triple in seen else seen).add(triple)
    return repeated


def _followed(left: Sequence[str], place: _Place, right: Sequence[str], other: _Place) -> Move:
    """The block around two equal places, as far as their hunks go."""
    (i, from_hunk), (j, to_hunk) = place, other
    above = 0
    while i - above > from_hunk.left_start and j - above > to_hunk.right_start:
        if left[i - above - 1] != right[j - above - 1]:
            break
        above += 1
    below = FEWEST_LINES
    while i + below < from_hunk.left_end and j + below < to_hunk.right_end and left[i + below] == right[j + below]:
        below += 1
    return Move(i - above, j - above, above + below)


def _disjoint(moves: List[Move]) -> List[Move]:
    """Those blocks that share no line with another one on either side."""
    shared: Set[Move] = set()
    for side in (0, 1):
        ordered = sorted(moves, key=lambda move: move[side])
        # The one that reaches furthest down so far: blocks may lie in each other.
        furthest: Optional[Move] = None
        for move in ordered:
            if furthest is not None and move[side] < furthest[side] + furthest.length:
                shared.update((furthest, move))
            if furthest is None or move[side] + move.length > furthest[side] + furthest.length:
                furthest = move
    return [move for move in moves if move not in shared]


def _is_notable(lines: Sequence[str]) -> bool:
    """Whether a reader would call the lines a block: two of them are not blank, and there is a letter or digit."""
    written = [line for line in lines if not line.isspace()]
    return len(written) >= _FEWEST_WRITTEN and any(map(_LETTER_OR_DIGIT.search, written))
