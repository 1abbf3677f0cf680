"""Shows the original in a view beside the proposal, its equal lines level with those of the proposal.

Theory of operation: fillers stand between the lines, and the two views scroll as one (`scrolling`). How high the
fillers must be is planned, drawn, measured on the screen, and corrected until equal lines are level (`leveling`). The
header stands under the proposal's first line, and as many rows under the original's.

Rule: what is level for these gaps on this screen is not measured again, but for the last line now and then.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ..document.analysis import NOTHING, Analysis
from .decorations import Blocks, PlacedBlock, Regions, Side, Top, mark
from .drawing import Drawing
from .leveling import (
    NO_BLOCKS,
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
from .mark_style import MarkStyle
from .markup import added_caption, filler_html, removed_caption
from .pacing import TURN
from .screen import BothSizes, Sizes
from .scrolling import ScrollLock, ScrollMap

_ROUNDS = 3  # of correcting at the most; two are enough in every editor that is known
_MEASURED_AT_ONCE = 40
_MEASURED_LENGTH = 1 << 20  # characters of a text that is not compared
_TOP = Gap(0, 0, 0, 0, None)  # where nothing is measured but the header


class Levelled(NamedTuple):
    """What heights were corrected for: the gaps that move lines, the rows of the header, and the screen."""

    gaps: List[Gap]
    header_rows: int
    sizes: BothSizes


class SideBySide(Drawing):
    """The drawing of a proposal beside its original. Main thread only."""

    def __init__(
        self,
        original_view: sublime.View,
        proposal_view: sublime.View,
        on_link: Callable[[str], None],
        on_outdated: Callable[[], None],
        mark_style: MarkStyle,
        fold: bool,
    ) -> None:
        super().__init__(original_view, proposal_view, on_link, on_outdated, mark_style, fold)
        self.rounds = 0  # of corrections that the last drawing took
        self._original_view = original_view
        self._original_top = Top(original_view)
        self._original_blocks = Blocks(original_view, keep_caret=False)
        self.original_regions = Regions(original_view, self._styles)
        self._lock = ScrollLock(original_view, proposal_view)
        self._analysis: Optional[Analysis] = None
        self._gaps: List[Gap] = [_TOP]
        self._heights: List[Heights] = [NO_BLOCKS]
        self.header_rows = 0  # that the heights are made for
        self._known: Known = {}
        self._known_for: Optional[BothSizes] = None
        self.levelled: Optional[Levelled] = None  # what is drawn; None while that does not fit the screen
        self._even_corrected = False  # whether so were gaps where no rows are missing
        self._left_over: Optional[float] = None  # the error at the last anchor that could not be corrected

    def original_filled(self) -> None:
        """The original's view was given another text, with which nothing that is drawn has moved."""
        self.folding.original_filled()
        self.original_regions.carry(None)
        self._original_blocks.carry(None)

    def _refolded(self) -> None:
        self._lock.follow()

    @property
    def valid(self) -> bool:
        """Whether the views are still there."""
        return self._original_view.is_valid() and super().valid

    def clear(self) -> None:
        """Take everything off the views."""
        super().clear()
        self.original_regions.clear()
        self._original_blocks.clear()
        self._original_top.show("")

    def tick(self) -> bool:
        """Let one view follow the other, and look whether the screen has changed. True if something moved."""
        scrolled = self._lock.tick()
        return super().tick() or scrolled

    @property
    def _position(self) -> Tuple[float, float]:
        return self._lock.position

    def _outdate(self) -> None:
        super()._outdate()
        self.levelled = None

    # -- drawing ------------------------------------------------------------------------------------------------------

    def _draw_original(self, analysis: Optional[Analysis]) -> Iterator[object]:
        yield from mark(self.original_regions, Side.LEFT, analysis or NOTHING, self.mark_style)
        before = self.levelled
        yield from self._level(analysis, len(self._rows))
        yield None
        hunks = None if analysis is None else ScrollMap.of([change.hunk for change in analysis.changes])
        self._lock.use(hunks, moved=self.levelled is not before)

    def _level(self, analysis: Optional[Analysis], header_rows: int) -> Iterator[object]:
        """Show fillers that make equal lines level, below a header of so many rows. In small steps."""
        sizes = self._watch.sizes
        if self._known_for != sizes:
            self._known, self._known_for = {}, sizes
        gaps = self._gaps_of(analysis)
        wanted = Levelled(_uneven(gaps), header_rows, sizes)
        # Changes that replace lines by as many may come and go: they move none, unless their lines wrap.
        same = wanted == self.levelled and (gaps == self._gaps or not self._even_corrected)
        known = dict(zip(self._gaps, self._heights))
        self._analysis, self._gaps = analysis, gaps
        if same:
            self._heights = [known.get(gap, NO_BLOCKS) for gap in gaps]
            yield from self._put()
            return
        self.levelled, self.header_rows = None, header_rows
        plan = planned(gaps, sizes.left.line_height, sizes.right.line_height, header_rows, self._known)
        self._heights = plan
        yield from self._put()
        for self.rounds in range(_ROUNDS + 1):
            yield TURN
            errors: List[Optional[float]] = []
            yield from self._measure(errors)
            if self.rounds == _ROUNDS or within_tolerance(errors):
                break
            self._heights = corrected(self._heights, errors, sizes.left.least, sizes.right.least)
            yield from self._put()
        yield None
        self._left_over = next((error for error in reversed(errors) if error is not None), None)
        self._known = {**self._known, **learnt(gaps, plan, self._heights)}
        even = (heights for gap, heights in list(zip(gaps, self._heights))[1:] if not gap.left_rows + gap.right_rows)
        self._even_corrected = any(heights != NO_BLOCKS for heights in even)
        self.levelled = wanted

    def _gaps_of(self, analysis: Optional[Analysis]) -> List[Gap]:
        if analysis is not None:
            # Rows whose change is hidden are measured too: where words wrap, they may be higher on one side.
            return gaps_of(analysis.differing, _rows(analysis.left_lines), _rows(analysis.right_lines))
        # Not for a very long text: to say where its lines are, the editor would have to lay it out first.
        sides = [view for view in (self._original_view, self._view) if view.size() <= _MEASURED_LENGTH]
        rows = [view.rowcol(view.size())[0] + 1 for view in sides]
        return gaps_of([], *rows) if len(rows) == 2 else [_TOP]

    def _put(self) -> Iterator[object]:
        """Show blocks of these heights."""
        lefts: List[PlacedBlock] = []
        rights: List[PlacedBlock] = []
        if self._analysis is not None:
            left_starts, right_starts = self._analysis.left_starts, self._analysis.right_starts
            for gap, heights in list(zip(self._gaps, self._heights))[1:]:
                if heights.left is not None:
                    filler = _filler(heights.left, self._watch.sizes.left, added_caption(gap.left_rows))
                    lefts.append((left_starts[gap.left_row], filler))
                if heights.right is not None:
                    filler = _filler(heights.right, self._watch.sizes.right, removed_caption(gap.right_rows))
                    rights.append((right_starts[gap.right_row], filler))
        yield from self._original_blocks.update(lefts)
        yield from self._blocks.update(rights)
        self._draw_header()

    # -- the first lines ----------------------------------------------------------------------------------------------

    @property
    def header_level(self) -> bool:
        """Whether as many rows stand beside the header as it has."""
        return len(self._rows) == self.header_rows

    def _below_header(self) -> Tuple[int, str]:
        return self._heights[0].right or 0, removed_caption(self._gaps[0].right_rows)

    def _draw_header(self) -> None:
        """Show the header, and in the original's view what stands level with it, as far as that is known yet."""
        super()._draw_header()
        sizes, rows, missing = self._watch.sizes.left, len(self._rows), self._gaps[0].left_rows
        left = (self._heights[0].left or 0) + round((rows - self.header_rows) * sizes.line_height)
        above = round(rows * sizes.line_height) if missing else 0
        self._original_top.show(_filler(left, sizes, added_caption(missing), above) if left > 0 else "")

    # -- measuring ----------------------------------------------------------------------------------------------------

    def _still_level(self) -> bool:
        """Whether the last lines are as level as they were, or it is not known where they are now."""
        if self.levelled is None or not self.valid:
            return True
        anchor = next((gap.anchor for gap in reversed(self._gaps) if gap.anchor is not None), None)
        edited = self._analysis is not None and self._view.size() != self._analysis.right_starts[-1]
        error = None if edited else self._error_at(anchor)
        return error is None or abs(error - (self._left_over or 0.0)) <= 2 * TOLERANCE

    def _measure(self, errors: List[Optional[float]]) -> Iterator[object]:
        """Add how much too low the left line stands at each anchor. Each `yield` is one of small steps."""
        for number, gap in enumerate(self._gaps):
            errors.append(self._error_at(gap.anchor))
            if number % _MEASURED_AT_ONCE == _MEASURED_AT_ONCE - 1:
                yield None

    def _error_at(self, anchor: Optional[Anchor]) -> Optional[float]:
        if anchor is None:
            return None
        if self._analysis is not None:
            left, right = self._analysis.left_starts[anchor[0]], self._analysis.right_starts[anchor[1]]
        else:
            left, right = self._original_view.text_point(anchor[0], 0), self._view.text_point(anchor[1], 0)
        return self._original_view.text_to_layout(left)[1] - self._view.text_to_layout(right)[1]


def _rows(lines: Sequence[str]) -> int:
    """How many rows a view counts that holds these lines."""
    return len(lines) + 1 if not lines or lines[-1].endswith("\n") else len(lines)


def _uneven(gaps: Sequence[Gap]) -> List[Gap]:
    """The gaps by which lines are moved; the first one, of the header, always."""
    return [gap for number, gap in enumerate(gaps) if not number or gap.left_rows or gap.right_rows]


@lru_cache(maxsize=256)  # most fillers of a review are equal
def _filler(height: int, sizes: Sizes, caption: str, above: int = 0) -> str:
    """A filler that says what it stands for, below so many pixels, if there is room for that."""
    room = sizes.room - int((max(1, len(caption)) - 1) * sizes.em_width)
    if room < 0 or height - above < sizes.row or not caption:
        return filler_html(height, sizes.row, sizes.room)
    return filler_html(height, sizes.row, room, caption, above)
