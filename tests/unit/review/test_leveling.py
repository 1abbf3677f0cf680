"""Blocks are corrected by what was measured until equal lines are level, whatever the editor makes of their heights."""

from __future__ import annotations

import random

import pytest

from companion.comparison import Hunk
from companion.review.display.leveling import Heights, corrected, gaps_of, learnt, planned, within_tolerance


class Screen:
    """Two columns of lines with blocks between them, as an editor of some kind would lay them out."""

    def __init__(self, line, height_of, header):
        self.line, self.height_of, self.header = line, height_of, header

    def top(self, row, blocks, header):
        below = sum(self.height_of(height) for at, height in blocks if at < row and height)
        return row * self.line + below + (header if row else 0.0)

    def errors(self, gaps, heights):
        lefts = [(gap.left_row, height.left) for gap, height in zip(gaps, heights)]
        rights = [(gap.right_row, height.right) for gap, height in list(zip(gaps, heights))[1:]]
        header = self.header + (heights[0].right or 0)
        return [
            None if gap.anchor is None else self.top(gap.anchor[0], lefts, 0) - self.top(gap.anchor[1], rights, header)
            for gap in gaps
        ]


def random_hunks(seed):
    chance = random.Random(seed)
    hunks, left, right = [], 0, 0
    for number in range(chance.randint(1, 30)):
        equal = chance.choice([1, 1, 2, 5, 40]) if number or chance.random() < 0.6 else 0
        left, right = left + equal, right + equal
        lefts, rights = chance.choice([(0, 1), (1, 0), (1, 1), (2, 1), (1, 3), (0, 9), (9, 0), (3, 3)])
        hunks.append(Hunk(left, left + lefts, right, right + rights))
        left, right = left + lefts, right + rights
    return hunks, left + 3, right + 3


def least(minimum):
    return lambda height: max(minimum, height)


def with_own_row(extra):
    return lambda height: height + extra


EDITORS = {
    "exact": lambda line: float,
    "minimum": lambda line: least(line * 1.4),
    "integers": lambda line: lambda height: float(round(height)),
    "higher rows": lambda line: with_own_row(3.0),
    "half a pixel more": lambda line: with_own_row(0.5),
}


@pytest.mark.parametrize("line", [10.0, 14.0, 16.5, 17.6, 19.2, 20.0, 33.3, 41.0])
@pytest.mark.parametrize("editor", sorted(EDITORS))
def test_lines_are_level_after_two_rounds_or_three_where_halves_add_up(line, editor):
    for seed in range(12):
        hunks, left_rows, right_rows = random_hunks(seed)
        gaps = gaps_of(hunks, left_rows, right_rows)
        screen = Screen(line, EDITORS[editor](line), header=2 * line + seed % 3)
        heights = planned(gaps, line, line, 2, {})
        for _ in range(3 if editor == "half a pixel more" else 2):
            heights = corrected(heights, screen.errors(gaps, heights), int(line), int(line))
        assert within_tolerance(screen.errors(gaps, heights)), (seed, screen.errors(gaps, heights))


def test_what_was_learnt_is_right_at_once():
    hunks = [Hunk(row * 3 + 3, row * 3 + 3, row * 4 + 3, row * 4 + 4) for row in range(5)]
    gaps = gaps_of(hunks, 100, 100)
    screen = Screen(16.0, least(20.0), header=16.0)
    plan = heights = planned(gaps, 16.0, 16.0, 1, {})
    for _ in range(2):
        heights = corrected(heights, screen.errors(gaps, heights), 16, 16)
    again = planned(gaps, 16.0, 16.0, 1, learnt(gaps, plan, heights))
    again[0] = heights[0]
    assert within_tolerance(screen.errors(gaps, again))


def test_exact_heights_are_left_alone():
    hunks = [Hunk(5, 5, 5, 9), Hunk(20, 24, 24, 24)]
    gaps = gaps_of(hunks, 100, 100)
    heights = planned(gaps, 20.0, 20.0, 1, {})
    assert [(height.left, height.right) for height in heights] == [(20, 0), (80, None), (None, 80)]
    assert corrected(heights, [0.0, 0.4, -0.5], 20, 20) == heights


@pytest.mark.parametrize(
    ("before", "error", "after"),
    [
        ((None, None), -40.0, (40, None)),
        ((None, None), 40.0, (None, 40)),
        ((None, None), -5.0, (25, 20)),
        ((None, 60), -30.0, (None, 30)),
        ((None, 20), -50.0, (50, 20)),
        ((40, 20), -50.0, (90, 20)),
    ],
)
def test_no_more_rows_are_put_in_than_need_be(before, error, after):
    top = Heights(20, 0)
    assert corrected([top, Heights(*before)], [0.0, error], 20, 20) == [top, Heights(*after)]


def test_a_first_line_cannot_be_moved_down_but_the_next_one_is_level():
    (top,) = gaps_of([Hunk(0, 0, 0, 2)], 5, 7)
    assert (top.left_rows, top.right_rows, top.anchor) == (2, 0, (1, 3))


@pytest.mark.parametrize(("left_rows", "right_rows"), [(1, 1), (2, 1), (1, 2)])
def test_on_one_side_there_may_be_no_line_below(left_rows, right_rows):
    (top,) = gaps_of([Hunk(0, 1, 0, 1)], left_rows, right_rows)
    assert top.anchor is None
