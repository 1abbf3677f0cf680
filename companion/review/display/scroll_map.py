"""Which row of one text stands level with a row of the other.

Rule: outside the changes a row has exactly one partner. Inside a change rows pair from the top of it, and what the
shorter side lacks pairs with its last row there.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import List, NamedTuple, Sequence

from ...comparison import Hunk


class ScrollMap(NamedTuple):
    """The hunks of a comparison, searchable from both sides."""

    hunks: Sequence[Hunk]
    left_starts: List[int]
    right_starts: List[int]

    @classmethod
    def of(cls, hunks: Sequence[Hunk]) -> ScrollMap:
        """The map of these hunks, which are in order."""
        return cls(hunks, [hunk.left_start for hunk in hunks], [hunk.right_start for hunk in hunks])

    def to_right(self, row: int) -> int:
        """The row of the right text level with `row` of the left one."""
        index = bisect_right(self.left_starts, row) - 1
        if index < 0:
            return row
        hunk = self.hunks[index]
        if row >= hunk.left_end:
            return row - hunk.left_end + hunk.right_end
        return _inside(row - hunk.left_start, hunk.right_start, hunk.right_end)

    def to_left(self, row: int) -> int:
        """The row of the left text level with `row` of the right one."""
        index = bisect_right(self.right_starts, row) - 1
        if index < 0:
            return row
        hunk = self.hunks[index]
        if row >= hunk.right_end:
            return row - hunk.right_end + hunk.left_end
        return _inside(row - hunk.right_start, hunk.left_start, hunk.left_end)


def _inside(distance: int, start: int, end: int) -> int:
    return max(start, min(start + distance, end - 1)) if end > start else max(0, start - 1)
