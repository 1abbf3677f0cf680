"""What is done in turns: drawing at most ten times a second, and calls to another thread one by one."""

from __future__ import annotations

import pytest

from companion.common.pacing import Paced, Turns


class Bench:
    """A pace on a clock that the test moves on, in seconds."""

    def __init__(self):
        self.now = 100.0
        self.acted = []
        self.timers = []
        self.paced = Paced(self.act, self.later, lambda: self.now)

    def act(self):
        self.acted.append(self.now)

    def act_slowly(self):
        self.act()
        self.now += 0.3

    def later(self, milliseconds, function):
        self.timers.append((self.now + milliseconds / 1000, function))

    def fire(self):
        self.now, function = self.timers.pop()
        function()


@pytest.fixture
def bench():
    return Bench()


def test_the_pause_begins_when_a_slow_function_has_ended(bench):
    bench.paced = Paced(bench.act_slowly, bench.later, lambda: bench.now)
    for _ in range(10):
        bench.paced.call()
    assert bench.acted == [100.0]
    assert len(bench.timers) == 1
    bench.fire()
    assert len(bench.acted) == 2
    assert not bench.timers


@pytest.mark.parametrize("after", [0.0, 0.0004, 0.05, 0.0996])
def test_calls_during_the_pause_act_once_when_it_is_over(bench, after):
    bench.paced.call()
    bench.now += after
    for _ in range(10):
        bench.paced.call()
    assert len(bench.timers) == 1
    assert bench.acted == [100.0], "the first call acts at once"
    bench.fire()
    assert not bench.timers
    assert len(bench.acted) == 2
    assert 100.1 <= bench.acted[1] < 100.1021, "not before, and by no more than a timer's step after"


def test_what_acts_late_pauses_as_well(bench):
    bench.paced.call()
    bench.paced.call()
    bench.fire()
    bench.paced.call()
    assert len(bench.acted) == 2
    assert len(bench.timers) == 1
    bench.fire()
    assert bench.acted[2] - bench.acted[1] >= 0.0999


def test_after_the_pause_a_call_acts_at_once_again(bench):
    bench.paced.call()
    bench.now += 0.1001
    bench.paced.call()
    assert len(bench.acted) == 2
    assert not bench.timers


def test_what_fails_may_be_called_again(bench):
    def fail():
        raise ValueError("on purpose")

    paced = Paced(fail, bench.later, lambda: bench.now)
    for _ in range(2):
        with pytest.raises(ValueError, match="on purpose"):
            paced.call()
        bench.now += 1
    with pytest.raises(ValueError, match="on purpose"):
        paced.call()
    paced.call()
    with pytest.raises(ValueError, match="on purpose"):
        bench.fire()
    paced.call()
    assert len(bench.timers) == 1, "it does not wait for ever"


def test_calls_to_another_thread_are_handed_over_one_when_the_other_is_over():
    there, back, made = [], [], []
    turns = Turns(there.append, back.append)
    for number in range(3):
        turns.add(lambda number=number: made.append(number))
    for number in range(3):
        assert len(there) == 1, "between two of them that thread does what else is to be done"
        there.pop()()
        assert made == list(range(number + 1))
        assert not there
        back.pop()()
    assert not there
    turns.add(lambda: made.append(3))
    there.pop()()
    assert made == [0, 1, 2, 3]
