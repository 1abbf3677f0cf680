"""What is said of blocks that moved, and which rows of a change belong to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.comparison import HunkKind, Move
from companion.review.document.analysis import Moved, _outside, analyse, moved_on_left, moved_on_right, parted

MOVES = [Move(4, 20, 3), Move(9, 2, 5)]
BLOCKS = [Moved(3, 6, ""), Moved(6, 9, ""), Moved(12, 20, "")]
LEFT = "".join(f"line {number}\n" for number in range(30))
BLOCK = "line 5\nline 6\nline 7\n"


def test_both_sides_say_where_the_other_one_is_as_the_editor_numbers_lines():
    assert moved_on_left(MOVES) == [Moved(4, 7, "moved to line 21"), Moved(9, 14, "moved to line 3")]
    assert moved_on_right(MOVES) == [Moved(2, 7, "moved from line 10"), Moved(20, 23, "moved from line 5")]


@given(st.integers(0, 25), st.integers(0, 25), st.lists(st.integers(0, 25), max_size=8, unique=True))
def test_every_row_is_in_exactly_one_part(first, last, borders):
    borders = sorted(borders)
    blocks = [Moved(start, end, "") for start, end in zip(borders[::2], borders[1::2])]
    inside = {row for block in blocks for row in range(block.start, block.end)}
    rows = [(row, moved) for start, end, moved in parted(first, last, blocks) for row in range(start, end)]
    assert rows == [(row, row in inside) for row in range(first, last)]


def test_moved_lines_are_changes_like_others():
    right = LEFT.replace(BLOCK, "").replace("line 20\n", f"line 20\n{BLOCK}")
    analysis = analyse(LEFT, right)
    assert analysis.moves == [Move(5, 18, 3)]
    assert (analysis.added, analysis.removed) == (3, 3)
    assert [change.hunk.kind for change in analysis.changes] == [HunkKind.REMOVED, HunkKind.ADDED]


def test_no_changed_characters_are_marked_inside_a_moved_block():
    left = LEFT.replace("line 20\n", "one old\n")
    right = LEFT.replace(BLOCK, "").replace("line 20\n", f"one new\n{BLOCK}two\n")
    analysis = analyse(left, right)
    assert len(analysis.moves) == 1
    (changed,) = [change for change in analysis.changes if change.hunk.kind == HunkKind.CHANGED]
    at = right.index(BLOCK)
    assert changed.right_parts
    assert all(end <= at or start >= at + len(BLOCK) for start, end in changed.right_parts)
    assert "".join(right[start:end] for start, end in changed.right_parts).startswith("new")


def test_what_stands_in_front_of_a_moved_block_is_marked_up_to_it():
    assert _outside([(0, 9), (20, 30)], [(4, 6), (25, 27), (40, 50)]) == ((0, 4), (6, 9), (20, 25), (27, 30))


def test_marks_begin_behind_a_moved_block_that_begins_the_change():
    left = LEFT.replace("line 20\n", "old text, as it was\n")
    right = LEFT.replace(BLOCK, "").replace("line 20\n", f"{BLOCK}other words, as it was\n")
    analysis = analyse(left, right)
    assert len(analysis.moves) == 1
    (changed,) = [change for change in analysis.changes if change.hunk.kind == HunkKind.CHANGED]
    assert changed.right_parts
    assert all(right.index(BLOCK) + len(BLOCK) <= start < end for start, end in changed.right_parts)
