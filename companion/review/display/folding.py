"""Folds what is equal, on both sides alike.

Theory of operation: a stretch of equal lines between two changes is folded from the end of the line above it to the end
of its last line, as the editor's own commands fold, so the mark stands in a line that is in sight. Equal stretches are
as high on both sides, so what is level stays level.

Rules:
* Nothing that something of ours stands at is folded: a change, three lines around it, and the first two lines, under
  which the header stands. So no position inside a fold is ever asked for, which the editor's documentation leaves open.
* What is in sight is never folded behind the user's back: after an edit only what was folded can be folded. What was
  taken back stays in sight, with the link that brings it back.
* A fold opens on both sides when a caret comes into it, and when the editor has opened it on one side: by a click,
  which no event tells of, by a search, by *Unfold*, or because its text has changed. So the folds are looked at now and
  then, as sizes are.
* The views are ours, but a fold that the user adds is left alone as long as it is certain which are ours.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import contextmanager
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

import sublime

from ...common.clock import clock
from ...comparison import Hunk
from ...editor.edits import first_caret, some_selections
from ..document.analysis import NOTHING, Analysis, Carried, Span

CONTEXT = 3  # lines that stay beside a change
LONGEST_SHOWN = 8  # lines between two changes that are never folded
SHORT = 60  # lines of a text in which nothing is folded unless the user asks for it
_TOP = 2  # lines that stay at the top: one for the header, one for the mark
_LEAST = LONGEST_SHOWN + 1 - 2 * CONTEXT  # lines of a fold
_LOOK_EVERY = 0.5  # seconds
_AT_ONCE = 250  # folds

Rows = Tuple[int, int]  # of the original: the first one, and the one behind the last


class Fold(NamedTuple):
    """So many equal lines that are folded, from these rows on."""

    left: int
    right: int
    rows: int


def folds_of(hunks: Sequence[Hunk], left_lines: int) -> List[Fold]:
    """What can be folded between these hunks, which are in order, of two texts, of which the left one has so many
    lines."""
    folds: List[Fold] = []
    left = right = 0
    above = _TOP
    for hunk in hunks:
        if hunk.left_start - left > LONGEST_SHOWN:
            folds.append(Fold(left + above, right + above, hunk.left_start - left - above - CONTEXT))
        left, right, above = hunk.left_end, hunk.right_end, CONTEXT
    if left_lines - left > LONGEST_SHOWN:
        folds.append(Fold(left + above, right + above, left_lines - left - above))
    return folds


def still_folded(folds: Sequence[Fold], before: Sequence[Rows]) -> Iterator[Fold]:
    """What of `folds` was folded `before`; both are in order. Less than is worth a fold is left out."""
    number = 0
    for fold in folds:
        end = fold.left + fold.rows
        while number < len(before) and before[number][1] <= fold.left:
            number += 1
        for start, behind in before[number:]:
            if start >= end:
                break
            first, last = max(start, fold.left), min(behind, end)
            if last - first >= _LEAST:
                yield Fold(first, fold.right + first - fold.left, last - first)


def _span(fold_start: int, count: int, starts: Sequence[int], lines: Sequence[str]) -> Span:
    """What is folded of a text so that these lines are: from the end of the line above to the end of the last one."""
    end = fold_start + count
    return starts[fold_start] - 1, starts[end] - 1 if lines[end - 1].endswith("\n") else starts[end]


class FoldedView:
    """What of ours is folded in one view. Main thread only."""

    def __init__(self, view: sublime.View) -> None:
        self.view = view
        self._spans: List[Span] = []  # in order
        self._certain = True  # whether they are where the editor has them

    def show(self, spans: List[Span]) -> Iterator[None]:
        """Fold exactly this, and leave alone what the user has folded. A generator of small steps."""
        if self._certain and spans == self._spans:
            return
        standing = set(self._standing()) if self._spans or not self._certain else set()
        ours = standing.intersection(self._spans) if self._certain else standing
        opened, folded = sorted(ours.difference(spans)), [span for span in spans if span not in standing]
        self._spans, self._certain = spans, False
        for some, change in ((opened, self.view.unfold), (folded, self.view.fold)):
            for start in range(0, len(some), _AT_ONCE):
                with in_place(self.view):
                    change([sublime.Region(*span) for span in some[start : start + _AT_ONCE]])
                yield
        self._certain = True

    def _standing(self) -> List[Span]:
        return [(region.begin(), region.end()) for region in self.view.folded_regions()]

    def carry(self, edit: Optional[Carried]) -> None:
        """The text was edited, all at once; None if it is not certain how."""
        touched = edit is None or any(first <= edit.end and edit.start <= last for first, last in self._spans)
        moved = edit.spans(self._spans) if edit is not None and not touched else None
        if moved is not None:
            self._spans = moved
        elif self._spans:
            self._certain = False

    def opened(self) -> List[int]:
        """The numbers of the folds that are not folded any more."""
        if not self._spans or not self._certain:
            return []
        standing = self._standing()
        missing = set(self._spans).difference(standing)
        return [
            number
            for number, (start, end) in enumerate(self._spans if missing else ())
            if (start, end) in missing and not any(first <= start and end <= last for first, last in standing)
        ]

    def under_carets(self, spans: Sequence[Span]) -> List[int]:
        """The numbers of those of `spans`, which are in order, that a caret or the other end of a selection is in."""
        points = [point for region in some_selections(self.view) for point in (region.a, region.b)] if spans else []
        before = [(bisect_left(spans, (point, point)) - 1, point) for point in points]
        return [number for number, point in before if number >= 0 and point <= spans[number][1]]

    def forget(self) -> None:
        """Another text has come into the view."""
        self._spans, self._certain = [], False


class Folding:
    """What is folded in the views of one review: in the proposal's, and in the original's if there is one.

    Main thread only.
    """

    def __init__(self, original_view: Optional[sublime.View], proposal_view: sublime.View, by_itself: bool) -> None:
        self._right = FoldedView(proposal_view)
        self._left = FoldedView(original_view) if original_view is not None else None
        self.by_itself = by_itself  # whether long texts are folded without being asked for
        self._asked_for: Optional[bool] = None  # in this review
        self._before: Optional[List[Rows]] = None  # what may be folded; None for all that can be
        self._folds: List[Fold] = []
        self._analysis = NOTHING
        self._count = -1  # the proposal's change count that this belongs to
        self._next_look = 0.0

    def another_text(self) -> None:
        """One of the texts is another one now: all that is equal may be folded again."""
        self._before = None

    def original_filled(self) -> None:
        """The original's view was given another text."""
        if self._left is not None:
            self._left.forget()

    def carry(self, edit: Optional[Carried]) -> None:
        """The user has edited the proposal, all at once; None if it is not certain how."""
        self._right.carry(edit)

    def steps(self, analysis: Optional[Analysis], count: int) -> Iterator[None]:
        """Fold what is equal in `analysis`, of the text that the proposal's view had at this change count. In small
        steps."""
        self._analysis, self._count = analysis or NOTHING, count
        folds = list(self._wanted())
        sides = self._sides(folds)
        # A caret that comes into a fold while the texts are compared opens it now; that of the original, which is not
        # edited, did so before.
        looked_at = sides if self._before is None else sides[-1:]
        touched = {number for side, spans in looked_at for number in side.under_carets(spans)}
        if touched:
            folds = [fold for number, fold in enumerate(folds) if number not in touched]
            sides = self._sides(folds)
        if analysis is not None:
            self._before = [(fold.left, fold.left + fold.rows) for fold in folds]
        yield from self._show(folds, sides)

    def _wanted(self) -> Iterator[Fold]:
        longer = max(len(self._analysis.left_lines), len(self._analysis.right_lines))
        wanted = self.by_itself and longer > SHORT if self._asked_for is None else self._asked_for
        if not wanted:
            return iter(())
        return iter(self._possible()) if self._before is None else still_folded(self._possible(), self._before)

    def _possible(self) -> List[Fold]:
        """What can be folded. Where edits have made the texts equal, it is what was folded before."""
        hunks = self._analysis.differing
        return folds_of(hunks, len(self._analysis.left_lines)) if hunks or self._before is not None else []

    def _sides(self, folds: Sequence[Fold]) -> List[Tuple[FoldedView, List[Span]]]:
        """The two sides, or the one there is, the proposal's last, with what these folds are in its text."""
        of = self._analysis
        right = [_span(fold.right, fold.rows, of.right_starts, of.right_lines) for fold in folds]
        if self._left is None:
            return [(self._right, right)]
        left = [_span(fold.left, fold.rows, of.left_starts, of.left_lines) for fold in folds]
        return [(self._left, left), (self._right, right)]

    def _show(self, folds: List[Fold], sides: Sequence[Tuple[FoldedView, List[Span]]]) -> Iterator[None]:
        self._folds = folds
        for side, spans in sides:
            yield from side.show(spans)

    def open_under_carets(self) -> bool:
        """Open what a caret has come into, on both sides. False if there is nothing."""
        sides = self._sides(self._folds) if self._folds else ()
        return self._open([number for side, spans in sides for number in side.under_carets(spans)])

    def follow_editor(self, at_once: bool = False) -> bool:
        """Open on the other side, too, what the editor has opened on one. False if there is nothing.

        It asks the editor every now and then, or `at_once`.
        """
        now = clock.now()
        if not self._folds or not (at_once or now >= self._next_look):
            return False
        self._next_look = now + _LOOK_EVERY
        opened = [number for side, _ in self._sides(()) for number in side.opened()]
        return bool(opened) and self._right.view.change_count() == self._count and self._open(opened)

    def _open(self, numbers: Sequence[int]) -> bool:
        if numbers:
            folds = [fold for number, fold in enumerate(self._folds) if number not in numbers]
            self._before = [(fold.left, fold.left + fold.rows) for fold in folds]
            for _ in self._show(folds, self._sides(folds)):
                pass  # only a few change
        return bool(numbers)

    def switch(self, by_itself: bool) -> None:
        """The setting is this now; what the user has chosen in this review ends with it."""
        if by_itself != self.by_itself:
            self.by_itself, self._asked_for, self._before = by_itself, None, None

    def toggle(self) -> None:
        """Open all that is folded, or fold all that can be."""
        self._asked_for = not self._folds
        self._before = None

    @property
    def state(self) -> Optional[bool]:
        """Whether something is folded; None if nothing can be."""
        return bool(self._folds) if self._folds or self._possible() else None

    def clear(self) -> None:
        """Open all that is folded."""
        for _ in self._show([], self._sides([])):
            pass


@contextmanager
def in_place(view: sublime.View) -> Iterator[None]:
    """Keep what is in sight where it is on the screen while something is folded or opened: the line of the caret, or
    the first one if that is not in sight. The editor may scroll by itself (sublimehq/sublime_text 5622, 5892)."""
    x, top = view.viewport_position()
    caret = first_caret(view)
    y = view.text_to_layout(caret)[1]
    if not top <= y <= top + view.viewport_extent()[1]:
        caret = view.layout_to_text((0.0, top))
        y = view.text_to_layout(caret)[1]
    yield
    wanted = x, max(0.0, top + view.text_to_layout(caret)[1] - y)
    if view.viewport_position() != wanted:
        view.set_viewport_position(wanted, False)
