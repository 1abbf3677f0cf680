"""Where long lines are wrapped: at the width of their view, or at a column that its settings name.

`word_wrap` is "auto" where nothing is set: source code does not wrap, other texts do. `wrap_width` is a column, or 0
for the width of the view; with `wrap_width_style` "min" it is the lesser of the two (sublimehq/sublime_text 3915,
4156). Rows that go on are indented like their line, unless `indent_subsequent_lines` is false.

A row ends behind a blank if there is one, otherwise inside a word; blanks hang over the edge. Which other characters
end a row in the editor is not documented. Rule kept here: a point where a row ends is where the next one begins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Any, Dict, NamedTuple, Tuple

_BLANK = re.compile(r"[ \t]")


class Wrap(NamedTuple):
    """How a view wraps: at so many columns, 0 for not at all. A tab takes up to `tab_size` of them."""

    columns: int
    tab_size: int
    indented: bool


class Piece(NamedTuple):
    """A row of a line on the screen: it holds the characters from `start`, at so many columns from the left."""

    start: int
    indent: int


Pieces = Tuple[Piece, ...]


def tab_size(view: Any) -> int:
    size = view.settings.get("tab_size", 4)
    return size if isinstance(size, int) and size > 0 else 4


def wrap_of(view: Any, visible_columns: int) -> Wrap:
    """How `view` wraps, in which so many columns are in sight."""
    own = view.settings.own
    state = (view.host.settings_changes, id(own), len(own), view.window is None, visible_columns)
    if view.wrap is None or view.wrap[0] != state:
        view.wrap = (state, _ask(view, visible_columns))
    found: Wrap = view.wrap[1]
    return found


def _ask(view: Any, visible_columns: int) -> Wrap:
    wraps = view.settings.get("word_wrap", "auto")
    if wraps == "auto":
        wraps = view.sheet is not None and not view.host.syntaxes.scope(view).startswith("source.")
    if not wraps or view.window is None:
        return Wrap(0, tab_size(view), True)
    width = view.settings.get("wrap_width", 0)
    columns = width if isinstance(width, int) and width > 0 else visible_columns
    if view.settings.get("wrap_width_style", "") == "min":
        columns = min(columns, visible_columns)
    indented = bool(view.settings.get("indent_subsequent_lines", True))
    return Wrap(max(1, columns), tab_size(view), indented)


def wrapped_rows(view: Any, wrap: Wrap) -> Dict[int, Pieces]:
    """The lines that take more than one row, by their number."""
    if not wrap.columns:
        return {}
    state = (view.buffer.change_count, wrap)
    if view.wrapped is None or view.wrapped[0] != state:
        found: Dict[int, Pieces] = {}
        for number, line in enumerate(view.buffer.text.split("\n")):
            if len(line) > wrap.columns or "\t" in line:
                pieces = _pieces(line, wrap)
                if len(pieces) > 1:
                    found[number] = pieces
        view.wrapped = (state, found)
    rows: Dict[int, Pieces] = view.wrapped[1]
    return rows


@lru_cache(maxsize=4096)
def _pieces(line: str, wrap: Wrap) -> Pieces:
    indent = width(line[: len(line) - len(line.lstrip(" \t"))], 0, wrap.tab_size) if wrap.indented else 0
    pieces = [Piece(0, 0)]
    start = column = 0
    behind_blank = -1
    for index, character in enumerate(line):
        blank = _BLANK.match(character) is not None
        wide = width(character, column, wrap.tab_size)
        if column + wide > wrap.columns and not blank and index > start:
            start = behind_blank if behind_blank > start and line[start:behind_blank].strip() else index
            pieces.append(Piece(start, indent))
            column = indent + width(line[start:index], indent, wrap.tab_size)
        column += wide
        if blank:
            behind_blank = index + 1
    return tuple(pieces)


def piece_at(pieces: Pieces, offset: int) -> int:
    """The number of the row that shows the character at `offset` of its line."""
    return bisect_right(pieces, (offset, 1 << 30)) - 1


def width(text: str, column: int, tab: int) -> int:
    """How many columns `text` takes that begins at `column`."""
    if "\t" not in text:
        return len(text)
    before = column
    for character in text:
        column += tab - column % tab if character == "\t" else 1
    return column - before
