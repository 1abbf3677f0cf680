"""Marks that the editor has moved with an edit are left alone only where that is certain."""

from __future__ import annotations

import random

import pytest

from companion.review.document.analysis import NO_EDIT, Carried, carried


@pytest.mark.parametrize(
    "before, after, edit",
    [
        ("one two", "one xy two", Carried(3, 4, 3)),
        ("one two", "one twos", Carried(7, 7, 1)),
        ("one two", "on two", Carried(2, 3, -1)),
        ("hello", "helllo", Carried(2, 4, 1)),  # typed before, between or behind the two that were there
        ("aaa", "aa", Carried(0, 3, -1)),
        ("", "x", Carried(0, 0, 1)),
        ("same", "same", NO_EDIT),
        ("one", "two", None),
        ("a b c", "a x c", None),
    ],
)
def test_what_edit_made_a_text_of_another(before, after, edit):
    assert carried(before, after) == edit


@pytest.mark.parametrize("seed", range(20))
def test_a_point_is_certain_only_where_every_possible_edit_moves_it_alike(seed):
    chance = random.Random(seed)
    before = "".join(chance.choice("ab\n") for _ in range(40))
    at, length = chance.randrange(40), chance.randint(1, 4)
    inserted = "".join(chance.choice("ab\n") for _ in range(length))
    after = before[:at] + inserted + before[at:] if seed % 2 else before[:at] + before[at + length :]
    edit = carried(before, after)
    for point in range(41):
        moved = edit.point(point)
        if point < at:
            assert moved in (None, point)
        elif point > at + (0 if seed % 2 else length):
            assert moved in (None, point + len(after) - len(before))
        else:
            assert moved is None
    assert edit.point(-1) == -1
    assert edit.point(41) == 41 + len(after) - len(before)


def test_spans_are_certain_together_or_not_at_all():
    spans = [(0, 5), (10, 20)]
    assert Carried(12, 12, 3).spans(spans) == [(0, 5), (10, 23)]
    assert Carried(5, 5, 1).spans(spans) is None  # at the end of one of them
    assert NO_EDIT.spans(spans) == spans
