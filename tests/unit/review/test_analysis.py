"""What the views are told of a comparison: marks, rows that are missing, and the way from change to change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.comparison import HunkKind
from companion.review.display.scrolling import ScrollMap, partner_row
from companion.review.document.analysis import analyse

LEFT = "a\nb\nc\nd\ne\n"
RIGHT = "a\nB\nc\nd\nnew\nnewer\ne\n"

lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=12).map("".join)


def test_counts():
    analysis = analyse(LEFT, RIGHT)
    assert (analysis.added, analysis.removed) == (3, 1)
    assert [change.hunk.kind for change in analysis.changes] == [HunkKind.CHANGED, HunkKind.ADDED]


def test_spans_cut_the_lines_out_of_the_texts():
    analysis = analyse(LEFT, RIGHT)
    assert [LEFT[slice(*change.left)] for change in analysis.changes] == ["b\n", ""]
    assert [RIGHT[slice(*change.right)] for change in analysis.changes] == ["B\n", "new\nnewer\n"]


@pytest.mark.parametrize(
    ("left", "right", "marked"),
    [
        ("a = 1\n", "a = 2\nb = 3\n", ["2"]),
        ("    a = 1\n    c = 1\n", "    a = 2\n\n    if b:\n        d()\n    c = 3\n", ["2", "3"]),
        ("f(a)\n", "    other\n\n", []),
        ("f(a)\n", "    f(a)\n", ["    "]),
        ("f(a)  \n", "f(a)\n", []),
    ],
)
def test_lines_that_changed_as_a_whole_have_no_mark_inside(left, right, marked):
    (change,) = analyse("top\n" + left + "end\n", "top\n" + right + "end\n").changes
    text = "top\n" + right
    assert [text[start:end] for start, end in change.right_parts] == marked


@pytest.mark.parametrize(
    ("left", "right", "first"),
    [
        ("a = 1\n", "a = 2\n", "2\nend\n"),
        ("a = f(b, c)\n", "a = f(c)\n", "c)\nend\n"),
        ("a = 1\n", "new\na = 1\n", "new\na = 1\nend\n"),
        ("a\nb\n", "b\n", "b\nend\n"),
        ("a = 1\n", "other\n", "other\nend\n"),
    ],
)
def test_a_change_says_where_its_first_changed_character_is(left, right, first):
    (change,) = analyse(left + "end\n", right + "end\n").changes
    start, end = change.first
    assert (right + "end\n")[start:] == first
    assert "\n" not in (right + "end\n")[start:end]


def test_what_only_one_side_has_is_marked_only_there():
    left, right = "top\none three\n", "top\none two three\n"
    change = analyse(left, right).changes[0]
    assert change.left_parts == ()
    assert [right[start:end].strip() for start, end in change.right_parts] == ["two"]
    change = analyse(right, left).changes[0]
    assert change.right_parts == ()
    assert [right[start:end].strip() for start, end in change.left_parts] == ["two"]


@given(lines, lines)
def test_equal_rows_are_partners(left, right):
    analysis = analyse(left, right)
    mapping = ScrollMap.of([change.hunk for change in analysis.changes])
    hunks = [change.hunk for change in analysis.changes]
    inside = {row: hunk for hunk in hunks for row in range(hunk.left_start, hunk.left_end)}
    for row, line in enumerate(analysis.left_lines):
        partner = partner_row(row, *mapping)
        hunk = inside.get(row)
        if hunk is None:
            assert analysis.right_lines[partner] == line
            assert partner_row(partner, *mapping[::-1]) == row
        elif hunk.right_count:
            # As far below the change's top as the other is, and at its last row once that is reached.
            assert partner == hunk.right_start + min(row - hunk.left_start, hunk.right_count - 1)
        else:
            assert partner == max(0, hunk.right_start - 1), "the row above a removal"


def test_inside_a_change_rows_pair_from_its_top():
    hunk = analyse("a\nb\nx1\nx2\nx3\nx4\nc\n", "a\nb\ny1\ny2\nc\n").changes[0].hunk
    mapping = ScrollMap.of([hunk])
    assert [partner_row(row, *mapping) for row in range(7)] == [0, 1, 2, 3, 3, 3, 4]
    assert [partner_row(row, *mapping[::-1]) for row in range(5)] == [0, 1, 2, 3, 6]


def test_what_is_beside_lines_that_only_one_side_has():
    mapping = ScrollMap.of([analyse("a\nb\n", "a\nnew\nnewer\nb\n").changes[0].hunk])
    assert [partner_row(row, *mapping[::-1]) for row in range(4)] == [0, 0, 0, 1]
    assert [partner_row(row, *mapping) for row in range(2)] == [0, 3]
    top = ScrollMap.of([analyse("a\n", "new\na\n").changes[0].hunk])
    assert [partner_row(row, *top[::-1]) for row in range(2)] == [0, 0]


def test_the_way_from_change_to_change_has_two_ends():
    analysis = analyse(LEFT, RIGHT)
    start = [change.right[0] for change in analysis.changes]
    assert analysis.next_change(0) == 0
    assert analysis.next_change(start[0]) == 1
    assert analysis.next_change(start[1]) is None
    assert analysis.previous_change(start[1]) == 0
    assert analysis.previous_change(start[0]) is None
    assert analysis.previous_change(len(RIGHT)) == 1


def test_the_change_from_a_row_on():
    analysis = analyse("a\nb\nc\nd\ne\n", "A\nb\nc\ne\n")
    assert [analysis.change_from(row) for row in (0, 1, 2, 3, 4, 99)] == [0, 1, 1, 1, 1, 1]
    assert analyse("a", "a").change_from(0) is None
    assert analyse("a\n", "").change_from(7) == 0


def test_the_change_at_a_place():
    analysis = analyse(LEFT, RIGHT)
    assert analysis.change_at(0) is None
    assert analysis.change_at(RIGHT.index("B")) == 0
    assert analysis.change_at(RIGHT.index("newer")) == 1
    assert analysis.change_at(len(RIGHT)) is None
    assert analyse("a\nb", "a\nB").change_at(3) == 0


def test_a_removal_is_at_the_row_that_follows_it():
    analysis = analyse("a\nb\nc\n", "a\nc\n")
    assert analysis.change_at(0) is None
    assert analysis.change_at(2) == 0


@pytest.mark.parametrize(("left", "right"), [("", ""), ("", "a"), ("a", ""), ("a", "a\n"), ("a\nb", "a\nb\nc")])
def test_small_texts(left, right):
    analysis = analyse(left, right)
    assert analysis.right_starts[-1] == len(right)
    assert len(analysis.changes) == (left != right)


@pytest.mark.parametrize(
    ("start", "end", "touched"),
    [(0, 0, []), (2, 2, [0]), (0, 2, []), (0, 3, [0]), (0, 9, [0, 1]), (8, 9, [1]), (10, 17, [1]), (18, 20, [])],
)
def test_the_changes_that_a_stretch_touches(start, end, touched):
    assert analyse(LEFT, RIGHT).changes_in(start, end) == touched
