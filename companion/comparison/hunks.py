"""What a hunk is.

A hunk says that lines `left_start` to `left_end` of the left text became lines `right_start` to `right_end` of the
right one. Rule for every list of hunks in this package: they are in order, at least one equal line lies between two
neighbours, none is empty on both sides, and a hunk begins and ends with lines that differ.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class HunkKind(Enum):
    """What a hunk does to the left text."""

    ADDED = "added"
    """It has nothing on the left."""
    REMOVED = "removed"
    """It has nothing on the right."""
    CHANGED = "changed"


class Hunk(NamedTuple):
    """One place where two texts differ. Line numbers count from 0; the ends are not included."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int

    @property
    def kind(self) -> HunkKind:
        """What the hunk does to the left text."""
        if self.left_start == self.left_end:
            return HunkKind.ADDED
        if self.right_start == self.right_end:
            return HunkKind.REMOVED
        return HunkKind.CHANGED

    @property
    def left_count(self) -> int:
        """How many lines of the left text the hunk holds."""
        return self.left_end - self.left_start

    @property
    def right_count(self) -> int:
        """How many lines of the right text the hunk holds."""
        return self.right_end - self.right_start
