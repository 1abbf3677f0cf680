"""The removed lines of the inline presentation: one block for each change that removes some.

Rules:
* The editor draws a block below a line. So what was removed above the first line stands below what replaces it.
* Where the lines of the proposal wrap, removed ones do. minihtml would wrap them at blanks only, and lose these.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, Mapping, Sequence

from ...common.display_names import ELLIPSIS, columns
from ..document.analysis import Analysis, Change, Moved, moved_on_left
from .markup import LONGEST_REMOVAL, Ink, RemovedLine, Span, removed_html

if TYPE_CHECKING:
    from .phantoms import Block

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
