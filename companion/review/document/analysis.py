"""What the views need to know of a comparison, prepared on a worker thread so that the main thread only hands it on.

Rules: everything here is plain data about two texts. Offsets count code points from the start of a text, rows count
from 0. It is valid for exactly these texts: a view that holds others by now shows none of it. The same question gets
the same answer, on every thread, so the answer that came before the views were made is used by them.

Captions of moved blocks count as a reader does: lines from 1, as the editor numbers them.

The editor is not known here. Any thread, except where noted.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ...common.display_names import columns
from ...comparison import (
    Hunk,
    HunkKind,
    Lines,
    Move,
    Starts,
    Whitespace,
    common_prefix,
    common_suffix,
    compare_characters,
    compare_coarsely,
    compare_lines,
    hidden_changes,
    hides,
    moved_blocks,
    never,
    split_lines,
)
from ...settings import Settings
from .disk import ReadLimits

Span = Tuple[int, int]


class Change(NamedTuple):
    """One hunk as it is drawn: where its lines are in both texts, and the spans that changed inside them.

    Lines that changed as a whole have no spans. `first` are the first changed characters of the right text, at most
    those of one row; where characters are missing it is empty.
    """

    hunk: Hunk
    left: Span
    right: Span
    left_parts: Tuple[Span, ...]
    right_parts: Tuple[Span, ...]
    first: Span


class Analysis(NamedTuple):
    """Two texts compared. `left_starts` and `right_starts` are the offsets of their rows, the end of the text last.

    `hidden` are the rows outside the changes that differ only in whitespace that is `ignored`, and `hidden_parts` is
    how many such places there are inside changed lines. `moves` are blocks that certainly moved; their lines belong to
    changes like others, and are counted. A `coarse` one has neither: it knows whole lines only, and more than need be.
    """

    left_lines: Sequence[str]
    right_lines: Sequence[str]
    left_starts: Sequence[int]
    right_starts: Sequence[int]
    changes: List[Change]
    ignored: Whitespace = Whitespace.NONE
    hidden: Sequence[Hunk] = ()
    hidden_parts: int = 0
    moves: Sequence[Move] = ()
    coarse: bool = False

    @property
    def hidden_count(self) -> int:
        """How many changes of whitespace are not marked."""
        return len(self.hidden) + self.hidden_parts

    @property
    def differing(self) -> List[Hunk]:
        """Where the texts differ, marked or not, in order."""
        return sorted([*(change.hunk for change in self.changes), *self.hidden])

    @property
    def added(self) -> int:
        """How many lines the right text has that the left one has not."""
        return sum(change.hunk.right_count for change in self.changes)

    @property
    def removed(self) -> int:
        """How many lines of the left text the right one has not."""
        return sum(change.hunk.left_count for change in self.changes)

    def has_longer(self, width: int) -> bool:
        """Whether a changed line of either text takes more than `width` columns."""
        for change in self.changes:
            left, right = change.hunk[:2], change.hunk[2:]
            for lines, (start, end) in ((self.left_lines, left), (self.right_lines, right)):
                if any(columns(line.rstrip("\n").expandtabs(4)) > width for line in lines[start:end]):
                    return True
        return False

    def change_at(self, offset: int) -> Optional[int]:
        """The index of the change that `offset` of the right text lies in or touches, or None."""
        row = self.row_at(offset)
        index = self._first_after(row) - 1
        if index < 0:
            return None
        hunk = self.changes[index].hunk
        return index if row < max(hunk.right_end, hunk.right_start + 1) else None

    def change_from(self, row: int) -> Optional[int]:
        """The index of the change at `row`, or of the first behind it; of the last one if there is none behind."""
        last = len(self.changes) - 1
        at = self.change_at(self.right_starts[min(row, len(self.right_starts) - 1)])
        return at if at is not None else min(self._first_after(row), last) if last >= 0 else None

    def next_change(self, offset: int) -> Optional[int]:
        """The index of the first change behind the one at `offset`; None after the last."""
        index = self._first_after(self.row_at(offset))
        return index if index < len(self.changes) else None

    def previous_change(self, offset: int) -> Optional[int]:
        """The index of the last change in front of the one at `offset`; None before the first."""
        inside = self.change_at(offset)
        first = inside if inside is not None else self._first_after(self.row_at(offset))
        return first - 1 if first else None

    def changes_in(self, start: int, end: int) -> List[int]:
        """The indices of the changes that the stretch from `start` to `end` of the right text touches.

        A stretch that ends at the start of a row does not reach into it.
        """
        first = self.row_at(start)
        last = max(first, self.row_at(end - 1))
        inside = self.change_at(start)
        begin = self._first_after(first) if inside is None else inside
        return list(range(begin, max(begin, self._first_after(last))))

    def row_at(self, offset: int) -> int:
        """The row of `offset` in the right text."""
        row = bisect_right(self.right_starts, offset) - 1
        if row == len(self.right_lines) and row and not self.right_lines[-1].endswith("\n"):
            return row - 1  # the end of a last line that has no end
        return row

    def _first_after(self, row: int) -> int:
        """The index of the first change that starts behind `row`."""
        low, high = 0, len(self.changes)
        while low < high:
            middle = (low + high) // 2
            if self.changes[middle].hunk.right_start > row:
                high = middle
            else:
                low = middle + 1
        return low


def analyse(
    left: str, right: str, cancelled: Callable[[], bool] = never, *, ignored: Whitespace = Whitespace.NONE
) -> Analysis:
    """Compare two texts whose lines end with "\\n". Raises `comparison.Cancelled` when `cancelled()` becomes true."""
    left_lines, right_lines = split_lines(left), split_lines(right)
    left_starts, right_starts = _starts(left_lines), _starts(right_lines)
    hunks = compare_lines(left_lines, right_lines, ignored=ignored, cancelled=cancelled)
    hidden: Sequence[Hunk] = ()
    if ignored is not Whitespace.NONE:
        hidden = hidden_changes(left_lines, right_lines, hunks, cancelled=cancelled)
    moves = moved_blocks(left_lines, right_lines, hunks, cancelled=cancelled)
    moved_left = [(left_starts[move.left], left_starts[move.left + move.length]) for move in moves]
    moved_right = sorted((right_starts[move.right], right_starts[move.right + move.length]) for move in moves)
    changes = []
    hidden_parts = 0
    for hunk in hunks:
        left_span = (left_starts[hunk.left_start], left_starts[hunk.left_end])
        right_span = (right_starts[hunk.right_start], right_starts[hunk.right_end])
        parts: Tuple[Sequence[Span], Sequence[Span]] = ((), ())
        first = (right_span[0], right_span[0])
        if hunk.kind == HunkKind.CHANGED:
            parts, unmarked = _parts(left, left_span, right, right_span, ignored, cancelled)
            first = _first(parts[1], right, first)
            hidden_parts += unmarked
        left_parts = _inside_lines(_outside(parts[0], moved_left), left_lines, left_starts)
        right_parts = _inside_lines(_outside(parts[1], moved_right), right_lines, right_starts)
        changes.append(Change(hunk, left_span, right_span, left_parts, right_parts, first))
    starts = left_starts, right_starts
    return Analysis(left_lines, right_lines, *starts, changes, ignored, hidden, hidden_parts, moves)


def analyse_coarsely(left: Lines, right: Lines, cancelled: Callable[[], bool] = never) -> Analysis:
    """Compare two very long texts by whole lines. Raises `comparison.Cancelled` when `cancelled()` becomes true."""
    left_starts, right_starts = Starts(left), Starts(right)
    changes: List[Change] = []
    for hunk in compare_coarsely(left, right, cancelled=cancelled):
        left_span = (left_starts[hunk.left_start], left_starts[hunk.left_end])
        right_span = (right_starts[hunk.right_start], right_starts[hunk.right_end])
        changes.append(Change(hunk, left_span, right_span, (), (), (right_span[0], right_span[0])))
    return Analysis(left, right, left_starts, right_starts, changes, coarse=True)


def _parts(
    left: str, left_span: Span, right: str, right_span: Span, ignored: Whitespace, cancelled: Callable[[], bool]
) -> Tuple[Tuple[List[Span], List[Span]], int]:
    """The changed characters of one hunk, as spans of the whole texts, and how many changes are hidden."""
    before, after = left[left_span[0] : left_span[1]], right[right_span[0] : right_span[1]]
    left_parts, right_parts = [], []
    hidden = 0
    for part in compare_characters(before, after, cancelled=cancelled):
        if hides(ignored, part, before, after):
            hidden += 1
            continue
        left_parts.append((left_span[0] + part.left_start, left_span[0] + part.left_end))
        right_parts.append((right_span[0] + part.right_start, right_span[0] + part.right_end))
    return (left_parts, right_parts), hidden


def _first(parts: Sequence[Span], text: str, otherwise: Span) -> Span:
    """The first of the changed characters, up to the end of their row."""
    if not parts:
        return otherwise
    start, end = parts[0]
    line_end = text.find("\n", start, end)
    return start, end if line_end < 0 else line_end


def _inside_lines(parts: Sequence[Span], lines: Sequence[str], starts: Sequence[int]) -> Tuple[Span, ...]:
    """What of `parts` changed inside lines: those that hold all the words of a line are left out, as in an addition."""
    result: List[Span] = []
    for start, end in parts:
        row = bisect_right(starts, start) - 1
        while start < end:
            line, first, last = lines[row], starts[row], min(end, starts[row + 1])
            words = line.strip()
            begin = first + line.index(words)
            if start > begin or last < begin + len(words or line):
                result.append((start, last))
            start, row = last, row + 1
    return tuple(result)


def _outside(parts: Sequence[Span], moved: Sequence[Span]) -> Tuple[Span, ...]:
    """What of `parts` lies outside the `moved` blocks, whose lines are marked as a whole. Both are in order.

    Empty parts are left out: the other side has what stands there.
    """
    result: List[Span] = []
    for start, end in parts:
        index = max(0, bisect_right(moved, (start, start)) - 1)
        while index < len(moved) and moved[index][0] < end:
            first, last = moved[index]
            result.append((start, first))
            start = max(start, last)
            index += 1
        result.append((start, end))
    return tuple((start, end) for start, end in result if start < end)


def _starts(lines: Sequence[str]) -> List[int]:
    return [0, *accumulate(map(len, lines))]


# -- blocks that moved ------------------------------------------------------------------------------------------------


class Moved(NamedTuple):
    """The rows `start` to `end` (not included) of one side, and the words that say where they came from or went to."""

    start: int
    end: int
    caption: str


def moved_on_left(moves: Sequence[Move]) -> List[Moved]:
    """The moved blocks of the original, in order."""
    return [Moved(move.left, move.left + move.length, f"moved to line {move.right + 1}") for move in sorted(moves)]


def moved_on_right(moves: Sequence[Move]) -> List[Moved]:
    """The moved blocks of the proposal, in order."""
    blocks = [Moved(move.right, move.right + move.length, f"moved from line {move.left + 1}") for move in moves]
    return sorted(blocks)


def parted(first: int, last: int, blocks: Sequence[Moved]) -> Iterator[Tuple[int, int, bool]]:
    """The rows `first` to `last` cut where blocks begin and end: start, end, and whether they moved."""
    index = max(0, bisect_right(blocks, (first, first)) - 1)
    while first < last:
        while index < len(blocks) and blocks[index].end <= first:
            index += 1
        start, end = blocks[index][:2] if index < len(blocks) else (last, last)
        if start > first:
            yield first, min(start, last), False
            first = min(start, last)
        else:
            yield first, min(end, last), True
            first = min(end, last)


NOTHING = analyse("", "")
"""Stands for texts that are not compared."""


# -- one edit of a compared text ---------------------------------------------------------------------------------------
# The editor moves marks and blocks with the text if an edit does not touch their ends; what it does at their ends is
# not documented. So after a single edit elsewhere, what stands at its place is not drawn again; in doubt it is.


class Carried(NamedTuple):
    """One edit: somewhere between `start` and `end` of the text before it `by` characters were added or deleted."""

    start: int
    end: int
    by: int

    def point(self, point: int) -> Optional[int]:
        """Where a point is after the edit; None if that is not certain."""
        if point < self.start:
            return point
        return point + self.by if point > self.end else None

    def spans(self, spans: Sequence[Tuple[int, int]]) -> Optional[List[Tuple[int, int]]]:
        """Where these spans are after the edit; None if that is not certain of each."""
        moved = []
        for first, last in spans:
            begin, end = self.point(first), self.point(last)
            if begin is None or end is None:
                return None
            moved.append((begin, end))
        return moved


NO_EDIT = Carried(-1, -1, 0)  # no edit at all


def carried(before: str, after: str) -> Optional[Carried]:
    """The one edit that made `after` of `before`; None if it replaced something, and so may have been several."""
    if before == after:
        return NO_EDIT
    shorter = min(len(before), len(after))
    same, behind = common_prefix(before, after), common_suffix(before, after)
    if same + behind < shorter:
        return None
    # The same character may stand on both sides of where it was typed: then it may have been typed anywhere there.
    return Carried(shorter - behind, same + max(0, len(before) - len(after)), len(after) - len(before))


# -- what is compared, and how -----------------------------------------------------------------------------------------


class ComparisonQuestion(NamedTuple):
    """What is to be compared. The right text comes in portions. `drawn` is the text that was drawn last, if a single
    edit made the right one of it."""

    left: str
    right: Tuple[str, ...]
    ignored: Whitespace
    limits: ReadLimits
    drawn: Optional[str] = None


class Compared(NamedTuple):
    """An answer. `text` is the right text; `edit` made it of the one that was drawn last.

    There is no `analysis` of texts that are too long even for a coarse one.
    """

    question: ComparisonQuestion
    text: str
    analysis: Optional[Analysis]
    edit: Optional[Carried] = None


def compare(question: ComparisonQuestion, cancelled: Callable[[], bool]) -> Compared:
    """Answer the question. A worker thread. Raises `comparison.Cancelled` when `cancelled()` becomes true."""
    left, portions, ignored, limits, drawn = question
    right = "".join(portions)
    if all(len(text) <= limits.length and text.count("\n") <= limits.lines for text in (left, right)):
        analysis = analyse(left, right, cancelled, ignored=ignored)
        return Compared(question, right, analysis, carried(drawn, right) if drawn is not None else None)
    if max(len(left), len(right)) > limits.longest:
        return Compared(question, right, None)
    left_lines, right_lines = Lines(left, cancelled), Lines(right, cancelled)
    if max(len(left_lines), len(right_lines)) > limits.most_lines:
        return Compared(question, right, None)
    return Compared(question, right, analyse_coarsely(left_lines, right_lines, cancelled))


class WhitespaceChoice:
    """Which changes of whitespace one review leaves unmarked. Main thread only.

    It is as the settings say, until the user says otherwise for this review. What is chosen for the review ends with
    the next change of the setting.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._setting = self._read()
        self._chosen: Optional[Whitespace] = None

    @property
    def ignored(self) -> Whitespace:
        """Which whitespace is not marked."""
        return self._setting if self._chosen is None else self._chosen

    @property
    def shown_here(self) -> bool:
        """Whether all is marked in this review although the settings say otherwise."""
        return self.ignored is Whitespace.NONE and self._setting is not Whitespace.NONE

    def toggle(self) -> None:
        """Mark all, or hide what the settings hide; all changes of whitespace if they hide none."""
        if self.ignored is not Whitespace.NONE:
            self._chosen = Whitespace.NONE
        else:
            self._chosen = Whitespace.ALL if self._setting is Whitespace.NONE else self._setting

    def settings_changed(self) -> bool:
        """Read the setting again. True if something else holds now."""
        before, setting = self.ignored, self._read()
        if setting is not self._setting:
            self._setting, self._chosen = setting, None
        return self.ignored is not before

    def _read(self) -> Whitespace:
        return Whitespace(self._settings().review_ignore_whitespace)
