"""Gestures do what a user can do, and no more; the snapshot shows what a user sees."""

from __future__ import annotations

import json

import pytest

SAMPLE = """
class SampleMarkCommand(sublime_plugin.TextCommand):
    def run(self, edit, word="x"):
        self.view.insert(edit, 0, word)
    def is_enabled(self, word="x"):
        return not self.view.is_read_only()
    def is_visible(self, word="x"):
        return self.view.name() != "hidden"

class SampleListener(sublime_plugin.EventListener):
    def on_query_context(self, view, key, operator, operand, match_all):
        if key == "sample.marked":
            return (view.substr(0) == "x") == operand
"""


@pytest.fixture
def sample(bench):
    bench.plugin(SAMPLE)
    bench.resources.texts["Packages/Sample/Default.sublime-commands"] = (
        '[{"caption": "Sample: Mark", "command": "sample_mark", "args": {"word": "y"}}, '
        '{"caption": "Sample: Gone", "command": "sample_gone"},]'
    )
    bench.resources.texts["Packages/Sample/Default.sublime-keymap"] = (
        '[{"keys": ["ctrl+s"], "command": "sample_mark", "context": [{"key": "sample.marked", "operand": true}]},'
        ' {"keys": ["ctrl+m", "ctrl+k"], "command": "sample_mark"}]'
    )
    bench.resources.texts["Packages/Sample/Main.sublime-menu"] = (
        '[{"id": "preferences", "children": [{"id": "package-settings", "children": '
        '[{"caption": "Sample", "children": [{"caption": "Mark", "command": "sample_mark"},'
        ' {"caption": "Gone", "command": "sample_gone"}]}]}]}]'
    )
    return bench


def test_palette_and_menu(sample):
    view = sample.window.new_file()
    sample.gestures.run_palette("Sample: Mark")
    assert sample.text(view) == "y"
    menu = ["Preferences", "Package Settings", "Sample"]
    sample.gestures.run_menu([*menu, "Mark"])
    assert sample.text(view) == "xy"
    for entries, choose in (
        (sample.gestures.palette(), lambda: sample.gestures.run_palette("Sample: Gone")),
        (sample.gestures.menu(), lambda: sample.gestures.run_menu([*menu, "Gone"])),
    ):
        assert [entry["command"] for entry in entries if not entry["exists"]] == ["sample_gone"]
        with pytest.raises(LookupError):
            choose()
    view.set_name("hidden")
    with pytest.raises(LookupError):
        sample.gestures.run_palette("Sample: Mark")
    with pytest.raises(LookupError):
        sample.gestures.run_menu([*menu, "Mark"])
    view.set_name("")
    view.set_read_only(True)
    with pytest.raises(LookupError):
        sample.gestures.run_palette("Sample: Mark")


def test_what_was_clicked_takes_the_place_of_the_arguments_of_that_name(sample):
    text = '[{"caption": "Mark", "command": "sample_mark", "args": {"word": ""}}]'
    sample.resources.texts["Packages/Sample/Side Bar.sublime-menu"] = text
    view = sample.window.new_file()
    *_, entry = sample.gestures.menu("Side Bar", on={"word": "z", "dirs": []})
    assert entry["args"] == {"word": "z"}
    sample.gestures.run_menu(["Mark"], "Side Bar", on={"word": "z", "dirs": []})
    assert sample.text(view) == "z"


def test_keys_go_through_contexts(sample):
    path = sample.write("a.txt", b"abc")
    view = sample.window.open_file(path)
    sample.settle()
    assert sample.gestures.press("ctrl+s") == "save"
    sample.gestures.press("ctrl+m ctrl+k")
    assert sample.text(view) == "xabc"
    assert sample.gestures.press("ctrl+s") == "sample_mark"


def test_quick_panel_and_input_panel(bench):
    seen = []
    view = bench.window.new_file()
    bench.window.show_quick_panel(
        ["one", ["two", "details"]], seen.append, on_highlight=lambda i: seen.append(("high", i))
    )
    assert bench.gestures.snapshot()["windows"][0]["focused_element"] == "command_palette:input"
    bench.gestures.press("down")
    bench.gestures.press("enter")
    bench.settle()
    assert seen == [("high", 0), ("high", 1), ("high", 1), 1]
    assert bench.gestures.snapshot()["windows"][0]["focus"] == view.id()
    del seen[:]
    panel = bench.window.show_input_panel("Name:", "x", seen.append, lambda text: seen.append(("change", text)), None)
    assert panel.element() == "input:input"
    bench.gestures.type_text("ab")
    shown = bench.gestures.snapshot()["windows"][0]["input_panel"]
    assert (shown["caption"], shown["text"]) == ("Name:", "xab")
    bench.gestures.press("enter")
    assert seen == [("change", "xa"), ("change", "xab"), "xab"]
    assert not panel.is_valid()


def test_links_are_really_there(bench):
    view = bench.window.new_file()
    seen = []
    phantoms = bench.sublime.PhantomSet(view, "key")
    phantoms.update([bench.sublime.Phantom(bench.sublime.Region(0), '<a href="go">Go</a>', 2, seen.append)])
    bench.gestures.click_phantom("key", "go")
    assert seen == ["go"]
    with pytest.raises(LookupError):
        bench.gestures.click_phantom("key", "other")
    phantoms.update([])
    with pytest.raises(LookupError):
        bench.gestures.click_phantom("key", "go")


def test_a_dialog_without_a_script_is_a_problem(bench):
    view = bench.window.new_file()
    view.run_command("insert", {"characters": "x"})
    bench.gestures.answer_dialog("save_changes", "cancel")
    assert not bench.gestures.close_tab()
    assert not bench.errors()
    assert not bench.gestures.close_tab()
    assert bench.errors() == ["Save changes to x?"]


def test_bad_html_is_an_error(bench):
    view = bench.window.new_file()
    view.add_phantom("k", bench.sublime.Region(0), "<div><table></div>", 0)
    assert "table" in bench.errors()[0]


def test_the_session_comes_back_without_plugin_state(bench):
    bench.open("a.txt", b"abc")
    view = bench.window.new_file()
    view.set_scratch(True)
    view.run_command("insert", {"characters": "kept"})
    view.settings().set("mine", [1])
    view.add_regions("k", [bench.sublime.Region(0, 1)])
    bench.window.set_layout({"cols": [0, 0.5, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
    bench.window.set_view_index(view, 1, 0)
    session = json.loads(json.dumps(bench.gestures.save_session()))
    bench.gestures.close_window()
    assert bench.sublime.windows() == []
    bench.gestures.restore_session(session)
    window = bench.sublime.active_window()
    first, second = window.views()
    assert window.num_groups() == 2
    assert window.get_view_index(second) == (1, 0)
    assert bench.text(first) == "abc"
    assert not first.is_dirty()
    assert bench.text(second) == "kept"
    assert second.is_scratch()
    assert second.settings().get("mine") == [1]
    assert second.get_regions("k") == []
