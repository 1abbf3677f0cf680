"""Blocks of lines that were moved: removed in one place and added, unchanged, in another.

Method: three lines in a row that both sides have once belong together. From each such place the block is followed up
and down as far as its lines are equal and were removed here and added there.

Rules: a block is named only if it is certain. It has at least three lines, exactly equal, two of them not blank, with
a letter or digit among them; on each side it occurs once in the whole text, so that it is no copy of lines that stayed;
and no line belongs to two blocks. Lines that a coarse comparison leaves in one hunk on both sides have not moved. The
work is in proportion to the lines.
"""

from __future__ import annotations

import re
from typing import Callable, Container, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .budget import Budget, never
from .hunks import Hunk

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
