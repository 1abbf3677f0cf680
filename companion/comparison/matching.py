"""Which blocks of two sequences of elements are equal: the heart of the comparison, for lines and for words alike.

Method: a pair of segments is trimmed where it is equal at its ends. Anchors cut the rest into smaller pairs. A pair
without anchors is solved exactly if its table is affordable, else cut by anchors of runs, else cut into equal parts,
else left unmatched. Pairs wait in a list, so that depth of nesting costs no stack.

Rules: blocks rise on both sides and do not touch on both; what is between them differs at its first and last element.
Anchors read well but may miss matches. Where they leave over 4 % more elements unmatched than need be, and the exact
answer is affordable, that one is taken instead.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .anchors import run_anchors, unique_anchors
from .budget import CELLS_PER_PIECE, Budget
from .subsequence import common, longest

_LARGEST_TABLE = 1 << 28
"""Cells of one exact table: 16,000 elements on each side, 30 milliseconds and 64 megabytes at the very worst."""

_TOLERANCE = 1.04
_COMPARED_AT_ONCE = 1024
_SHORT_RUN = 16

Pair = Tuple[int, int]
Segments = Tuple[int, int, int, int]


class Block(NamedTuple):
    """`length` elements from `left` on one side equal those from `right` on the other."""

    left: int
    right: int
    length: int


def matching_blocks(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Block]:
    """The equal blocks of two sequences of numbered elements. Raises `Cancelled`."""
    start = common_prefix(left, right)
    end = common_suffix(left[start:], right[start:])
    middle_left = left[start : len(left) - end]
    middle_right = right[start : len(right) - end]
    blocks = []
    if middle_left and middle_right:
        blocks = _by_segments(middle_left, middle_right, budget)
        blocks = _second_look(middle_left, middle_right, blocks, budget)
    return _joined(blocks, start, Block(len(left) - end, len(right) - end, end), budget)


def common_prefix(left: Sequence[object], right: Sequence[object]) -> int:
    """How many elements (or characters) are equal from the start on."""
    size = min(len(left), len(right))
    for start in range(0, size, _COMPARED_AT_ONCE):
        if left[start] != right[start]:
            return start
        end = min(start + _COMPARED_AT_ONCE, size)
        if left[start:end] != right[start:end]:
            return next(place for place in range(start, end) if left[place] != right[place])
    return size


def common_suffix(left: Sequence[object], right: Sequence[object]) -> int:
    """How many elements (or characters) are equal at the end."""
    size = min(len(left), len(right))
    after_left, after_right = len(left), len(right)
    for start in range(0, size, _COMPARED_AT_ONCE):
        if left[after_left - start - 1] != right[after_right - start - 1]:
            return start
        end = min(start + _COMPARED_AT_ONCE, size)
        if left[after_left - end : after_left - start] != right[after_right - end : after_right - start]:
            return next(
                place for place in range(start, end) if left[after_left - place - 1] != right[after_right - place - 1]
            )
    return size


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
            found, rest = _divided(left_part, right_part, budget)
            for _, part in budget.slices(found):
                blocks.extend([Block(i + left_start, j + right_start, length) for i, j, length in part])
            pending.extend([(a + left_start, b + left_start, c + right_start, d + right_start) for a, b, c, d in rest])
    blocks.sort()
    return blocks


def _divided(left: Sequence[int], right: Sequence[int], budget: Budget) -> Tuple[List[Block], List[Segments]]:
    """The blocks found in one pair of segments, and the smaller pairs that are still to be looked at."""
    if budget.cells <= 0:
        return [], []
    budget.spend(CELLS_PER_PIECE * (len(left) + len(right)))
    anchors = unique_anchors(left, right, budget)
    if anchors:
        return _between(anchors, left, right)
    sides = common(left, right, budget)
    if not sides.left:
        return [], []
    if sides.cells <= min(_LARGEST_TABLE, budget.cells):
        return _runs(longest(sides, budget), budget), []
    anchors = run_anchors(left, right, budget)
    if anchors:
        return _between(anchors, left, right)
    return [], _parts(len(left), len(right), budget)


def _between(anchors: List[Pair], left: Sequence[int], right: Sequence[int]) -> Tuple[List[Block], List[Segments]]:
    """The blocks that begin at anchors, each as long as it goes, and what lies between them."""
    blocks: List[Block] = []
    gaps: List[Segments] = []
    i = j = index = 0
    while index < len(anchors):
        block_left, block_right = anchors[index]
        if block_left > i and block_right > j:
            gaps.append((i, block_left, j, block_right))
        length = _run(left, block_left, right, block_right)
        blocks.append(Block(block_left, block_right, length))
        i, j = block_left + length, block_right + length
        # The anchors inside the block are on its diagonal, or else they are of no use any more.
        index = bisect_left(anchors, (i, 0), index)
        while index < len(anchors) and anchors[index][1] < j:
            index += 1
    if i < len(left) and j < len(right):
        gaps.append((i, len(left), j, len(right)))
    return blocks, gaps


def _run(left: Sequence[int], i: int, right: Sequence[int], j: int) -> int:
    """How many elements are equal from `i` and `j` on."""
    length = 0
    size = _SHORT_RUN
    while True:
        left_part, right_part = left[i + length : i + length + size], right[j + length : j + length + size]
        if left_part != right_part or len(left_part) < size:
            return length + common_prefix(left_part, right_part)
        length += size
        size = min(2 * size, _COMPARED_AT_ONCE)


def _runs(pairs: List[Pair], budget: Budget) -> List[Block]:
    """Pairs of equal elements as blocks."""
    blocks: List[Block] = []
    i = j = length = 0
    for _, part in budget.slices(pairs):
        for left, right in part:
            if left != i + length or right != j + length:
                if length:
                    blocks.append(Block(i, j, length))
                i, j, length = left, right, 0
            length += 1
    if length:
        blocks.append(Block(i, j, length))
    return blocks


def _parts(left_count: int, right_count: int, budget: Budget) -> List[Segments]:
    """Cut into equal parts whose tables together cost at most half of the budget; no parts if there is too little."""
    affordable = min(budget.cells // 2, _LARGEST_TABLE)
    if affordable <= 0:
        return []
    count = left_count * right_count // affordable + 1
    if not 1 < count <= min(left_count, right_count):
        return []
    return [
        (
            left_count * part // count,
            left_count * (part + 1) // count,
            right_count * part // count,
            right_count * (part + 1) // count,
        )
        for part in range(count)
    ]


def _second_look(left: Sequence[int], right: Sequence[int], blocks: List[Block], budget: Budget) -> List[Block]:
    """`blocks`, or the exact answer if it is affordable and clearly better."""
    unmatched_left, unmatched_right = _unmatched(left, right, blocks, budget)
    unmatched = len(unmatched_left) + len(unmatched_right)
    if unmatched <= _TOLERANCE * (unmatched - 2 * _shared(unmatched_left, unmatched_right, budget)):
        return blocks
    sides = common(left, right, budget)
    if sides.cells > min(_LARGEST_TABLE, budget.cells):
        return blocks
    pairs = longest(sides, budget)
    if unmatched <= _TOLERANCE * (len(left) + len(right) - 2 * len(pairs)):
        return blocks
    return _runs(pairs, budget)


def _unmatched(
    left: Sequence[int], right: Sequence[int], blocks: List[Block], budget: Budget
) -> Tuple[List[int], List[int]]:
    """The elements of both sides outside `blocks`."""
    rest: Tuple[List[int], List[int]] = ([], [])
    i = j = 0
    for _, part in budget.slices(blocks):
        for block in part:
            rest[0].extend(left[i : block.left])
            rest[1].extend(right[j : block.right])
            i, j = block.left + block.length, block.right + block.length
    rest[0].extend(left[i:])
    rest[1].extend(right[j:])
    return rest


def _shared(left: List[int], right: List[int], budget: Budget) -> int:
    """How many elements of `left` have one of their own in `right`, order left aside: no more can ever match."""
    counts: Dict[int, int] = {}
    for _, part in budget.slices(left):
        for element in part:
            counts[element] = counts.get(element, 0) + 1
    shared = 0
    for _, part in budget.slices(right):
        for element in part:
            if counts.get(element):
                counts[element] -= 1
                shared += 1
    return shared


def _joined(blocks: List[Block], start: int, last: Block, budget: Budget) -> List[Block]:
    """All blocks: the equal start, `blocks` of what comes after it, and the last one. Those that touch are made one."""
    joined: List[Block] = []
    i, j, length = 0, 0, start
    for _, part in budget.slices(blocks):
        for block in part:
            left, right = block.left + start, block.right + start
            if left != i + length or right != j + length:
                if length:
                    joined.append(Block(i, j, length))
                i, j, length = left, right, 0
            length += block.length
    if last.left != i + length or last.right != j + length:
        if length:
            joined.append(Block(i, j, length))
        i, j, length = last.left, last.right, 0
    if length + last.length:
        joined.append(Block(i, j, length + last.length))
    return joined
