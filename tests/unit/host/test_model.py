"""The first walk through the model: windows, views, edits, commands, events, settings, timers."""

from __future__ import annotations


def test_a_command_edits_and_undo_takes_it_back(bench):
    bench.plugin("""
class PutCommand(sublime_plugin.TextCommand):
    def run(self, edit, text, at=0):
        self.view.insert(edit, at, text)
""")
    view = bench.window.new_file()
    view.run_command("put", {"text": "hello"})
    assert bench.text(view) == "hello"
    assert view.is_dirty()
    view.run_command("undo")
    assert bench.text(view) == ""
    assert not view.is_dirty()
    view.run_command("redo")
    assert bench.text(view) == "hello"


def test_a_file_loads_later(bench):
    path = bench.write("a.txt", b"one\r\ntwo\r\n")
    view = bench.window.open_file(path)
    assert view.is_loading()
    assert view.size() == 0
    bench.scheduler.pump_until(lambda: not view.is_loading())
    assert bench.text(view) == "one\ntwo\n"
    assert view.line_endings() == "Windows"
    assert view.encoding() == "UTF-8"


def test_events_of_opening_and_closing(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_new(self, view): seen.append((view, "new"))
    def on_activated(self, view): seen.append((view, "activated"))
    def on_deactivated(self, view): seen.append((view, "deactivated"))
    def on_pre_close(self, view): seen.append((view, "pre_close", view.is_valid(), view.window() is not None))
    def on_close(self, view): seen.append((view, "close", view.window() is not None))
    def on_modified(self, view): seen.append((view, "modified"))
    def on_selection_modified(self, view): seen.append((view, "selection"))
""")
    view = bench.window.new_file()
    view.run_command("insert", {"characters": "x"})
    view.set_scratch(True)
    view.close()
    assert [event[1:] for event in module.seen if event[0] == view] == [
        ("new",),
        ("activated",),
        ("modified",),
        ("selection",),
        ("pre_close", True, True),
        ("deactivated",),
        ("close", False),
    ]
    assert not view.is_valid()
    assert view.size() == 0
    assert view.window() is None
    view.settings().get("anything")


def test_settings_and_timers(bench):
    bench.resources.texts["Packages/Sample/Sample.sublime-settings"] = '{ // a comment\n "a": 1, "b": [1, 2,], }'
    bench.resources.texts["Packages/User/Sample.sublime-settings"] = '{"a": 2}'
    settings = bench.sublime.load_settings("Sample.sublime-settings")
    assert settings.get("a") == 2
    assert settings.get("b") == [1, 2]
    assert settings.get("c", 5) == 5
    seen = []
    settings.add_on_change("tag", lambda: seen.append(settings.get("a")))
    settings.set("a", 3)
    bench.sublime.set_timeout(lambda: seen.append("timer"), 5)
    bench.sublime.set_timeout_async(lambda: seen.append("async"), 1)
    bench.scheduler.pump_until(lambda: len(seen) == 3)
    assert seen[0] == 3
    assert set(seen[1:]) == {"timer", "async"}
