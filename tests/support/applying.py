"""What hunks do to a text, the other text if they are right, and what lies between differences."""

from __future__ import annotations

from typing import List, Sequence, Tuple

from companion.comparison import Hunk
from companion.comparison.budget import Budget
from companion.comparison.matching import differences


def apply_hunks(left: Sequence[str], hunks: Sequence[Hunk], right: Sequence[str]) -> List[str]:
    """The lines of the right text, built from `left` outside the hunks and from `right` inside them."""
    result: List[str] = []
    position = 0
    for hunk in hunks:
        result.extend(left[position : hunk.left_start])
        result.extend(right[hunk.right_start : hunk.right_end])
        position = hunk.left_end
    result.extend(left[position:])
    return result


def equal_blocks(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Tuple[int, int, int]]:
    """What lies between the differences of two sequences: a place on each side, and a length."""
    blocks, i, j = [], 0, 0
    for left_start, left_end, right_start, right_end in [
        *differences(left, right, budget),
        (len(left), len(left), len(right), len(right)),
    ]:
        if left_start - i != right_start - j:
            raise ValueError("what lies between two differences is not the same length on both sides")
        if left_start > i:
            blocks.append((i, j, left_start - i))
        i, j = left_end, right_end
    return blocks
