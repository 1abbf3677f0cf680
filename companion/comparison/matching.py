"""Where two sequences of elements differ: the heart of the comparison, for lines and for words alike.

Method: a pair of segments is trimmed where it is equal at its ends. Anchors cut the rest into smaller pairs. A pair
without anchors is solved exactly if its table is affordable, else cut where the sides are equal again, else in two,
until the budget is spent. Pairs wait in a list, so that depth of nesting costs no stack. Below, in this order: what is
equal at the ends, where two texts are equal again, anchors, the exact answer, and how `differences` uses them.

Rules: blocks of equal elements rise on both sides; what is between them differs at its first and last element. Anchors
read well but may miss matches. Where they leave over 4 % more elements unmatched than need be, and the exact answer is
affordable, that one is taken instead. Slices are compared, which the interpreter does fast, and none is so long that it
would be noticed.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from math import isqrt
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .budget import CELLS_PER_PIECE, Budget

_COMPARED_AT_ONCE = 1024
_SHORTEST_SLICE, _LONGEST_SLICE = 16, 1 << 17


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


def common_run(left: Sequence[object], i: int, right: Sequence[object], j: int, budget: Budget) -> int:
    """How many elements (or characters) are equal from `i` and `j` on. Raises `Cancelled`.

    A slice of all the rest would copy megabytes for a few equal ones: slices grow as long as they are equal.
    """
    length, size = 0, _SHORTEST_SLICE
    while True:
        budget.poll()
        start, other = i + length, j + length
        equal = common_prefix(left[start : start + size], right[other : other + size])
        length += equal
        if equal < size:
            return length
        size = min(2 * size, _LONGEST_SLICE)


# -- where two texts are equal again -----------------------------------------------------------------------------------
# Both texts are walked along while they are equal. Where they differ, the nearest place is looked for from which they
# are equal again: a short probe of the left text, taken ever further on, is searched for in a window of the right one.
# The window grows with the distance, for in texts that repeat themselves a place nearby is more likely to be the right
# one. Where no such place is found, or the budget is spent, the rest of both texts becomes one stretch.

PROBE = 32
_FURTHEST = 1 << 16
_WINDOW_PER_DISTANCE = 4

_CELLS_PER_CHARACTER = 20
"""What looking for a probe at one character is worth."""

Stretch = Tuple[int, int, int, int]


def changed_stretches(left: str, right: str, budget: Budget, probe: int = PROBE) -> List[Stretch]:
    """Start and end in the left text, start and end in the right text, of what differs. Raises `Cancelled`.

    Texts are taken to be equal again where `probe` characters in a row are.
    """
    stretches: List[Stretch] = []
    i = j = 0
    while True:
        equal = common_run(left, i, right, j, budget)
        i, j = i + equal, j + equal
        if i == len(left) and j == len(right):
            return stretches
        next_left, next_right = _next_equal(left, i, right, j, budget, probe)
        stretches.append((i, next_left, j, next_right))
        i, j = next_left, next_right


def _next_equal(left: str, i: int, right: str, j: int, budget: Budget, probe: int) -> Tuple[int, int]:
    """The places after `i` and `j` from which the texts are equal again; their ends if there are none."""
    distance = probe
    while distance <= _FURTHEST and i + distance + probe <= len(left) and budget.cells > 0:
        budget.poll()
        end = j + _WINDOW_PER_DISTANCE * distance
        found = right.find(left[i + distance : i + distance + probe], j, end)
        budget.spend(_CELLS_PER_CHARACTER * ((found if found >= 0 else end) - j + probe))
        if found >= 0:
            return i + distance, found
        distance *= 2
    return len(left), len(right)


# -- anchors -----------------------------------------------------------------------------------------------------------
# An element that occurs once on each side is the strongest hint that two places correspond (Bram Cohen's patience
# diff). Anchors rise on both sides: of those that cross, a longest rising row is kept.

Pair = Tuple[int, int]
_REPEATED = -1


def unique_anchors(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Pair]:
    """Pairs of positions, rising on both sides, of elements that occur once in `left` and once in `right`."""
    in_right = _places(right, budget)
    in_left = _places(left, budget)
    pairs: List[Pair] = []
    for _, part in budget.slices(list(in_left)):
        both = [(in_left[element], in_right[element]) for element in part if element in in_right]
        pairs.extend([pair for pair in both if _REPEATED not in pair])
    return _longest_rising(pairs, budget)


def _places(elements: Sequence[int], budget: Budget) -> Dict[int, int]:
    """Where each element stands, in order, or that it stands in several places."""
    places: Dict[int, int] = {}
    for start, part in budget.slices(elements):
        for position, element in enumerate(part, start):
            places[element] = _REPEATED if element in places else position
    return places


def _longest_rising(pairs: List[Pair], budget: Budget) -> List[Pair]:
    """A longest row of `pairs`, which rise on the left, that also rises on the right (patience sorting)."""
    tops: List[int] = []
    top_indexes: List[int] = []
    before: List[int] = []
    for start, part in budget.slices(pairs):
        for index, (_, place) in enumerate(part, start):
            if not tops or place > tops[-1]:
                before.append(top_indexes[-1] if tops else -1)
                tops.append(place)
                top_indexes.append(index)
            else:
                pile = bisect_left(tops, place)
                before.append(top_indexes[pile - 1] if pile else -1)
                tops[pile] = place
                top_indexes[pile] = index
    budget.poll()
    rising: List[Pair] = []
    index = top_indexes[-1] if top_indexes else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    rising.reverse()
    return rising


# -- the exact answer --------------------------------------------------------------------------------------------------
# One row of the classic table of a longest common subsequence is one integer with a bit per element of the right
# sequence (Crochemore, Iliopoulos, Pinzon and Reid, 2001; in Hyyrö's form of 2004). The bit is 0 where the length grows
# at that element, and one addition makes a row from the one before, so a row of ten thousand cells costs a microsecond.
# Rows are kept at intervals only and made again, block by block, for the way back; memory grows with the square root of
# the table. The cost in cells is the product of the lengths, known before anything is done, so that a caller can
# decide.

_CELLS_PER_POLL = 1 << 24
_SMALLEST_BLOCK = 256


def longest(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Tuple[int, int]]:
    """The pairs of positions of a longest common subsequence, in order. Spends its cells; raises `Cancelled`."""
    budget.spend(len(left) * len(right))
    masks = _masks(left, right, budget)
    if not masks:
        return []
    full = (1 << len(right)) - 1
    size = max(_SMALLEST_BLOCK, isqrt(len(left)))
    starts = list(range(0, len(left), size))
    rows_at = [full]
    for start in starts[:-1]:
        rows_at.append(_rows(rows_at[-1], left[start : start + size], masks, full, budget, keep=False)[-1])
    pairs: List[Tuple[int, int]] = []
    j = len(right)
    for start, first in zip(reversed(starts), reversed(rows_at)):
        rows = _rows(first, left[start : start + size], masks, full, budget, keep=True)
        i = len(rows) - 1
        while i and j:
            # An equal pair at the two ends is always part of some longest subsequence: taking it keeps runs together.
            if left[start + i - 1] == right[j - 1]:
                i -= 1
                j -= 1
                pairs.append((start + i, j))
            elif right[j - 1] not in masks:
                j -= 1  # the way does not depend on elements that only one side has
            elif left[start + i - 1] in masks and rows[i] >> (j - 1) & 1:
                # On to the next place to the left where the length grows.
                j = (~rows[i] & ((1 << j) - 1)).bit_length()
            else:
                i -= 1
        budget.poll()
    pairs.reverse()
    return pairs


def _masks(left: Sequence[int], right: Sequence[int], budget: Budget) -> Dict[int, int]:
    """For each element that both sides have, an integer with a bit wherever `right` has it."""
    width = (len(right) + 7) // 8
    bits = {element: bytearray(width) for element in set(left).intersection(right)}
    for position, element in enumerate(right):
        if element in bits:
            bits[element][position >> 3] |= 1 << (position & 7)
    budget.poll()
    return {element: int.from_bytes(found, "little") for element, found in bits.items()}


def _rows(row: int, left: Sequence[int], masks: Dict[int, int], full: int, budget: Budget, keep: bool) -> List[int]:
    """The rows of the table below `row`, that one included; only the last of them unless `keep`."""
    rows = [row]
    step = max(1, _CELLS_PER_POLL // full.bit_length())
    for start in range(0, len(left), step):
        for element in left[start : start + step]:
            found = row & masks.get(element, 0)
            row = ((row + found) | (row - found)) & full
            if keep:
                rows.append(row)
        budget.poll()
    return rows if keep else [row]


# -- the differences ---------------------------------------------------------------------------------------------------

_LARGEST_TABLE = 1 << 28
"""Cells of one exact table: 16,000 elements on each side, 30 milliseconds and 64 megabytes at the very worst."""

_TOLERANCE = 1.04
_PROBE = 8  # elements in a row by which the sides are found equal again

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
