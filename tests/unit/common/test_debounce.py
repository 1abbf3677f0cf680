"""The debounce on a simulated clock: when it acts, and that it is never starved."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.common.waiting import Debounce
from tests.support.stepping import SteppedEditor


class Time(SteppedEditor):
    """The editor's timers, counted; `run` moves its time forward to a moment in milliseconds."""

    started = 0

    def schedule(self, milliseconds, function):
        self.started += 1
        self.set_timeout(function, milliseconds)

    def run(self, until):
        self.step(until - self.now)


def acted(marks, late=0):
    """When it acted, given the times of the marks, all in milliseconds from the start; timers come `late`."""
    time, acts = Time(), []
    debounce = Debounce(
        lambda milliseconds, function: time.schedule(milliseconds + late, function), lambda: acts.append(time.now)
    )
    for mark in marks:
        time.run(mark)
        debounce.mark()
    time.run((marks[-1] if marks else 0) + 1000)
    return acts, time.started


def test_one_event_is_answered_50_ms_later():
    assert acted([0]) == ([50], 1)


def test_a_debounce_cancelled_after_its_timer_was_set_again_has_one_timer():
    time, acts = Time(), []
    debounce = Debounce(time.schedule, lambda: acts.append(time.now))
    debounce.mark()
    time.run(40)
    debounce.mark()
    time.run(60)  # the timer has come too early and waits for the rest
    debounce.cancel()
    debounce.mark()
    assert len(time.waiting) == 1
    time.run(2000)
    assert acts == [110]


def test_a_burst_is_answered_once_50_ms_after_its_end():
    acts, _ = acted([0, 20, 40, 60])
    assert acts == [110]


def test_continuous_typing_is_answered_at_least_every_200_ms():
    acts, _ = acted(range(0, 1000, 10))
    assert acts[:4] == [200, 400, 600, 800]  # each burst begins with the first mark after the answer to the last


def test_a_thousand_marks_set_few_timers():
    _, timers = acted([index // 2 for index in range(1000)])
    assert timers <= 15


def test_cancelled_bursts_are_not_answered_and_later_ones_are():
    time, acts = Time(), []
    debounce = Debounce(time.schedule, lambda: acts.append(time.now))
    debounce.mark()
    debounce.cancel()
    time.run(1000)
    assert acts == []
    debounce.mark()
    time.run(2000)
    assert acts == [1050]


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=60), st.integers(0, 15))
def test_every_mark_is_answered_after_50_to_200_ms(marks, late):
    marks = sorted(marks)
    acts, _ = acted(marks, late)
    for mark in marks:
        answer = min(act for act in acts if act >= mark)
        # An act at the very millisecond of a mark may have come before it.
        later = [act for act in acts if act > mark]
        assert answer - mark <= 203 + 2 * late or (later and later[0] - mark <= 203 + 2 * late)
    for index, act in enumerate(acts):
        previous = acts[index - 1] if index else -1
        burst = [mark for mark in marks if previous <= mark <= act]
        assert burst
        quiet = act - max(mark for mark in burst if mark <= act)
        assert quiet >= 47 or act - min(burst) >= 197 or max(burst) == act
