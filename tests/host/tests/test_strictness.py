"""What the editor refuses, the host refuses."""

from __future__ import annotations

import threading

import pytest

from tests.host.model import quirks

KEEPER = """
kept = []
class KeepCommand(sublime_plugin.TextCommand):
    def run(self, edit):
        kept.append(edit)
class WriteOtherCommand(sublime_plugin.TextCommand):
    def run(self, edit, other):
        sublime.View(other).insert(edit, 0, "x")
class PutCommand(sublime_plugin.TextCommand):
    def run(self, edit, text):
        self.view.insert(edit, 0, text)
class BadCommand(sublime_plugin.TextCommand):
    def run(self, edit, what):
        eval(what, {"view": self.view, "edit": edit, "sublime": sublime})
"""


def test_a_dead_edit_is_refused(bench):
    module = bench.plugin(KEEPER)
    view = bench.window.new_file()
    view.run_command("keep")
    for call in (
        lambda e: view.insert(e, 0, "x"),
        lambda e: view.erase(e, bench.sublime.Region(0)),
        lambda e: view.replace(e, bench.sublime.Region(0), "x"),
    ):
        with pytest.raises(ValueError):
            call(module.kept[0])


def test_an_edit_of_another_view_is_refused(bench):
    bench.plugin(KEEPER)
    view, other = bench.window.new_file(), bench.window.new_file()
    view.run_command("write_other", {"other": other.id()})
    assert other.size() == 0
    assert "ValueError" in bench.errors()[0]


def test_an_edit_can_not_be_made_up(bench):
    view = bench.window.new_file()
    with pytest.raises(ValueError):
        view.insert(bench.sublime.Edit(7), 0, "x")
    with pytest.raises(TypeError):
        view.insert(None, 0, "x")


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", {1: 2}, [object()], lambda: None])
def test_only_json_is_a_setting_or_an_argument(bench, value):
    view = bench.window.new_file()
    with pytest.raises(TypeError):
        view.settings().set("k", value)
    with pytest.raises(TypeError):
        view.settings()["k"] = value
    with pytest.raises(TypeError):
        view.run_command("insert", {"characters": value})
    with pytest.raises(TypeError):
        bench.window.run_command("new_file", {"syntax": value})
    with pytest.raises(TypeError):
        bench.window.set_project_data({"folders": value})


def test_values_are_copied(bench):
    settings = bench.window.new_file().settings()
    value = [1, {"a": (2, 3)}]
    settings.set("k", value)
    value.append(4)
    settings.get("k").append(5)
    assert settings.get("k") == [1, {"a": [2, 3]}]
    with pytest.raises(TypeError):
        bench.window.run_command("new_file", ["no dict"])


def test_lone_surrogates_cannot_enter(bench):
    bench.plugin(KEEPER)
    view = bench.window.new_file()
    with pytest.raises(UnicodeEncodeError):
        view.run_command("put", {"text": "\ud800"})
    with pytest.raises(UnicodeEncodeError):
        view.set_status("k", "\udfff")
    view.run_command("put", {"text": "a\x00\U0001f600"})
    assert bench.text(view) == "a\x00\U0001f600"


@pytest.mark.parametrize(
    "call",
    [
        "view.substr(1.5)",
        "view.rowcol('1')",
        "view.line(None)",
        "view.set_name(3)",
        "view.set_status('k', None)",
        "view.add_regions('k', [(0, 1)])",
        "view.add_regions('k', [sublime.Region('a', 2)])",
        "view.sel().add((0, 1))",
        "view.insert(edit, 'x', 'y')",
        "view.insert(edit, 0, 1)",
        "view.erase(edit, 0)",
        "view.set_viewport_position(3)",
        "view.window().open_file(None)",
        "view.window().set_layout([])",
        "view.window().show_quick_panel([1], print)",
        "view.window().show_quick_panel(['a'], None)",
        "sublime.set_timeout(None)",
        "sublime.set_timeout(print, 'x')",
        "sublime.load_settings(3)",
    ],
)
def test_wrong_types_are_refused(bench, call):
    bench.plugin(KEEPER)
    view = bench.window.new_file()
    view.run_command("bad", {"what": call})
    assert "TypeError" in bench.errors()[0]


def test_regions_and_annotations_must_match(bench):
    view = bench.window.new_file()
    region = bench.sublime.Region(0)
    with pytest.raises(ValueError):
        view.add_regions("k", [region], annotations=["a", "b"])
    with pytest.raises(ValueError):
        view.add_regions("k", [region], annotations="a")
    with pytest.raises(ValueError):
        view.add_regions("k", [region], "", 1)


def test_a_closed_view_answers_with_empty_values(bench):
    bench.plugin(KEEPER)
    view = bench.open("a.txt", b"text")
    view.settings().set("k", 1)
    view.close()
    sublime = bench.sublime
    assert not view.is_valid()
    assert view.buffer_id() == 0
    assert (view.size(), view.substr(sublime.Region(0, 4)), view.file_name(), view.name()) == (0, "", None, "")
    assert view.window() is None
    assert view.sheet() is None
    assert list(view.sel()) == []
    assert view.clones() == []
    assert not view.is_dirty()
    assert not view.is_loading()
    assert view.settings().get("k") == 1
    assert view.rowcol(5) == (0, 0)
    assert view.get_regions("k") == []
    assert view.line(3) == sublime.Region(0, 0)
    view.add_regions("k", [sublime.Region(0, 1)])
    view.run_command("put", {"text": "x"})
    view.set_status("a", "b")
    view.sel().add(1)
    view.set_read_only(True)
    assert not view.close()
    assert view.get_regions("k") == []
    assert view.get_status("a") == ""
    assert view.viewport_extent() == (0.0, 0.0)
    assert bench.window.get_view_index(view) == (-1, -1)
    bench.window.focus_view(view)
    bench.window.set_view_index(view, 0, 0)


def test_a_closed_window_answers_with_empty_values(bench):
    bench.sublime.run_command("new_window")
    other = bench.sublime.active_window()
    assert other != bench.window
    bench.gestures.close_window()
    assert not other.is_valid()
    assert other.views() == []
    assert other.num_groups() == 0
    assert other.active_view() is None
    assert other.folders() == []
    assert other.project_data() is None
    assert not other.open_file("x").is_valid()
    other.run_command("new_file")
    other.set_layout({"cols": [0, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1]]})
    other.settings().get("x")


def test_a_read_only_view_ignores_changes(bench):
    bench.plugin(KEEPER)
    view = bench.window.new_file()
    view.run_command("put", {"text": "kept"})
    view.set_read_only(True)
    for name, args in (
        ("put", {"text": "x"}),
        ("insert", {"characters": "x"}),
        ("left_delete", None),
        ("undo", None),
        ("append", {"characters": "x"}),
        ("paste", None),
    ):
        view.run_command(name, args)
    assert bench.text(view) == "kept"
    view.run_command("append", {"characters": "!", "force": True})
    assert bench.text(view) == "kept!"


@pytest.mark.parametrize(
    "layout",
    [
        {},
        {"cols": [0, 1], "rows": [0, 1]},
        {"cols": [0, 1], "rows": [0, 1], "cells": []},
        {"cols": [0, 1], "rows": [0, 1], "cells": [[0, 0, 2, 1]]},
        {"cols": [0, 1], "rows": [0, 1], "cells": [[0, 0, 0, 1]]},
        {"cols": [0, 0.7, 0.3, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1]]},
        {"cols": [0], "rows": [0, 1], "cells": [[0, 0, 1, 1]]},
    ],
)
def test_a_layout_must_be_a_grid(bench, layout):
    before = bench.window.layout()
    with pytest.raises((TypeError, ValueError)):
        bench.window.set_layout(layout)
    assert bench.window.layout() == before


def test_the_api_from_another_thread(bench):
    """Events run on the main thread whoever sets them off; reading works from anywhere."""
    module = bench.plugin("""
import threading
seen = []
class Listener(sublime_plugin.EventListener):
    def on_new(self, view): seen.append(threading.current_thread())
    def on_new_async(self, view): seen.append(threading.current_thread())
""")
    made = []

    def work():
        view = bench.window.new_file()
        view.run_command("insert", {"characters": "from afar"})
        made.append(view.substr(bench.sublime.Region(0, view.size())))

    thread = threading.Thread(target=work)
    thread.start()
    bench.scheduler.pump_until(lambda: made and len(module.seen) == 2)
    thread.join()
    assert made == ["from afar"]
    assert module.seen[0] is threading.current_thread()
    assert module.seen[1] not in (threading.current_thread(), thread)


def test_a_failing_plugin_does_not_stop_the_others(bench):
    module = bench.plugin("""
seen = []
class FirstListener(sublime_plugin.EventListener):
    def on_new(self, view): raise RuntimeError("first")
class SecondListener(sublime_plugin.EventListener):
    def on_new(self, view): seen.append(view)
class BrokenCommand(sublime_plugin.WindowCommand):
    def run(self): raise RuntimeError("command")
class UnreadyCommand(sublime_plugin.WindowCommand):
    def is_enabled(self): return None
""")
    bench.window.new_file()
    assert len(module.seen) == 1
    bench.window.run_command("broken")
    bench.window.run_command("unready")
    first, second, third = bench.errors()
    assert "first" in first
    assert "command" in second
    assert "is_enabled must return a bool" in third


def test_after_quitting_the_api_is_gone(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_exit(self):
        seen.append("exit")
        sublime.windows()
def plugin_unloaded():
    seen.append("unloaded")
""")
    bench.host.shut_down()
    bench.host.plugins.on_exit()
    assert module.seen == ["exit"]
    assert "shut down" in bench.errors()[0]
    bench.host.closed = False


def test_truths_are_on_and_quirks_are_off_unless_switched_by_name(monkeypatch):
    for named, expected in (
        ("", quirks.TRUTHS),
        ("-late_size", quirks.TRUTHS - {"late_size"}),
        ("late_events,-late_size", quirks.TRUTHS - {"late_size"} | {"late_events"}),
        ("all", quirks.TRUTHS | quirks.ALL),
    ):
        monkeypatch.setenv("HOST_QUIRKS", named)
        assert quirks.chosen() == expected
    monkeypatch.setenv("HOST_QUIRKS", "-late_events")
    with pytest.raises(ValueError, match="late_events"):
        quirks.chosen()
