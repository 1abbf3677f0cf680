"""Work that changes threads: what runs where, and that nothing of it runs after the runtime has stopped."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest

from tests.host.waiting import NEVER_SECONDS, until
from tests.support.stepping import SteppedWorkers


@pytest.fixture
def module(load):
    return load("companion.runtime")


@pytest.fixture
def reported():
    return []


@pytest.fixture
def workers(module, monkeypatch):
    """The workers of the next runtime that starts."""
    made = SteppedWorkers()
    monkeypatch.setattr(module, "Workers", lambda *args: made)
    return made


@pytest.fixture
def runtime(module, workers, reported):
    made = module.Runtime(lambda place, error: reported.append((place, error)))
    made.start()
    yield made
    made.stop()
    assert not made._thread.is_alive()


def reached(runtime):
    """All that was handed to the loop before has run."""
    done = threading.Event()
    runtime.on_loop(done.set)
    assert done.wait(NEVER_SECONDS)


class TestTheMainThread:
    def test_a_call_waits_for_its_time(self, runtime, editor):
        called = []
        runtime.later_on_main(100, called.append, "late")
        runtime.on_main(called.append, "soon")
        editor.step()
        assert called == ["soon"]
        editor.step(99)
        assert called == ["soon"]
        editor.step(1)
        assert called == ["soon", "late"]

    def test_nothing_that_was_scheduled_runs_after_the_stop(self, runtime, editor):
        called = []
        runtime.later_on_main(100, called.append, 1)
        runtime.on_main(called.append, 2)
        runtime.stop()
        editor.step(1000)
        assert called == []
        assert runtime.stopped

    def test_nothing_is_asked_of_an_editor_that_is_gone(self, runtime, editor):
        runtime.leave_editor()
        runtime.on_main(print)
        assert editor.waiting == []

    def test_a_failure_is_reported_and_left_to_the_editor(self, runtime, editor, reported):
        def fail():
            raise LookupError("nothing")

        runtime.on_main(fail)
        with pytest.raises(LookupError):
            editor.step()
        assert [place for place, _ in reported] == ["the main thread"]

    def test_its_answer_comes_back_to_the_loop(self, runtime, editor):
        async def ask():
            here = threading.current_thread()
            there = await runtime.call_main(threading.current_thread)
            return here, there

        outcome = runtime.spawn(ask)
        until(lambda: editor.waiting == [0])
        assert not outcome.done()
        editor.step()
        here, there = outcome.result(NEVER_SECONDS)
        assert there is threading.current_thread()
        assert here is not there

    def test_its_failure_comes_back_to_the_caller_alone(self, runtime, editor, reported):
        def fail():
            raise LookupError("nothing")

        outcome = runtime.spawn(runtime.call_main, fail)
        until(lambda: editor.waiting == [0])
        editor.step()
        with pytest.raises(LookupError):
            outcome.result(NEVER_SECONDS)
        until(lambda: reported)
        assert [place for place, _ in reported] == ["task"]

    def test_an_answer_that_nobody_waits_for_any_more_disturbs_nobody(self, runtime, editor, reported):
        async def give_up():
            task = asyncio.ensure_future(runtime.call_main(lambda: 1))
            await asyncio.sleep(0)
            task.cancel()

        runtime.spawn(give_up).result(NEVER_SECONDS)
        editor.step()
        reached(runtime)
        assert reported == []


class TestTimers:
    """They go by the package's clock on both threads."""

    def test_timers_of_the_main_thread_go_off_in_order_with_the_clock(self, runtime, editor, clock):
        called = []
        for milliseconds in (3000, 1000, 2000, 1000, 60000):
            runtime.later_on_main(milliseconds, lambda milliseconds=milliseconds: called.append(milliseconds))
        clock.advance(3)
        assert called == [], "not on the thread of the test"
        editor.step()
        assert called == [1000, 1000, 2000, 3000]
        clock.advance(57)
        editor.step()
        editor.step(100000)  # the editor's own calls come as well
        assert called == [1000, 1000, 2000, 3000, 60000]

    def test_none_goes_off_while_the_clock_stands_still(self, runtime, editor, clock, monkeypatch):
        called, calls = [], []
        monkeypatch.setattr(
            editor, "set_timeout", lambda function, milliseconds: calls.append((milliseconds, function))
        )
        runtime.later_on_main(50, called.append, "late")
        runtime.on_main(called.append, "soon")
        for _, function in calls:
            function()
        assert called == ["soon"]
        clock.thaw()
        assert [milliseconds for milliseconds, _ in calls] == [50, 0, 50], "the editor is asked again"
        for _, function in calls:
            function()
        assert called == ["soon", "late", "soon"]

    def test_an_editor_that_calls_a_little_early_is_not_asked_twice(self, runtime, editor, clock, monkeypatch):
        called, calls = [], []
        monkeypatch.setattr(editor, "set_timeout", lambda function, milliseconds: calls.append(function))
        clock.thaw()
        runtime.later_on_main(60000, called.append, 1)
        calls[0]()
        assert (called, len(calls)) == ([1], 1)

    def test_those_of_the_main_thread_are_dropped_at_the_stop(self, runtime, editor, clock):
        called = []
        runtime.later_on_main(1000, called.append, 1)
        runtime.stop()
        clock.advance(60)
        editor.step(60000)
        assert called == []

    def test_the_editors_own_timers_keep_nothing_alive_after_the_stop(self, runtime, editor):
        class Kept:
            def done(self):
                pass

        kept = Kept()
        runtime.later_on_main(600000, kept.done)
        found = weakref.ref(kept)
        del kept
        assert found() is not None
        runtime.stop()
        gc.collect()
        assert editor.waiting, "the editor cannot be told to forget its timers"
        assert found() is None

    def test_what_waits_on_the_loop_waits_by_the_clock(self, runtime, clock):
        steps, called = [], []

        async def wait():
            steps.append("sleeps")
            await asyncio.sleep(30)
            steps.append("waits")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.sleep(1000), 60)
            return "over"

        def come_to(step):
            until(lambda: steps[-1:] == [step], steps)
            reached(runtime)  # and its timer is set

        outcome = runtime.spawn(wait)
        runtime.later_on_loop(30, called.append, True)
        come_to("sleeps")
        clock.advance(29)
        reached(runtime)
        assert (steps, called) == (["sleeps"], [])
        clock.advance(1)
        come_to("waits")
        assert called == [True]
        assert not outcome.done()
        clock.advance(60)
        assert outcome.result(NEVER_SECONDS) == "over"


class TestTheLoop:
    def test_calls_keep_their_order_also_those_from_before_it_ran(self, module, workers, reported):
        runtime = module.Runtime(lambda place, error: reported.append(error))
        called = []
        for number in range(10):
            runtime.on_loop(called.append, number)
        runtime.start()
        for number in range(10, 20):
            runtime.on_loop(called.append, number)
        reached(runtime)
        runtime.stop()
        assert called == list(range(20))

    def test_what_waits_for_a_loop_that_never_ran_is_dropped_at_the_stop(self, module, workers, reported):
        runtime = module.Runtime(lambda place, error: reported.append(error))
        called = []
        runtime.on_loop(called.append, 1)
        runtime.stop()
        runtime.start()
        runtime._thread.join(NEVER_SECONDS)
        assert called == []

    def test_nothing_is_taken_after_the_stop(self, runtime):
        runtime.stop()
        called = []
        runtime.on_loop(called.append, 1)
        outcome = runtime.spawn(asyncio.sleep, 0)
        assert called == []
        assert not outcome.done()

    def test_the_stop_cancels_what_runs_and_lets_it_clean_up(self, runtime):
        ended = []
        began = threading.Event()

        async def work():
            began.set()
            try:
                await asyncio.sleep(1000)
            finally:
                await asyncio.sleep(0)
                ended.append("cleaned up")

        outcome = runtime.spawn(work)
        assert began.wait(NEVER_SECONDS)
        runtime.stop()
        assert ended == ["cleaned up"]
        assert outcome.cancelled()

    def test_a_failing_task_is_reported_once_and_the_loop_goes_on(self, runtime, reported):
        async def fail():
            raise LookupError("nothing")

        with pytest.raises(LookupError):
            runtime.spawn(fail).result(NEVER_SECONDS)
        reached(runtime)
        assert [place for place, _ in reported] == ["task"]

    def test_so_are_a_failing_call_and_what_the_loop_has_to_say(self, runtime, reported, caplog):
        runtime.on_loop(lambda: 1 / 0)
        runtime.on_loop(lambda: asyncio.get_running_loop().call_exception_handler({"message": "left open"}))
        reached(runtime)
        assert [type(error) for _, error in reported] == [ZeroDivisionError]
        assert "left open" in caplog.text

    def test_a_request_to_exit_does_not_end_the_thread(self, runtime, reported):
        def leave():
            raise SystemExit

        runtime.on_loop(leave)
        until(lambda: reported)
        reached(runtime)

    def test_the_stop_does_not_wait_for_a_pause_to_end(self, module, workers, reported, monkeypatch):
        runtime = module.Runtime(lambda place, error: reported.append(error))
        wait = runtime._stopping.wait
        monkeypatch.setattr(runtime._stopping, "wait", lambda seconds: wait(10 * NEVER_SECONDS))
        runtime.start()
        runtime.on_loop(lambda: asyncio.get_running_loop().stop())
        until(lambda: reported)
        runtime.stop(NEVER_SECONDS)
        assert not runtime._thread.is_alive()


class TestWorkers:
    def test_the_result_comes_to_the_main_thread(self, runtime, workers, editor):
        results = []
        runtime.compute(lambda number, cancelled: number + 1, 1, then=results.append)
        workers.step()
        assert results == []
        editor.step()
        assert results == [2]

    @pytest.mark.parametrize("moment", ["before it runs", "while it runs", "while it fails", "before it is told"])
    def test_a_cancelled_one_tells_nothing(self, runtime, workers, editor, reported, moment):
        told, seen = [], []

        def work(cancelled):
            if moment.startswith("while"):
                computation.cancel()
            seen.append(cancelled())
            if moment == "while it fails":
                raise LookupError("nothing")

        computation = runtime.compute(work, then=told.append, failed=told.append)
        if moment == "before it runs":
            computation.cancel()
        workers.step()
        computation.cancel()
        editor.step()
        assert told == reported == []
        assert seen == ([] if moment == "before it runs" else [moment.startswith("while")])

    def test_a_failure_comes_to_who_asked_for_it_or_is_reported(self, runtime, workers, editor, reported):
        told = []

        def work(cancelled):
            raise LookupError("nothing")

        runtime.compute(work, then=told.append, failed=lambda error: told.append(str(error)))
        workers.step()
        editor.step()
        assert told == ["nothing"]
        assert reported == []
        runtime.compute(work, then=told.append)
        workers.step()
        editor.step()
        assert told == ["nothing"]
        assert [place for place, _ in reported] == ["worker"]

    def test_the_stop_cancels_what_runs_and_what_still_waits(self, runtime, workers, editor):
        told = []
        running = []

        def work(cancelled):
            running.append(cancelled)
            runtime.stop()
            return cancelled()

        for _ in range(2):
            runtime.compute(work, then=told.append)
        workers.step()
        assert running[0](), "it polls this, and so ends"
        workers.step()
        assert len(running) == 1, "the second never began"
        editor.step()
        assert told == []

    def test_after_the_stop_nothing_is_begun(self, runtime, workers):
        runtime.stop()
        assert runtime.compute(print, then=print).wait(0)
        assert workers.jobs == []
        assert workers.stopped

    def test_the_loop_can_wait_for_one(self, runtime, workers):
        outcome = runtime.spawn(runtime.in_worker, lambda number: number + 1, 1)
        until(lambda: workers.jobs)
        workers.step()
        assert outcome.result(NEVER_SECONDS) == 2


class TestALoopThatFails:
    """A loop that fails is resumed; one that does no work in between is resumed after growing pauses, and reported."""

    @pytest.fixture
    def pauses(self, module, runtime, monkeypatch):
        """How long the loop thread was to pause, each time."""
        asked = []
        wait = runtime._stopping.wait
        monkeypatch.setattr(runtime._stopping, "wait", lambda seconds: asked.append(seconds) or wait(0))
        return asked

    def fail(self, runtime, times):
        """Let other code stop the loop so often."""
        for _ in range(times):
            loop = runtime._loop
            runtime.on_loop(loop.stop)
            reached(runtime)

    def test_failures_with_work_in_between_are_each_the_first(self, runtime, reported, pauses):
        reached(runtime)
        loop = runtime._loop
        self.fail(runtime, 4)
        until(lambda: len(pauses) == 4)
        assert pauses == [0.0] * 4
        assert runtime._loop is loop
        assert [place for place, _ in reported] == ["the event loop"] * 4

    @pytest.fixture
    def broken(self, runtime, pauses, monkeypatch):
        """A loop that does no work any more, until it has failed often enough; `set` begins that."""
        reached(runtime)
        broken = threading.Event()
        genuine = type(runtime._loop).run_forever

        def run_forever(self):
            if broken.is_set():
                if len(pauses) >= 5:
                    broken.clear()
                raise OSError("no more descriptors")
            genuine(self)

        monkeypatch.setattr(type(runtime._loop), "run_forever", run_forever)
        return broken

    def test_an_idle_one_is_reported_and_resumed_after_growing_pauses(self, module, runtime, reported, pauses, broken):
        loop = runtime._loop
        broken.set()
        runtime.on_loop(loop.stop)
        until(lambda: not broken.is_set())
        reached(runtime)
        assert runtime._loop is loop
        assert pauses == [0.0, 0.1, 0.3, 1.0, 5.0, 30.0]
        assert [place for place, _ in reported] == ["the event loop"] * 2 + [module.CANNOT_GO_ON] * 4

    def test_what_the_main_thread_answers_while_the_loop_fails_is_not_lost(self, runtime, editor, broken):
        answered = []
        first = runtime.spawn(runtime.call_main, answered.append, "in the midst")
        until(lambda: editor.waiting)

        def fail():
            broken.set()
            editor.step()  # the answer comes while the loop fails
            runtime._loop.stop()

        runtime.on_loop(fail)
        first.result(NEVER_SECONDS)
        runtime.spawn(runtime.call_main, answered.append, "later")
        until(lambda: editor.waiting)
        editor.step()
        assert answered == ["in the midst", "later"]

    def test_one_that_cannot_even_be_closed_ends_with_the_runtime(self, runtime, monkeypatch):
        def close():
            raise OSError("no more descriptors")

        reached(runtime)
        loop = runtime._loop
        monkeypatch.setattr(loop, "close", close)
        runtime.stop(NEVER_SECONDS)
        assert not runtime._thread.is_alive()
        monkeypatch.undo()
        loop.close()
