"""The removed lines of the inline presentation: one block for each change that removes some.

Rule: the editor draws a block below a line. So what was removed above the first line stands below what replaces it.

The editor is not known here. Any thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, List, Sequence, Tuple

from .analysis import Analysis, Change, Span
from .markup import removed_html
from .moved import Moved, moved_on_left

if TYPE_CHECKING:
    from .phantoms import Block
    from .screen import Sizes


def removed_blocks(analysis: Analysis, tab_size: int, sizes: Sizes) -> Iterator[Block]:
    """The blocks from the top, made one by one. `tab_size` is in columns; `sizes` are those of the proposal's view."""
    moved = _captions(moved_on_left(analysis.moves))
    for change in analysis.changes:
        if not change.hunk.left_count:
            continue
        lines, parts = _removed_lines(analysis, change)
        first = change.hunk.left_start
        said = {row: moved[first + row] for row in range(len(lines)) if first + row in moved} if moved else {}
        html = removed_html(lines, parts, tab_size, sizes.line_height, sizes.width, sizes.em_width, said)
        yield _line_above(analysis, change), html


def _line_above(analysis: Analysis, change: Change) -> int:
    """A point in the line under which the removed lines of a change are shown."""
    hunk = change.hunk
    if hunk.right_start > 0:
        return analysis.right_starts[hunk.right_start - 1]
    return analysis.right_starts[max(0, hunk.right_end - 1)]


def _removed_lines(analysis: Analysis, change: Change) -> Tuple[List[str], List[List[Span]]]:
    """The lines that a change removes, and the changed spans of each."""
    hunk = change.hunk
    lines = analysis.left_lines[hunk.left_start : hunk.left_end]
    spans = []
    for row in range(hunk.left_start, hunk.left_end):
        start, end = analysis.left_starts[row], analysis.left_starts[row + 1]
        spans.append(
            [
                (max(first, start) - start, min(last, end) - start)
                for first, last in change.left_parts
                if first < end and last > start
            ]
        )
    return lines, spans


def _captions(blocks: Sequence[Moved]) -> Dict[int, str]:
    """What is said above each row of moved blocks: nothing but above the first."""
    return {row: block.caption if row == block.start else "" for block in blocks for row in range(*block[:2])}
