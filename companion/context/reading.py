"""Reads from the editor what the context needs to know about a view. Main thread only.

Rule: no more text is copied from a buffer than will be sent.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

import sublime

from ..agents.shared_context import Position
from ..editor.view_roles import ROLE, TERMINAL
from .model import Selection
from .units import cut, utf16_length, well_formed


def followed_path(view: sublime.View) -> Optional[str]:
    """The file that a view shows, or None for other views: widgets, terminals, reviews."""
    path = view.file_name()
    if path is None or view.element() is not None:
        return None
    settings = view.settings()
    return None if settings.get(ROLE) or settings.get(TERMINAL) else path


def read_selection(view: sublime.View, maximum: int, share_text: bool) -> Optional[Selection]:
    """The last selection's caret and all selected text, cut to `maximum` UTF-16 units. None for a view without any."""
    regions = view.sel()
    count = len(regions)
    if not count:
        return None
    row, column = view.rowcol_utf16(regions[count - 1].b)
    text = _selected_text(view, regions, maximum) if share_text else ""
    return Selection(row + 1, column + 1, text)


def read_range(view: sublime.View) -> Tuple[Position, Position]:
    """Where the last selection begins and ends. The view has one."""
    regions = view.sel()
    region = regions[len(regions) - 1]
    start, end = (Position(*view.rowcol_utf16(place)) for place in (region.begin(), region.end()))
    return start, end


def _selected_text(view: sublime.View, regions: sublime.Selection, maximum: int) -> str:
    parts: List[str] = []
    remaining = maximum
    for region in regions:
        if remaining <= 0:
            break
        begin, end = region.begin(), region.end()
        if begin == end:
            continue
        if parts:
            remaining -= 1  # the newline between two selections
        part = cut(well_formed(view.substr(sublime.Region(begin, min(end, begin + remaining)))), remaining)
        if not part:
            break
        parts.append(part)
        remaining -= utf16_length(part)
    return "\n".join(parts)
