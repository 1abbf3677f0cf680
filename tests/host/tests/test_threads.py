"""The API from several threads at once: nothing breaks, nothing is lost, everything is told on the main thread."""

from __future__ import annotations

import threading

from tests.host import errors
from tests.host.waiting import NEVER_SECONDS


def test_timers_run_in_order_and_errors_are_kept(bench):
    seen = []
    bench.sublime.set_timeout(lambda: seen.append("later"), 30)
    for number in range(5):
        bench.sublime.set_timeout(lambda number=number: seen.append(number))
    bench.sublime.set_timeout(lambda: 1 // 0)
    bench.sublime.set_timeout_async(lambda: {}["no such key"])
    assert not bench.scheduler.is_idle()
    bench.scheduler.pump_until(lambda: "later" in seen and len(errors.recorded()) == 2)
    assert seen == [0, 1, 2, 3, 4, "later"]
    assert sorted(error["type"] for error in errors.recorded()) == ["KeyError", "ZeroDivisionError"]
    errors.clear()


def test_garbage_waits_for_no_lock_wherever_it_is_collected(bench):
    """Another thread may have the API to itself, and wait for what the collecting thread holds."""
    view = bench.open("a.txt", b"text")
    phantoms = [bench.sublime.PhantomSet(view, "k")]
    phantoms[0].update([bench.sublime.Phantom(bench.sublime.Region(0), "gone", 0)])

    def shown():
        return [phantom["content"] for phantom in bench.gestures.snapshot_view(view=view.id())["phantoms"]]

    assert shown() == ["gone"]
    with bench.host.lock:
        thread = threading.Thread(target=phantoms.clear, daemon=True)
        thread.start()
        thread.join(NEVER_SECONDS)
        assert not thread.is_alive()
    bench.settle()
    assert shown() == []
