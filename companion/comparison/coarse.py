"""The hunks between two very long texts: whole lines only, at the speed of string search.

Method: `matching.changed_stretches` finds the stretches of characters that differ, and each is widened to whole lines.

Rule: nothing here makes an object per line. Half a million of them would take longer than the comparison, and would be
felt again on the thread that drops them, which is often the editor's.
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from typing import Any, Callable, Dict, List, Sequence

from .budget import Budget, never
from .hunks import Hunk
from .lines import split_lines
from .matching import Stretch, changed_stretches, common_suffix

_PORTION = 1 << 11  # characters, of which it is known how many lines end in front of them
_PORTIONS_PER_POLL = 500
_MOST_HUNKS = 500
"""Each costs the editor marks, fillers and a link; beyond, those that are nearest to each other become one."""


class Lines(Sequence[str]):
    """The lines of `text` as `split_lines` gives them, each made when it is asked for. One thread at a time."""

    def __init__(self, text: str, cancelled: Callable[[], bool] = never) -> None:
        """`cancelled` is called every few milliseconds. Raises `Cancelled` if it is true."""
        budget = Budget(cancelled)
        self.text = text
        self._ended = array("q", [0])  # lines that end in front of each portion
        for _, firsts in budget.slices(range(0, len(text), _PORTION), _PORTIONS_PER_POLL):
            for first in firsts:
                self._ended.append(self._ended[-1] + text.count("\n", first, first + _PORTION))
        self._starts: Dict[int, int] = {}
        self._length = self._ended[-1] + (text[-1:] not in ("", "\n"))

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            return split_lines(self.text[self.start(first) : self.start(max(first, last))])[::step]
        first = self.start(range(len(self))[index])
        return self.text[first : self.text.find("\n", first) + 1 or len(self.text)]

    def start(self, row: int) -> int:
        """The offset of a line; the end of the text for the one behind the last. Found once, it is known."""
        if row not in self._starts:
            self._starts[row] = self._find(row) if row < len(self) else len(self.text)
        return self._starts[row]

    def _find(self, row: int) -> int:
        portion = max(0, bisect_left(self._ended, row) - 1)
        first = portion * _PORTION
        text = self.text[first : first + _PORTION]
        behind = text.split("\n", row - self._ended[portion])[-1]
        return first + len(text) - len(behind)

    def row(self, offset: int) -> int:
        """The line that `offset` lies in. The end of a text whose last line has an end lies behind all of them."""
        portion = offset // _PORTION
        return self._ended[portion] + self.text.count("\n", portion * _PORTION, offset)


class Starts(Sequence[int]):
    """The offsets of `lines`, the end of the text last."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines) + 1

    def __getitem__(self, index: Any) -> Any:
        return self._lines.start(range(len(self))[index])


def compare_coarsely(left: Lines, right: Lines, *, cancelled: Callable[[], bool] = never) -> List[Hunk]:
    """A few hundred hunks at the most that turn the lines `left` into the lines `right`; none if they are equal.

    More lines change than need to, and hunks do not lie where a reader expects them. The time is in proportion to the
    length of the texts. `cancelled` is called every few milliseconds, on the calling thread; if it is true, `Cancelled`
    is raised. May be called from any thread.
    """
    budget = Budget(cancelled)
    hunks: List[Hunk] = []
    for _, part in budget.slices(changed_stretches(left.text, right.text, budget)):
        for stretch in part:
            hunk = _whole_lines(left, right, stretch)
            if hunks and (hunk.left_start <= hunks[-1].left_end or hunk.right_start <= hunks[-1].right_end):
                hunk = hunks.pop().joined(hunk)
            hunks.append(hunk)
    return _at_most(_MOST_HUNKS, [_trimmed(left, right, hunk) for hunk in hunks])


def _whole_lines(left: Lines, right: Lines, stretch: Stretch) -> Hunk:
    """The lines that hold what differs. In front of it, and behind it, both texts are equal."""
    i, left_end, j, right_end = stretch
    equal = common_suffix(left.text[i:left_end], right.text[j:right_end])
    left_end, right_end = left_end - equal, right_end - equal
    ends = ((left, left_end), (right, right_end))
    # A line that goes on behind one of the ends is the same on both sides, so it belongs to both.
    goes_on = any(end and lines.text[end - 1] != "\n" for lines, end in ends)
    left_last, right_last = (min(lines.row(end) + goes_on, len(lines)) for lines, end in ends)
    return Hunk(left.row(i), left_last, right.row(j), right_last)


def _trimmed(left: Lines, right: Lines, hunk: Hunk) -> Hunk:
    """Cut the equal lines at its end off a hunk. At its start there are none, because the difference begins there."""
    i, left_end, j, right_end = hunk
    while i < left_end and j < right_end and left[left_end - 1] == right[right_end - 1]:
        left_end, right_end = left_end - 1, right_end - 1
    return Hunk(i, left_end, j, right_end)


def _at_most(number: int, hunks: List[Hunk]) -> List[Hunk]:
    """Join hunks, those with the fewest lines between them first, until there are no more than `number`."""
    if len(hunks) <= number:
        return hunks
    apart = heapq.nlargest(
        number - 1, range(1, len(hunks)), key=lambda place: hunks[place].left_start - hunks[place - 1].left_end
    )
    cuts = [0, *sorted(apart), len(hunks)]
    return [hunks[first].joined(hunks[last - 1]) for first, last in zip(cuts, cuts[1:])]
