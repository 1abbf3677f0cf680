"""Phases, long work in slices, and the clock of the visible reviews: they go on as long as they should, and no longer.

What is shown was drawn, what has failed was compared, and nothing follows a review's end.
"""

from __future__ import annotations

from itertools import product

import pytest

from companion.common.transitions import WrongStepError, step
from companion.review.display import pacing
from companion.review.display.pacing import Phase, Poller, Slices
from tests.support.stepping import SteppedRuntime

ANY_TIME = {Phase.GATHERING, Phase.COMPARING, Phase.DRAWING, Phase.RETIRED}
ONLY_AFTER = {Phase.SHOWN: Phase.DRAWING, Phase.FAILED: Phase.COMPARING}


@pytest.mark.parametrize(("before", "after"), list(product(Phase, Phase)))
def test_a_review_goes_no_other_way(before, after):
    if before is not Phase.RETIRED and (after in ANY_TIME or ONLY_AFTER[after] is before):
        assert step(pacing.TRANSITIONS, before, after) is after
    else:
        with pytest.raises(WrongStepError, match=f"from {before.name} to {after.name}"):
            step(pacing.TRANSITIONS, before, after)


@pytest.fixture
def runtime():
    return SteppedRuntime()


@pytest.fixture
def stopwatch(monkeypatch):
    """Seconds of work; each look at them takes a thousandth."""
    now = [100.0]

    def look():
        now[0] += 0.001
        return now[0]

    monkeypatch.setattr(pacing.time, "perf_counter", look)
    return now


class TestSlices:
    def work(self, done, count, stopwatch=None, cost=0.0):
        for number in range(count):
            done.append(number)
            if stopwatch is not None:
                stopwatch[0] += cost
            yield

    def test_short_work_is_done_at_once(self, runtime, stopwatch):
        done = []
        made = Slices(runtime)
        made.run(self.work(done, 5))
        assert done == list(range(5))
        assert not made.busy
        assert runtime.editor.waiting == []

    def test_long_work_leaves_the_editor_its_turn(self, runtime, stopwatch):
        done = []
        made = Slices(runtime)
        made.run(self.work(done, 10, stopwatch, 0.006))
        assert 1 <= len(done) <= 3
        assert made.busy
        for _ in range(10):
            before = len(done)
            runtime.editor.step(1)
            assert len(done) - before <= 3
        assert done == list(range(10))
        assert not made.busy

    def test_newer_work_takes_the_place_of_what_is_under_way(self, runtime, stopwatch):
        old, new = [], []
        made = Slices(runtime)
        made.run(self.work(old, 10, stopwatch, 0.02))
        made.run(self.work(new, 3, stopwatch, 0.02))
        runtime.editor.step(100)
        assert (len(old), len(new)) == (1, 3)
        assert not made.busy

    def test_what_was_stopped_does_nothing_more(self, runtime, stopwatch):
        done = []
        made = Slices(runtime)
        made.run(self.work(done, 10, stopwatch, 0.02))
        made.stop()
        assert not made.busy
        runtime.editor.step(100)
        assert len(done) == 1

    def test_work_that_begins_other_work_gives_way_to_it(self, runtime, stopwatch):
        done = []
        made = Slices(runtime)

        def first():
            made.run(self.work(done, 2))
            yield
            done.append("never")

        made.run(first())
        assert done == [0, 1]

    def test_work_that_begins_other_work_with_its_last_step_does_not_end_that(self, runtime, stopwatch):
        done = []
        made = Slices(runtime)

        def last_step():
            yield
            made.run(self.work(done, 10, stopwatch, 0.02))

        made.run(last_step())
        assert made.busy
        runtime.editor.step(100)
        assert done == list(range(10))


class Presentation:
    def __init__(self):
        self.visible = True
        self.moves = False
        self.ticks = self.looks = self.files = 0
        self.file = self

    def tick(self):
        self.ticks += 1
        return self.moves

    def check(self):
        self.looks += 1
        self.files += 1

    def check_disk(self):
        self.looks += 1


class TestPoller:
    @pytest.fixture
    def shown(self):
        return Presentation()

    @pytest.fixture
    def made(self, runtime, shown):
        return Poller(runtime, lambda: [shown])

    def test_it_slows_down_the_longer_nothing_moves(self, made, runtime, shown):
        made.start()
        runtime.editor.step(900)
        fast = shown.ticks
        assert 50 <= fast <= 57
        runtime.editor.step(1100)
        shown.ticks = 0
        runtime.editor.step(1200)
        assert 11 <= shown.ticks <= 13
        runtime.editor.step(20000)
        shown.ticks = 0
        runtime.editor.step(1500)
        assert 9 <= shown.ticks <= 11

    def test_a_movement_makes_it_fast_again(self, made, runtime, shown):
        made.start()
        runtime.editor.step(3000)
        shown.moves = True
        runtime.editor.step(200)
        shown.ticks = 0
        runtime.editor.step(320)
        assert 18 <= shown.ticks <= 21

    def test_the_file_is_looked_at_once_a_second(self, made, runtime, shown):
        made.start()
        runtime.editor.step(5500)
        assert 5 <= shown.looks <= 6
        assert shown.files == 0
        runtime.editor.step(10000)
        assert shown.files == 1, "all that can be asked about it is asked less often"

    def test_it_ends_when_nothing_is_visible_and_can_begin_again(self, made, runtime, shown):
        made.start()
        shown.visible = False
        runtime.editor.step(100)
        assert shown.ticks == 0
        assert runtime.editor.waiting == []
        shown.visible = True
        made.start()
        runtime.editor.step(100)
        assert shown.ticks > 3

    def test_however_often_it_is_begun_it_ticks_once(self, made, runtime):
        for _ in range(5):
            made.start()
        assert len(runtime.editor.waiting) == 1
        made.stop()
        made.start()
        runtime.editor.step(100)
        assert len(runtime.editor.waiting) == 1, "the tick of before the stop is none"

    def test_after_the_stop_it_is_silent(self, made, runtime, shown):
        made.start()
        made.stop()
        runtime.editor.step(1000)
        assert shown.ticks == 0
        assert runtime.editor.waiting == []
