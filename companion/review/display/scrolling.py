"""Two views that scroll as one.

The editor has no event for scrolling, so the clock asks it for the positions while a review is visible.

Rules: the view that moved leads. The other one follows to where the line at its top has its partner, so that a small
error in the height of a filler never adds up.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from typing import TYPE_CHECKING, List, NamedTuple, Optional, Sequence, Tuple

from ...comparison import Hunk

if TYPE_CHECKING:
    import sublime

ScrollPosition = Tuple[float, float]
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


def partner_row(row: int, here: Sequence[Rows], there: Sequence[Rows]) -> int:
    """The row of the other text that is level with this one; `here` and `there` are the two sides of a `ScrollMap`."""
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
        self._views = (left, right)
        self._map: Optional[ScrollMap] = None
        self._at: List[ScrollPosition] = [left.viewport_position(), right.viewport_position()]
        self._leader = 1  # of the two
        self._target: ScrollPosition = self._at[0]
        self._settling = 0  # polls in which the other view may still be on its way

    def use(self, scroll_map: Optional[ScrollMap], moved: bool = True) -> None:
        """Take over which rows belong together; with None the views scroll by the same distance.

        `moved` says whether equal lines stand elsewhere than before.
        """
        if scroll_map is None or scroll_map != self._map:
            self._map = scroll_map
            if moved:
                self._follow(1)

    def follow(self) -> None:
        """Bring the left view level with the right one: lines have moved."""
        self._follow(1)

    @property
    def position(self) -> ScrollPosition:
        """Where the right view was scrolled to at the last tick."""
        return self._at[1]

    def tick(self) -> bool:
        """Let the view that did not move follow the one that did. True if something moved."""
        now = [view.viewport_position() for view in self._views]
        moved = [_moved(new, old) for new, old in zip(now, self._at)]
        if self._settling:
            self._settling -= 1
            other = 1 - self._leader
            if moved[other] and _on_the_way(now[other], self._at[other], self._target):
                self._at[other], moved[other] = now[other], False
        if any(moved):
            self._follow(1 if moved[1] else 0)
        return any(moved)

    def _follow(self, leader: int) -> None:
        """Bring the other view level with this one."""
        other = self._views[1 - leader]
        x, y = self._views[leader].viewport_position()
        target = (x, max(0.0, y + self._difference(leader, y)))
        if _moved(other.viewport_position(), target):
            other.set_viewport_position(target, False)
            # What it reaches may be less, at the end of a shorter text, and later; that is no movement of its own.
            self._leader, self._target, self._settling = leader, target, _SETTLING
        self._at = [view.viewport_position() for view in self._views]

    def _difference(self, leader: int, y: float) -> float:
        """How much lower the partner of the line at the leader's top stands."""
        if self._map is None:
            return 0.0
        first, other = self._views[leader], self._views[1 - leader]
        here, there = self._map[leader], self._map[1 - leader]
        row = first.rowcol(first.layout_to_text((0.0, y)))[0]
        partner = partner_row(row, here, there)
        if partner_row(partner, there, here) != row or partner > other.rowcol(other.size())[0]:
            return 0.0  # inside a change, where fillers make up the difference
        if row != partner and not (row and partner):
            return 0.0  # a first line, above which no filler can stand: those below it are level
        tops = [view.text_to_layout(view.text_point(at, 0))[1] for view, at in ((first, row), (other, partner))]
        return tops[1] - tops[0]


def _moved(one: ScrollPosition, other: ScrollPosition) -> bool:
    return abs(one[0] - other[0]) > _STILL or abs(one[1] - other[1]) > _STILL


def _on_the_way(now: ScrollPosition, before: ScrollPosition, target: ScrollPosition) -> bool:
    """Whether a view that was sent from `before` to `target` is somewhere between them."""
    return all(
        min(start, end) - _STILL <= at <= max(start, end) + _STILL for at, start, end in zip(now, before, target)
    )
