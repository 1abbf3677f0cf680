"""The longest common subsequence of two sequences, exactly, on the bits of Python's integers.

Method (Crochemore, Iliopoulos, Pinzon and Reid, 2001; in Hyyrö's form of 2004): one row of the classic table is one
integer with a bit per element of the right sequence. The bit is 0 where the length grows at that element, and one
addition makes a row from the one before, so a row of ten thousand cells costs a microsecond. Rows are kept at intervals
only and made again, block by block, for the way back; memory grows with the square root of the table.

Rule: the cost in cells is known before anything is done (`common`, then `cells`), so that a caller can decide.
"""

from __future__ import annotations

from math import isqrt
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from .budget import Budget

_CELLS_PER_POLL = 1 << 24
_SMALLEST_BLOCK = 256


class Common(NamedTuple):
    """Two sequences without the elements that only one of them has, and where the elements kept stood before.

    Leaving them out changes no common subsequence.
    """

    left: List[int]
    left_positions: List[int]
    right: List[int]
    right_positions: List[int]

    @property
    def cells(self) -> int:
        """The size of the table to fill."""
        return len(self.left) * len(self.right)


def common(left: Sequence[int], right: Sequence[int], budget: Budget) -> Common:
    """Keep what both sequences have. Takes time in proportion to their lengths; raises `Cancelled`."""
    in_left = {element for _, part in budget.slices(left) for element in part}
    right_positions = _positions(right, in_left, budget)
    left_positions = _positions(left, {right[position] for position in right_positions}, budget)
    return Common(
        [left[position] for position in left_positions],
        left_positions,
        [right[position] for position in right_positions],
        right_positions,
    )


def _positions(elements: Sequence[int], wanted: Set[int], budget: Budget) -> List[int]:
    return [
        position
        for start, part in budget.slices(elements)
        for position, element in enumerate(part, start)
        if element in wanted
    ]


def longest(sides: Common, budget: Budget) -> List[Tuple[int, int]]:
    """The pairs of positions of a longest common subsequence, in order. Spends `sides.cells`; raises `Cancelled`."""
    budget.spend(sides.cells)
    pairs: List[Tuple[int, int]] = []
    for _, part in budget.slices(_pairs(sides.left, sides.right, budget)):
        pairs.extend([(sides.left_positions[i], sides.right_positions[j]) for i, j in part])
    return pairs


def _pairs(left: List[int], right: List[int], budget: Budget) -> List[Tuple[int, int]]:
    if not left or not right:
        return []
    masks = _masks(right, budget)
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
            elif rows[i] >> (j - 1) & 1:
                # On to the next place to the left where the length grows.
                j = (~rows[i] & ((1 << j) - 1)).bit_length()
            else:
                i -= 1
        budget.poll()
    pairs.reverse()
    return pairs


def _masks(right: List[int], budget: Budget) -> Dict[int, int]:
    """For each element, an integer with a bit wherever `right` has it."""
    width = (len(right) + 7) // 8
    bits: Dict[int, bytearray] = {}
    for position, element in enumerate(right):
        if element not in bits:
            bits[element] = bytearray(width)
        bits[element][position >> 3] |= 1 << (position & 7)
    budget.poll()
    return {element: int.from_bytes(found, "little") for element, found in bits.items()}


def _rows(row: int, left: List[int], masks: Dict[int, int], full: int, budget: Budget, keep: bool) -> List[int]:
    """The rows of the table below `row`, that one included; only the last of them unless `keep`."""
    rows = [row]
    step = max(1, _CELLS_PER_POLL // full.bit_length())
    for start in range(0, len(left), step):
        for element in left[start : start + step]:
            found = row & masks[element]
            row = ((row + found) | (row - found)) & full
            if keep:
                rows.append(row)
        budget.poll()
    return rows if keep else [row]
