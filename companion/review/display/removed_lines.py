"""The removed lines of the inline presentation: one block for each change that removes some.

Rule: the editor draws a block below a line. So what was removed above the first line stands below what replaces it.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Iterator, List, Mapping, Sequence

from ..document.analysis import Analysis, Change, Moved, moved_on_left
from .markup import LONGEST_REMOVAL, Ink, RemovedLine, removed_html

if TYPE_CHECKING:
    from .phantoms import Block


def removed_blocks(
    analysis: Analysis, tab_size: int, line_height: float, colors: Callable[[int, int], Sequence[Ink]]
) -> Iterator[Block]:
    """The blocks from the top, made one by one. `tab_size` is in columns, `line_height` in pixels.

    `colors` gives those of a stretch of the original, by its start and end; they count from the start of that text.
    """
    moved = _captions(moved_on_left(analysis.moves))
    for change in analysis.changes:
        if change.hunk.left_count:
            lines = list(_removed_lines(analysis, change, moved, colors))
            left_out = change.hunk.left_count - len(lines)
            yield _line_above(analysis, change), removed_html(lines, tab_size, line_height, left_out)


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
        parts = [
            (max(one, start) - start, min(other, end) - start)
            for one, other in change.left_parts
            if one < end and other > start
        ]
        own: List[Ink] = []
        while at < len(inks) and inks[at][0] < end:
            own.append((max(inks[at][0], start) - start, min(inks[at][1], end) - start, inks[at][2]))
            if inks[at][1] > end:
                break
            at += 1
        yield RemovedLine(row + 1, text, parts, own, moved.get(row))


def _captions(blocks: Sequence[Moved]) -> Dict[int, str]:
    """What is said above each row of moved blocks: nothing but above the first."""
    return {row: block.caption if row == block.start else "" for block in blocks for row in range(*block[:2])}
