"""Which files are told, and which of them is active, on disks that answer, answer late, or never."""

from __future__ import annotations

import dataclasses
import sys

import pytest

from companion.editor.scope import Scope
from tests.support.tracking import View, Window


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

    def test_a_file_opened_while_the_disk_hung_is_looked_for_afterwards(self, bench):
        bench.listen()
        for path in ("/slow", "/slower", "/next"):
            view = bench.open(path)
            bench.editor.step(50)
            if path != "/next":
                bench.close(view)
                bench.editor.step(50)
        assert [path for paths, _ in bench.questions for path in paths] == ["/slow", "/slower"]
        bench.answer()
        assert [path for paths, _ in bench.questions for path in paths] == ["/next"]

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

    def test_what_vanished_while_nobody_listened_is_not_told_to_the_next(self, bench):
        bench.open("/a")
        bench.open("/b")
        bench.listen()
        bench.tracker.set_listening(False)
        bench.missing.add("/a")
        bench.published.clear()
        bench.listen()
        assert len(bench.published) == 1, "not before the disk was asked"
        assert bench.told() == (["/b"], ["/b"])

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
        bench.missing.clear()
        bench.tracker.on_saved(view)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_an_older_answer_that_it_is_missing_is_asked_for_again(self, bench):
        bench.missing.add("/a")
        view = bench.open("/a")
        bench.listen()
        bench.tracker.recheck()
        bench.tracker.on_saved(view)
        bench.answer()
        bench.missing.clear()
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_what_a_link_leads_to_may_be_excluded_too(self, bench):
        bench.links["/notes"] = "/keys/.env"
        bench.links["/other"] = "/keys/readable"
        bench.open("/notes")
        bench.listen()
        assert bench.told() == ([], [])
        assert bench.tracker.context().active is None
        bench.open("/other")
        bench.go_on(50)
        assert bench.told() == (["/other"], ["/other"])
        assert [bench.tracker.withholds_open(path) for path in ("/notes", "/other")] == [True, False]

    def test_a_link_that_is_led_to_such_a_file_later_is_noticed(self, bench):
        bench.open("/notes")
        bench.listen()
        assert bench.told() == (["/notes"], ["/notes"])
        bench.links["/notes"] = "/keys/.env"
        bench.tracker.recheck()
        bench.go_on(50)
        assert bench.told() == ([], [])
        assert bench.tracker.context().active is None

    def test_where_nobody_has_looked_yet_nothing_is_told(self, bench):
        bench.open("/notes")
        bench.tracker.set_listening(True)
        bench.editor.step(1000)
        assert all(not context.ide_context["workspaceState"]["openFiles"] for context in bench.published)
        assert bench.tracker.context().active is None
        assert bench.tracker.withholds_open("/notes")
        bench.answer()
        bench.editor.step(50)
        assert not bench.tracker.withholds_open("/notes")
        assert bench.told()[0] == ["/notes"]

    def test_a_view_that_gets_another_name_by_saving_is_that_file(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.path = "/other"
        bench.tracker.on_saved(view)
        bench.go_on(50)
        assert bench.told() == (["/other"], ["/other"])

    def test_a_new_view_is_the_active_file_once_saved_without_a_listener(self, bench):
        """It had no file when it got the focus; a window without folders is found by it."""
        bench.window.active = view = bench.open(None)
        behind = View(9, "/behind", bench.window)
        bench.window.tabs.append(behind)
        bench.tracker.on_saved(behind)
        assert bench.tracker.active_path() is None
        view.path = "/new"
        bench.tracker.on_saved(view)
        assert bench.tracker.active_path() == "/new"

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

    def test_files_activated_in_a_burst_come_in_their_order(self, bench):
        views = {}
        for path in ("/a", "/b", "/c"):
            views[path] = bench.open(path)
            bench.go_on(1000)
        bench.listen()
        bench.activate(views["/a"])
        bench.activate(views["/b"])
        bench.go_on(50)
        assert bench.told() == (["/b", "/a", "/c"], ["/b"])

    def test_a_view_dragged_into_another_window_is_not_the_last_active(self, bench):
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

    def test_views_without_a_file_leave_the_active_one_as_it_is(self, bench):
        bench.open("/a")
        bench.listen()
        bench.open(None)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])
        assert len(bench.published) == 1

    def test_a_view_that_is_gone_before_it_is_looked_at_is_nobody(self, bench):
        bench.open("/a")
        bench.listen()
        passing = bench.open("/b")
        bench.window.tabs.remove(passing)
        passing.home, bench.window.active = None, bench.window.tabs[0]
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])
        assert len(bench.published) == 1

    def test_a_file_that_comes_to_the_front_without_an_event_is_active(self, bench):
        bench.open("/a")
        bench.listen()
        bench.window.active = View(50, "/b", bench.window)
        bench.window.tabs.append(bench.window.active)
        bench.tracker.refresh()
        bench.go_on(50)
        assert bench.told() == (["/b", "/a"], ["/b"])

    def test_a_tab_dragged_away_is_not_active_without_a_listener(self, bench):
        """Two windows without folders would be announced with its folder, and Claude Code takes neither of two."""
        view = bench.open("/a")
        assert bench.tracker.active_path() == "/a"
        bench.tracker.on_moved(view)
        assert bench.tracker.active_path() == "/a", "to another place in the same window"
        bench.window.tabs.remove(view)
        view.home, bench.window.active = Window(), None
        bench.tracker.on_moved(view)
        assert bench.tracker.active_path() is None

    def test_another_projects_settings_count_before_its_files_are_told(self, bench):
        bench.open("/a")
        bench.listen()
        bench.project_seen = lambda: bench.tracker.set_sharing(False)
        bench.open("/b")
        bench.editor.step(50)
        bench.answer()
        bench.editor.step(50)
        assert [bench.told(context) for context in bench.published] == [(["/a"], ["/a"]), ([], [])]

    @pytest.mark.parametrize(
        "shared",
        [lambda tracker: bool(tracker.context().active), lambda tracker: not tracker.withholds("/a")],
        ids=["the selection", "an open file"],
    )
    def test_so_they_do_for_whoever_asks_before_the_burst_is_over(self, bench, shared):
        bench.open("/a")
        bench.listen()
        assert shared(bench.tracker)
        bench.project_seen = lambda: setattr(
            bench, "settings", dataclasses.replace(bench.settings, context_exclude=("a",))
        )
        assert shared(bench.tracker), "nothing has happened"
        bench.open("/b")
        bench.activate(bench.window.tabs[0])
        assert not shared(bench.tracker)

    def test_the_project_is_not_looked_at_for_a_caret(self, bench):
        view, looks = bench.open("/a"), []
        bench.listen()
        bench.project_seen = lambda: looks.append(True)
        bench.tracker.on_selection_modified(view)
        bench.editor.step(50)
        assert looks == []

    def test_the_tab_in_front_when_the_package_starts_is_active(self, bench, monkeypatch):
        view = View(1, "/a", bench.window)
        bench.window.tabs, bench.window.active = [view], view
        module = sys.modules["companion.context.tracker"]
        later = module.ContextTracker(
            Scope(bench.window, bench, lambda: bench.settings),
            look_at_project=bench.project_seen,
            publish=bench.published.append,
        )
        assert later.active_path() == "/a"
        assert bench.tracker.active_path() is None
        assert bench.told(later.context()) == ([], []), "nobody has looked for it yet"
