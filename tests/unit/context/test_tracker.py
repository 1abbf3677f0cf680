"""From the editor's events to the context that clients are told, on a clock and a disk that the test moves on."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.settings import Settings
from tests.support.stepping import SteppedEditor


class Region:
    """A selection."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def begin(self):
        return min(self.a, self.b)

    def end(self):
        return max(self.a, self.b)

    def empty(self):
        return self.a == self.b


class View:
    """A tab with one line of text; counts how often it is asked for its selection."""

    def __init__(self, number, path, window=None, **settings):
        self.number, self.path, self.home, self._settings = number, path, window, settings
        self.region = Region(0, 0)
        self.asked = 0

    def id(self):
        return self.number

    def file_name(self):
        return self.path

    def is_valid(self):
        return self.home is not None

    def window(self):
        return self.home

    def element(self):
        return None

    def settings(self):
        return self._settings

    def sel(self):
        self.asked += 1
        return [self.region]

    def rowcol_utf16(self, point):
        return 0, point

    def substr(self, region):
        return "a line of text"[region.begin() : region.end()]


class Window:
    """Tabs, of which one may be active."""

    def __init__(self):
        self.tabs, self.active, self.looks = [], None, 0

    def views(self, include_transient=False):
        assert include_transient, "a preview counts too"
        self.looks += 1
        return list(self.tabs)

    def active_view(self):
        return self.active


class Bench:
    """A tracker, what it has published, and a disk that answers when it is asked to."""

    def __init__(self, module, monkeypatch):
        self.editor, self.window, self.settings = SteppedEditor(), Window(), Settings()
        self.published, self.questions, self.missing = [], [], set()
        monkeypatch.setattr(module.time, "monotonic", lambda: self.editor.now / 1000)
        self.tracker = module.ContextTracker(
            self.window,
            runtime=self,
            settings=lambda: self.settings,
            publish=self.published.append,
            clock=lambda: 1000.0 + self.editor.now / 1000,
        )
        self.tracker._debounce._clock = lambda: self.editor.now / 1000
        self.count = 0

    # what the tracker asks of the runtime

    def later_on_main(self, milliseconds, function, *args):
        self.editor.set_timeout(lambda: function(*args), milliseconds)

    def use_disk(self, function, paths, then, failed):
        self.questions.append((paths, then))

    # what the user and the disk do

    def open(self, path, **settings):
        self.count += 1
        view = View(self.count, path, self.window, **settings)
        self.window.tabs.append(view)
        self.activate(view)
        return view

    def activate(self, view):
        if view.path is not None:
            self.window.active = view
        self.tracker.on_activated(view)

    def close(self, view):
        self.window.tabs.remove(view)
        view.home = None
        self.window.active = self.window.tabs[-1] if self.window.tabs else None
        self.tracker.on_closed(view)

    def answer(self):
        """Let the disk answer all that it was asked."""
        questions, self.questions = self.questions, []
        for paths, then in questions:
            then({path: path not in self.missing for path in paths})

    def go_on(self, milliseconds=0):
        """Let time pass, on a disk that answers at once."""
        for _ in range(4):
            self.editor.step()
            self.answer()
        self.editor.step(milliseconds)
        for _ in range(4):
            self.answer()
            self.editor.step()

    def listen(self):
        self.tracker.set_listening(True)
        self.go_on()

    def told(self, context=None):
        """The files of a context, the latest one unless it is given, and which of them is active."""
        context = context if context is not None else self.published[-1]
        files = dict(context.ide_context)["workspaceState"]["openFiles"]
        return [file["path"] for file in files], [file["path"] for file in files if file.get("isActive")]


@pytest.fixture
def bench(monkeypatch):
    if "sublime" not in sys.modules:
        monkeypatch.setitem(sys.modules, "sublime", ModuleType("sublime"))
    monkeypatch.setattr(sys.modules["sublime"], "Region", Region, raising=False)
    module = importlib.import_module("companion.context.tracker")
    reading = importlib.import_module("companion.context.reading")
    monkeypatch.setattr(reading, "sublime", sys.modules["sublime"])
    return Bench(module, monkeypatch)


class TestWithoutClients:
    def test_nothing_is_asked_of_views_and_nothing_computed(self, bench):
        view = bench.open("/a")
        for _ in range(10):
            bench.tracker.on_selection_modified(view)
            bench.tracker.refresh()
        assert bench.editor.waiting == []
        bench.go_on(1000)
        bench.tracker.recheck()
        assert (bench.published, bench.questions, bench.editor.waiting) == ([], [], [])
        assert (view.asked, bench.window.looks) == (0, 0)

    def test_but_who_comes_later_is_told_where_the_user_was(self, bench):
        first, second = bench.open("/a"), bench.open("/b")
        bench.go_on(5000)
        bench.activate(first)
        bench.go_on(5000)
        bench.window.active = None  # something else has the focus now
        bench.tracker.on_activated(View(9, None, bench.window))
        bench.listen()
        assert bench.told() == (["/a", "/b"], ["/a"])
        assert bench.tracker.active_path() == "/a" and second.asked == 0

    def test_when_the_last_has_gone_nothing_is_computed_any_more(self, bench):
        view = bench.open("/a")
        bench.listen()
        bench.tracker.set_listening(False)
        looks = bench.window.looks
        bench.tracker.on_selection_modified(view)
        bench.open("/b")
        bench.tracker.recheck()
        bench.go_on(1000)
        assert len(bench.published) == 1 and bench.window.looks == looks

    def test_a_burst_that_is_under_way_then_is_forgotten(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.region = Region(1, 3)
        bench.tracker.on_selection_modified(view)
        bench.tracker.set_listening(False)
        bench.go_on(1000)
        assert len(bench.published) == 1


class TestTelling:
    def test_the_whole_context_comes_at_once_and_once(self, bench):
        bench.open("/a")
        bench.listen()
        bench.tracker.set_listening(True)
        bench.tracker.refresh()
        bench.go_on(1000)
        assert len(bench.published) == 1 and bench.told() == (["/a"], ["/a"])

    def test_whoever_comes_after_all_had_gone_is_told_again(self, bench):
        bench.open("/a")
        bench.listen()
        bench.tracker.set_listening(False)
        bench.listen()
        assert len(bench.published) == 2 and bench.published[0] == bench.published[1]

    def test_a_burst_is_told_once_when_it_is_over(self, bench):
        view = bench.open("/a")
        bench.listen()
        for column in range(4):
            view.region = Region(column, column)
            bench.tracker.on_selection_modified(view)
            bench.go_on(40)
        assert len(bench.published) == 1
        bench.go_on(10)
        assert len(bench.published) == 2
        active = bench.published[1].active
        assert (active.path, active.start.character, active.text) == ("/a", 3, "")

    def test_what_is_selected_goes_with_the_active_file(self, bench):
        view = bench.open("/a")
        view.region = Region(6, 2)
        bench.listen()
        active = bench.published[-1].active
        assert (active.start.character, active.end.character, active.text) == (2, 6, "line")

    def test_unless_the_user_does_not_share_it(self, bench):
        bench.settings = dataclasses.replace(Settings(), share_selection=False)
        bench.open("/a").region = Region(6, 2)
        bench.listen()
        active = bench.published[-1].active
        assert (active.start, active.end, active.text) == (active.end, active.start, "")
        assert active.start.character == 2

    def test_a_caret_that_moves_has_nobody_look_at_the_tabs(self, bench):
        view = bench.open("/a")
        bench.listen()
        bench.go_on(1000)
        looks = bench.window.looks
        view.region = Region(3, 3)
        bench.tracker.on_selection_modified(view)
        bench.go_on(50)
        assert len(bench.published) == 2 and bench.window.looks == looks

    def test_who_asks_between_two_events_is_told_where_the_user_is(self, bench):
        first, _ = bench.open("/a"), bench.open("/b")
        bench.listen()
        bench.activate(first)
        assert bench.told(bench.tracker.context()) == (["/a", "/b"], ["/a"])

    def test_views_that_are_not_the_active_file_are_not_asked(self, bench):
        other, _ = bench.open("/b"), bench.open("/a")
        bench.listen()
        bench.go_on(1000)
        bench.tracker.on_selection_modified(other)
        bench.tracker.on_selection_modified(View(77, "/elsewhere"))
        assert bench.editor.waiting == [] and other.asked == 0

    def test_a_pause_empties_the_context_and_its_end_fills_it(self, bench):
        bench.open("/a")
        bench.listen()
        bench.tracker.set_sharing(False)
        bench.go_on(50)
        assert bench.told() == ([], []) and bench.published[-1].active is None and not bench.tracker.sharing
        bench.tracker.set_sharing(True)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_after_the_end_nothing_is_told(self, bench):
        bench.open("/a")
        bench.listen()
        bench.open("/b")
        waiting = []
        bench.tracker.when_current(waiting.append)
        bench.tracker.stop()
        bench.tracker.set_listening(True)
        bench.go_on(1000)
        assert len(bench.published) == 1 and not waiting


class TestFurtherClients:
    def test_one_that_comes_later_is_told_alone_what_the_others_know(self, bench):
        bench.open("/a")
        bench.listen()
        told = []
        bench.tracker.when_current(told.append)
        bench.go_on(1000)
        assert told == bench.published and len(told) == 1

    def test_what_is_news_to_all_is_told_to_all_and_not_twice(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.region = Region(3, 3)
        told = []
        bench.tracker.when_current(told.append)
        bench.go_on(1000)
        assert len(bench.published) == 2 and told == []

    def test_it_waits_for_files_that_were_never_looked_for(self, bench):
        bench.open("/a")
        bench.listen()
        bench.open("/b")
        told = []
        bench.tracker.when_current(told.append)
        assert len(bench.published) == 1 and not told
        bench.go_on()
        assert bench.told() == (["/b", "/a"], ["/b"]) and not told


class TestTheDisk:
    def test_a_file_that_is_not_there_is_not_told(self, bench):
        bench.missing.add("/b")
        bench.open("/a")
        bench.open("/b")
        bench.listen()
        assert bench.told()[0] == ["/a"]

    def test_a_hanging_disk_holds_a_new_file_back_but_not_the_others(self, bench):
        bench.open("/a")
        bench.listen()
        bench.open("/dead")
        bench.editor.step(50)
        assert len(bench.published) == 1, "not for a moment without an active file"
        bench.editor.step(249)
        assert len(bench.published) == 1
        bench.editor.step(1)
        assert bench.told() == (["/a"], [])
        bench.answer()
        bench.editor.step(50)
        assert bench.told() == (["/dead", "/a"], ["/dead"])

    def test_while_it_hangs_the_user_may_go_on_in_another_file(self, bench):
        first = bench.open("/a")
        bench.listen()
        bench.open("/dead")
        bench.editor.step(50)
        bench.tracker.refresh()
        bench.editor.step(60)
        assert len(bench.published) == 1, "the patience has just begun"
        bench.editor.step(500)
        bench.activate(first)
        bench.editor.step(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_an_answer_that_is_older_than_a_save_does_not_count(self, bench):
        view = bench.open("/a")
        bench.listen()
        bench.missing.add("/a")
        bench.tracker.recheck()
        bench.tracker.on_saved(view)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_a_file_that_is_missed_may_have_another_name(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.path = "/renamed"
        bench.missing.add("/a")
        bench.tracker.recheck()
        bench.go_on(50)
        bench.go_on(50)
        assert bench.told() == (["/renamed"], ["/renamed"])

    def test_nobody_is_told_by_a_patience_that_is_over(self, bench):
        bench.open("/a")
        bench.tracker.set_listening(True)
        bench.tracker.set_listening(False)
        bench.editor.step(1000)
        assert not bench.published

    def test_a_file_that_goes_is_missed_and_comes_back(self, bench):
        bench.open("/a")
        bench.open("/b")
        bench.listen()
        bench.missing.add("/a")
        bench.tracker.recheck()
        bench.go_on(50)
        assert bench.told()[0] == ["/b"]
        bench.missing.clear()
        bench.tracker.recheck()
        bench.go_on(50)
        assert bench.told()[0] == ["/b", "/a"]

    def test_a_saved_file_is_there(self, bench):
        bench.missing.add("/a")
        view = bench.open("/a")
        bench.listen()
        assert bench.told() == ([], [])
        bench.tracker.on_saved(view)
        bench.editor.step(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_a_view_that_gets_another_name_by_saving_is_that_file(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.path = "/other"
        bench.tracker.on_saved(view)
        bench.go_on(50)
        assert bench.told() == (["/other"], ["/other"])

    def test_a_name_that_changes_without_an_event_is_found_now_and_then(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.path = "/renamed"
        looks = bench.window.looks
        for _ in range(7):
            bench.tracker.recheck()
            bench.go_on(50)
        assert bench.window.looks == looks
        bench.tracker.recheck()
        bench.go_on(50)
        assert bench.told() == (["/renamed"], ["/renamed"])


class TestTabs:
    def test_the_most_recent_comes_first(self, bench):
        for path in ("/a", "/b", "/c"):
            bench.open(path)
            bench.go_on(1000)
        bench.listen()
        assert bench.told() == (["/c", "/b", "/a"], ["/c"])

    def test_so_does_each_of_a_burst_in_its_order(self, bench):
        views = {}
        for path in ("/a", "/b", "/c"):
            views[path] = bench.open(path)
            bench.go_on(1000)
        bench.listen()
        bench.activate(views["/a"])
        bench.activate(views["/b"])
        bench.go_on(50)
        assert bench.told() == (["/b", "/a", "/c"], ["/b"])

    def test_a_view_of_a_review_is_marked_only_after_it_has_the_focus(self, bench):
        bench.open("/a")
        bench.listen()
        ours = bench.open("/a-proposal")
        bench.tracker.on_activated(ours)
        ours.settings()["gemini_companion.role"] = "proposal"
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_a_view_that_was_dragged_into_another_window_is_not_where_the_user_was(self, bench):
        bench.open("/a")
        bench.listen()
        passing = bench.open("/b")
        bench.window.tabs.remove(passing)
        passing.home = Window()
        assert bench.tracker.active_path() == "/a"

    def test_a_closed_one_goes_and_the_one_in_front_is_active(self, bench):
        first, second = bench.open("/a"), bench.open("/b")
        bench.listen()
        bench.close(second)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])
        bench.close(first)
        bench.go_on(50)
        assert bench.told() == ([], [])

    def test_terminals_and_reviews_leave_the_active_file_as_it_is(self, bench):
        bench.open("/a")
        bench.listen()
        bench.open("/t", terminus_view=True)
        bench.open("/r", **{"gemini_companion.role": "proposal"})
        bench.open(None)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"]) and len(bench.published) == 1

    def test_a_view_that_is_gone_before_it_is_looked_at_is_nobody(self, bench):
        bench.open("/a")
        bench.listen()
        passing = bench.open("/b")
        bench.window.tabs.remove(passing)
        passing.home, bench.window.active = None, bench.window.tabs[0]
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"]) and len(bench.published) == 1

    def test_a_file_that_comes_to_the_front_without_an_event_is_active(self, bench):
        bench.open("/a")
        bench.listen()
        bench.window.active = View(50, "/b", bench.window)
        bench.window.tabs.append(bench.window.active)
        bench.tracker.refresh()
        bench.go_on(50)
        assert bench.told() == (["/b", "/a"], ["/b"])

    def test_the_tab_in_front_when_the_package_starts_is_active(self, bench, monkeypatch):
        view = View(1, "/a", bench.window)
        bench.window.tabs, bench.window.active = [view], view
        module = sys.modules["companion.context.tracker"]
        later = module.ContextTracker(
            bench.window, runtime=bench, settings=lambda: bench.settings, publish=bench.published.append
        )
        assert later.active_path() == "/a" and bench.tracker.active_path() is None
        assert bench.told(later.context()) == ([], []), "nobody has looked for it yet"
