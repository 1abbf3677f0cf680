"""What is folded in a view: stretches of its text, in place of which it shows one mark.

The mark stands where the stretch begins, and behind it, in the same row, what follows the stretch: the pictures in
sublimehq/sublime_text 5798 and 5859. The editor's own commands, and packages, fold from the end of one line to the end
of another (its `Default/fold.py`; sublimelsp/LSP pull request 462). Numbers below are issues of that tracker.

* The arrow keys go past a fold (5743: otherwise in some older builds). Going to a line, and finding, open the fold
  that they lead into (3020, 4106; atom/go-to-line 24).
* `unfold` opens what stands beside the caret only (5798, 5859), and selects it (5797), as `fold` does.
* A change of the text inside a fold opens it (3162, number 5; 5801): the quirk `folds_stay` says otherwise.
* No event tells of a fold. Packages watch the commands (a gist of rchl keeps the viewport so), and a click into the
  mark is none.
* What folds and unfolds may scroll (5622, 5892): the quirk `folding_scrolls`.
* Each view has folds of its own, and neither `View.show` nor a selection that a plugin makes opens one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any, Iterator, List, Tuple

from .buffer import Change

MARK_COLUMNS = 3

Stretch = Tuple[int, int]


class Folds:
    """The folds of a view, from the top. They do not overlap. `version` counts their changes."""

    def __init__(self) -> None:
        self.stretches: List[Stretch] = []
        self.version = 0

    def fold(self, start: int, end: int) -> bool:
        """Fold a stretch, with what was folded inside it. False if it was folded already."""
        if start >= end or self.covers(start, end):
            return False
        met = self._met(start, end)
        found = [(start, end), *self.stretches[met]]
        self.stretches[met] = [(min(each[0] for each in found), max(each[1] for each in found))]
        self.version += 1
        return True

    def unfold(self, start: int, end: int) -> List[Stretch]:
        """Open what meets a stretch, be it empty. Returns what was folded."""
        met = self._met(start, max(end, start + 1))
        found = self.stretches[met]
        if found:
            del self.stretches[met]
            self.version += 1
        return found

    def covers(self, start: int, end: int) -> bool:
        """Whether all of a stretch is folded."""
        return any(first <= start and end <= last for first, last in self.stretches[self._met(start, end)])

    def _met(self, start: int, end: int) -> slice:
        """Which of the stretches share a character with this one."""
        first = bisect_left(self.stretches, (start, start))
        if first and self.stretches[first - 1][1] > start:
            first -= 1
        return slice(first, max(first, bisect_left(self.stretches, (end, end))))

    def inside(self, point: int) -> Iterator[Stretch]:
        """The fold that hides a point, if there is one: its two ends are in sight."""
        return (each for each in self.stretches[self._met(point - 1, point)] if each[0] < point < each[1])

    def carry(self, change: Change, stay: bool) -> None:
        """Move with the text. What is changed inside a fold opens it, unless folds `stay`."""
        start, removed, inserted = change
        end, by = start + removed, inserted - removed
        kept: List[Stretch] = []
        for first, last in self.stretches:
            if end <= first:
                kept.append((first + by, last + by))
            elif start >= last:
                kept.append((first, last))
            elif stay and first <= start and end <= last and first < last + by:
                kept.append((first, last + by))
        if kept != self.stretches:
            self.stretches = kept
            self.version += 1


class HiddenRows:
    """The rows that do not show, because a fold begins above them, as they are now."""

    def __init__(self, buffer: Any, folds: Folds) -> None:
        self._first: List[int] = []  # of each run
        self._last: List[int] = []
        self._before = [0]
        self._shown_in: List[int] = []
        for start, end in folds.stretches:
            row, last = buffer.row(start), buffer.row(end)
            if row == last:
                continue
            self._first.append(row + 1)
            self._last.append(last)
            self._before.append(self._before[-1] + last - row)
            self._shown_in.append(self.shown_in(row))

    def before(self, row: int) -> int:
        """How many rows above this one do not show."""
        number = bisect_left(self._first, row)
        past = max(0, self._last[number - 1] + 1 - row) if number else 0
        return self._before[number] - past

    def shown_in(self, row: int) -> int:
        """The row in which the end of this one shows: another one if it is hidden."""
        number = bisect_right(self._first, row) - 1
        return self._shown_in[number] if number >= 0 and row <= self._last[number] else row

    def hides(self, row: int) -> bool:
        """Whether a row begins inside a fold."""
        return self.shown_in(row) != row


def pieces_of_row(view: Any, row: int) -> List[Stretch]:
    """The stretches of text that show in a row that is not hidden; between two of them stands a mark."""
    buffer = view.buffer
    start, end = buffer.line_bounds(row)
    found: List[Stretch] = []
    stretches = view.folds.stretches
    for first, last in stretches[bisect_left(stretches, (start, start)) :]:
        if first > end:
            break
        if start <= first:
            found.append((start, first))
            start, end = last, buffer.line_bounds(buffer.row(last))[1]
    return [*found, (start, end)]
