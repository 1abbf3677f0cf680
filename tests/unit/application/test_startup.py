"""The start of the package: what is told too early, what is asked too early, and an end before there is anything."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest

WAIT = 10  # seconds; a test that works never waits so long


class Runtime:
    """Calls at once, and reports what fails instead of raising it."""

    def __init__(self):
        self.failed = []

    def on_main(self, function, *args):
        try:
            function(*args)
        except ValueError as error:
            self.failed.append(error)


class Application:
    """Serves when the test says so."""

    def __init__(self):
        self.runtime = Runtime()
        self.serving = None
        self.heard = []

    def start(self, serving):
        self.heard.append("start")
        self.serving = serving

    def stop(self):
        self.heard.append("stop")

    def exit(self):
        self.heard.append("exit")


class Parts:
    """The parts of the package, of which the test lets one after the other be imported."""

    def __init__(self):
        self.imported = []
        self.go_on = threading.Semaphore(0)
        self.error = None

    def __call__(self):
        for name in ("inside", "middle", "outside"):
            assert self.go_on.acquire(timeout=WAIT)
            if self.error is not None:
                raise self.error
            self.imported.append(name)
            yield

    def release(self, count=3):
        for _ in range(count):
            self.go_on.release()


class Bench:
    """A start, and the thread that it imports on."""

    def __init__(self, module, parts, editor):
        self.parts, self.editor = parts, editor
        self.made = []
        self.startup = module.Startup(self.made.append)
        self.thread = self.startup._thread

    def load(self):
        """Let everything be imported, and the main thread hear of it."""
        self.startup.begin()
        self.parts.release()
        self.thread.join(WAIT)
        assert not self.thread.is_alive()
        self.editor.step()
        return self.made[0] if self.made else None

    def serve(self):
        application = self.load()
        application.serving()
        return application


@pytest.fixture
def module(load, monkeypatch):
    stub = ModuleType("companion.application")
    stub.Application = Application
    monkeypatch.setitem(sys.modules, "companion.application", stub)
    return load("companion.startup")


@pytest.fixture
def bench(module, editor, monkeypatch):
    parts = Parts()
    monkeypatch.setattr(module, "_parts", parts)
    made = Bench(module, parts, editor)
    yield made
    parts.release(10)
    if made.thread.is_alive():
        made.thread.join(WAIT)


def told(bench, what):
    bench.startup.tell(lambda application: application.heard.append(what))


def test_the_application_is_made_on_the_main_thread_and_said_before_it_starts(bench):
    assert bench.startup.alive
    bench.startup.begin()
    bench.parts.release()
    bench.thread.join(WAIT)
    assert bench.parts.imported == ["inside", "middle", "outside"]
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
    assert application.heard == ["start", "after"] and len(application.runtime.failed) == 1


def test_only_so_much_is_kept(bench, module):
    for number in range(module.MOST_KEPT + 10):
        told(bench, number)
    application = bench.serve()
    assert application.heard[1:] == list(range(module.MOST_KEPT))


def test_what_is_asked_too_early_has_another_answer(bench):
    def ask():
        return bench.startup.ask(lambda application: len(application.heard), "otherwise")

    assert ask() == "otherwise"
    application = bench.load()
    assert ask() == "otherwise"
    application.serving()
    assert ask() == 1
    bench.startup.stop()
    assert ask() == "otherwise"


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


def test_the_end_stops_the_application_once(bench):
    application = bench.serve()
    bench.startup.stop()
    bench.startup.stop()
    assert application.heard == ["start", "stop"]
    assert not bench.startup.alive
    told(bench, "late")
    assert application.heard == ["start", "stop"]


def test_an_editor_that_quits_is_said_otherwise(bench):
    application = bench.serve()
    bench.startup.exit()
    assert application.heard == ["start", "exit"]
    assert not bench.startup.alive
    told(bench, "late")
    assert bench.startup.ask(lambda application: True, False) is False
    assert application.heard == ["start", "exit"]


def test_a_quit_before_there_is_anything(bench):
    bench.startup.exit()
    assert not bench.startup.alive
    assert bench.load() is None


def test_an_end_while_it_is_loading_waits_for_the_part_under_way_and_imports_no_more(bench):
    told(bench, "early")
    bench.startup.begin()
    threading.Timer(0.05, bench.parts.release).start()
    bench.startup.stop()
    assert not bench.thread.is_alive()
    assert bench.parts.imported == ["inside"]
    bench.editor.step()
    assert not bench.made


def test_an_end_waits_only_a_moment(bench, module, monkeypatch):
    monkeypatch.setattr(module, "END_SECONDS", 0.05)
    bench.startup.begin()
    bench.startup.stop()
    assert bench.thread.is_alive()
    bench.parts.release()
    bench.thread.join(WAIT)
    bench.editor.step()
    assert not bench.made


def test_an_end_between_the_last_import_and_the_main_thread(bench):
    bench.startup.begin()
    bench.parts.release()
    bench.thread.join(WAIT)
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
    bench.thread.join(WAIT)
    with pytest.raises(ImportError, match="no such part"):
        editor.step()
    assert not bench.startup.alive and not bench.made


class TestAPackageThatWasUnloadedWhileItWasLoading:
    """What it goes on importing is not what the next one works with."""

    PACKAGE = "package_of_this_test"

    def add(self, name):
        module = ModuleType(f"{self.PACKAGE}.{name}")
        sys.modules[module.__name__] = module
        return module

    @pytest.fixture(autouse=True)
    def forget(self):
        yield
        for name in [name for name in sys.modules if name.startswith(self.PACKAGE)]:
            del sys.modules[name]

    def test_it_is_waited_for_and_what_it_has_imported_is_forgotten(self, bench, module, monkeypatch):
        release = threading.Event()

        def former():
            release.wait(WAIT)
            self.add("late")

        thread = threading.Thread(target=former, name=module.THREAD, daemon=True)
        ours, other = self.add("startup"), ModuleType(self.PACKAGE + "_of_somebody_else")
        monkeypatch.setitem(sys.modules, other.__name__, other)
        thread.start()
        bench.startup._package = self.PACKAGE
        bench.startup._ours = {id(ours)}
        bench.startup.begin()
        bench.parts.release()
        bench.thread.join(0.1)
        assert bench.thread.is_alive() and bench.parts.imported == []
        release.set()
        bench.thread.join(WAIT)
        assert bench.parts.imported == ["inside", "middle", "outside"]
        assert sys.modules.get(f"{self.PACKAGE}.startup") is ours
        assert f"{self.PACKAGE}.late" not in sys.modules
        assert sys.modules[other.__name__] is other

    def test_without_one_nothing_is_forgotten(self, bench):
        self.add("helper")
        bench.startup._package, bench.startup._ours = self.PACKAGE, set()
        bench.load()
        assert f"{self.PACKAGE}.helper" in sys.modules

    def test_what_is_there_before_is_its_own(self, module, bench):
        assert module.Startup(print)._ours >= {id(sys.modules["companion"]), id(module)}
        assert id(sys) not in module.Startup(print)._ours


def test_the_parts_are_those_that_the_application_is_made_of(module):
    """Each is imported in a step of its own, so that an end is not held up."""
    import inspect

    steps = inspect.getsource(module._parts).count("yield")
    assert steps >= 8
