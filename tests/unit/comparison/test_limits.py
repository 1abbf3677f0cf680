"""Bad texts get coarser hunks, not a longer wait; and a comparison stops when nobody wants it any more."""

from __future__ import annotations

import random

import pytest

from companion.comparison import Cancelled, compare_characters, compare_lines
from companion.comparison.budget import CELLS, CELLS_PER_PIECE, Budget
from companion.comparison.matching import changed_stretches, differences, longest
from tests.support.applying import apply_hunks, equal_blocks


def few_distinct(count: int, seed: int):
    choose = random.Random(seed)
    return ["%d\n" % choose.randrange(20) for _ in range(count)]


def numbers(count: int, seed: int):
    return [int(line) for line in few_distinct(count, seed)]


BAD_PAIRS = {
    "few distinct lines": (few_distinct(10_000, 1), few_distinct(10_000, 2)),
    "many of few distinct lines": (few_distinct(60_000, 1), few_distinct(60_000, 2)),
    "reversed": (["%d\n" % n for n in range(10_000)], ["%d\n" % n for n in reversed(range(10_000))]),
    "all different": (["a%d\n" % n for n in range(10_000)], ["b%d\n" % n for n in range(10_000)]),
    "one line against many": (["a\n"] * 30_000, ["b\n", "a\n", "b\n"]),
    "every line twice": (["%d\n" % (n % 5000) for n in range(10_000)], ["%d\n" % (-n % 5000) for n in range(10_000)]),
}


@pytest.fixture
def spent(monkeypatch):
    """What every budget was asked to spend, in order. The budgets do not know of it."""
    asked = []
    spend = Budget.spend
    monkeypatch.setattr(Budget, "spend", lambda budget, cells: (asked.append(cells), spend(budget, cells))[1])
    return asked


@pytest.mark.parametrize("name", BAD_PAIRS)
def test_bad_texts_are_compared_rightly_within_the_budget(name, spent):
    left, right = BAD_PAIRS[name]
    assert apply_hunks(left, compare_lines(left, right), right) == right
    assert 0 < sum(spent) <= CELLS + linear(left, right)


@pytest.mark.parametrize("cells", [0, 1_000_000, 50_000_000, 150_000_000, 200_000_000, CELLS])
@pytest.mark.parametrize("count", [5_000, 20_000])
def test_whatever_the_budget_it_is_kept_but_for_one_look_at_every_piece(cells, count, spent):
    left, right = numbers(count, 3), numbers(count, 4)
    budget = Budget(cells=cells)
    differences(left, right, budget)
    assert sum(spent) <= cells + linear(left, right)
    assert budget.cells == cells - sum(spent)
    if cells == 0:
        assert spent == []


def linear(left, right):
    """What may be overspent: the look at every piece that finds out that the budget is at its end."""
    return 2 * CELLS_PER_PIECE * (len(left) + len(right))


def test_an_exact_answer_costs_its_whole_table():
    budget = Budget(cells=100_000)
    longest(numbers(300, 5), numbers(200, 6), budget)
    assert budget.cells == 100_000 - 300 * 200


def test_a_spent_budget_ends_the_search_for_equal_text(spent):
    same = "".join("%d," % number for number in range(20_000))
    left, right = "x" * 50_000 + same, "y" * 40_000 + same
    assert changed_stretches(left, right, Budget())[0][3] < len(right), "found"
    enough = sum(spent)
    del spent[:]
    stretches = changed_stretches(left, right, Budget(cells=enough // 4))
    assert stretches == [(0, len(left), 0, len(right))], "not found: all that is left is one stretch"
    assert sum(spent) < enough


def test_ten_thousand_lines_of_twenty_distinct_ones_are_compared_exactly():
    left, right = BAD_PAIRS["few distinct lines"]
    changed = sum(hunk.left_count + hunk.right_count for hunk in compare_lines(left, right))
    assert changed < 13_000  # About 36 % of such lines match at best; difflib's default matches none of them.


@pytest.mark.parametrize("cells", [0, 50_000, 2_000_000, 30_000_000, 40_000_000])
def test_a_smaller_budget_matches_less_but_never_wrongly(cells):
    left, right = numbers(5000, 3), numbers(5000, 4)
    matched = 0
    for i, j, length in equal_blocks(left, right, Budget(cells=cells)):
        assert left[i : i + length] == right[j : j + length]
        matched += length
    most = sum(length for _, _, length in equal_blocks(left, right, Budget()))
    assert most > 1000
    if cells >= 40_000_000:
        assert matched == most
    else:
        assert matched < most


def test_deep_nesting_of_anchors_needs_no_stack():
    # Each anchor makes the next one unique: 3000 levels if it were a recursion.
    left = [n // 2 for n in range(6000)]
    right = [n // 2 for n in range(1, 6001)]
    assert sum(length for _, _, length in equal_blocks(left, right, Budget())) == 5999


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
