"""The links beside changes: one takes a change back, another one brings back what was taken back.

They are annotations, which the editor draws over the text at the right edge of the view. Rule: none covers the change
that it belongs to. A change that fills all of its rows has its link on the row below, or above the last one.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import List, NamedTuple

from ...common.display_names import columns
from ..document.analysis import Analysis, Change, moved_on_right

REVERT_LINKS, UNDO_LINKS = "gemini_companion.revert", "gemini_companion.undo"
_BESIDE, _BELOW, _ABOVE = "Revert", "Revert \u2191", "Revert \u2193"
_MARGIN = 4  # columns that an annotation takes beside its text
_ROWS_LOOKED_AT = 50  # of a change, for one that leaves room


class Link(NamedTuple):
    """Where the link of a change stands, and what it says."""

    point: int
    caption: str


def links_of(analysis: Analysis, room: int, tab_size: int) -> List[Link]:
    """The links of the changes, for a view in which `room` columns fit side by side."""
    moved = {block.start: f" \u00b7 {block.caption}" for block in moved_on_right(analysis.moves)}
    return [
        _link(analysis, change, moved.get(change.hunk.right_start, ""), room, tab_size) for change in analysis.changes
    ]


def _link(analysis: Analysis, change: Change, more: str, room: int, tab_size: int) -> Link:
    # Where a moved block begins the change, the link says so: two annotations of one line get into each other's way.
    starts, first, end = analysis.right_starts, change.hunk.right_start, change.hunk.right_end
    room -= len(_BESIDE + more) + _MARGIN
    for row in range(first, min(end, first + _ROWS_LOOKED_AT)):
        if columns(analysis.right_lines[row].rstrip("\n").expandtabs(tab_size)) <= room:
            return Link(starts[row], _BESIDE + more)
    if first == end or room <= 0:
        return Link(change.right[0], _BESIDE + more)
    if analysis.right_lines[end - 1].endswith("\n"):
        return Link(change.right[1], _BELOW + more)
    return Link(starts[first - 1], _ABOVE + more) if first else Link(change.right[0], _BESIDE + more)
