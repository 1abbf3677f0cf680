"""Two views that scroll as one.

The editor has no event for scrolling, so the positions are asked for again and again while a review is visible.

Rules: the view that moved leads. The other one follows to where the line at its top has its partner, so that a small
error in the height of a filler never adds up.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import TYPE_CHECKING, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ...comparison import Hunk
from ..document.analysis import NOTHING, Analysis
from .decorations import LEFT, Block, Blocks, Marks, Regions, Styles, Top
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
from .screen import BothSizes, Sizes, Watch
from .slices import TURN

if TYPE_CHECKING:
    import sublime

Position = Tuple[float, float]
Rows = Tuple[int, int]  # the first one, and the one behind the last
_STILL = 0.5  # pixels
_SETTLING = 3  # polls


class ScrollMap(NamedTuple):
    """Which row of one text stands level with a row of the other: the rows of each hunk on both sides, in order.

    Outside the changes a row has exactly one partner. Inside a change rows pair from the top of it, and what the
    shorter side lacks pairs with its last row there.
    """

    left: List[Rows]
    right: List[Rows]

    @classmethod
    def of(cls, hunks: Sequence[Hunk]) -> ScrollMap:
        """The map of these hunks, which are in order."""
        return cls([hunk[:2] for hunk in hunks], [hunk[2:] for hunk in hunks])

    def to_right(self, row: int) -> int:
        """The row of the right text level with `row` of the left one."""
        return _partner(row, self.left, self.right)

    def to_left(self, row: int) -> int:
        """The row of the left text level with `row` of the right one."""
        return _partner(row, self.right, self.left)


def _partner(row: int, here: Sequence[Rows], there: Sequence[Rows]) -> int:
    index = bisect_right(here, (row, sys.maxsize)) - 1
    if index < 0:
        return row
    (start, end), (first, last) = here[index], there[index]
    if row >= end:
        return row - end + last
    return max(first, min(row - start + first, last - 1)) if last > first else max(0, first - 1)


class ScrollLock:
    """Keeps two views level. Main thread only."""

    def __init__(self, left: sublime.View, right: sublime.View) -> None:
        self._left = left
        self._right = right
        self._map: Optional[ScrollMap] = None
        self._left_at: Position = left.viewport_position()
        self._right_at: Position = right.viewport_position()
        self._leader = right
        self._target: Position = self._left_at
        self._settling = 0  # polls in which the other view may still be on its way

    def use(self, scroll_map: Optional[ScrollMap], moved: bool = True) -> None:
        """Take over which rows belong together; with None the views scroll by the same distance.

        `moved` says whether equal lines stand elsewhere than before.
        """
        if scroll_map is None or scroll_map != self._map:
            self._map = scroll_map
            if moved:
                self.follow(self._right)

    def tick(self) -> bool:
        """Let the view that did not move follow the one that did. True if something moved."""
        left, right = self._left.viewport_position(), self._right.viewport_position()
        left_moved, right_moved = _moved(left, self._left_at), _moved(right, self._right_at)
        if self._settling:
            self._settling -= 1
            if self._leader == self._right and left_moved and _on_the_way(left, self._left_at, self._target):
                self._left_at, left_moved = left, False
            if self._leader == self._left and right_moved and _on_the_way(right, self._right_at, self._target):
                self._right_at, right_moved = right, False
        if not left_moved and not right_moved:
            return False
        self.follow(self._right if right_moved else self._left)
        return True

    def follow(self, leader: sublime.View) -> None:
        """Bring the other view level with `leader`."""
        position = leader.viewport_position()
        other = self._right if leader == self._left else self._left
        target = (position[0], max(0.0, position[1] + self._difference(leader, other, position)))
        if _moved(other.viewport_position(), target):
            other.set_viewport_position(target, False)
            # What it reaches may be less, at the end of a shorter text, and later; that is no movement of its own.
            self._leader, self._target, self._settling = leader, target, _SETTLING
        self._left_at, self._right_at = self._left.viewport_position(), self._right.viewport_position()

    def _difference(self, leader: sublime.View, other: sublime.View, position: Position) -> float:
        """How much lower the partner of the line at the leader's top stands."""
        if self._map is None:
            return 0.0
        point = leader.layout_to_text((0.0, position[1]))
        row = leader.rowcol(point)[0]
        left_leads = leader == self._left
        partner = self._map.to_right(row) if left_leads else self._map.to_left(row)
        back = self._map.to_left(partner) if left_leads else self._map.to_right(partner)
        if back != row or partner > other.rowcol(other.size())[0]:
            return 0.0  # inside a change, where fillers make up the difference
        if row != partner and not (row and partner):
            return 0.0  # a first line, above which no filler can stand: those below it are level
        here = leader.text_to_layout(leader.text_point(row, 0))[1]
        there = other.text_to_layout(other.text_point(partner, 0))[1]
        return there - here


def _moved(one: Position, other: Position) -> bool:
    return abs(one[0] - other[0]) > _STILL or abs(one[1] - other[1]) > _STILL


def _on_the_way(now: Position, before: Position, target: Position) -> bool:
    """Whether a view that was sent from `before` to `target` is somewhere between them."""
    return all(
        min(start, end) - _STILL <= at <= max(start, end) + _STILL for at, start, end in zip(now, before, target)
    )


# JOINED side_by_side
# Keeps the equal lines of two views level: with fillers between the lines, and by letting the views scroll as one.
#
# Theory of operation: how high the fillers must be is planned, drawn, measured on the screen, and corrected until equal
# lines are level (`leveling`). The header stands under the proposal's first line, and as many rows under the original's.
#
# Rule: what is level for these gaps on this screen is not measured again, but for the last line now and then.

_ROUNDS = 3  # of correcting at the most; two are enough in every editor that is known
_MEASURED_AT_ONCE = 40
_MEASURED_LENGTH = 1 << 20  # characters of a text that is not compared


class Levelled(NamedTuple):
    """What heights were corrected for: the gaps that move lines, the rows of the header, and the screen."""

    gaps: List[Gap]
    header_rows: int
    sizes: BothSizes


class SideBySide:
    """What the original's view adds to the drawing of a proposal. Main thread only.

    `fillers` are the blocks of the proposal's view, `show_header` draws the header with what is to be below it.
    """

    def __init__(
        self,
        original_view: sublime.View,
        proposal_view: sublime.View,
        watch: Watch,
        styles: Styles,
        fillers: Blocks,
        show_header: Callable[[], None],
    ) -> None:
        self.rounds = 0  # of corrections that the last drawing took
        self._left = original_view
        self._right = proposal_view
        self._watch = watch
        self._right_blocks = fillers
        self._show_header = show_header
        self._top = Top(original_view)
        self._left_blocks = Blocks(original_view, keep_caret=False)
        self.regions = Regions(original_view, styles)
        self._marks = Marks(self.regions, LEFT, styles)
        self._lock = ScrollLock(original_view, proposal_view)
        self._analysis: Optional[Analysis] = None
        self._gaps: List[Gap] = [Gap(0, 0, 0, 0, None)]
        self._heights: List[Heights] = [Heights(None, None)]
        self.header_rows = 0  # that the heights are made for
        self._moved = True  # whether the last drawing may have moved lines
        self._known: Known = {}
        self._known_for: Optional[BothSizes] = None
        self.levelled: Optional[Levelled] = None  # what is drawn; None while that does not fit the screen
        self._even_corrected = False  # whether so were gaps where no rows are missing
        self._left_over: Optional[float] = None  # the error at the last anchor that could not be corrected

    def original_filled(self) -> None:
        """The original's view was given another text, with which nothing that is drawn has moved."""
        self.regions.carry(None)
        self._left_blocks.carry(None)

    def clear(self) -> None:
        """Take everything off the original's view."""
        self.regions.clear()
        self._left_blocks.clear()
        self._top.show("")

    def tick(self) -> bool:
        """Let one view follow the other. True if it has."""
        return self._lock.tick()

    def follow(self, analysis: Optional[Analysis]) -> None:
        """From now on scroll by this comparison; None if the texts are not compared."""
        hunks = [change.hunk for change in analysis.changes] if analysis is not None else []
        self._lock.use(ScrollMap.of(hunks) if analysis is not None else None, self._moved)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def mark(self, analysis: Optional[Analysis]) -> Iterator[object]:
        """Mark the changes in the original's view, none if there is no comparison. In small steps."""
        return self._marks.draw(analysis or NOTHING)

    def level(self, analysis: Optional[Analysis], header_rows: int) -> Iterator[object]:
        """Show fillers that make equal lines level, below a header of so many rows. In small steps."""
        sizes = self._watch.sizes
        if self._known_for != sizes:
            self._known, self._known_for = {}, sizes
        gaps = self._gaps_of(analysis)
        wanted = Levelled(_uneven(gaps), header_rows, sizes)
        # Changes that replace lines by as many may come and go: they move none, unless their lines wrap.
        same = wanted == self.levelled and (gaps == self._gaps or not self._even_corrected)
        known = dict(zip(self._gaps, self._heights))
        self._analysis, self._gaps, self._moved = analysis, gaps, not same
        if same:
            self._heights = [known.get(gap, Heights(None, None)) for gap in gaps]
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
        self._even_corrected = any(heights != Heights(None, None) for heights in even)
        self.levelled = wanted

    def _gaps_of(self, analysis: Optional[Analysis]) -> List[Gap]:
        if analysis is not None:
            # Rows whose change is hidden are measured too: where words wrap, they may be higher on one side.
            return gaps_of(analysis.differing, _rows(analysis.left_lines), _rows(analysis.right_lines))
        # Where lines of a very long text are is not asked: the editor would have to lay it out first.
        sides = [view for view in (self._left, self._right) if view.size() <= _MEASURED_LENGTH]
        rows = [view.rowcol(view.size())[0] + 1 for view in sides]
        return gaps_of([], *rows) if len(rows) == 2 else [Gap(0, 0, 0, 0, None)]

    def _put(self) -> Iterator[object]:
        """Show blocks of these heights."""
        lefts: List[Block] = []
        rights: List[Block] = []
        if self._analysis is not None:
            left_starts, right_starts = self._analysis.left_starts, self._analysis.right_starts
            for gap, heights in list(zip(self._gaps, self._heights))[1:]:
                if heights.left is not None:
                    lefts.append((left_starts[gap.left_row], _filler(heights.left, self._watch.sizes.left)))
                if heights.right is not None:
                    rights.append((right_starts[gap.right_row], _filler(heights.right, self._watch.sizes.right)))
        yield from self._left_blocks.update(lefts)
        yield from self._right_blocks.update(rights)
        self._show_header()

    # -- the first lines ----------------------------------------------------------------------------------------------

    @property
    def below_header(self) -> int:
        """How many pixels belong below the header."""
        return self._heights[0].right or 0

    def show_top(self, header_rows: int) -> None:
        """Show in the original's view what stands level with a header of so many rows, as far as that is known yet."""
        more = (header_rows - self.header_rows) * self._watch.sizes.left.line_height
        left = (self._heights[0].left or 0) + round(more)
        self._top.show(_filler(left, self._watch.sizes.left) if left > 0 else "")

    # -- measuring ----------------------------------------------------------------------------------------------------

    def still_level(self) -> bool:
        """Whether the last lines are as level as they were, or it is not known where they are now."""
        if self.levelled is None or not self._valid:
            return True
        anchor = next((gap.anchor for gap in reversed(self._gaps) if gap.anchor is not None), None)
        if anchor is None or self._edited():
            return True
        error = self._error_at(anchor)
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
            left, right = self._left.text_point(anchor[0], 0), self._right.text_point(anchor[1], 0)
        return self._left.text_to_layout(left)[1] - self._right.text_to_layout(right)[1]

    def _edited(self) -> bool:
        """Whether the proposal is not as long any more as when it was compared."""
        return self._analysis is not None and self._right.size() != self._analysis.right_starts[-1]

    @property
    def _valid(self) -> bool:
        return self._left.is_valid() and self._right.is_valid()


def _rows(lines: Sequence[str]) -> int:
    """How many rows a view counts that holds these lines."""
    return len(lines) + 1 if not lines or lines[-1].endswith("\n") else len(lines)


def _uneven(gaps: Sequence[Gap]) -> List[Gap]:
    """The gaps by which lines are moved; the first one, of the header, always."""
    return [gap for number, gap in enumerate(gaps) if not number or gap.left_rows or gap.right_rows]


def _filler(height: int, sizes: Sizes) -> str:
    return filler_html(height, sizes.row, sizes.room)
