"""What runs commands, who hears of it, and what commands do to tabs and to lists over them."""

from __future__ import annotations

TWO = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}


def test_commands_can_be_rewritten_and_are_told_afterwards(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_text_command(self, view, name, args):
        if name == "left_delete": return ("insert", {"characters": "!"})
    def on_window_command(self, window, name, args):
        if name == "close": return "noop"
    def on_post_text_command(self, view, name, args): seen.append((name, args))
    def on_post_window_command(self, window, name, args): seen.append((name, args))
""")
    (view,) = bench.named("a")
    bench.gestures.press("backspace")
    bench.gestures.press("ctrl+w")
    bench.gestures.press("ctrl+shift+t")
    assert bench.text(view) == "!"
    assert view.is_valid()
    assert module.seen == [("insert", {"characters": "!"}), ("noop", None), ("reopen_last_file", None)]


def test_listeners_hear_of_keys_and_menus_but_not_of_plugins_and_palette(bench):
    """Evidence: sublimehq/sublime_text 2234, 2400, 3404."""
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_text_command(self, view, name, args): seen.append(name)
    def on_window_command(self, window, name, args): seen.append(name)
    def on_post_text_command(self, view, name, args): seen.append("after " + name)
    def on_post_window_command(self, window, name, args): seen.append("after " + name)
""")
    (view,) = bench.named("a")
    bench.resources.texts["Packages/X/X.sublime-commands"] = '[{"caption": "New", "command": "new_file"}]'
    view.run_command("insert", {"characters": "x"})
    for command in ("reopen_last_file", "undo"):
        bench.window.run_command(command)
    bench.gestures.run_palette("New")
    bench.gestures.press("ctrl+shift+p")
    module.seen.clear()  # the key
    bench.gestures.choose("New")
    bench.settle()
    assert len(bench.window.views()) == 3
    assert module.seen == []
    bench.window.focus_view(view)
    bench.gestures.run_menu(["Edit", "Undo"])
    bench.gestures.press("ctrl+z")
    assert module.seen == ["undo", "after undo"] * 2


def test_what_runs_inside_a_chain_reaches_no_listener(bench):
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_text_command(self, view, name, args): seen.append(name)
    def on_window_command(self, window, name, args): seen.append(name)
""")
    (view,) = bench.named("a")
    commands = [["insert", {"characters": "x"}], {"command": "close"}]
    view.set_scratch(True)
    bench.gestures.run_command("chain", {"commands": commands})
    assert not view.is_valid()
    assert module.seen == ["chain"]


def test_the_last_package_with_a_fitting_binding_wins(bench):
    keys = '[{"keys": ["ctrl+s"], "command": "insert", "args": {"characters": "%s"}}]'
    (view,) = bench.named("a")
    title = bench.host.platform_title()
    for name in ("B/Default (%s)" % title, "C/Default", "Default/Default (%s)" % title, "A/Default"):
        bench.resources.texts["Packages/%s.sublime-keymap" % name] = keys % name[0]
    bench.gestures.press("ctrl+s")
    bench.resources.texts["Packages/User/Default.sublime-keymap"] = keys % "U"
    bench.gestures.press("ctrl+s")
    assert bench.text(view) == "CU"


def test_another_group_or_a_new_file_ends_a_list_over_the_tabs(bench):
    """Evidence: sublimehq/sublime_text 1041, 1320, 5936."""
    a, b = bench.named("a", "b")
    bench.window.set_layout(TWO)
    bench.window.set_view_index(b, 1, 0)
    bench.window.focus_view(a)
    ended = []

    def highlighted(index):
        bench.window.focus_view([a, b][index])

    bench.window.show_quick_panel(["here", "there"], ended.append, on_highlight=highlighted)
    bench.settle()
    assert ended == [], "the same group"
    bench.gestures.press("down")
    bench.settle()
    assert ended == [-1]
    assert bench.window.active_view() == b
    for act in (lambda: bench.window.focus_group(0), bench.window.new_file):
        bench.window.focus_view(b)
        for show in ("palette", "find"):
            if show == "find":
                bench.window.run_command("show_panel", {"panel": "find"})
            else:
                bench.window.run_command("show_overlay", {"overlay": "command_palette"})
            typed = bench.host.focus.current
            assert typed.element.endswith(":input")
            act()
            assert bench.host.focus.current is not typed
            bench.window.focus_view(b)


def test_a_list_stays_over_the_previews_of_its_rows(bench, tmp_path):
    """Evidence: packages preview with `open_file(..., TRANSIENT)` in `on_highlight`, as the editor's own symbol.py."""
    (tmp_path / "a.py").write_text("a")
    ended = []

    def highlighted(index):
        bench.window.open_file(str(tmp_path / "a.py"), bench.sublime.TRANSIENT)

    bench.window.show_quick_panel(["a"], ended.append, on_highlight=highlighted)
    bench.settle()
    assert ended == []
    assert bench.window.active_view().file_name() == str(tmp_path / "a.py")
    bench.gestures.choose(0)
    bench.settle()
    assert ended == [0]


def test_closing_unmodified_tabs_closes_scratch_views(bench):
    a, b, _ = bench.named("a", "b", "c")
    for view in (a, b):
        view.run_command("insert", {"characters": "x"})
    a.set_scratch(True)
    bench.gestures.run_menu(["File", "Close Unmodified Tabs"])
    assert bench.window.views() == [b]


def test_keys_of_some_keyboards_close_and_save(bench):
    a, _ = bench.named("a", "b")
    bench.gestures.press("close")
    assert bench.window.views() == [a]
    bench.gestures.press("ctrl+f4")
    assert bench.window.views() == []


def test_a_scratch_view_saved_by_name_keeps_settings_and_stays_scratch(bench, tmp_path):
    (view,) = bench.named("a")
    view.set_scratch(True)
    view.settings().set("mine", True)
    clone = bench.host.files.clone(bench.host.views[view.id()])
    bench.gestures.answer_dialog("save", str(tmp_path / "saved.txt"))
    bench.gestures.run_command("save", view=view.id())
    assert view.file_name() == str(tmp_path / "saved.txt")
    assert view.settings().get("mine")
    assert view.is_scratch()
    assert bench.sublime.View(clone.id).is_scratch()


def test_listeners_hear_what_the_side_bar_is_told_to_do_with_files(bench, tmp_path):
    """Evidence: `side_bar.py` of the package Default, as many programs ship it."""
    module = bench.plugin("""
seen = []
class Listener(sublime_plugin.EventListener):
    def on_post_window_command(self, window, name, args): seen.append((name, args))
""")
    one, folder = tmp_path / "one.txt", tmp_path / "folder"
    one.write_text("text")
    folder.mkdir()
    bench.gestures.run_side_bar("Rename", [str(one)])
    bench.gestures.press("enter")  # as it was called
    bench.host.dialogs.expect("ok_cancel", True)
    bench.gestures.run_side_bar("Delete Folder", [str(folder)])
    bench.host.dialogs.expect("ok_cancel", False)
    bench.gestures.run_side_bar("Delete File", [str(one)])
    assert (one.exists(), folder.exists()) == (True, False)
    sent = [each for each in module.seen if each[0] != "host_input_panel"]
    assert sent == [
        ("rename_path", {"paths": [str(one)]}),
        ("delete_folder", {"dirs": [str(folder)]}),
        ("delete_file", {"files": [str(one)]}),
    ]
