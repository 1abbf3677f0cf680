"""What the minimap shows of regions.

* Regions show unless they are hidden, empty, or drawn with HIDE_ON_MINIMAP (published API, `RegionFlags`).
* Those that have neither fill nor outline show as well, in the foreground of their scope: that is how GitGutter's
  setting `show_in_minimap` draws its marks, which appear in the gutter and in the minimap and nowhere else.
* They stand behind the text (jisaacks/GitGutter 263), and are as wide as the characters that they cover (its pull
  request 372 has a setting for how many that are).
* The scroll bar shows matches of the search only. Plugins cannot draw there (sublimehq/sublime_text 2072, 4780).
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

HIDE_ON_MINIMAP, HIDDEN = 2, 128


class Stripe(NamedTuple):
    """One region on one row: `start` and `end` are columns; a line's end takes one."""

    key: str
    row: int
    start: int
    end: int
    color: str


def stripes(view: Any) -> Iterator[Stripe]:
    """The stripes of a view, in the order in which they are drawn."""
    buffer = view.buffer
    for key, found in view.regions_in_order().items():
        if found.flags & (HIDE_ON_MINIMAP | HIDDEN) or not found.scope:
            continue
        color = view.host.scheme.for_scope(found.scope)["foreground"]
        for region in found.regions:
            if region.empty():
                continue
            for row in range(buffer.row(region.begin()), buffer.row(region.end() - 1) + 1):
                first, last = buffer.line_bounds(row)
                start, end = max(first, region.begin()) - first, min(last + 1, region.end()) - first
                yield Stripe(key, row, start, end, color)
