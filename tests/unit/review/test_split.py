"""Where in a window a review goes, how wide it is there, and what a stored window is given back."""

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

    def __init__(self, name="", element=None, width=800, letter=10, **settings):
        self.name, self._element, self.width, self.letter = name, element, width, letter
        self._settings = Settings(settings)
        self.home = None
        self.scratch = self.closed = False

    def settings(self):
        return self._settings

    def element(self):
        return self._element

    def window(self):
        return self.home

    def is_valid(self):
        return self.home is not None

    def file_name(self):
        return None

    def clones(self):
        return []

    def em_width(self):
        return self.letter

    def viewport_extent(self):
        return (self.width, 600)

    def set_scratch(self, value):
        self.scratch = value

    def close(self):
        self.closed = self.scratch
        self.home.leave(self)


class Window:
    """Groups of tabs, of which the last of each group shows."""

    def __init__(self, layout, *groups, number=1):
        self._layout, self.groups, self.number = layout, [list(group) for group in groups], number
        self.active = 0
        self._settings = Settings()
        self.project = self.workspace = None
        self.focused = []
        for view in self.views():
            view.home = self

    def id(self):
        return self.number

    def views(self):
        return [view for group in self.groups for view in group]

    def leave(self, view):
        for group in self.groups:
            if view in group:
                group.remove(view)
        view.home = None

    def settings(self):
        return self._settings

    def layout(self):
        return json.loads(json.dumps(self._layout))

    def set_layout(self, layout):
        self._layout = layout

    def num_groups(self):
        return len(self._layout["cells"])

    def active_group(self):
        return self.active

    def active_view_in_group(self, group):
        return self.groups[group][-1] if self.groups[group] else None

    def get_view_index(self, view):
        for number, group in enumerate(self.groups):
            if view in group:
                return number, group.index(view)
        return -1, -1

    def sheets_in_group(self, group):
        return self.groups[group]

    def focus_sheet(self, sheet):
        self.focused.append(sheet)

    def focus_group(self, group):
        self.active = group

    def project_file_name(self):
        return self.project

    def workspace_file_name(self):
        return self.workspace


def terminal(**options):
    return View(terminus_view=True, **options)


def of_ours(role="proposal"):
    return View(**{"gemini_companion.role": role})


class TestHome:
    @pytest.fixture
    def home(self, module, monkeypatch):
        """The group in which a review of a file that these views show belongs."""

        def home(window, *views, split=None):
            monkeypatch.setattr(module.file_views, "views_of_file", lambda path, same: list(views))
            return (split or module.SplitLayout(window)).home("/a.py")

        return home

    def test_where_the_file_is(self, home):
        here, file = View(), View("file")
        assert home(Window(TWO, [here], [file]), file) == 1

    def test_where_the_user_is_of_several_and_otherwise_in_the_first(self, home):
        views = [View(), View(), View()]
        window = Window(THREE, [views[0]], [views[1]], [views[2]])
        window.active = 2
        assert home(window, views[1], views[2]) == 2
        assert home(window, views[1], views[0]) == 0

    def test_a_file_in_another_window_or_nowhere_in_this_one_does_not_count(self, home):
        elsewhere, nowhere = View(), View()
        Window(ONE, [elsewhere], number=2)
        window = Window(TWO, [View()], [View()])
        nowhere.home = window
        window.active = 1
        assert home(window, elsewhere, nowhere) == 1

    def test_never_where_a_terminal_shows_but_where_the_user_edited_last(self, home, module):
        views = [View(), View(), terminal()]
        window = Window(THREE, *([view] for view in views))
        split = module.SplitLayout(window)
        split.note_activated(views[1])
        for other in (views[2], of_ours(), View(element="command_palette:input"), View()):
            split.note_activated(other)  # a terminal, ours, a palette, and a tab that is in no group
        window.active = 2
        assert home(window, split=split) == 1
        window.groups[1].append(terminal())
        assert home(window, split=split) == 0

    def test_a_review_is_not_where_the_user_edited(self, home, module):
        ours = of_ours()
        window = Window(THREE, [View()], [ours], [terminal()])
        split = module.SplitLayout(window)
        split.note_activated(ours)
        window.active = 2
        assert home(window, split=split) == 0

    def test_a_group_that_is_gone_is_no_place(self, home, module):
        views = [View(), View(), View()]
        window = Window(THREE, *([view] for view in views))
        split = module.SplitLayout(window)
        split.note_activated(views[2])
        window.set_layout(ONE)
        window.groups = [[terminal()]]
        assert home(window, split=split) == 0

    def test_where_only_terminals_are_it_is_the_active_one(self, home):
        window = Window(TWO, [terminal()], [terminal()])
        window.active = 1
        assert home(window) == 1


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


class TestWhereOurViewsAre:
    """Asked when a second review opens: the user may have moved those of the first."""

    @pytest.fixture
    def find(self, module):
        def find(window, *ours, before=(0, 1)):
            split = module.SplitLayout(window)
            split._groups = module.Groups(*before)
            split._find_groups(list(ours))
            return tuple(split._groups)

        return find

    def test_where_the_last_ones_stand(self, find):
        pairs = [of_ours("original"), of_ours(), of_ours("original"), of_ours()]
        window = Window(THREE, [pairs[0], pairs[3]], [pairs[1]], [pairs[2]])
        assert find(window, *pairs) == (2, 0)

    def test_where_they_stood_if_there_is_none(self, find):
        assert find(Window(TWO, [View()], [View()])) == (0, 1)
        assert find(Window(TWO, [View()], [View()]), View(), before=(1, 0)) == (1, 0)

    def test_not_in_another_window_and_not_where_a_closed_one_was(self, find):
        away, closed = of_ours(), of_ours("original")
        Window(TWO, [], [away], number=2)
        assert find(Window(TWO, [View()], [View()]), away, closed, before=(1, 0)) == (1, 0)

    def test_a_group_that_is_gone_is_replaced(self, find):
        window = Window(TWO, [View()], [View()])
        window.active = 1
        assert find(window, before=(2, 2)) == (1, 1)
        assert find(window, before=(2, 0)) == (0, 0)
        assert find(window, before=(0, 2)) == (0, 1)


class TestAStoredWindow:
    """After a restart only the window's settings know of the review."""

    def stored(self, module, **changes):
        layouts = module.layouts
        division = layouts.divide_in_columns(ONE, 0)
        value = {"division": division._asdict(), "automatic": None, "active_group": 0, "active": [1], **changes}
        return json.loads(json.dumps(value)), division.after

    def window(self, module, layout, **changes):
        value, divided = self.stored(module, **changes)
        tabs = [View("one"), View("two")]
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


def test_only_what_is_abandoned_is_closed_and_without_a_question(module):
    mine, remains = View(), [of_ours(), of_ours("original")]
    window = Window(TWO, [mine, remains[0]], [remains[1]])
    assert module.close_abandoned(window, lambda view: view in remains) is True
    assert window.views() == [mine]
    assert all(view.closed for view in remains)
    assert not mine.scratch
    assert module.close_abandoned(window, lambda view: view in remains) is False


def test_projects_and_their_workspaces_are_told_apart(module):
    window = Window(ONE, [])
    seen = [module.project_of(window)]
    window.workspace = "/w/one.sublime-workspace"
    seen.append(module.project_of(window))
    window.project = "/w/one.sublime-project"
    seen.append(module.project_of(window))
    assert len(set(seen)) == 3
