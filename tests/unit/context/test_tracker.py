"""From the editor's events to the context that clients are told, on a clock and a disk that the test moves on."""

from __future__ import annotations

import dataclasses

import pytest

from companion.settings import Settings
from tests.support.tracking import Region, View


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

    def test_a_client_that_comes_later_is_told_where_the_user_was(self, bench):
        first, second = bench.open("/a"), bench.open("/b")
        bench.go_on(5000)
        bench.activate(first)
        bench.go_on(5000)
        bench.window.active = None  # something else has the focus now
        bench.tracker.on_activated(View(9, None, bench.window))
        bench.listen()
        assert bench.told() == (["/a", "/b"], ["/a"])
        assert bench.tracker.active_path() == "/a"
        assert second.asked == 0

    def test_when_the_last_has_gone_nothing_is_computed_any_more(self, bench):
        view = bench.open("/a")
        bench.listen()
        bench.tracker.set_listening(False)
        looks = bench.window.looks
        bench.tracker.on_selection_modified(view)
        bench.open("/b")
        bench.tracker.recheck()
        bench.go_on(1000)
        assert len(bench.published) == 1
        assert bench.window.looks == looks

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
        assert len(bench.published) == 1
        assert bench.told() == (["/a"], ["/a"])

    def test_whoever_comes_after_all_had_gone_is_told_again(self, bench):
        bench.open("/a")
        bench.listen()
        bench.tracker.set_listening(False)
        bench.listen()
        assert len(bench.published) == 2
        assert bench.published[0] == bench.published[1]

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

    def test_a_selection_that_is_not_shared_is_not_told(self, bench):
        bench.settings = dataclasses.replace(Settings(), share_selection=False)
        bench.open("/a").region = Region(6, 2)
        bench.listen()
        active = bench.published[-1].active
        assert (active.start, active.end, active.text) == (active.end, active.start, "")
        assert active.start.character == 2

    def test_a_file_whose_view_has_not_even_a_caret_is_active_all_the_same(self, bench):
        bench.open("/a").region = None
        bench.listen()
        active = bench.published[-1].active
        assert (active.path, active.start, active.end, active.text) == ("/a", (0, 0), (0, 0), "")
        assert bench.told() == (["/a"], ["/a"])
        assert "cursor" not in str(bench.published[-1].ide_context)

    def test_a_selection_is_read_once_for_an_update(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.region, asked = Region(6, 2), view.asked
        bench.tracker.on_selection_modified(view)
        bench.go_on(50)
        assert bench.published[-1].active.text == "line"
        assert view.asked == asked + 1

    def test_a_caret_that_moves_has_nobody_look_at_the_tabs(self, bench):
        view = bench.open("/a")
        bench.listen()
        bench.go_on(1000)
        looks = bench.window.looks
        view.region = Region(3, 3)
        bench.tracker.on_selection_modified(view)
        bench.go_on(50)
        assert len(bench.published) == 2
        assert bench.window.looks == looks

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
        assert bench.editor.waiting == []
        assert other.asked == 0

    def test_a_pause_empties_the_context_and_its_end_fills_it(self, bench):
        bench.open("/a")
        bench.listen()
        bench.tracker.set_sharing(False)
        bench.go_on(50)
        assert bench.told() == ([], [])
        assert bench.published[-1].active is None
        assert not bench.tracker.sharing
        bench.tracker.set_sharing(True)
        bench.go_on(50)
        assert bench.told() == (["/a"], ["/a"])

    def test_a_pause_is_told_at_once(self, bench):
        bench.open("/a")
        bench.listen()
        bench.tracker.set_sharing(False)
        assert bench.told() == ([], []), "it takes the place of what waits for a client that reads slowly"

    @pytest.mark.parametrize("change", [{"share_selection": False}, {"context_exclude": ("a",)}])
    def test_once_less_is_shared_nobody_who_asks_gets_the_former_answer(self, bench, change):
        view = bench.open("/a")
        view.region = Region(2, 6)
        bench.listen()
        assert bench.tracker.published.active.text == "line"
        bench.settings = dataclasses.replace(bench.settings, **change)
        assert bench.tracker.published is None, "not even before the window has heard of the change"
        bench.tracker.settings_changed()
        for context in (bench.tracker.published, bench.published[-1]):
            assert "selectedText" not in str(context.ide_context)
            assert context.active is None or not context.active.text
            assert bench.told(context) == (([], []) if "context_exclude" in change else (["/a"], ["/a"]))
        bench.go_on(1000)
        assert len(bench.published) == 2

    def test_settings_that_change_nothing_for_clients_are_told_to_nobody(self, bench):
        bench.open("/a")
        bench.listen()
        before = bench.tracker.published
        bench.settings = dataclasses.replace(bench.settings, review_colors="blue_orange")
        bench.tracker.settings_changed()
        assert bench.tracker.published == before
        bench.go_on(1000)
        assert len(bench.published) == 1

    def test_what_was_not_looked_for_yet_is_not_told_for_a_change_of_settings(self, bench):
        bench.open("/a")
        bench.tracker.set_listening(True)
        bench.tracker.settings_changed()
        assert not bench.published
        bench.go_on()
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
        assert len(bench.published) == 1
        assert not waiting


class TestFurtherClients:
    def test_a_further_client_is_told_alone_what_the_others_know(self, bench):
        bench.open("/a")
        bench.listen()
        told = []
        bench.tracker.when_current(told.append)
        bench.go_on(1000)
        assert told == bench.published
        assert len(told) == 1

    def test_what_is_news_to_all_is_told_to_all_and_not_twice(self, bench):
        view = bench.open("/a")
        bench.listen()
        view.region = Region(3, 3)
        told = []
        bench.tracker.when_current(told.append)
        bench.go_on(1000)
        assert len(bench.published) == 2
        assert told == []

    def test_a_further_client_waits_for_files_that_were_never_looked_for(self, bench):
        bench.open("/a")
        bench.listen()
        bench.open("/b")
        told = []
        bench.tracker.when_current(told.append)
        assert len(bench.published) == 1
        assert not told
        bench.go_on()
        assert bench.told() == (["/b", "/a"], ["/b"])
        assert not told
