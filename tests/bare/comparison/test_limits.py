"""Bad texts get coarser hunks, not a longer wait; and a comparison stops when nobody wants it any more."""

from __future__ import annotations

import random

import pytest

from companion.comparison import Cancelled, apply_hunks, compare_characters, compare_lines
from companion.comparison.budget import CELLS, CELLS_PER_PIECE, Budget
from companion.comparison.matching import matching_blocks


def few_distinct(count: int, seed: int):
    choose = random.Random(seed)
    return ["%d\n" % choose.randrange(20) for _ in range(count)]


BAD_PAIRS = {
    "few distinct lines": (few_distinct(10_000, 1), few_distinct(10_000, 2)),
    "many of few distinct lines": (few_distinct(60_000, 1), few_distinct(60_000, 2)),
    "reversed": (["%d\n" % n for n in range(10_000)], ["%d\n" % n for n in reversed(range(10_000))]),
    "all different": (["a%d\n" % n for n in range(10_000)], ["b%d\n" % n for n in range(10_000)]),
    "one line against many": (["a\n"] * 30_000, ["b\n", "a\n", "b\n"]),
    "every line twice": (["%d\n" % (n % 5000) for n in range(10_000)], ["%d\n" % (-n % 5000) for n in range(10_000)]),
}


@pytest.mark.parametrize("name", BAD_PAIRS)
def test_bad_texts_are_compared_rightly_within_the_budget(name, monkeypatch):
    left, right = BAD_PAIRS[name]
    spent = []
    spend = Budget.spend
    monkeypatch.setattr(Budget, "spend", lambda budget, cells: (spent.append(cells), spend(budget, cells))[1])
    assert apply_hunks(left, compare_lines(left, right), right) == right
    linear = 10 * CELLS_PER_PIECE * (len(left) + len(right))
    assert sum(spent) <= CELLS + linear


def test_ten_thousand_lines_of_twenty_distinct_ones_are_compared_exactly():
    left, right = BAD_PAIRS["few distinct lines"]
    changed = sum(hunk.left_count + hunk.right_count for hunk in compare_lines(left, right))
    assert changed < 13_000  # About 36 % of such lines match at best; difflib's default matches none of them.


@pytest.mark.parametrize("cells", [0, 50_000, 2_000_000, 40_000_000])
def test_a_smaller_budget_matches_less_but_never_wrongly(cells):
    left = [int(line) for line in few_distinct(5000, 3)]
    right = [int(line) for line in few_distinct(5000, 4)]
    matched = 0
    for block in matching_blocks(left, right, Budget(cells=cells)):
        assert left[block.left : block.left + block.length] == right[block.right : block.right + block.length]
        matched += block.length
    assert matched <= sum(block.length for block in matching_blocks(left, right, Budget()))
    if cells >= 40_000_000:
        assert matched > 1000


def test_deep_nesting_of_anchors_needs_no_stack():
    # Each anchor makes the next one unique: 3000 levels if it were a recursion.
    left = [n // 2 for n in range(6000)]
    right = [n // 2 for n in range(1, 6001)]
    matched = sum(block.length for block in matching_blocks(left, right, Budget()))
    assert matched == 5999


@pytest.mark.parametrize("name", BAD_PAIRS)
def test_a_comparison_of_lines_stops_whenever_it_is_cancelled(name):
    left, right = BAD_PAIRS[name]
    asked = count_polls(lambda cancelled: compare_lines(left, right, cancelled=cancelled))
    for limit in {0, asked // 2, asked - 1}:
        stops_at(limit, lambda cancelled: compare_lines(left, right, cancelled=cancelled))


@pytest.mark.parametrize("size", [100_000, 3_000_000])
def test_a_comparison_of_characters_stops_whenever_it_is_cancelled(size):
    left = "".join(few_distinct(size // 3, 5)).replace("\n", " ")
    right = "".join(few_distinct(size // 3, 6)).replace("\n", " ")
    asked = count_polls(lambda cancelled: compare_characters(left, right, cancelled=cancelled))
    assert asked > 10
    for limit in {0, asked // 2, asked - 1}:
        stops_at(limit, lambda cancelled: compare_characters(left, right, cancelled=cancelled))


def count_polls(compare) -> int:
    asked = []
    compare(lambda: bool(asked.append(1)))
    return len(asked)


def stops_at(limit: int, compare) -> None:
    """Cancelled at the poll after `limit` others, the comparison asks no more and has no result."""
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > limit

    with pytest.raises(Cancelled):
        compare(cancelled)
    assert len(asked) == limit + 1
