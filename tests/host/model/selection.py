"""The selection of a view: sorted regions that never overlap."""

from __future__ import annotations

from typing import List

from .buffer import Change, move_point
from .values import Region


class SelectionModel:
    """Sorted, merged regions. Touching regions stay apart unless one of them is empty."""

    def __init__(self):
        self.regions: List[Region] = [Region(0, 0)]

    def copy(self) -> list:
        return [(region.a, region.b) for region in self.regions]

    def clear(self) -> None:
        self.regions = []

    def set(self, pairs: list) -> None:
        self.regions = []
        for a, b in pairs:
            self.add(Region(a, b))

    def add(self, region: Region) -> None:
        """Add a region; those that it overlaps (or touches, when one is empty) become one with it."""
        kept, merged = [], Region(region.a, region.b, region.xpos)
        for other in self.regions:
            if _meets(other, merged):
                merged = _join(other, merged)
            else:
                kept.append(other)
        kept.append(merged)
        kept.sort(key=lambda item: (item.begin(), item.end()))
        self.regions = kept

    def carry(self, change: Change) -> None:
        """Move with a change of the text."""
        moved = [Region(move_point(r.a, change), move_point(r.b, change), r.xpos) for r in self.regions]
        self.regions = []
        for region in moved:
            self.add(region)


def _meets(one: Region, other: Region) -> bool:
    low, high = max(one.begin(), other.begin()), min(one.end(), other.end())
    return low < high or (low == high and (one.empty() or other.empty()))


def _join(one: Region, other: Region) -> Region:
    low, high = min(one.begin(), other.begin()), max(one.end(), other.end())
    backward = (other if one.empty() else one).a > (other if one.empty() else one).b
    return Region(high, low) if backward else Region(low, high)
