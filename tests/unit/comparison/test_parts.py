"""The parts of the method, each by itself: anchors, what happens without them, words, and what little budget means."""

from __future__ import annotations

import random

import pytest

from companion.comparison import compare_lines
from companion.comparison.budget import CELLS_PER_PIECE, Budget
from companion.comparison.characters import cut
from companion.comparison.matching import differences, longest, unique_anchors


def few_distinct(count: int):
    choose = random.Random(7)
    return ["%d\n" % choose.randrange(20) for _ in range(count)]


def changed(hunks) -> int:
    return sum(hunk.left_count + hunk.right_count for hunk in hunks)


def test_anchors_are_the_pieces_that_occur_once_on_each_side():
    assert unique_anchors([1, 2, 2, 3, 4], [1, 3, 3, 2, 4], Budget()) == [(0, 0), (4, 4)]
    assert unique_anchors([1, 1], [1, 1], Budget()) == []


def test_of_anchors_that_cross_most_are_kept():
    assert unique_anchors([1, 2, 3, 4], [4, 1, 2, 3], Budget()) == [(0, 1), (1, 2), (2, 3)]
    assert len(unique_anchors([1, 2, 3, 4], [4, 3, 2, 1], Budget())) == 1
    assert unique_anchors([1, 2, 3, 4, 5, 6], [4, 5, 1, 6, 2, 3], Budget()) in (
        [(3, 0), (4, 1), (5, 3)],
        [(0, 2), (1, 4), (2, 5)],
    )


@pytest.mark.parametrize("seed", range(5))
def test_what_only_one_side_has_does_not_matter_for_what_is_paired(seed):
    choose = random.Random(seed)
    left = [choose.choice([1, 2, 3, 8]) for _ in range(60)]
    right = [choose.choice([1, 2, 3, 9]) for _ in range(60)]
    of_left, of_right = ([place for place, each in enumerate(side) if each < 8] for side in (left, right))
    pairs = longest([left[place] for place in of_left], [right[place] for place in of_right], Budget())
    assert longest(left, right, Budget()) == [(of_left[i], of_right[j]) for i, j in pairs]


def test_repeated_lines_are_matched_across_a_large_insertion():
    left = few_distinct(30_000)
    edited = ["edited\n" if number % 100 == 99 else line for number, line in enumerate(left)]
    right = edited[:50] + few_distinct(35_000)[30_000:] + edited[50:]
    assert changed(compare_lines(left, right)) <= 5000 + 2 * 300


def test_more_distinct_pieces_than_there_are_characters_are_compared_too():
    left, right = [1 << 21] * 20, [1 << 21] * 30
    too_little = Budget(cells=CELLS_PER_PIECE * 50 + 1)
    assert differences(left, right, too_little) == [(20, 20, 20, 30)]


@pytest.mark.parametrize("count", [10_000, 30_000])
def test_of_records_that_have_all_changed_what_is_between_them_stays(count):
    """As in a file of data that a program has written anew: no eight lines in a row are the same."""
    left, right = ([line for n in range(count) for line in ("},\n", "%s %d\n" % (side, n))] for side in ("old", "new"))
    hunks = compare_lines(left, right)
    assert len(hunks) == count
    assert changed(hunks) == 2 * count


def test_a_long_text_is_cut_into_the_same_words_as_a_short_one():
    text = "word _x1 返回\t (" * 20_000
    pieces = cut(text, Budget())
    assert "".join(pieces) == text
    assert set(pieces) == {"word", " ", "_x1", "返", "回", "\t ", "("}
