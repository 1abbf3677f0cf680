"""Very long texts compared coarsely: never wrong, in whole lines, in time and objects that do not grow with hunks."""

from __future__ import annotations

import gc
import random
from itertools import accumulate

import pytest

from companion.comparison import Cancelled, Hunk, compare_lines, split_lines
from companion.comparison.coarse import Lines, Starts, compare_coarsely

LINE = "    value_%06d = compute(%05d)  # a line, as of a program\n"


def program(count):
    return [LINE % (number, number * 7 % 9973) for number in range(count)]


def compared(left, right, seed=None):
    """The hunks of two texts, once it is certain that they are true. `seed` is of random ones."""
    one, other = Lines(left), Lines(right)
    hunks = compare_coarsely(one, other)
    i = j = 0
    for number, hunk in enumerate([*hunks, Hunk(len(one), len(one), len(other), len(other))]):
        assert one[i : hunk.left_start] == other[j : hunk.right_start], ("what is between hunks is equal", seed)
        assert not number or hunk.left_start > i or number == len(hunks), ("a line lies between two", seed)
        i, j = hunk.left_end, hunk.right_end
    for hunk in hunks:
        assert hunk.left_count or hunk.right_count, seed
        if hunk.left_count and hunk.right_count:
            assert one[hunk.left_start] != other[hunk.right_start], seed
            assert one[hunk.left_end - 1] != other[hunk.right_end - 1], seed
    return hunks


@pytest.mark.parametrize("text", ["", "\n", "a", "a\n", "a\nb", "\n\n", "x" * 300_000, "a\n" * 20_000, "é\r\n\f\n"])
def test_lines_are_those_of_other_comparisons(text):
    lines, wanted = Lines(text), split_lines(text)
    assert list(lines) == wanted
    assert len(lines) == len(wanted)
    assert lines[1:] == wanted[1:]
    starts = list(Starts(lines))
    assert starts == [0, *accumulate(map(len, wanted))]
    assert [lines.row(start) for start in starts[:-1]] == list(range(len(wanted)))


def test_single_changes_are_found_where_a_fine_comparison_finds_them():
    left = program(3000)
    right = list(left)
    right[500] = "changed\n"
    right[1000:1000] = [f"added {number}\n" for number in range(300)]
    del right[2000:2100]
    right.append("at the end")
    assert compared("".join(left), "".join(right)) == compare_lines(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("", ""),
        ("", "a\n"),
        ("a\n", ""),
        ("a\n", "a"),
        ("a\nb\n", "a\nx\nb\n"),
        ("a\nbc\n", "a\nbx\nbc\n"),
        ("x\nx\n", "x\n"),
        ("a\n\nb\n", "a\nb\n"),
        ("a\nb", "a\nb\nc"),
    ],
)
def test_short_texts_are_compared_in_whole_lines(left, right):
    hunks = compared(left, right)
    assert bool(hunks) == (left != right)
    assert sum(map(sum, [(hunk.left_count, hunk.right_count) for hunk in hunks])) <= 3


def test_what_lies_outside_the_hunks_is_equal():
    words = ["a", "bc", "", "    return None", "x" * 40]
    for seed in range(200):
        chance = random.Random(seed)
        left = [chance.choice(words) + "\n" for _ in range(chance.randrange(200))]
        right = list(left)
        for _ in range(chance.randrange(8)):
            at = chance.randrange(len(right) + 1)
            right[at : at + chance.randrange(5)] = ["new\n"] * chance.randrange(4)
        texts = ["".join(left), "".join(right)]
        compared(*[text[:-1] if chance.random() < 0.3 else text for text in texts], seed)


def test_many_hunks_become_a_few_hundred():
    left = program(20_000)
    right = [("changed\n" if number % 5 == 0 else line) for number, line in enumerate(left)]
    assert len(compare_lines(left, right)) == 4000
    assert len(compared("".join(left), "".join(right))) == 500


def test_texts_that_have_nothing_in_common_are_one_hunk():
    assert compared("a\n" * 200_000, "b\n" * 100_000) == [Hunk(0, 200_000, 0, 100_000)]


def test_a_coarse_comparison_can_be_cancelled():
    with pytest.raises(Cancelled):
        Lines("a\n" * 200_000, lambda: True)
    lines = Lines("".join(program(5000)))
    with pytest.raises(Cancelled):
        compare_coarsely(lines, Lines("x" + lines.text), cancelled=lambda: True)


def test_half_a_million_lines_are_few_objects_and_so_dropped_in_no_time():
    lines, found = [Lines("a = b\n" * 500_000)], {}
    while lines:
        one = lines.pop()
        if id(one) not in found and not isinstance(one, type):
            found[id(one)] = one
            lines += gc.get_referents(one)
    assert 2 < len(found) < 50
