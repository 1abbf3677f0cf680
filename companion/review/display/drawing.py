"""Puts a comparison onto the two views, or onto the proposal alone.

Side by side, fillers keep equal lines level and both views scroll as one: what was drawn is measured, and corrected
until it is level (`leveling`). Inline, what the proposal removes stands between its lines.

Rule: drawing changes no text and no selection, and the caret's line stays where it is on the screen.
"""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Sequence

import sublime

from . import decorations
from .analysis import Analysis
from .carrying import State
from .decorations import Marks, Styles
from .header import Header, header_html, header_rows
from .leveling import (
    TOLERANCE,
    Anchor,
    Gap,
    Heights,
    Known,
    corrected,
    gaps_of,
    learnt,
    planned,
    within_tolerance,
)
from .markup import filler_html
from .phantoms import Block, Blocks, Top
from .removed_lines import removed_blocks
from .screen import CaretLine, SizeCheck, Sizes, Watch, back_to_top
from .scroll_map import ScrollMap
from .scrolling import ScrollLock
from .slices import TURN

BLOCKS = "gemini_companion.blocks"
_ROUNDS = 3  # of correcting at the most; two are enough in every editor that is known
_MEASURED_AT_ONCE = 40
_BLOCKS_AT_ONCE = 25
_MEASURED_LENGTH = 1 << 20  # characters of a text that is not compared


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
        self._left = original_view
        self._right = proposal_view
        self._on_outdated = on_outdated
        self._right_top = Top(proposal_view, on_link)
        self._right_blocks = Blocks(proposal_view, BLOCKS)
        self._left_top = Top(original_view) if original_view is not None else None
        self._left_blocks = Blocks(original_view, BLOCKS) if original_view is not None else None
        self._lock = ScrollLock(original_view, proposal_view) if original_view is not None else None
        self.styles = Styles(proposal_view)
        self._right_marks = Marks(proposal_view, decorations.RIGHT, self.styles)
        self._left_marks = Marks(original_view, decorations.LEFT, self.styles) if original_view is not None else None
        self._left_state = self._right_state = State(0)  # of the texts that are drawn on
        self._watch = Watch(original_view, proposal_view)
        self._header: Optional[Header] = None
        self._header_height: object = None  # what makes it as high as it is shown
        self._header_rows = 0  # that the heights are made for
        self.blocks: List[Block] = []  # the removed lines that stand between those of the proposal
        self._analysis: Optional[Analysis] = None
        self._gaps: List[Gap] = [Gap(0, 0, 0, 0, None)]
        self._heights: List[Heights] = [Heights(None, None)]
        self._moved = True  # whether the last drawing may have moved lines
        self._known: Known = {}
        self._known_for: object = None  # the sizes
        self._drawn_for: object = None  # the sizes
        self._levelled: object = None  # what the heights were corrected for
        self._even_corrected = False  # whether so were gaps where no rows are missing
        self._left_over: Optional[float] = None  # the error at the last anchor that could not be corrected
        self._loose_top = 0  # rounds in which the rows of the header are still to be levelled
        self._was_at_top = False  # when the screen changed
        self.rounds = 0  # of corrections that the last drawing took

    def original_filled(self) -> None:
        """The original's view was given another text, with which nothing that is drawn has moved."""
        self._left_state = State(self._left_state.change_count + 1)

    def steps(self, analysis: Optional[Analysis], text: State, done: Callable[[], None]) -> Iterator[object]:
        """Draw `analysis`, or nothing but the header if it is None; then call `done`. In small steps.

        `text` is the state of the proposal's text. Whoever runs the steps asks `valid` between slices.
        """
        self.blocks = []
        self._right_state = text
        self._watch.note()
        if self._known_for != (self._watch.left, self._watch.right):
            self._known, self._known_for = {}, (self._watch.left, self._watch.right)
        yield from self._work(analysis)
        yield None
        self._drawn_for = (self._watch.left, self._watch.right)
        if self._lock is not None:
            hunks = [change.hunk for change in analysis.changes] if analysis is not None else []
            self._lock.use(ScrollMap.of(hunks) if analysis is not None else None, self._moved)
        if self._was_at_top:
            self._was_at_top = False
            back_to_top(self._right)
        yield None
        done()

    @property
    def valid(self) -> bool:
        """Whether the views are still there."""
        return all(view.is_valid() for view in self._views())

    @property
    def sizes(self) -> Sizes:
        """The sizes of the proposal's view, at most a second old."""
        self._watch.note()
        return self._watch.right

    @property
    def fits(self) -> bool:
        """Whether what is drawn is drawn for the sizes of now. It asks for all of them."""
        now = (Sizes.of(self._left), Sizes.of(self._right))
        return self._drawn_for == now and (self._levelled is not None or self._left is None)

    def show_header(self, header: Header) -> None:
        """Show this header."""
        self._header = header
        self._show_tops()

    @property
    def header_document(self) -> str:
        """The header as it is shown."""
        return self._right_top.document

    def tick(self) -> bool:
        """Let one view follow the other, and look whether the screen has changed. True if something moved."""
        moved = self._lock is not None and self._lock.tick()
        if self._loose_top:
            self._level_top()
        sizes = self._watch.look()
        if sizes is SizeCheck.CHANGED or (sizes is SizeCheck.UNCHANGED and not self._still_level()):
            self._was_at_top = sizes is SizeCheck.CHANGED and self._right.viewport_position()[1] <= 0
            self._levelled = None
            self.styles.forget()
            self._on_outdated()
            return True
        return moved

    def show_again(self) -> None:
        """Draw the header anew, though it is the same: the editor may show an older one."""
        self._right_top.show("")
        self._show_tops()

    def unlink(self) -> None:
        """Take every link off the proposal's view. The editor would keep what they call, and so this review, alive."""
        self._watch.stop()
        if self._right.is_valid():
            decorations.unlink(self._right)
            self._right_top.show("")

    def clear(self) -> None:
        """Take everything off the proposal's view."""
        self.unlink()
        self._right_marks.clear()
        self._right_blocks.clear()

    def _views(self) -> List[sublime.View]:
        return [self._right] if self._left is None else [self._left, self._right]

    def _work(self, analysis: Optional[Analysis]) -> Iterator[object]:
        if analysis is None:
            self._right_marks.clear()
            if self._left_marks is not None:
                self._left_marks.clear()
        else:
            yield from self._right_marks.draw(analysis, self._right_state)
            if self._left_marks is not None:
                yield from self._left_marks.draw(analysis, self._left_state)
        if self._left is not None:
            yield from self._side_by_side(analysis)
        elif analysis is not None:
            yield from self._inline(analysis)
        else:
            yield from self._right_blocks.update([], self._right_state)

    # -- inline -------------------------------------------------------------------------------------------------------

    def _inline(self, analysis: Analysis) -> Iterator[object]:
        blocks: List[Block] = []
        for block in removed_blocks(analysis, self._watch.tab_size, self._watch.right):
            blocks.append(block)
            if len(blocks) % _BLOCKS_AT_ONCE == 0:
                yield None
        self.blocks = blocks
        yield from self._update_right(blocks)
        self._show_tops()

    def _update_right(self, blocks: Sequence[Block]) -> Iterator[object]:
        """Change the blocks of the proposal without moving the caret's line."""
        same = self._right_blocks.documents == [document for _, document in blocks]
        caret = None if same else CaretLine(self._right)
        for _ in self._right_blocks.update(blocks, self._right_state):
            if caret is not None:
                caret.keep()
            yield None
            if caret is not None:
                caret = CaretLine(self._right)  # the user may have scrolled meanwhile

    # -- side by side -------------------------------------------------------------------------------------------------

    def _side_by_side(self, analysis: Optional[Analysis]) -> Iterator[object]:
        if analysis is not None:
            # Rows whose change is hidden are measured too: where words wrap, they may be higher on one side.
            gaps = gaps_of(analysis.differing, _rows(analysis.left_lines), _rows(analysis.right_lines))
        else:
            # Where lines of a very long text are is not asked: the editor would have to lay it out first.
            sides = [view for view in self._views() if view.size() <= _MEASURED_LENGTH]
            rows = [view.rowcol(view.size())[0] + 1 for view in sides]
            gaps = gaps_of([], *rows) if len(rows) == 2 else [Gap(0, 0, 0, 0, None)]
        header = len(header_rows(self._header)) if self._header is not None else 0
        wanted = (_uneven(gaps), header, self._watch.left, self._watch.right)
        # Changes that replace lines by as many may come and go: they move none, unless their lines wrap.
        same = wanted == self._levelled and (gaps == self._gaps or not self._even_corrected)
        known = dict(zip(self._gaps, self._heights))
        self._analysis, self._gaps, self._moved = analysis, gaps, not same
        if not self._moved:
            self._heights = [known.get(gap, Heights(None, None)) for gap in gaps]
            yield from self._put()
            return
        self._levelled, self._header_rows, self._loose_top = None, header, 0
        plan = planned(gaps, self._watch.left.line_height, self._watch.right.line_height, header, self._known)
        self._heights = plan
        yield from self._put()
        for self.rounds in range(_ROUNDS + 1):
            yield TURN
            errors: List[Optional[float]] = []
            yield from self._measure(errors)
            if self.rounds == _ROUNDS or within_tolerance(errors):
                break
            self._heights = corrected(self._heights, errors, self._watch.left.least, self._watch.right.least)
            yield from self._put()
        yield None
        self._left_over = next((error for error in reversed(errors) if error is not None), None)
        self._known = {**self._known, **learnt(gaps, plan, self._heights)}
        even = (heights for gap, heights in list(zip(gaps, self._heights))[1:] if not gap.left_rows + gap.right_rows)
        self._even_corrected = any(heights != Heights(None, None) for heights in even)
        if header == self._header_rows:
            self._levelled = wanted

    def _put(self) -> Iterator[object]:
        """Show blocks of these heights."""
        assert self._left_blocks is not None
        lefts: List[Block] = []
        rights: List[Block] = []
        if self._analysis is not None:
            left_starts, right_starts = self._analysis.left_starts, self._analysis.right_starts
            for gap, heights in list(zip(self._gaps, self._heights))[1:]:
                if heights.left is not None:
                    lefts.append((left_starts[gap.left_row], _filler(heights.left, self._watch.left)))
                if heights.right is not None:
                    rights.append((right_starts[gap.right_row], _filler(heights.right, self._watch.right)))
        yield from self._left_blocks.update(lefts, self._left_state)
        yield from self._update_right(rights)
        self._show_tops()

    def _measure(self, errors: List[Optional[float]]) -> Iterator[object]:
        """Add how much too low the left line stands at each anchor. Each `yield` is one of small steps."""
        for number, gap in enumerate(self._gaps):
            errors.append(self._error_at(gap.anchor))
            if number % _MEASURED_AT_ONCE == _MEASURED_AT_ONCE - 1:
                yield None

    def _error_at(self, anchor: Optional[Anchor]) -> Optional[float]:
        if anchor is None or self._left is None:
            return None
        if self._analysis is not None:
            left, right = self._analysis.left_starts[anchor[0]], self._analysis.right_starts[anchor[1]]
        else:
            left, right = self._left.text_point(anchor[0], 0), self._right.text_point(anchor[1], 0)
        return self._left.text_to_layout(left)[1] - self._right.text_to_layout(right)[1]

    def _still_level(self) -> bool:
        """Whether the last lines are as level as they were, or it is not known where they are now."""
        if self._levelled is None or not self.valid:
            return True
        anchor = next((gap.anchor for gap in reversed(self._gaps) if gap.anchor is not None), None)
        if anchor is None or (self._analysis is not None and self._edited()):
            return True
        error = self._error_at(anchor)
        return error is None or abs(error - (self._left_over or 0.0)) <= 2 * TOLERANCE

    def _edited(self) -> bool:
        """Whether the proposal is not as long any more as when it was compared."""
        return self._analysis is not None and self._right.size() != self._analysis.right_starts[-1]

    # -- the first lines ----------------------------------------------------------------------------------------------

    def _show_tops(self) -> None:
        if self._header is None:
            return
        sizes = self._watch.right
        if not sizes.line_height:
            self._watch.note()
            sizes = self._watch.right
        rows = header_rows(self._header)
        left, right = self._heights[0]
        if len(rows) != self._header_rows:
            left = max(0, (left or 0) + round((len(rows) - self._header_rows) * self._watch.left.line_height)) or None
            self._header_rows, self._loose_top = len(rows), _ROUNDS
            self._heights[0] = Heights(left, right or 0)
        html = header_html(rows, sizes.line_height, sizes.width, sizes.em_width, right or 0)
        height = (len(rows), right, sizes)
        if html != self._right_top.document:
            caret = CaretLine(self._right) if height != self._header_height else None
            self._header_height = height
            self._right_top.show(html)
            if caret is not None:
                caret.keep()
        if self._left_top is not None:
            self._left_top.show(_filler(left, self._watch.left) if left is not None else "")

    def _level_top(self) -> None:
        """Measure and correct what stands under the first lines, one round a tick."""
        self._loose_top -= 1
        if self._left is None or self._edited() or not self.valid:
            return
        errors = [self._error_at(self._gaps[0].anchor)]
        if within_tolerance(errors):
            self._loose_top = 0
            return
        self._heights[0] = corrected(self._heights[:1], errors, self._watch.left.least, self._watch.right.least)[0]
        self._show_tops()


def _rows(lines: Sequence[str]) -> int:
    """How many rows a view counts that holds these lines."""
    return len(lines) + 1 if not lines or lines[-1].endswith("\n") else len(lines)


def _uneven(gaps: Sequence[Gap]) -> List[Gap]:
    """The gaps by which lines are moved; the first one, of the header, always."""
    return [gap for number, gap in enumerate(gaps) if not number or gap.left_rows or gap.right_rows]


def _filler(height: int, sizes: Sizes) -> str:
    return filler_html(height, sizes.row, sizes.room)
