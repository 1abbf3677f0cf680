"""Groups of tabs, and the grid that they stand in."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

SINGLE: Dict[str, list] = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}


class GroupModel:
    """One cell's tabs in order, the preview sheet without a tab, and the sheets that show."""

    def __init__(self):
        self.sheets: List[Any] = []
        self.transient: Optional[Any] = None
        self.selected: List[Any] = []
        self.recent: List[Any] = []

    @property
    def active(self) -> Optional[Any]:
        return self.recent[-1] if self.recent else None

    def all(self) -> List[Any]:
        return self.sheets + ([self.transient] if self.transient is not None else [])

    def insert(self, sheet: Any, index: int = -1) -> None:
        """Put a tab at `index`; -1 means the end."""
        self.sheets.insert(len(self.sheets) if index < 0 else min(index, len(self.sheets)), sheet)
        self.recent.insert(0, sheet)
        if len(self.recent) == 1:
            self.selected = [sheet]

    def show(self, sheet: Any, *, keep_selection: bool = False) -> None:
        """Make a sheet the active one."""
        if sheet in self.recent:
            self.recent.remove(sheet)
        self.recent.append(sheet)
        if keep_selection or sheet in self.selected:
            chosen = self.selected + ([] if sheet in self.selected else [sheet])
            self.selected = [item for item in self.all() if item in chosen]
        else:
            self.selected = [sheet]

    def remove(self, sheet: Any) -> None:
        """Take a sheet out; the one used before it shows in its place."""
        for items in (self.sheets, self.recent, self.selected):
            if sheet in items:
                items.remove(sheet)
        if self.transient is sheet:
            self.transient = None
        if not self.selected and self.recent:
            self.selected = [self.recent[-1]]
        elif self.selected and self.recent and self.recent[-1] not in self.selected:
            self.recent.remove(self.selected[-1])
            self.recent.append(self.selected[-1])


def checked_layout(layout: Any) -> Dict[str, list]:
    """Return a clean copy of a layout. Raises TypeError or ValueError for what is not a grid of cells."""
    if not isinstance(layout, dict):
        raise TypeError("a layout is a dict with cols, rows and cells")
    result: Dict[str, list] = {}
    for key in ("cols", "rows"):
        lines = layout.get(key)
        if not isinstance(lines, (list, tuple)) or len(lines) < 2:
            raise ValueError("layout: %s must list at least two positions" % key)
        if not all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in lines):
            raise TypeError("layout: %s must hold numbers" % key)
        if list(lines) != sorted(lines) or lines[0] != 0 or lines[-1] != 1:
            raise ValueError("layout: %s must rise from 0 to 1" % key)
        result[key] = [float(item) for item in lines]
    cells = layout.get("cells")
    if not isinstance(cells, (list, tuple)) or not cells:
        raise ValueError("layout: cells must list at least one cell")
    result["cells"] = []
    for cell in cells:
        if not isinstance(cell, (list, tuple)) or len(cell) != 4 or not all(isinstance(item, int) for item in cell):
            raise ValueError("layout: a cell is [x1, y1, x2, y2]")
        x1, y1, x2, y2 = cell
        if not (0 <= x1 < x2 < len(result["cols"]) and 0 <= y1 < y2 < len(result["rows"])):
            raise ValueError("layout: the cell %r is not on the grid" % (list(cell),))
        result["cells"].append([x1, y1, x2, y2])
    return result
