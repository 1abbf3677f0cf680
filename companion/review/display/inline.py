"""The colours of the original's text in the inline presentation, where no view shows it.

Theory of operation: a hidden panel holds the text with the proposal's syntax. The editor is asked for the tokens of a
stretch once, and the colour scheme for the colour of each kind of token.

Rule: texts that take the editor long to parse have no colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import sublime

from ...common.display_names import ELLIPSIS, columns
from ...editor.edits import set_text
from ..document.analysis import Analysis, Change, Moved, moved_on_left
from .decorations import Styles
from .markup import LONGEST_REMOVAL, Ink, RemovedLine, Span, removed_html

if TYPE_CHECKING:
    from .decorations import Block

_LONGEST = 1 << 18  # characters
_LONGEST_STRETCH = 1 << 14

Token = Tuple[int, int, str]  # start, end, scope


class OriginalColors:
    """Main thread only. The panel is made when colours are asked for first, and goes with `clear`."""

    def __init__(self, proposal_view: sublime.View, styles: Styles) -> None:
        self._proposal_view = proposal_view
        self._styles = styles
        self._name = f"gemini_companion.original.{proposal_view.id()}"
        self._window: Optional[sublime.Window] = None
        self._panel: Optional[sublime.View] = None
        self._text = ""
        self._syntax = ""
        self._tokens: Dict[Tuple[int, int], List[Token]] = {}

    def use(self, lines: Sequence[str], length: int, syntax: str) -> None:
        """From now on these lines, of so many characters and in this syntax, are the original."""
        text = "".join(lines[:]) if length <= _LONGEST else ""
        if (text, syntax) == (self._text, self._syntax):
            return
        self._tokens.clear()
        self._text, self._syntax = text, syntax
        if self._panel is None:
            self._window = self._proposal_view.window()
            self._panel = self._window.create_output_panel(self._name, True) if self._window is not None else None
        if self._panel is not None:
            set_text(self._panel, text)
            self._panel.assign_syntax(syntax)

    def of(self, start: int, end: int) -> List[Ink]:
        """The colours between two points of the original that are not those of plain text."""
        if not self._text or self._panel is None or end - start > _LONGEST_STRETCH:
            return []
        if (start, end) not in self._tokens:
            found = self._panel.extract_tokens_with_scopes(sublime.Region(start, end))
            self._tokens[start, end] = [(region.begin(), region.end(), scope) for region, scope in found]
        plain = self._styles.of("").get("foreground")
        inks: List[Ink] = []
        for first, last, scope in self._tokens[start, end]:
            color = self._styles.of(scope).get("foreground")
            if color and color != plain:
                inks.append((first, last, color))
        return inks

    def clear(self) -> None:
        """Take the panel away."""
        if self._window is not None and self._window.is_valid():
            self._window.destroy_output_panel(self._name)
        self._window = self._panel = None
        self._text = ""
        self._tokens.clear()


# JOINED removed_lines
# The removed lines of the inline presentation: one block for each change that removes some.
#
# Rules:
# * The editor draws a block below a line. So what was removed above the first line stands below what replaces it.
# * Where the lines of the proposal wrap, removed ones do. minihtml would wrap them at blanks only, and lose these.
#
# The editor is not known here. Any thread.

_MOST_ROWS = 20  # of a line that wraps; what is left of it is not shown
_BESIDE_A_NUMBER = 3  # columns


def removed_blocks(
    analysis: Analysis, tab_size: int, line_height: float, wrapped_at: int, colors: Callable[[int, int], Sequence[Ink]]
) -> Iterator[Block]:
    """The blocks from the top, made one by one. `tab_size` is in columns, `line_height` in pixels.

    Lines wrap at `wrapped_at` columns, unless that is 0. `colors` gives those of a stretch of the original, by its
    start and end; they count from the start of that text.
    """
    moved = _captions(moved_on_left(analysis.moves))
    for change in analysis.changes:
        if change.hunk.left_count:
            rows: List[RemovedLine] = []
            left_out = change.hunk.left_count
            for line in _removed_lines(analysis, change, moved, colors):
                if len(rows) >= LONGEST_REMOVAL:
                    break
                rows.extend(_rows(line, wrapped_at, tab_size) if wrapped_at else [line])
                left_out -= 1
            yield _line_above(analysis, change), removed_html(rows, tab_size, line_height, left_out)


def _line_above(analysis: Analysis, change: Change) -> int:
    """A point in the line under which the removed lines of a change are shown."""
    hunk = change.hunk
    if hunk.right_start > 0:
        return analysis.right_starts[hunk.right_start - 1]
    return analysis.right_starts[max(0, hunk.right_end - 1)]


def _removed_lines(
    analysis: Analysis, change: Change, moved: Mapping[int, str], colors: Callable[[int, int], Sequence[Ink]]
) -> Iterator[RemovedLine]:
    """Those of the lines that a change removes that are shown."""
    first = change.hunk.left_start
    last = min(change.hunk.left_end, first + LONGEST_REMOVAL)
    end = analysis.left_starts[first]
    inks = colors(end, analysis.left_starts[last])
    at = 0  # of the first ink that may reach into the line
    for row, text in enumerate(analysis.left_lines[first:last], first):
        start, end = end, end + len(text)
        parts = _within(change.left_parts, start, end)
        own: List[Ink] = []
        while at < len(inks) and inks[at][0] < end:
            own.append((max(inks[at][0], start) - start, min(inks[at][1], end) - start, inks[at][2]))
            if inks[at][1] > end:
                break
            at += 1
        yield RemovedLine(row + 1, text, parts, own, moved.get(row))


def _rows(line: RemovedLine, wrapped_at: int, tab_size: int) -> Iterator[RemovedLine]:
    """The line as it is shown where lines wrap. Its number stands beside its first row."""
    text = line.text.rstrip("\n")
    room = wrapped_at - len(str(line.number)) - _BESIDE_A_NUMBER
    end = 0
    for number in range(_MOST_ROWS):
        start, end = end, _row_end(text, end, room, tab_size)
        row = line._replace(
            text=text[start:end],
            parts=_within(line.parts, start, end),
            colors=[
                (max(one, start) - start, min(other, end) - start, color)
                for one, other, color in line.colors
                if one < end and other > start
            ],
        )
        if number:
            row = row._replace(number=None, moved=line.moved and "")
        if number == _MOST_ROWS - 1 and end < len(text):
            row = row._replace(text=row.text.rstrip() + ELLIPSIS)
        yield row
        if end >= len(text):
            return


def _within(spans: Sequence[Span], start: int, end: int) -> List[Span]:
    """What of `spans` lies between two points, counted from the first of them."""
    return [(max(one, start) - start, min(other, end) - start) for one, other in spans if one < end and other > start]


def _row_end(text: str, start: int, room: int, tab_size: int) -> int:
    """Where the row ends that begins at `start`: behind a blank if words stand before one; never at `start` itself."""
    end = start
    beginning = text[start : start + max(0, room)]
    if beginning.isascii() and "\t" not in beginning:
        end += len(beginning)
    else:
        for character in beginning:
            room -= tab_size if character == "\t" else columns(character)
            if room < 0:
                break
            end += 1
    while text[end : end + 1] in (" ", "\t"):
        end += 1  # it hangs over the edge
    if end == len(text) or text[end - 1] in " \t":
        return end
    behind_blank = max(text.rfind(blank, start, end) for blank in " \t") + 1
    return behind_blank if text[start:behind_blank].strip() else max(end, start + 1)


def _captions(blocks: Sequence[Moved]) -> Dict[int, str]:
    """What is said above each row of moved blocks: nothing but above the first."""
    return {row: block.caption if row == block.start else "" for block in blocks for row in range(*block[:2])}
