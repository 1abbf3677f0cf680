"""What a reader is told of blocks of lines that moved: which rows they are, and where else they stand.

Rule: lines are numbered as the editor numbers them, from 1; rows count from 0 as everywhere else.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Iterator, List, NamedTuple, Sequence, Tuple

from ...comparison import Move


class Moved(NamedTuple):
    """The rows `start` to `end` (not included) of one side, and the words that say where they came from or went to."""

    start: int
    end: int
    caption: str


def moved_on_left(moves: Sequence[Move]) -> List[Moved]:
    """The moved blocks of the original, in order."""
    return [Moved(move.left, move.left + move.length, f"moved to line {move.right + 1}") for move in sorted(moves)]


def moved_on_right(moves: Sequence[Move]) -> List[Moved]:
    """The moved blocks of the proposal, in order."""
    blocks = [Moved(move.right, move.right + move.length, f"moved from line {move.left + 1}") for move in moves]
    return sorted(blocks)


def parted(first: int, last: int, blocks: Sequence[Moved]) -> Iterator[Tuple[int, int, bool]]:
    """The rows `first` to `last` cut where blocks begin and end: start, end, and whether they moved."""
    index = max(0, bisect_right(blocks, (first, first)) - 1)
    while first < last:
        while index < len(blocks) and blocks[index].end <= first:
            index += 1
        start, end = blocks[index][:2] if index < len(blocks) else (last, last)
        if start > first:
            yield first, min(start, last), False
            first = min(start, last)
        else:
            yield first, min(end, last), True
            first = min(end, last)
