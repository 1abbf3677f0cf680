"""Which unchanged lines are folded, and which of them still are after an edit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.comparison import Hunk
from companion.review.display.folding import CONTEXT, LONGEST_SHOWN, Fold, folds_of, still_folded


def hunk(left: int, removed: int, right: int, added: int) -> Hunk:
    return Hunk(left, left + removed, right, right + added)


def test_three_lines_stay_beside_a_change_and_two_at_the_top():
    folds = [Fold(2, 2, 15), Fold(24, 25, 13), Fold(43, 45, 17)]
    assert folds_of([hunk(20, 1, 20, 2), hunk(40, 0, 41, 1)], 60) == folds


def test_up_to_eight_lines_stay():
    assert folds_of([hunk(8, 1, 8, 1), hunk(17, 1, 17, 1)], 26) == []
    assert folds_of([hunk(9, 1, 9, 1), hunk(19, 1, 19, 1)], 29) == [Fold(2, 2, 4), Fold(13, 13, 3), Fold(23, 23, 6)]


def test_what_changes_first_has_three_lines_below_it():
    assert folds_of([hunk(0, 0, 0, 2)], 20) == [Fold(3, 5, 17)]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.integers(0, 3)), max_size=6), st.integers(0, 30))
def test_only_equal_lines_are_folded_and_as_many_on_both_sides(steps, rest):
    hunks, left, right = [], 0, 0
    for between, removed, added in steps:
        left, right = left + between, right + between
        hunks.append(hunk(left, removed, right, added))
        left, right = left + removed, right + added
    folds = folds_of(hunks, left + rest)
    assert all(fold.rows > LONGEST_SHOWN - 2 * CONTEXT and min(fold.left, fold.right) >= 2 for fold in folds)
    for each in hunks:
        for fold in folds:
            above = fold.left + fold.rows + CONTEXT <= each.left_start
            below = fold.left >= each.left_end + CONTEXT
            assert above or below
            # The same lines on the other side.
            assert above == (fold.right + fold.rows + CONTEXT <= each.right_start)
    assert list(still_folded(folds, [(fold.left, fold.left + fold.rows) for fold in folds])) == folds


def test_after_an_edit_only_what_was_folded_is():
    now = [Fold(10, 11, 20), Fold(40, 42, 10), Fold(60, 62, 10)]
    before = [(0, 15), (18, 20), (25, 45), (60, 62)]
    assert list(still_folded(now, before)) == [Fold(10, 11, 5), Fold(25, 26, 5), Fold(40, 42, 5)]
