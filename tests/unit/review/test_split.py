"""How wide a group is, and what a stored window is given back."""

from __future__ import annotations

import importlib
import json
import sys
from types import ModuleType

import pytest

ONE = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}
TWO = {"cols": [0.0, 0.25, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
THREE = {
    "cols": [0.0, 0.25, 0.5, 1.0],
    "rows": [0.0, 1.0],
    "cells": [[0, 0, 1, 1], [1, 0, 2, 1], [2, 0, 3, 1]],
}


@pytest.fixture
def module(monkeypatch):
    if "sublime" not in sys.modules:
        monkeypatch.setitem(sys.modules, "sublime", ModuleType("sublime"))
    if not hasattr(sys.modules["sublime"], "TRANSIENT"):
        monkeypatch.setattr(sys.modules["sublime"], "TRANSIENT", 4, raising=False)
    return importlib.import_module("companion.review.window.split")


class Settings(dict):
    """As the editor's."""

    def set(self, name, value):
        self[name] = value

    def erase(self, name):
        self.pop(name, None)

    def has(self, name):
        return name in self


class View:
    """A tab, 800 wide with letters of 10 unless it is told otherwise."""

    def __init__(self, width=800, letter=10):
        self.width, self.letter = width, letter

    def em_width(self):
        return self.letter

    def viewport_extent(self):
        return (self.width, 600)


class Window:
    """Groups of tabs, of which the last of each group shows."""

    def __init__(self, layout, *groups):
        self._layout, self.groups = layout, [list(group) for group in groups]
        self.active = 0
        self._settings = Settings()
        self.focused = []

    def settings(self):
        return self._settings

    def layout(self):
        return json.loads(json.dumps(self._layout))

    def set_layout(self, layout):
        self._layout = layout

    def num_groups(self):
        return len(self._layout["cells"])

    def active_view_in_group(self, group):
        return self.groups[group][-1] if self.groups[group] else None

    def sheets_in_group(self, group):
        return self.groups[group]

    def focus_sheet(self, sheet):
        self.focused.append(sheet)

    def focus_group(self, group):
        self.active = group


class TestColumns:
    def test_the_group_itself_tells(self, module):
        assert module.SplitLayout(Window(TWO, [View(width=200)], [View(width=600, letter=8)])).columns(1) == 75

    def test_else_another_one_by_their_widths(self, module):
        assert module.SplitLayout(Window(TWO, [View(width=200)], [])).columns(1) == 60
        assert module.SplitLayout(Window(TWO, [], [View(width=600)])).columns(0) == 20

    @pytest.mark.parametrize("silent", [{"width": 0}, {"letter": 0}])
    def test_a_view_that_was_never_drawn_tells_nothing(self, module, silent):
        assert module.SplitLayout(Window(TWO, [View(width=200)], [View(**silent)])).columns(1) == 60
        assert module.SplitLayout(Window(ONE, [View(**silent)])).columns(0) is None

    def test_nor_does_an_empty_window(self, module):
        assert module.SplitLayout(Window(ONE, [])).columns(0) is None


class TestAStoredWindow:
    """After a restart only the window's settings know of the review."""

    def stored(self, module, **changes):
        layouts = module.layouts
        division = layouts.divide_in_columns(ONE, 0)
        value = {"division": division._asdict(), "automatic": None, "active_group": 0, "active": [1], **changes}
        return json.loads(json.dumps(value)), division.after

    def window(self, module, layout, **changes):
        value, divided = self.stored(module, **changes)
        tabs = [View(), View()]
        window = Window(layout or divided, tabs, [])
        window.settings().set(module.STORED, value)
        return window, tabs

    def test_layout_and_tabs_are_back_and_nothing_stays_stored(self, module):
        window, tabs = self.window(module, None, automatic={"group": 1})
        assert module.put_layout_back(window) is True
        assert window.layout() == ONE
        assert window.focused == [tabs[1]]
        assert window.settings() == {module.AUTOMATIC: {"group": 1}}
        assert module.put_layout_back(window) is False

    def test_groups_that_the_user_made_stay_the_users(self, module):
        window, _ = self.window(module, None)
        module.put_layout_back(window)
        assert not window.settings().has(module.AUTOMATIC)

    def test_a_layout_that_the_user_changed_stays(self, module):
        window, tabs = self.window(module, THREE, automatic={"group": 1})
        window.groups.append([])
        assert module.put_layout_back(window) is True
        assert window.layout() == THREE
        assert window.focused == [tabs[1]]
        assert not window.settings().has(module.AUTOMATIC)

    def test_a_review_that_divided_nothing(self, module):
        window, tabs = self.window(module, ONE, division=None)
        assert module.put_layout_back(window) is True
        assert window.layout() == ONE
        assert window.focused == [tabs[1]]

    @pytest.mark.parametrize("division", [{}, {"group": 0}, {"other": 1}, 7, [1]])
    def test_what_another_version_stored_changes_nothing(self, module, division):
        window, _ = self.window(module, TWO, division=division or {"": 0})
        assert module.put_layout_back(window) is True
        assert window.layout() == TWO
        assert not window.focused
        assert not window.settings()

    @pytest.mark.parametrize("value", [None, 1, [], "x"])
    def test_nothing_is_made_of_what_is_no_memory(self, module, value):
        window = Window(ONE, [View()])
        window.settings().set(module.STORED, value)
        assert module.put_layout_back(window) is False

    @pytest.mark.parametrize(
        ("changes", "focused", "active"),
        [
            ({"active": [0]}, [0], 0),
            ({"active": [2]}, [], 0),
            ({"active": [-1]}, [], 0),
            ({"active": [1, 0, 0]}, [1], 0),
            ({"active": [1], "active_group": 5}, [1], 1),
        ],
    )
    def test_tabs_and_groups_that_are_gone_are_passed_over(self, module, changes, focused, active):
        window, tabs = self.window(module, None, **changes)
        window.active = 1
        module.put_layout_back(window)
        assert [tabs.index(sheet) for sheet in window.focused] == focused
        assert window.active == active
