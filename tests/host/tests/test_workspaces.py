"""Switching and closing projects inside one window."""

from __future__ import annotations

import json

TWO = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
LISTENER = """
seen = []
class Listener(sublime_plugin.EventListener):
    def on_pre_close_project(self, window): seen.append(("pre_close_project", len(window.views()), window.num_groups()))
    def on_load_project(self, window): seen.append(("load_project", len(window.views()), window.num_groups()))
    def on_close(self, view): seen.append(("close", view.id()))
"""


def project(bench, name):
    bench.write(name + ".sublime-project", json.dumps({"folders": [{"path": name}]}).encode())
    return "%s/%s.sublime-project" % (bench.folder, name)


def test_a_switch_replaces_tabs_layout_and_settings_and_brings_them_back(bench):
    window = bench.window
    one, other = project(bench, "one"), project(bench, "other")
    bench.gestures.load_project(one)
    window.set_layout(TWO)
    file = bench.open("a.txt", b"a")
    scratch = window.new_file()
    scratch.set_name("Scratch")
    scratch.set_scratch(True)
    scratch.settings().set("mine", 1)
    scratch.run_command("append", {"characters": "kept"})
    window.settings().set("split", [1])
    module = bench.plugin(LISTENER)
    bench.gestures.load_project(other)
    assert module.seen[0] == ("pre_close_project", 2, 2)
    assert module.seen[-1] == ("load_project", 0, 1)
    assert {("close", file.id()), ("close", scratch.id())} <= set(module.seen)
    assert not scratch.is_valid()
    assert window.settings().get("split") is None
    assert window.views() == []
    assert window.folders() == [bench.folder + "/other"]
    assert window.active_view() is not None
    del module.seen[:]
    window.run_command("open_project_or_workspace", {"file": one})
    names = [view.name() or view.file_name() for view in window.views()]
    assert names == [file.file_name() or bench.folder + "/a.txt", "Scratch"]
    assert window.num_groups() == 2
    again = window.views()[1]
    assert again.is_scratch()
    assert again.settings().get("mine") == 1
    assert bench.text(again) == "kept"
    assert window.settings().get("split") == [1]
    assert module.seen[-1] == ("load_project", 2, 2)


def test_a_restart_brings_window_settings_back_but_no_untitled_view(bench):
    bench.window.settings().set("split", {"a": 1})
    saved = json.loads(json.dumps(bench.gestures.save_session()))
    bench.gestures.close_window()
    before = len(bench.gestures.events())
    bench.gestures.restore_session(saved)
    window = bench.sublime.active_window()
    assert window.settings().get("split") == {"a": 1}
    assert window.views() == []
    assert [name for name, _ in bench.gestures.events()[before:]].count("on_new") == 1


def test_another_project_may_have_its_tabs_and_layout_before_its_name(bench):
    one, other = project(bench, "one"), project(bench, "other")
    bench.gestures.load_project(one)
    bench.window.set_layout(TWO)
    bench.window.settings().set("note", "of one")
    file = bench.open("a.txt", b"a")
    bench.host.quirks = frozenset(["late_projects"])
    bench.gestures.load_project(other)
    assert (file.is_valid(), bench.window.num_groups(), bench.window.project_file_name()) == (False, 1, one)
    assert bench.window.settings().get("note") == "of one"
    bench.scheduler.pump_until(lambda: bench.window.project_file_name() == other)
    assert bench.window.settings().get("note") is None
