"""What a hunk is.

A hunk says that lines `left_start` to `left_end` of the left text became lines `right_start` to `right_end` of the
right one. Rule for every list of hunks in this package: they are in order, at least one equal line lies between two
neighbours, none is empty on both sides, and a hunk begins and ends with lines that differ.
"""

from __future__ import annotations

from typing import NamedTuple


class Hunk(NamedTuple):
    """One place where two texts differ. Line numbers count from 0; the ends are not included."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int

    @property
    def kind(self) -> str:
        """`"added"` (nothing on the left), `"removed"` (nothing on the right) or `"changed"`."""
        if self.left_start == self.left_end:
            return "added"
        if self.right_start == self.right_end:
            return "removed"
        return "changed"

    @property
    def left_count(self) -> int:
        """How many lines of the left text the hunk holds."""
        return self.left_end - self.left_start

    @property
    def right_count(self) -> int:
        """How many lines of the right text the hunk holds."""
        return self.right_end - self.right_start
