"""Where two sequences of elements differ: the heart of the comparison, for lines and for words alike.

Method: a pair of segments is trimmed where it is equal at its ends. Anchors cut the rest into smaller pairs. A pair
without anchors is solved exactly if its table is affordable, else cut where the sides are equal again, else in two,
until the budget is spent. Pairs wait in a list, so that depth of nesting costs no stack.

Rules: blocks of equal elements rise on both sides; what is between them differs at its first and last element. Anchors
read well but may miss matches. Where they leave over 4 % more elements unmatched than need be, and the exact
answer is affordable, that one is taken instead.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from typing import List, NamedTuple, Sequence, Tuple

from .anchors import unique_anchors
from .budget import CELLS_PER_PIECE, Budget
from .prefixes import common_prefix, common_run, common_suffix
from .resynchronising import changed_stretches
from .subsequence import longest

_LARGEST_TABLE = 1 << 28
"""Cells of one exact table: 16,000 elements on each side, 30 milliseconds and 64 megabytes at the very worst."""

_TOLERANCE = 1.04
_PROBE = 8  # elements in a row by which the sides are found equal again

Pair = Tuple[int, int]
Segments = Tuple[int, int, int, int]
"""Start and end on the left, start and end on the right."""


class Block(NamedTuple):
    """`length` elements from `left` on one side equal those from `right` on the other."""

    left: int
    right: int
    length: int


def differences(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Segments]:
    """Where two sequences of numbered elements differ, in order, with equal elements between. Raises `Cancelled`."""
    blocks = _second_look(left, right, _by_segments(left, right, budget), budget)
    return _gaps(blocks, len(left), len(right), budget)


def _gaps(blocks: List[Block], left_count: int, right_count: int, budget: Budget) -> List[Segments]:
    """What lies between blocks, and between them and the ends."""
    found: List[Segments] = []
    i = j = 0
    for _, part in budget.slices([*blocks, Block(left_count, right_count, 0)]):
        for left, right, length in part:
            if left > i or right > j:
                found.append((i, left, j, right))
            i, j = left + length, right + length
    return found


def _by_segments(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Block]:
    blocks: List[Block] = []
    pending = [(0, len(left), 0, len(right))]
    while pending:
        budget.poll()
        left_start, left_end, right_start, right_end = pending.pop()
        left_part = left[left_start:left_end]
        right_part = right[right_start:right_end]
        prefix = common_prefix(left_part, right_part)
        if prefix:
            blocks.append(Block(left_start, right_start, prefix))
            left_part, right_part = left_part[prefix:], right_part[prefix:]
            left_start, right_start = left_start + prefix, right_start + prefix
        suffix = common_suffix(left_part, right_part)
        if suffix:
            left_end, right_end = left_end - suffix, right_end - suffix
            blocks.append(Block(left_end, right_end, suffix))
            left_part, right_part = left_part[:-suffix], right_part[:-suffix]
        if left_part and right_part and len(left_part) + len(right_part) > 2:
            found, exact = _divided(left_part, right_part, budget)
            for _, part in budget.slices(found):
                blocks.extend([Block(i + left_start, j + right_start, length) for i, j, length in part if length])
            if not exact:
                for a, b, c, d in _gaps(found, len(left_part), len(right_part), budget):
                    pending.append((a + left_start, b + left_start, c + right_start, d + right_start))
    blocks.sort()
    return blocks


def _divided(left: Sequence[int], right: Sequence[int], budget: Budget) -> Tuple[List[Block], bool]:
    """The blocks found in one pair of segments, and whether these are all."""
    if budget.cells <= 0:
        return [], True
    budget.spend(CELLS_PER_PIECE * (len(left) + len(right)))
    anchors = unique_anchors(left, right, budget)
    if anchors:
        return _from_anchors(anchors, left, right, budget), False
    if _affordable(left, right, budget):
        return _exact(left, right, budget), True
    halves = Block(len(left) // 2, len(right) // 2, 0)
    return _resynchronised(left, right, budget) or [halves], False


def _affordable(left: Sequence[int], right: Sequence[int], budget: Budget) -> bool:
    return len(left) * len(right) <= min(_LARGEST_TABLE, budget.cells)


def _exact(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Block]:
    return [Block(i, j, 1) for i, j in longest(left, right, budget)]


def _from_anchors(anchors: List[Pair], left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Block]:
    """The blocks that begin at anchors, each as long as it goes."""
    blocks: List[Block] = []
    index = 0
    while index < len(anchors):
        i, j = anchors[index]
        length = common_run(left, i, right, j, budget)
        blocks.append(Block(i, j, length))
        # What occurs once on each side, and stands in the block on one of them, stands there on the other.
        index = bisect_left(anchors, (i + length, 0), index)
    return blocks


def _resynchronised(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Block]:
    """The blocks that string search finds: each element stands for a character."""
    if max(max(side) for side in (left, right)) > sys.maxunicode:
        return []
    texts = ["".join(map(chr, side)) for side in (left, right)]
    blocks: List[Block] = []
    i = j = 0
    for left_start, left_end, _, right_end in changed_stretches(texts[0], texts[1], budget, _PROBE):
        blocks.append(Block(i, j, left_start - i))
        i, j = left_end, right_end
    blocks.append(Block(i, j, len(left) - i))
    return [block for block in blocks if block.length]


def _second_look(left: Sequence[int], right: Sequence[int], blocks: List[Block], budget: Budget) -> List[Block]:
    """`blocks`, or the exact answer if it is affordable and clearly better."""
    budget.poll()
    every, matched = len(left) + len(right), sum([block.length for block in blocks])
    unmatched = every - 2 * matched
    both = set(left).intersection(right)
    most = min(sum([element in both for element in side]) for side in (left, right))
    if unmatched <= _TOLERANCE * (every - 2 * most) or not _affordable(left, right, budget):
        return blocks
    exact = _exact(left, right, budget)
    return exact if unmatched > _TOLERANCE * (every - 2 * len(exact)) else blocks
