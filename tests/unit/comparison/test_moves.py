"""Blocks are said to be moved only where that is certain."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from companion.comparison import Cancelled, Hunk, Move, Whitespace, compare_lines, moved_blocks
from tests.support.work import steps

TEXT = [f"line {number}\n" for number in range(40)]


def moved(left, right, ignored=Whitespace.NONE):
    return moved_blocks(left, right, compare_lines(left, right, ignored=ignored))


def without(lines, start, end):
    return lines[:start] + lines[end:]


def with_block(lines, at, block):
    return lines[:at] + list(block) + lines[at:]


def test_a_block_further_down():
    right = with_block(without(TEXT, 5, 9), 26, TEXT[5:9])
    assert moved(TEXT, right) == [Move(5, 26, 4)]
    assert moved(right, TEXT) == [Move(26, 5, 4)]


@pytest.mark.parametrize(("count", "is_moved"), [(1, False), (2, False), (3, True), (4, True)])
def test_a_moved_block_has_three_lines_at_least(count, is_moved):
    right = with_block(without(TEXT, 5, 5 + count), 26, TEXT[5 : 5 + count])
    assert bool(moved(TEXT, right)) is is_moved


def test_the_lines_are_exactly_the_same():
    block = ["    " + line for line in TEXT[5:9]]
    right = with_block(without(TEXT, 5, 9), 26, block)
    for ignored in Whitespace:
        assert moved(TEXT, right, ignored) == []


def test_a_block_that_was_copied_is_not_moved():
    twice = with_block(with_block(without(TEXT, 5, 9), 15, TEXT[5:9]), 30, TEXT[5:9])
    assert moved(TEXT, twice) == []
    assert moved(twice, TEXT) == []


def test_blank_lines_and_brackets_are_no_block():
    brackets = ["    }\n", "  }\n", "}\n", "\n", "\n"]
    left, right = with_block(TEXT, 5, brackets), with_block(TEXT, 30, brackets)
    assert moved(left, right) == []
    for lines in (["\n", "\n", "def f():\n"], ["\n", "  \n", "\n"]):
        assert moved(with_block(TEXT, 5, lines), with_block(TEXT, 30, lines)) == []
    lines = ["def f():\n", "    return\n", "\n"]
    assert moved(with_block(TEXT, 5, lines), with_block(TEXT, 30, lines)) == [Move(5, 30, 3)]
    named = [*brackets, "x\n"]
    assert moved(with_block(TEXT, 5, named), with_block(TEXT, 30, named)) == [Move(5, 30, 6)]


def test_a_block_ends_where_lines_stay():
    around = ["same\n", "a\n", "b\n", "c\n", "end\n"]
    left = [*around, *TEXT, "same\n", "end\n"]
    right = ["same\n", "end\n", *TEXT, *around]
    assert moved_blocks(left, right, [Hunk(1, 4, 1, 1), Hunk(46, 46, 43, 46)]) == [Move(1, 43, 3)]


def test_a_block_begins_with_lines_that_begin_others_too():
    block = ["@property\n", "def name(self):\n", "    return 1\n", "\n"]
    left = [*block, *TEXT, *block[:3], "other\n"]
    assert moved(left, with_block(left[4:], 30, block)) == [Move(0, 30, 4)]


def test_a_line_that_could_belong_to_two_blocks_leaves_neither_certain():
    left = ["a\n", "b\n", "c\n", "d\n", "e\n", *TEXT]
    right = [*TEXT[:20], "a\n", "b\n", "c\n", *TEXT[20:], "c\n", "d\n", "e\n"]
    assert moved_blocks(left, right, [Hunk(0, 5, 0, 0), Hunk(25, 25, 20, 23), Hunk(45, 45, 43, 46)]) == []
    assert moved_blocks(right, left, [Hunk(0, 0, 0, 5), Hunk(20, 23, 25, 25), Hunk(43, 46, 45, 45)]) == []


def test_what_a_coarse_comparison_leaves_in_one_hunk_has_not_moved():
    assert moved_blocks(TEXT, ["new\n", *TEXT], [Hunk(0, 40, 0, 41)]) == []


@some.composite
def shuffled(draw):
    """A text, and the same with some blocks put elsewhere, copied or changed."""
    signs = draw(some.sampled_from(["abcdefghijklmnopqrstuvwxyz", "abcdef", "ab}"]))
    left = [f"{sign}\n" for sign in draw(some.lists(some.sampled_from(signs), max_size=30))]
    right = list(left)
    for _ in range(draw(some.integers(0, 4))):
        start = draw(some.integers(0, len(right)))
        block = right[start : start + draw(some.integers(0, 6))]
        if draw(some.booleans()):
            del right[start : start + len(block)]
        at = draw(some.integers(0, len(right)))
        right[at:at] = block
    return left, right


@settings(max_examples=200)
@given(shuffled())
def test_a_marked_move_is_always_certain(pair):
    left, right = pair
    hunks = compare_lines(left, right)
    removed = {row for hunk in hunks for row in range(hunk.left_start, hunk.left_end)}
    added = {row for hunk in hunks for row in range(hunk.right_start, hunk.right_end)}
    for move in moved_blocks(left, right, hunks):
        block = left[move.left : move.left + move.length]
        assert len(block) == move.length >= 3
        assert right[move.right : move.right + move.length] == block
        assert times(block, left) == times(block, right) == 1
        # Each line is in one block at most.
        rows, others = set(range(move.left, move.left + move.length)), set(range(move.right, move.right + move.length))
        assert rows <= removed
        assert others <= added
        removed, added = removed - rows, added - others


@settings(max_examples=100)
@given(some.permutations(range(8)))
def test_of_lines_that_are_all_different_every_move_is_found(order):
    left = [f"{number}\n" for number in range(32)]
    right = [line for block in order for line in left[4 * block : 4 * block + 4]]
    hunks = compare_lines(left, right)
    found = moved_blocks(left, right, hunks)
    removed = {row for hunk in hunks for row in range(hunk.left_start, hunk.left_end)}
    assert {row for move in found for row in range(move.left, move.left + move.length)} == removed


def times(block, lines):
    return sum(lines[at : at + len(block)] == block for at in range(len(lines)))


def test_the_search_for_moved_blocks_can_be_stopped():
    with pytest.raises(Cancelled):
        moved_blocks(TEXT, TEXT[20:] + TEXT[:20], [Hunk(0, 20, 0, 0), Hunk(40, 40, 20, 40)], cancelled=lambda: True)


COUNT = 20_000
MOST_STEPS = 15
"""For each line, however the lines are."""
LONG = [f"line {number}\n" for number in range(COUNT)]
MANY = [line for start in range(0, COUNT, 10) for line in LONG[COUNT - 10 - start : COUNT - start]]
FEW = [f"{random.Random(number).randrange(20)}\n" for number in range(COUNT)]
HALF = COUNT // 2


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (LONG, LONG[HALF:] + LONG[:HALF]),
        (LONG, MANY),
        (FEW, FEW[::-1]),
        (["a\n"] * COUNT, ["b\n"] * HALF + ["a\n"] * HALF),
        (["}\n"] * HALF + LONG[:HALF], LONG[:HALF] + ["}\n"] * HALF),
    ],
    ids=["halves", "many blocks", "few distinct lines", "one line", "brackets"],
)
def test_the_work_is_in_proportion_to_the_lines(left, right):
    hunks = compare_lines(left, right)
    assert 0 < steps(lambda: moved_blocks(left, right, hunks)) < MOST_STEPS * (len(left) + len(right))
