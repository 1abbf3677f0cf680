"""Windows, groups, tabs, focus and panels."""

from __future__ import annotations

import pytest

TWO = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
ONE = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}
LISTENER = """
seen = []
class Listener(sublime_plugin.EventListener):
    def on_activated(self, view): seen.append(("activated", view.id(), view.element()))
    def on_deactivated(self, view): seen.append(("deactivated", view.id(), view.element()))
    def on_pre_move(self, view): seen.append(("pre_move", view.window().id()))
    def on_post_move(self, view): seen.append(("post_move", view.window().id()))
    def on_pre_close_window(self, window): seen.append(("pre_close_window", len(window.views())))
    def on_close(self, view): seen.append(("close", view.id()))
"""


def tabs(bench, group=0):
    return [view.name() for view in bench.window.views_in_group(group)]


def test_new_tabs_stand_right_of_the_active_one(bench):
    a, b, _ = bench.named("a", "b", "c")
    bench.window.focus_view(a)
    bench.named("d")
    assert tabs(bench) == ["a", "d", "b", "c"]
    assert bench.window.get_view_index(b) == (0, 2)


def test_side_by_side_tabs(bench):
    a, b, c = bench.named("a", "b", "c")
    bench.window.select_sheets([a.sheet(), c.sheet()])
    assert bench.window.selected_sheets_in_group(0) == [a.sheet(), c.sheet()]
    assert bench.window.active_view() == c
    assert a.viewport_extent()[0] < 800
    bench.window.focus_view(b)
    assert bench.window.selected_sheets_in_group(0) == [b.sheet()]


def test_opening_the_same_file(bench):
    sublime = bench.sublime
    view = bench.open("a.txt", b"a")
    bench.named("n")
    assert bench.window.open_file(view.file_name()) == view
    assert bench.window.active_view() == view
    bench.window.set_layout(TWO)
    clone = bench.window.open_file(view.file_name(), sublime.FORCE_GROUP, 1)
    assert clone != view
    assert clone.buffer_id() == view.buffer_id()
    assert clone.sheet().group() == 1
    forced = bench.window.open_file(view.file_name(), sublime.FORCE_CLONE, 0)
    assert forced not in (view, clone)
    assert bench.window.find_open_file(view.file_name(), 1) == clone
    assert bench.window.find_open_file("/no/such") is None
    at = bench.window.open_file(bench.write("l.txt", b"one\ntwo\nthree") + ":2:3", sublime.ENCODED_POSITION)
    bench.settle()
    assert at.rowcol(at.sel()[0].b) == (1, 2)


def test_activation_of_views_and_widgets(bench):
    a, b = bench.named("a", "b")
    module = bench.plugin(LISTENER)
    del module.seen[:]
    bench.window.focus_view(a)
    assert module.seen == [("deactivated", b.id(), None), ("activated", a.id(), None)]
    del module.seen[:]
    panel = bench.window.show_input_panel("x", "", None, None, None)
    assert module.seen == [("deactivated", a.id(), None), ("activated", panel.id(), "input:input")]
    assert bench.window.active_panel() == "input"
    assert bench.window.active_view() == a
    bench.gestures.press("escape")
    assert module.seen[-1] == ("activated", a.id(), None)
    assert bench.window.active_panel() is None
    del module.seen[:]
    bench.window.create_output_panel("log").run_command("append", {"characters": "text"})
    bench.window.run_command("show_panel", {"panel": "output.log"})
    assert module.seen == []
    assert bench.window.active_panel() == "output.log"
    bench.window.focus_view(bench.window.find_output_panel("log"))
    assert module.seen[-1][2] == "output:output"
    bench.window.destroy_output_panel("log")
    assert bench.window.active_panel() is None
    assert bench.window.find_output_panel("log") is None
    del module.seen[:]
    bench.gestures.leave_application()
    bench.gestures.enter_application()
    assert [item[0] for item in module.seen] == ["deactivated", "activated"]


def test_windows_come_and_go(bench):
    module = bench.plugin(LISTENER)
    (view,) = bench.named("a")
    number = bench.gestures.new_window(["/tmp"])
    other = bench.sublime.active_window()
    assert other.id() == number
    assert other.folders() == ["/tmp"]
    assert len(bench.sublime.windows()) == 2
    bench.gestures.drag_tab(view.id(), window=number)
    assert view.window() == other
    assert bench.window.views() == []
    assert ("pre_move", bench.window.id()) in module.seen
    assert ("post_move", number) in module.seen
    bench.gestures.close_window(number)
    assert ("pre_close_window", 1) in module.seen
    assert ("close", view.id()) in module.seen
    assert bench.sublime.active_window() == bench.window
    assert not other.is_valid()


def test_views_of_removed_groups_move(bench):
    bench.window.set_layout(TWO)
    a, b = bench.named("a", "b")
    bench.window.set_view_index(b, 1, 0)
    assert tabs(bench, 1) == ["b"]
    assert bench.window.num_groups() == 2
    assert bench.window.active_view_in_group(1) == b
    assert bench.window.active_view_in_group(0) == a
    bench.window.focus_view(b)
    bench.window.set_layout(ONE)
    assert tabs(bench) == ["a", "b"]
    assert bench.window.active_group() == 0
    assert bench.window.layout() == ONE


def test_preview_tabs(bench):
    path, other = bench.write("a.txt", b"a"), bench.write("b.txt", b"b")
    sublime = bench.sublime
    view = bench.window.open_file(path, sublime.TRANSIENT)
    bench.settle()
    assert view.sheet().is_transient()
    assert view.file_name() == path
    assert bench.window.views() == []
    assert bench.window.views(include_transient=True) == [view]
    assert bench.window.transient_view_in_group(0) == view
    assert bench.window.active_view() == view
    assert bench.window.get_view_index(view) == (0, -1)
    second = bench.window.open_file(other, sublime.TRANSIENT)
    bench.settle()
    assert not view.is_valid()
    second.run_command("insert", {"characters": "x"})
    assert not second.sheet().is_transient()
    assert bench.window.views() == [second]


def test_dirty_tabs_ask_before_they_close(bench):
    view = bench.open("a.txt", b"a")
    view.run_command("insert", {"characters": "x"})
    answers = []
    bench.gestures.answer_dialog("save_changes", "cancel")
    view.close(answers.append)
    assert answers == [False]
    assert view.is_valid()
    bench.gestures.answer_dialog("save_changes", "save")
    path = view.file_name()
    assert view.close() is True
    with open(path) as file:
        assert file.read() == "xa"
    scratch = bench.window.new_file()
    scratch.set_scratch(True)
    scratch.run_command("insert", {"characters": "x"})
    scratch.close(answers.append)
    assert answers[-1] is True


def test_projects_and_folders(bench):
    bench.window.set_project_data({"folders": [{"path": "/one"}], "settings": {"tab_size": 3}})
    view = bench.window.new_file()
    assert bench.window.folders() == ["/one"]
    assert view.settings().get("tab_size") == bench.window.settings().get("tab_size") == 3
    bench.gestures.set_folders(["/one", "/two"])
    assert bench.window.project_data()["settings"] == {"tab_size": 3}
    path = bench.folder + "/p.sublime-project"
    bench.gestures.save_project(path)
    assert bench.window.project_file_name() == path
    assert bench.window.workspace_file_name().endswith("p.sublime-workspace")
    bench.write("q.sublime-project", b'{"folders": [{"path": "sub"}], // comment\n}')
    bench.gestures.load_project(bench.folder + "/q.sublime-project")
    assert bench.window.folders() == [bench.folder + "/sub"]


def test_an_image_is_a_sheet_without_a_view(bench):
    sublime, window = bench.sublime, bench.window
    (tab,) = bench.named("a")
    path = bench.write("picture.png", b"\x89PNG")
    assert not window.open_file(path)
    image = window.active_sheet()
    assert (type(image), image.view(), image.file_name(), image.group()) == (sublime.ImageSheet, None, path, 0)
    assert (window.active_view(), window.active_view_in_group(0), window.views()) == (None, None, [tab])
    assert window.sheets() == [tab.sheet(), image]
    window.focus_view(tab)
    window.open_file(path)
    assert (window.sheets(), window.active_sheet()) == ([tab.sheet(), image], image)
    window.run_command("save")  # which is for a view
    window.run_command("close_file")
    assert (window.sheets(), window.active_view(), image.window()) == ([tab.sheet()], tab, None)


def test_the_selected_sheets_are_the_active_groups(bench):
    """Evidence: sublime_text 5079."""
    bench.window.set_layout({"cols": [0, 0.5, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
    left = bench.window.new_file()
    bench.window.focus_group(1)
    right = bench.window.new_file()
    assert bench.window.selected_sheets() == [right.sheet()]
    bench.window.focus_group(0)
    assert bench.window.selected_sheets() == [left.sheet()]


def test_what_is_chosen_from_a_list_is_highlighted_once_more(bench):
    calls = []
    bench.window.show_quick_panel(["a", "b"], lambda index: calls.append(("chosen", index)), on_highlight=calls.append)
    bench.gestures.choose(1)
    bench.settle()
    assert calls == [0, 1, ("chosen", 1)]
    bench.without("late_highlights")
    del calls[:]
    bench.window.show_quick_panel(["a", "b"], lambda index: calls.append(("chosen", index)), on_highlight=calls.append)
    bench.gestures.choose(1)
    bench.settle()
    assert calls == [0, ("chosen", 1)]


@pytest.mark.parametrize("shown_by", ["open_file", "focus_view"])
def test_a_preview_in_the_active_group_keeps_a_list_open_and_others_end_it(bench, shown_by):
    """Evidence: sublime_text 1041, 1320; Default's `symbol.py` shows previews from `on_highlight`."""
    window, flags = bench.window, bench.sublime.TRANSIENT
    window.set_layout({"cols": [0, 0.5, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
    window.focus_group(0)
    views = [bench.open("%d.txt" % number, b"text") for number in range(2)]
    window.set_view_index(views[1], 1, 0)
    window.focus_view(views[0])
    chosen = []

    def preview(group):
        if shown_by == "focus_view":
            window.focus_view(views[group])
        else:
            window.open_file(bench.write("new%d.txt" % group, b"text"), flags, group)

    window.show_quick_panel(["a", "b"], chosen.append, on_highlight=preview)
    bench.settle()
    assert bench.gestures.snapshot()["windows"][0]["focused_element"] == "command_palette:input"
    bench.gestures.press("down")
    bench.settle()
    assert bench.gestures.snapshot()["windows"][0]["focused_element"] != "command_palette:input"
    assert chosen == [-1]


def test_a_clone_shows_the_phantoms_of_its_view(bench):
    """Evidence: sublime_text 6188: they stay in the clone when their view is closed."""
    sublime = bench.sublime
    view = bench.open("a.txt", b"one\ntwo\nthree\n")
    phantoms = sublime.PhantomSet(view, "k")
    phantoms.update([sublime.Phantom(sublime.Region(0), "<b>1</b>", sublime.LAYOUT_BLOCK)])
    bench.window.run_command("clone_file")
    (clone,) = view.clones()
    assert clone.text_to_layout(4)[1] == 2 * clone.line_height()
    bench.plugin(
        "class PutCommand(sublime_plugin.TextCommand):\n"
        "    def run(self, edit):\n"
        "        self.view.insert(edit, 0, 'new line\\n')"
    )
    view.run_command("put")
    assert view.query_phantoms([1]) == clone.query_phantoms([1]) == [sublime.Region(9)]
    view.close()
    phantoms.update([])
    assert clone.query_phantoms([1]) == [sublime.Region(9)]


def test_an_inherited_setting_is_among_the_values(bench):
    settings = bench.window.new_file().settings()
    assert settings.to_dict()["draw_centered"] is False
    bench.sublime.load_settings("Preferences.sublime-settings").set("mine", 1)
    assert settings.to_dict()["mine"] == 1
