"""What hunks do to a text: the other text, if they are right."""

from __future__ import annotations

from typing import List, Sequence

from companion.comparison import Hunk


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
