"""What the editor makes of marks and blocks while the text is edited, as far as that is certain.

Rule: the editor moves them with the text if an edit does not touch their ends; what it does at their ends is not
documented. So after a single edit elsewhere, what stands at its place is not drawn again; in doubt it is.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

from ...comparison import common_prefix, common_suffix


class Carried(NamedTuple):
    """One edit: somewhere between `start` and `end` of the text before it `by` characters were added or deleted."""

    start: int
    end: int
    by: int

    def point(self, point: int) -> Optional[int]:
        """Where a point is after the edit; None if that is not certain."""
        if point < self.start:
            return point
        return point + self.by if point > self.end else None

    def spans(self, spans: Sequence[Tuple[int, int]]) -> Optional[List[Tuple[int, int]]]:
        """Where these spans are after the edit; None if that is not certain of each."""
        moved = []
        for first, last in spans:
            begin, end = self.point(first), self.point(last)
            if begin is None or end is None:
                return None
            moved.append((begin, end))
        return moved


NOTHING = Carried(-1, -1, 0)  # no edit at all


def carried(before: str, after: str) -> Optional[Carried]:
    """The one edit that made `after` of `before`; None if it replaced something, and so may have been several."""
    if before == after:
        return NOTHING
    shorter = min(len(before), len(after))
    same, behind = common_prefix(before, after), common_suffix(before, after)
    if same + behind < shorter:
        return None
    # The same character may stand on both sides of where it was typed: then it may have been typed anywhere there.
    return Carried(shorter - behind, same + max(0, len(before) - len(after)), len(after) - len(before))
