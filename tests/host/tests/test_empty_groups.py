"""A group without tabs shows an untitled view without a tab; windows that close when they are empty."""

from __future__ import annotations

import pytest

TWO = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
ONE = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}


def assert_empty(window, group=0):
    view = window.transient_view_in_group(group)
    assert view is not None
    assert view.file_name() is None
    assert view.size() == 0
    assert view.name() == ""
    assert view not in window.views()
    assert window.views_in_group(group) == []
    assert window.sheets_in_group(group) == []
    assert view in window.views(include_transient=True)
    assert window.active_view_in_group(group) == view
    assert view.sheet().is_transient()
    assert window.get_view_index(view) == (group, -1)
    return view


def test_a_new_window_shows_a_view_that_is_no_tab(bench):
    bench.sublime.run_command("new_window")
    window = bench.sublime.active_window()
    view = assert_empty(window)
    assert window.active_view() == view
    assert ["on_new", view.id()] in bench.gestures.events()


def test_a_placeholder_goes_when_a_tab_comes_and_returns_with_no_tabs_left(bench):
    first = assert_empty(bench.window)
    tab = bench.window.new_file()
    assert not first.is_valid()
    assert bench.window.transient_view_in_group(0) is None
    assert bench.window.views(include_transient=True) == [tab]
    tab.close()
    assert assert_empty(bench.window) != first


def test_a_placeholder_is_a_tab_once_something_is_typed_into_it(bench):
    view = assert_empty(bench.window)
    bench.gestures.type_text("x")
    assert bench.window.views() == [view]
    assert bench.window.transient_view_in_group(0) is None
    assert not view.sheet().is_transient()


def test_closing_it_leaves_another_or_the_same(bench):
    view = assert_empty(bench.window)
    view.close()
    assert assert_empty(bench.window) != view
    bench.host.quirks = frozenset(["stuck_previews"])
    view, told = assert_empty(bench.window), []
    view.close(told.append)
    assert assert_empty(bench.window) == view
    assert told == [False]


def test_new_groups_have_one_each_and_take_it_with_them(bench):
    tab = bench.window.new_file()
    bench.window.set_layout(TWO)
    view = assert_empty(bench.window, 1)
    bench.window.set_layout(ONE)
    assert not view.is_valid()
    assert bench.window.views(include_transient=True) == [tab]
    bench.window.set_layout(TWO)
    bench.window.set_view_index(tab, 1, 0)
    assert_empty(bench.window, 0)
    assert bench.window.views(include_transient=True) == [bench.window.transient_view_in_group(0), tab]


def test_a_moved_one_is_left_where_it_was_moved_to(bench):
    bench.window.new_file()
    bench.window.set_layout(TWO)
    view = assert_empty(bench.window, 1)
    bench.window.set_view_index(view, 0, 1)
    assert bench.window.get_view_index(view) == (0, 1)  # a tab of the user's group now
    assert_empty(bench.window, 1)
    bench.host.quirks = frozenset(["moved_previews"])
    other = bench.window.transient_view_in_group(1)
    bench.window.set_view_index(other, 0, 1)
    assert bench.window.get_view_index(other) == (0, -1)
    assert bench.window.transient_view_in_group(0) == other


def test_a_preview_takes_its_place(bench):
    view = assert_empty(bench.window)
    preview = bench.window.open_file(bench.write("a.txt", b"a"), bench.sublime.TRANSIENT)
    bench.settle()
    assert not view.is_valid()
    assert bench.window.transient_view_in_group(0) == preview
    preview.close()
    assert_empty(bench.window)


def test_the_other_group_gets_one_when_its_tab_is_dragged_away(bench):
    (view, number) = (bench.window.new_file(), bench.gestures.new_window())
    bench.gestures.drag_tab(view.id(), window=number)
    assert_empty(bench.window)
    assert view.window().views(include_transient=True) == [view]


def test_a_closed_window_leaves_nothing_behind(bench):
    number = bench.gestures.new_window()
    shown = set(bench.host.views)
    bench.gestures.close_window(number)
    assert len(bench.host.views) == len(shown) - 1


@pytest.mark.parametrize("how", ["setting", "quirk"])
def test_a_window_that_closes_when_it_is_empty(bench, how):
    """Setting and default of macOS; a folder keeps the window open."""
    if how == "setting":
        bench.sublime.load_settings("Preferences.sublime-settings").set("close_windows_when_empty", True)
    else:
        bench.host.quirks = frozenset(["closing_windows"])
    bench.sublime.run_command("new_window")
    window = bench.sublime.active_window()
    assert window.is_valid()
    window.new_file().close()
    assert not window.is_valid()
    number = bench.gestures.new_window([bench.folder])
    window = bench.sublime.active_window()
    window.new_file().close()
    assert window.id() == number
    assert window.is_valid()


def test_dividing_and_joining_an_empty_window_can_close_it(bench):
    bench.sublime.load_settings("Preferences.sublime-settings").set("close_windows_when_empty", True)
    bench.sublime.run_command("new_window")
    window = bench.sublime.active_window()
    window.set_layout(TWO)
    assert window.is_valid()
    window.set_layout(ONE)
    assert not window.is_valid()


def test_the_close_command_closes_an_empty_window_of_one_group_only(bench):
    bench.sublime.run_command("new_window")
    window = bench.sublime.active_window()
    window.set_layout(TWO)
    window.run_command("close")
    assert window.is_valid()
    window.set_layout(ONE)
    window.run_command("close")
    assert not window.is_valid()


@pytest.mark.parametrize("deselects", [False, True])
def test_focusing_one_of_several_selected_sheets(bench, deselects):
    bench.host.quirks = frozenset(["focus_deselects"] if deselects else [])
    a, b = bench.window.new_file(), bench.window.new_file()
    bench.window.select_sheets([a.sheet(), b.sheet()])
    bench.window.focus_view(a)
    assert bench.window.selected_sheets_in_group(0) == ([a.sheet()] if deselects else [a.sheet(), b.sheet()])


def test_moving_one_of_several_selected_sheets(bench):
    a, b = bench.window.new_file(), bench.window.new_file()
    bench.window.select_sheets([a.sheet(), b.sheet()])
    bench.window.set_view_index(b, 0, 0)
    assert bench.window.selected_sheets_in_group(0) == [b.sheet()]
