"""The clock that tests move: it never goes back, and what listens hears of every move."""

from __future__ import annotations

import time

import pytest

from companion.common.clock import Clock


@pytest.fixture
def machine(monkeypatch):
    """The machine's clocks, which stand still but when the test changes them."""
    seconds = {"monotonic": 100.0, "time": 5000.0}
    monkeypatch.setattr(time, "monotonic", lambda: seconds["monotonic"])
    monkeypatch.setattr(time, "time", lambda: seconds["time"])
    return seconds


def test_it_goes_as_the_machine_does_and_is_ahead_once_it_was_moved(machine):
    made = Clock()
    assert (made.now(), made.date()) == (100.0, 5000.0)
    made.advance(60)
    machine["monotonic"] += 1
    assert (made.now(), made.date()) == (161.0, 5060.0)


def test_a_frozen_one_goes_on_from_where_it_stands(machine):
    made = Clock()
    made.freeze()
    machine["monotonic"] += 10
    made.advance(2)
    assert made.frozen
    assert made.now() == 102.0
    made.thaw()
    machine["monotonic"] += 3
    assert not made.frozen
    assert made.now() == 105.0
    made.thaw()
    assert made.now() == 105.0


def test_timers_hear_that_it_was_moved_or_goes_on_until_they_are_forgotten():
    made, heard = Clock(), []

    def moved():
        heard.append(made.frozen)

    made.listen(moved)
    made.advance(1)
    made.freeze()
    made.advance(1)
    made.thaw()
    assert heard == [False, True, False]
    made.forget(moved)
    made.forget(moved)
    made.advance(1)
    assert len(heard) == 3
