"""Puts a comparison onto the proposal's view, and onto the original's beside it (`side_by_side`) if there is one.

Inline, what the proposal removes stands between its lines.

Rule: drawing changes no text and no selection, and the caret's line stays where it is on the screen.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional

import sublime

from ..document.analysis import NOTHING, Analysis, Carried
from .decorations import RIGHT, Block, Blocks, Marks, Regions, Styles, Top
from .header import Header, Row, header_html, header_rows
from .inline import OriginalColors, removed_blocks
from .proposal_hunks import REVERT_LINKS, UNDO_LINKS
from .screen import CaretLine, Room, SizeCheck, Sizes, Watch, back_to_top
from .side_by_side import SideBySide


class Drawing:
    """What is drawn for one review. Main thread only. Without an `original_view` it is drawn inline.

    `on_outdated` is called when what is drawn does not fit the screen any more.
    """

    def __init__(
        self,
        original_view: Optional[sublime.View],
        proposal_view: sublime.View,
        on_link: Callable[[str], None],
        on_outdated: Callable[[], None],
    ) -> None:
        self._styles = Styles(proposal_view)
        self.regions = Regions(proposal_view, self._styles)
        self.blocks: List[Block] = []  # the removed lines that stand between those of the proposal
        self._left = original_view
        self._view = proposal_view
        self._on_outdated = on_outdated
        self._watch = Watch(original_view, proposal_view)
        self._top = Top(proposal_view, on_link)
        self._blocks = Blocks(proposal_view, keep_caret=True)
        self._marks = Marks(self.regions, RIGHT, self._styles)
        self._colors = OriginalColors(proposal_view, self._styles)
        self.sides: Optional[SideBySide] = None
        if original_view is not None:
            self.sides = SideBySide(
                original_view, proposal_view, self._watch, self._styles, self._blocks, self._show_header
            )
        self._rows: List[Row] = []  # of the header
        self._header_height: object = None  # what makes it as high as it is shown
        self._was_at_top = False  # before what was drawn did not fit any more

    def carry(self, edit: Optional[Carried]) -> None:
        """The proposal was edited, all at once; None if it is not certain how."""
        self.regions.carry(edit)
        self._blocks.carry(edit)

    def original_filled(self) -> None:
        """The original's view was given another text, with which nothing that is drawn has moved."""
        if self.sides is not None:
            self.sides.original_filled()

    def steps(self, analysis: Optional[Analysis]) -> Iterator[object]:
        """Draw `analysis`, or nothing but the header if it is None. In small steps.

        Whoever runs the steps asks `valid` between slices.
        """
        self._watch.note()
        yield from self._marks.draw(analysis or NOTHING)
        if self.sides is not None:
            yield from self.sides.mark(analysis)
            yield from self.sides.level(analysis, len(self._rows))
        else:
            yield from self._draw_removed(analysis)
        yield None
        if self.sides is not None:
            self.sides.follow(analysis)
        if self._was_at_top:
            self._was_at_top = False
            back_to_top(self._view)
        yield None

    @property
    def valid(self) -> bool:
        """Whether the views are still there."""
        return (self._left is None or self._left.is_valid()) and self._view.is_valid()

    @property
    def sizes(self) -> Sizes:
        """The sizes of the proposal's view, at most a second old."""
        self._watch.note()
        return self._watch.sizes.right

    @property
    def room(self) -> Room:
        """What fits into a row of the proposal's view."""
        return self._watch.room

    def show_header(self, header: Header) -> None:
        """Show this header."""
        self._rows = header_rows(header)
        self._show_header()

    @property
    def header_level(self) -> bool:
        """Whether as many rows stand beside the header as it has."""
        return self.sides is None or len(self._rows) == self.sides.header_rows

    def note_top(self) -> None:
        """The same text is about to be drawn in another way: a view at its top stays there."""
        if self._view.viewport_position()[1] <= 0:  # else a drawing that is overtaken may have scrolled it
            self._was_at_top = True

    def tick(self) -> bool:
        """Let one view follow the other, and look whether the screen has changed. True if something moved."""
        moved = self.sides is not None and self.sides.tick()
        sizes = self._watch.look()
        tilted = sizes is SizeCheck.UNCHANGED and self.sides is not None and not self.sides.still_level()
        if sizes is SizeCheck.CHANGED or tilted:
            if self.sides is not None:
                self.sides.levelled = None
            self._styles.forget()
            self._on_outdated()
            return True
        return moved

    def show_again(self) -> None:
        """Draw the header anew, though it is the same: the editor may show an older one."""
        self._top.show("")
        self._show_header()

    def unlink(self) -> None:
        """Take every link off the proposal's view. The editor would keep what they call, and so this review, alive."""
        self._watch.stop()
        self._colors.clear()
        if self._view.is_valid():
            self.regions.clear(REVERT_LINKS, UNDO_LINKS)
            self._top.show("")

    def clear(self) -> None:
        """Take everything off the views."""
        self.unlink()
        self.regions.clear()
        self._blocks.clear()
        if self.sides is not None:
            self.sides.clear()

    def _draw_removed(self, analysis: Optional[Analysis]) -> Iterator[object]:
        """Show what the proposal removes between its lines."""
        blocks: List[Block] = []
        watch = self._watch
        if analysis is not None:
            self._colors.use(analysis.left_lines, analysis.left_starts[-1], watch.syntax)
            yield None
            line_height, wrapped_at = watch.sizes.right.line_height, watch.wrapped_at
            for block in removed_blocks(analysis, watch.tab_size, line_height, wrapped_at, self._colors.of):
                blocks.append(block)
                yield None
        self.blocks = blocks
        yield from self._blocks.update(blocks)
        self._show_header()

    def _show_header(self) -> None:
        sizes = self.sizes
        below = self.sides.below_header if self.sides is not None else 0
        html = header_html(self._rows, sizes.line_height, sizes.width, sizes.em_width, below)
        height = (len(self._rows), below, sizes)
        if html != self._top.document:
            # At the top the header itself is what stays in sight: it grows downwards.
            scrolled = height != self._header_height and self._view.viewport_position()[1] > 0
            caret = CaretLine(self._view) if scrolled else None
            self._header_height = height
            self._top.show(html)
            if caret is not None:
                caret.keep()
        if self.sides is not None:
            self.sides.show_top(len(self._rows))
