"""The links beside changes: one takes a change back, another one brings back what was taken back.

They are annotations, which the editor draws over the text at the right edge of the view. Rule: none covers the change
that it belongs to. A change that fills all of its rows has its link on the row below, or above the last one.
"""

from __future__ import annotations

from typing import Callable, List, NamedTuple, Sequence, Tuple

import sublime

from ...common.display_names import columns
from ..document.analysis import Analysis, Change, moved_on_right
from .decorations import UNSEEN, Styles
from .markup import REVERT, UNDO, link_html

REVERT_LINKS = "gemini_companion.revert"
UNDO_LINKS = "gemini_companion.undo"
LINK_SCOPE = "region.bluish"

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


def link_changes(
    view: sublime.View, styles: Styles, links: Sequence[Link], generation: int, on_navigate: Callable[[str], None]
) -> List[str]:
    """Put a link beside each change of the proposal that takes it back. Returns the links."""
    markup = [link_html(REVERT, number, link.caption, generation) for number, link in enumerate(links)]
    regions = [sublime.Region(link.point) for link in links]
    _annotate(view, styles, REVERT_LINKS, regions, markup, LINK_SCOPE, on_navigate)
    return markup


def link_reverted(
    view: sublime.View,
    styles: Styles,
    places: Sequence[Tuple[int, sublime.Region]],
    generation: int,
    on_navigate: Callable[[str], None],
) -> List[str]:
    """Put a link beside each place (its number, its region) where a change was taken back, which undoes that."""
    links = [link_html(UNDO, number, "Reverted: undo", generation) for number, _ in places]
    regions = [sublime.Region(region.begin()) for _, region in places]
    _annotate(view, styles, UNDO_LINKS, regions, links, "region.yellowish", on_navigate)
    return links


def unlink(view: sublime.View) -> None:
    """Take the links beside changes off the view."""
    for key in (REVERT_LINKS, UNDO_LINKS):
        view.erase_regions(key)


def _annotate(
    view: sublime.View,
    styles: Styles,
    key: str,
    regions: List[sublime.Region],
    annotations: List[str],
    scope: str,
    on_navigate: Callable[[str], None],
) -> None:
    if not regions:
        view.erase_regions(key)
        return
    color = styles.foreground(scope)
    view.add_regions(
        key,
        regions,
        flags=UNSEEN | sublime.NO_UNDO,
        annotations=annotations,
        annotation_color=color,
        on_navigate=on_navigate,
    )
