"""The longest common subsequence of two sequences, exactly, on the bits of Python's integers.

Method (Crochemore, Iliopoulos, Pinzon and Reid, 2001; in Hyyrö's form of 2004): one row of the classic table is one
integer with a bit per element of the right sequence. The bit is 0 where the length grows at that element, and one
addition makes a row from the one before, so a row of ten thousand cells costs a microsecond. Rows are kept at intervals
only and made again, block by block, for the way back; memory grows with the square root of the table.

Rule: the cost in cells is the product of the lengths, known before anything is done, so that a caller can decide.
"""

from __future__ import annotations

from math import isqrt
from typing import Dict, List, Sequence, Tuple

from .budget import Budget

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
