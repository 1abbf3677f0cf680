"""Puts a comparison onto the two views, or onto the proposal alone.

Side by side, fillers keep equal lines level and both views scroll as one. Inline, what the proposal removes stands
between its lines. Rule: drawing changes no text and no selection.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Tuple

import sublime

from . import decorations
from .analysis import Analysis, Change
from .header import Header, header_html, header_rows
from .markup import filler_html, removed_html
from .phantoms import Block, Blocks, Top, rows_below_lines
from .scroll_map import ScrollMap
from .scrolling import ScrollLock

BLOCKS = "gemini_companion.blocks"


class Drawing:
    """What is drawn for one review. Main thread only. Without an `original_view` it is drawn inline."""

    def __init__(
        self,
        original_view: Optional[sublime.View],
        proposal_view: sublime.View,
        on_link: Callable[[str], None],
    ) -> None:
        self._left = original_view
        self._right = proposal_view
        self._right_top = Top(proposal_view, on_link)
        self._right_blocks = Blocks(proposal_view, BLOCKS)
        self._left_top = Top(original_view) if original_view is not None else None
        self._left_blocks = Blocks(original_view, BLOCKS) if original_view is not None else None
        self._lock = ScrollLock(original_view, proposal_view) if original_view is not None else None
        self._header: Optional[Header] = None
        self.blocks: List[Block] = []  # the removed lines that stand between those of the proposal
        self._top_rows = (0, 0)  # empty rows under the first line, left and right, for the alignment

    def steps(
        self, analysis: Optional[Analysis], current: Callable[[], bool], done: Callable[[], None]
    ) -> Iterator[None]:
        """Draw `analysis`, or nothing but the header if it is None. Stops as soon as `current()` is false."""
        self._top_rows, self.blocks = (0, 0), []
        if analysis is None:
            work = self._nothing()
        elif self._left is not None:
            work = self._side_by_side(analysis)
        else:
            work = self._inline(analysis)
        for _ in work:
            yield
            if not current() or not self._right.is_valid():
                return
        self._show_tops()
        if self._lock is not None:
            hunks = [change.hunk for change in analysis.changes] if analysis is not None else []
            self._lock.use(ScrollMap.of(hunks) if analysis is not None else None)
        done()

    def show_header(self, header: Header) -> None:
        """Show this header."""
        self._header = header
        self._show_tops()

    @property
    def header_document(self) -> str:
        """The header as it is shown."""
        return self._right_top.document

    def tick(self) -> bool:
        """Let one view follow the other. True if something moved."""
        return self._lock is not None and self._lock.tick()

    def unlink(self) -> None:
        """Take every link off the proposal's view. The editor would keep what they call, and so this review, alive."""
        if self._right.is_valid():
            decorations.unlink(self._right)
            self._right_top.show("")

    def clear(self) -> None:
        """Take everything off the proposal's view."""
        self.unlink()
        decorations.clear(self._right)
        self._right_blocks.clear()

    def _show_tops(self) -> None:
        if self._header is None or not self._right.is_valid():
            return
        left_rows, right_rows = self._top_rows
        line_height = self._right.line_height()
        rows = header_rows(self._header)
        self._right_top.show(header_html(rows, line_height, right_rows))
        if self._left_top is not None and self._left is not None and self._left.is_valid():
            self._left_top.show(filler_html(len(rows) + left_rows, self._left.line_height()))

    def _nothing(self) -> Iterator[None]:
        for view in (self._left, self._right):
            if view is not None and view.is_valid():
                decorations.clear(view)
        for blocks in (self._left_blocks, self._right_blocks):
            if blocks is not None:
                yield from blocks.update([])

    def _side_by_side(self, analysis: Analysis) -> Iterator[None]:
        assert self._left is not None and self._left_blocks is not None
        left, right = rows_below_lines(analysis.left_fillers), rows_below_lines(analysis.right_fillers)
        self._top_rows = (left.pop(0, 0), right.pop(0, 0))
        yield from decorations.mark(self._right, decorations.RIGHT, analysis)
        if not self._left.is_valid():
            return
        yield from decorations.mark(self._left, decorations.LEFT, analysis)
        self._show_tops()
        height = self._left.line_height()
        yield from self._left_blocks.update(
            [(analysis.left_starts[line], filler_html(rows, height)) for line, rows in sorted(left.items())]
        )
        yield from self._right_blocks.update(
            [(analysis.right_starts[line], filler_html(rows, height)) for line, rows in sorted(right.items())]
        )

    def _inline(self, analysis: Analysis) -> Iterator[None]:
        yield from decorations.mark(self._right, decorations.RIGHT, analysis)
        tab_size = self._right.settings().get("tab_size")
        tab_size = tab_size if isinstance(tab_size, int) else 4
        height = self._right.line_height()
        blocks: List[Block] = []
        for change in analysis.changes:
            if change.hunk.left_count:
                lines, parts = _removed_lines(analysis, change)
                blocks.append((_line_above(analysis, change), removed_html(lines, parts, tab_size, height)))
            if len(blocks) % 25 == 24:
                yield
        self.blocks = blocks
        yield from self._right_blocks.update(blocks)


def _line_above(analysis: Analysis, change: Change) -> int:
    """A point in the line under which the removed lines of a change are shown."""
    hunk = change.hunk
    if hunk.right_start > 0:
        return analysis.right_starts[hunk.right_start - 1]
    # Nothing can be drawn above the first line: what was removed there stands under what replaces it.
    return analysis.right_starts[max(0, hunk.right_end - 1)]


def _removed_lines(analysis: Analysis, change: Change) -> Tuple[List[str], List[List[Tuple[int, int]]]]:
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
