"""Where the user is typing, and where the disk has made the edit, however many views are edited."""

from __future__ import annotations

import pytest

from companion.review.window.focus import InputGuard


class Clock:
    """Seconds that the test moves on."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guard(clock):
    return InputGuard(clock)


@pytest.mark.parametrize(("seconds", "typed"), [(0.0, False), (0.2, False), (0.3, True)])
def test_an_edit_at_the_moment_of_a_look_at_the_disk_is_nobodys(guard, clock, seconds, typed):
    guard.reloaded(1)
    clock.now += seconds
    guard.edited(1)
    assert guard.typed_in(1) is typed


def test_of_thousands_of_views_the_latest_counts_and_no_more_than_a_hundred_are_remembered(guard):
    for view in range(5000):
        guard.reloaded(view)
        guard.edited(5000 + view)
        assert guard.typed_in(5000 + view)
        guard.edited(view)
        assert not guard.typed_in(view)
    assert sum(guard.typed_in(view) for view in range(5000, 10000)) <= 101
    guard.edited(1)
    assert guard.typed_in(1), "that it was read again is forgotten"
