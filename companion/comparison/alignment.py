"""Filler rows that keep equal lines of two texts side by side.

Rule: fillers stand where a hunk ends, on the side where it has fewer lines, so that a hunk's own lines start level and
everything after it is level again.
"""

from __future__ import annotations

from typing import List, NamedTuple, Sequence

from .hunks import Hunk


class Filler(NamedTuple):
    """`rows` empty rows (at least one) below the line `after`, counted from 0; -1 means above the first line."""

    after: int
    rows: int


class Alignment(NamedTuple):
    """The fillers of both sides, in order, at most one below each line."""

    left: List[Filler]
    right: List[Filler]
    rows: int
    """The height of both sides, lines and fillers together."""


def align(hunks: Sequence[Hunk], left_count: int, right_count: int) -> Alignment:
    """Where each side needs filler rows. `left_count` and `right_count` are the numbers of lines of the two texts."""
    left: List[Filler] = []
    right: List[Filler] = []
    for hunk in hunks:
        missing = hunk.right_count - hunk.left_count
        if missing > 0:
            left.append(Filler(hunk.left_end - 1, missing))
        elif missing < 0:
            right.append(Filler(hunk.right_end - 1, -missing))
    rows = left_count + sum(filler.rows for filler in left)
    if rows != right_count + sum(filler.rows for filler in right):
        raise ValueError("The hunks do not belong to texts of %d and %d lines." % (left_count, right_count))
    return Alignment(left, right, rows)
