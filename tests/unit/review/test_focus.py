"""What has the focus, who may take it, and who gets it back: asked of a window that is made of a few names."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest


@pytest.fixture
def module(monkeypatch):
    if "sublime" not in sys.modules:
        monkeypatch.setitem(sys.modules, "sublime", ModuleType("sublime"))
    return importlib.import_module("companion.review.window.focus")


class View:
    """A tab, or with an `element` a panel or a palette."""

    def __init__(self, window, element=None, **settings):
        self.home, self._element, self._settings = window, element, settings

    def window(self):
        return self.home

    def is_valid(self):
        return self.home is not None

    def element(self):
        return self._element

    def settings(self):
        return self._settings


class Window:
    """Knows its active tab, and what was asked of it."""

    def __init__(self, number):
        self.number = number
        self.active = None
        self.asked = []

    def id(self):
        return self.number

    def active_view(self):
        return self.active

    def focus_view(self, view):
        self.asked.append(view)
        if view.element() is None:
            self.active = view

    def bring_to_front(self):
        self.asked.append("front")


@pytest.fixture
def window():
    return Window(1)


@pytest.fixture
def in_front():
    """The window that the user looks at, in a list of one."""
    return []


@pytest.fixture
def focus(module, window, in_front):
    in_front.append(window)
    return module.Focus(window, lambda: in_front[0])


@pytest.fixture
def tab(window):
    window.active = View(window)
    return window.active


class TestHolder:
    def test_the_active_tab(self, focus, tab):
        assert focus.holder() is tab
        focus.note(tab)
        assert focus.holder() is tab

    def test_a_terminal_in_a_panel_which_only_an_activation_tells_of(self, focus, window, tab):
        panel = View(window, "output:output", terminus_view=True)
        focus.note(tab)
        focus.note(panel)
        assert focus.holder() is panel
        focus.note(tab)
        assert focus.holder() is tab

    @pytest.mark.parametrize("element", ["command_palette:input", "find:input", "output:output"])
    def test_no_palette_and_no_other_panel(self, focus, window, tab, element):
        focus.note(tab)
        focus.note(View(window, element))
        assert focus.holder() is tab

    def test_no_tab_that_an_image_has_taken_it_from(self, focus, window, tab):
        focus.note(tab)
        window.active = None  # a sheet without a text, which tells nothing
        assert focus.holder() is None

    @pytest.mark.parametrize("gone_to", [None, Window(2)])
    def test_no_panel_that_is_gone_or_in_another_window(self, focus, window, tab, gone_to):
        panel = View(window, "output:output", terminus_view=True)
        focus.note(panel)
        panel.home = gone_to
        assert focus.holder() is tab


class TestWhoMayTakeIt:
    @pytest.mark.parametrize(("setting", "may"), [("auto", True), ("always", True), ("never", False)])
    def test_from_a_tab(self, focus, tab, setting, may):
        assert focus.proposal_may_take_it(setting) is may

    @pytest.mark.parametrize(("setting", "may"), [("auto", False), ("always", True), ("never", False)])
    @pytest.mark.parametrize("element", [None, "output:output"])
    def test_from_a_terminal(self, focus, window, setting, may, element):
        terminal = View(window, element, terminus_view=True)
        window.active = terminal if element is None else View(window)
        focus.note(terminal)
        assert focus.proposal_may_take_it(setting) is may

    @pytest.mark.parametrize(("setting", "may"), [("auto", False), ("always", True), ("never", False)])
    def test_from_another_window(self, focus, tab, in_front, setting, may):
        in_front[0] = Window(2)
        assert focus.proposal_may_take_it(setting) is may

    @pytest.mark.parametrize(("setting", "may"), [("auto", True), ("always", True), ("never", False)])
    @pytest.mark.parametrize("role", ["original", "proposal"])
    def test_from_another_review_even_if_the_window_is_not_in_front(self, focus, window, in_front, setting, may, role):
        window.active = View(window, **{"gemini_companion.role": role})
        in_front[0] = Window(2)
        assert focus.proposal_may_take_it(setting) is may

    def test_an_editor_without_a_window_in_front_is_taken_for_this_one(self, focus, tab, in_front):
        in_front[0] = None
        assert focus.proposal_may_take_it("auto")

    def test_from_nothing(self, focus, window):
        window.active = None
        assert focus.proposal_may_take_it("auto")


class TestGiving:
    def test_a_view_that_has_it_is_left_alone(self, focus, window, tab):
        focus.give(tab)
        assert window.asked == []

    def test_another_one_gets_it(self, focus, window, tab):
        other = View(window)
        focus.give(other)
        assert window.asked == [other]
        assert focus.holder() is other

    def test_the_active_tab_gets_it_back_from_a_panel(self, focus, window, tab):
        panel = View(window, "output:output", terminus_view=True)
        focus.note(panel)
        focus.give(tab)
        assert window.asked == [tab]
        assert focus.holder() is tab

    def test_a_panel_that_is_gone_has_nothing_to_give_back(self, focus, window, tab):
        panel = View(window, "output:output", terminus_view=True)
        focus.note(panel)
        panel.home = None
        focus.give(tab)
        assert window.asked == []

    @pytest.mark.parametrize("home", [None, Window(2)])
    def test_nor_does_one_that_is_gone_or_elsewhere_get_it(self, focus, window, tab, home):
        other = View(window)
        other.home = home
        focus.give(other, "always")
        focus.give(None, "always")
        assert window.asked == []
        assert focus.holder() is tab

    @pytest.mark.parametrize("setting", ["always", "auto", "never"])
    def test_only_always_brings_the_window_to_the_front(self, focus, window, tab, in_front, setting):
        focus.give(tab, setting)
        assert window.asked == [], "it is in front"
        in_front[0] = Window(2)
        focus.give(tab, setting)
        assert window.asked == (["front"] if setting == "always" else [])

    def test_by_itself_it_does_not(self, focus, window, tab, in_front):
        in_front[0] = Window(2)
        focus.give(tab)
        assert window.asked == []


class TestRestoring:
    def test_who_had_it_before_gets_it_back_once(self, focus, window, tab):
        focus.remember()
        proposal, another = View(window), View(window)
        focus.give(proposal)
        focus.restore()
        assert window.active is tab
        focus.give(another)
        focus.restore()
        assert window.active is another

    def test_a_terminal_in_a_panel_too(self, focus, window, tab):
        panel = View(window, "output:output", terminus_view=True)
        focus.note(panel)
        focus.remember()
        focus.give(View(window))
        focus.restore()
        assert window.asked[-1] is panel
        assert focus.holder() is panel
