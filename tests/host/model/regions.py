"""Keyed sets of regions with their look: fill, outline, gutter icon, annotations."""

from __future__ import annotations

from copy import copy
from typing import Any, Callable, Dict, List, Optional

from .buffer import Change, move_point
from .values import Region

NO_UNDO = 8192


class RegionSet:
    """What one `add_regions` call left in a view."""

    def __init__(
        self,
        regions: List[Region],
        scope: str,
        icon: str,
        flags: int,
        annotations: List[str],
        annotation_color: str,
        on_navigate: Optional[Callable],
        on_close: Optional[Callable],
    ):
        self.regions = regions
        self.scope = scope
        self.icon = icon
        self.flags = flags
        self.annotations = annotations
        self.annotation_color = annotation_color
        self.on_navigate = on_navigate
        self.on_close = on_close

    @property
    def in_undo(self) -> bool:
        """Whether undo takes it back with the edit before it."""
        return not self.flags & NO_UNDO

    def copy(self) -> RegionSet:
        """The same at the places of now, which moves no more."""
        same = copy(self)
        same.regions = [Region(region.a, region.b) for region in self.regions]
        return same

    def carry(self, change: Change) -> None:
        self.regions = [Region(move_point(r.a, change), move_point(r.b, change)) for r in self.regions]

    def describe(self) -> Dict[str, Any]:
        """The set as JSON, for the driver."""
        return {
            "regions": [[r.a, r.b] for r in self.regions],
            "scope": self.scope,
            "icon": self.icon,
            "flags": int(self.flags),
            "annotations": list(self.annotations),
            "annotation_color": self.annotation_color,
        }
