"""What holds for any two texts: hunks and changes rebuild the right one, and keep the rules the parts rely on."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as some

from companion.comparison import (
    HunkKind,
    compare_characters,
    compare_lines,
    split_lines,
)
from companion.comparison.budget import Budget
from companion.comparison.matching import longest
from tests.support.applying import apply_hunks, equal_blocks

FEW_LINES = some.lists(some.sampled_from(["a\n", "b\n", "\n", "  c\n", "\tif x:\n"]), max_size=40)
ANY_TEXT = some.text(some.sampled_from("ab \n\r\t_.(é返\ud800\x00\u2028"), max_size=80) | some.text(
    some.characters(), max_size=40
)
NUMBERS = some.lists(some.integers(0, 6), max_size=60)


@some.composite
def edited(draw, lines=FEW_LINES):
    """Lines, and the same lines with a few edits: what a proposal looks like."""
    left = draw(lines)
    right = list(left)
    for _ in range(draw(some.integers(0, 4))):
        start = draw(some.integers(0, len(right)))
        end = draw(some.integers(start, min(len(right), start + 5)))
        right[start:end] = draw(some.lists(some.sampled_from(["a\n", "b\n", "\n", "new\n"]), max_size=4))
    return left, right


PAIRS = edited() | some.tuples(FEW_LINES, FEW_LINES)


@settings(max_examples=150)
@given(PAIRS)
def test_hunks_applied_to_the_left_give_the_right(pair):
    left, right = pair
    assert apply_hunks(left, compare_lines(left, right), right) == right


@settings(max_examples=80)
@given(ANY_TEXT, ANY_TEXT)
def test_hunks_of_any_texts_give_the_right(left, right):
    left_lines, right_lines = split_lines(left), split_lines(right)
    assert "".join(left_lines) == left
    assert all(line.endswith("\n") for line in left_lines[:-1])
    assert all("\n" not in line[:-1] for line in left_lines)
    assert "".join(apply_hunks(left_lines, compare_lines(left_lines, right_lines), right_lines)) == right


@settings(max_examples=150)
@given(PAIRS)
def test_hunks_are_in_order_and_do_not_touch_and_differ_at_their_borders(pair):
    left, right = pair
    before = None
    for hunk in compare_lines(left, right):
        assert hunk.left_count or hunk.right_count
        if hunk.kind == HunkKind.CHANGED:
            assert left[hunk.left_start] != right[hunk.right_start]
            assert left[hunk.left_end - 1] != right[hunk.right_end - 1]
        between = (hunk.left_start, hunk.right_start)
        if before is not None:
            between = (hunk.left_start - before.left_end, hunk.right_start - before.right_end)
            assert between[0] >= 1
        assert between[0] == between[1]
        before = hunk


@settings(max_examples=100)
@given(PAIRS)
def test_no_more_lines_change_than_need_to_by_over_four_percent(pair):
    left, right = pair
    changed = sum(hunk.left_count + hunk.right_count for hunk in compare_lines(left, right))
    assert changed <= 1.04 * (len(left) + len(right) - 2 * table_length(left, right))


@settings(max_examples=200)
@given(ANY_TEXT, ANY_TEXT)
def test_changed_characters_rebuild_the_text(left, right):
    check_characters(left, right)


@settings(max_examples=100)
@given(edited(some.lists(some.sampled_from(["value", "x", " ", "(", "\n", "返"]), max_size=40)))
def test_changed_characters_of_an_edited_text_rebuild_it(pair):
    check_characters("".join(pair[0]), "".join(pair[1]))


@settings(max_examples=150)
@given(NUMBERS, NUMBERS)
def test_the_longest_common_subsequence_is_one_and_is_longest(left, right):
    pairs = longest(left, right, Budget())
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in zip(pairs, pairs[1:]))
    assert len(pairs) == table_length(left, right)


@settings(max_examples=80)
@given(NUMBERS, NUMBERS, some.sampled_from([0, 100_000, 400_000]))
def test_blocks_are_equal_and_rise_however_little_the_budget(left, right, cells):
    for i, j, length in equal_blocks(left, right, Budget(cells=cells)):
        assert left[i : i + length] == right[j : j + length]


def check_characters(left, right):
    """The changes rebuild `right`, are in order, do not touch, and none is empty."""
    result, place, offset = [], 0, 0
    for index, change in enumerate(compare_characters(left, right)):
        assert change.size
        assert change.left_start > place or index == 0
        assert change.right_start == change.left_start + offset
        result += [left[place : change.left_start], right[change.right_start : change.right_end]]
        place, offset = change.left_end, change.right_end - change.left_end
    assert "".join(result) + left[place:] == right


def table_length(left, right):
    """The length of a longest common subsequence, by the table in every textbook."""
    above = [0] * (len(right) + 1)
    for piece in left:
        row = [0]
        for place, other in enumerate(right):
            row.append(above[place] + 1 if piece == other else max(above[place + 1], row[-1]))
        above = row
    return above[-1]
