"""Where the user is typing, and where the disk has made the edit, however many views are edited; and which reviews a
key does not decide yet.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.review.decision import Owner, Review
from companion.review.window.focus import InputGuard

GEMINI = Owner("session-1", "Gemini CLI")
SOURCE: Any = None


@pytest.fixture
def guard(clock):
    return InputGuard()


@pytest.mark.parametrize(("seconds", "typed"), [(0.0, False), (0.2, False), (0.3, True)])
def test_an_edit_at_the_moment_of_a_look_at_the_disk_is_nobodys(guard, clock, seconds, typed):
    guard.reloaded(1)
    clock.advance(seconds)
    guard.edited(1)
    assert guard.typed_in(1) is typed


def test_the_latest_of_many_views_counts_and_only_a_hundred_are_remembered(guard):
    for view in range(5000):
        guard.reloaded(view)
        guard.edited(5000 + view)
        assert guard.typed_in(5000 + view)
        guard.edited(view)
        assert not guard.typed_in(view)
    assert sum(guard.typed_in(view) for view in range(5000, 10000)) <= 101
    guard.edited(1)
    assert guard.typed_in(1), "that it was read again is forgotten"


def test_each_review_that_came_is_guarded_for_its_own_time(guard, clock):
    first, second = Review(GEMINI, "/first", "", SOURCE), Review(GEMINI, "/second", "", SOURCE)
    guard.came(first)
    clock.advance(0.5)
    guard.came(second)
    assert guard.ignores(first)
    clock.advance(0.3)
    assert (guard.ignores(first), guard.ignores(second)) == (False, True)
    guard.asked_for(second)
    assert not guard.ignores(second)


def test_whichever_comes_next_is_guarded_until_the_user_asks_for_one(guard):
    review = Review(GEMINI, "/file", "", SOURCE)
    guard.came()
    assert guard.pressed(review)
    guard.asked_for(review)
    assert not guard.ignores(review)
