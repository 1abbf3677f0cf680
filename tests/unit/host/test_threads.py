"""The API from several threads at once: nothing breaks, nothing is lost, everything is told on the main thread."""

from __future__ import annotations

import threading


def test_marks_and_settings_from_workers_while_the_user_types(bench):
    module = bench.plugin("""
import threading
seen = set()
class Listener(sublime_plugin.EventListener):
    def on_modified(self, view): seen.add(threading.current_thread())
    def on_selection_modified(self, view): seen.add(threading.current_thread())
""")
    view = bench.open("a.txt", b"".join(b"line %d\n" % number for number in range(300)))
    region = bench.sublime.Region
    failures = []

    def work(name):
        try:
            for number in range(150):
                view.add_regions("%s.%d" % (name, number), [region(number, number + 3)])
                view.rowcol(number)
                view.set_status(name, str(number))
                view.settings().set(name, number)
                view.substr(region(0, 40))
                view.sel().clear()
                view.sel().add(number)
                bench.sublime.windows()[0].views()
        except Exception as error:  # noqa: BLE001 - whatever a worker meets is a failure of the test
            failures.append(error)

    workers = [threading.Thread(target=work, args=("w%d" % number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(100):
        view.run_command("append", {"characters": "x"})
        bench.gestures.snapshot()
        bench.scheduler.pump()
    bench.scheduler.pump_until(lambda: not any(worker.is_alive() for worker in workers), 30)
    bench.settle()
    assert failures == []
    assert bench.text(view).endswith("x" * 100)
    assert all(view.get_regions("w%d.%d" % (worker, number)) for worker in range(4) for number in range(150))
    assert [view.get_status("w%d" % worker) for worker in range(4)] == ["149"] * 4
    assert module.seen == {threading.current_thread()}


def test_calling_the_main_thread_gives_results_and_errors(bench):
    answers = []

    def work():
        answers.append(bench.scheduler.call_on_main(threading.current_thread))
        try:
            bench.scheduler.call_on_main(lambda: 1 // 0)
        except ZeroDivisionError as error:
            answers.append(type(error))

    worker = threading.Thread(target=work)
    worker.start()
    bench.scheduler.pump_until(lambda: len(answers) == 2)
    worker.join()
    assert answers == [threading.current_thread(), ZeroDivisionError]


def test_timers_run_in_order_and_errors_are_kept(bench):
    seen = []
    bench.sublime.set_timeout(lambda: seen.append("later"), 30)
    for number in range(5):
        bench.sublime.set_timeout(lambda number=number: seen.append(number))
    bench.sublime.set_timeout(lambda: 1 // 0)
    bench.sublime.set_timeout_async(lambda: {}["no such key"])
    assert not bench.scheduler.is_idle()
    bench.scheduler.pump_until(lambda: "later" in seen and len(bench.scheduler.uncaught_errors) == 2)
    assert seen == [0, 1, 2, 3, 4, "later"]
    assert sorted(error.strip().splitlines()[-1].split(":")[0] for error in bench.scheduler.uncaught_errors) == [
        "KeyError",
        "ZeroDivisionError",
    ]
    bench.scheduler.uncaught_errors.clear()


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
        thread.join(10)
        assert not thread.is_alive()
    bench.settle()
    assert shown() == []
