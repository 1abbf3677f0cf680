"""Reads from the editor what the context needs to know about a view. Main thread only.

Rule: no more text is copied from a buffer than will be sent.
"""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import sublime

from ..agents.shared_context import ActiveFile, Position
from ..editor.edits import some_selections
from .model import Selection
from .units import cut, utf16_length, well_formed


def read_selection(
    view: sublime.View, path: str, maximum: int, share_text: bool
) -> Tuple[Optional[Selection], ActiveFile]:
    """What is selected in a view of the file `path`: for programs that are told of all selections, the caret of the
    last one and the text of all, joined; for the others the file with one of them. Each text is cut to `maximum` UTF-16
    units. None where there is not even a caret.
    """
    regions = some_selections(view)
    if not regions:
        return None, ActiveFile(path, Position(0, 0), Position(0, 0))
    caret = _position(view, regions[-1].b)
    filled = [region for region in regions if not region.empty()] if share_text else []
    start = end = caret
    text = _text(view, filled[-1], maximum) if filled else ""
    if text:
        start, end = _position(view, filled[-1].begin()), _position(view, filled[-1].end())
    several = filled if text and len(filled) > 1 else []
    ranges = tuple((_position(view, each.begin()), _position(view, each.end())) for each in several)
    joined = text if len(filled) == 1 else _joined_text(view, filled, maximum)
    return Selection(caret.line + 1, caret.character + 1, joined), ActiveFile(path, start, end, text, ranges)


def _position(view: sublime.View, point: int) -> Position:
    return Position(*view.rowcol_utf16(point))


def _joined_text(view: sublime.View, regions: Sequence[sublime.Region], maximum: int) -> str:
    parts: List[str] = []
    remaining = maximum
    for region in regions:
        if parts:
            remaining -= 1  # the newline between two selections
        if remaining <= 0:
            break
        part = _text(view, region, remaining)
        if not part:
            break
        parts.append(part)
        remaining -= utf16_length(part)
    return "\n".join(parts)


def _text(view: sublime.View, region: sublime.Region, maximum: int) -> str:
    begin = region.begin()
    return cut(well_formed(view.substr(sublime.Region(begin, min(region.end(), begin + maximum)))), maximum)
