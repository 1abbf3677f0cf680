"""The start of the package: what is told too early, what is asked too early, and an end before there is anything."""

from __future__ import annotations

import importlib
import threading
import time

import pytest


class Bench:
    """A start, and the thread that it imports on."""

    def __init__(self, package):
        self.package, self.parts, self.editor = package, package.parts, package.editor
        self.made = []
        self.startup = importlib.import_module("package_of_this_test.companion.startup").Startup(self.made.append)
        self.join = package.join

    def load(self):
        """Let everything be imported, and the main thread hear of it."""
        self.startup.begin()
        self.parts.release()
        self.join()
        self.editor.step()
        return self.made[0] if self.made else None

    def serve(self):
        application = self.load()
        application.serving()
        return application


@pytest.fixture
def bench(package):
    return Bench(package)


def told(bench, what):
    bench.startup.tell(lambda application: application.heard.append(what))


def test_the_application_is_made_on_the_main_thread_before_it_starts(bench):
    assert bench.startup.alive
    bench.startup.begin()
    bench.parts.release()
    bench.join()
    assert bench.parts.imported == ["outside", "middle", "inside"]
    assert not bench.made, "the main thread has yet to hear of it"
    bench.editor.step()
    (application,) = bench.made
    assert application.heard == ["start"]


def test_what_is_told_too_early_is_told_in_its_order_once_it_serves(bench):
    told(bench, 1)
    application = bench.load()
    told(bench, 2)
    assert application.heard == ["start"]
    application.serving()
    assert application.heard == ["start", 1, 2]
    told(bench, 3)
    assert application.heard == ["start", 1, 2, 3]


def test_one_act_that_fails_does_not_take_the_others_with_it(bench):
    def fail(application):
        raise ValueError("on purpose")

    bench.startup.tell(fail)
    told(bench, "after")
    application = bench.serve()
    assert application.heard == ["start", "after"]
    assert len(application.runtime.failed) == 1


def test_only_so_much_is_kept(bench):
    most = 500
    for number in range(most + 10):
        told(bench, number)
    application = bench.serve()
    assert application.heard[1:] == list(range(most))


def test_what_is_asked_too_early_has_another_answer(bench):
    def ask():
        return bench.startup.ask(lambda application: len(application.heard), "otherwise")

    assert ask() == "otherwise"
    application = bench.load()
    assert ask() == "otherwise"
    application.serving()
    assert ask() == 1


def test_an_edit_needs_an_application_and_no_more(bench):
    bench.startup.edit(lambda application: pytest.fail("there is none"))
    application = bench.load()
    bench.startup.edit(lambda application: application.heard.append("edit"))
    assert application.heard == ["start", "edit"]
    bench.startup.stop()
    bench.startup.edit(lambda application: pytest.fail("there is none any more"))


def test_an_edit_of_an_end_that_is_under_way_is_carried_out(bench):
    application = bench.serve()
    application.stop = lambda: bench.startup.edit(lambda application: application.heard.append("edit"))
    bench.startup.stop()
    assert application.heard == ["start", "edit"]


@pytest.mark.parametrize("end", ["stop", "exit"])
def test_after_the_end_nothing_is_heard(bench, end):
    application = bench.serve()
    getattr(bench.startup, end)()
    told(bench, "late")
    assert application.heard == ["start", end]
    assert bench.startup.ask(lambda application: True, False) is False
    assert not bench.startup.alive


def test_a_quit_before_there_is_anything(bench):
    bench.startup.exit()
    assert not bench.startup.alive
    assert bench.load() is None


def test_an_end_while_loading_waits_for_nothing(bench, package):
    told(bench, "early")
    bench.startup.begin()
    bench.parts.wait_for("outside")
    bench.startup.stop()
    assert package.threads(), "it cannot be interrupted inside of a module"
    bench.parts.release()
    bench.join()
    assert bench.parts.begun == ["outside"]
    bench.editor.step()
    assert not bench.made


def test_an_end_between_the_last_import_and_the_main_thread(bench):
    bench.startup.begin()
    bench.parts.release()
    bench.join()
    bench.startup.stop()
    bench.editor.step()
    assert not bench.made


@pytest.mark.parametrize("end", ["stop", "exit"])
def test_an_end_before_it_serves_leaves_what_was_kept_untold(bench, end):
    told(bench, "early")
    application = bench.load()
    getattr(bench.startup, end)()
    application.serving()
    assert application.heard == ["start", end]
    assert not bench.startup.alive


def test_a_part_that_cannot_be_imported_is_the_editors_to_show(bench, editor):
    bench.parts.error = ImportError("no such part")
    told(bench, "early")
    bench.startup.begin()
    bench.parts.release()
    bench.join()
    with pytest.raises(ImportError, match="no such part"):
        editor.step()
    assert not bench.startup.alive
    assert not bench.made


def test_later_imports_run_one_at_a_time_and_not_after_the_end(bench):
    application = bench.serve()
    under_way, most, names = [], [], []

    def job():
        under_way.append(1)
        time.sleep(0.01)
        most.append(len(under_way))
        under_way.pop()
        names.append(threading.current_thread().name)

    for _ in range(5):
        application.on_import_thread(job)
    bench.join()
    assert most == [1] * 5
    assert set(names) == {"gemini-companion-loading"}
    bench.startup.stop()
    application.on_import_thread(job)
    bench.join()
    assert len(most) == 5
