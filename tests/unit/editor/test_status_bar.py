"""The status that is kept with views: with the one in front, and with none once it is cleared."""

from __future__ import annotations

import pytest


class View:
    """Keeps statuses; counts how often one is set."""

    def __init__(self):
        self.status, self.times = {}, 0

    def get_status(self, key):
        return self.status.get(key, "")

    def set_status(self, key, text):
        self.status[key] = text
        self.times += 1

    def erase_status(self, key):
        self.status.pop(key, None)


class Window:
    """Has a view in front."""

    view = None

    def active_view(self):
        return self.view


@pytest.fixture
def window():
    return Window()


@pytest.fixture
def bar(load, window):
    return load("companion.editor.status_bar").StatusBar(window)


def texts(*views):
    return [list(view.status.values()) for view in views]


def test_it_goes_along_to_the_view_in_front_and_leaves_nothing_behind(bar, window):
    one, other = View(), View()
    window.view = one
    bar.show("first")
    window.view = other
    bar.show("second")
    assert texts(one, other) == [[], ["Companion: second"]]
    window.view = one
    bar.show("second")
    assert texts(one, other) == [["Companion: second"], []]


def test_once_it_is_cleared_no_view_has_it(bar, window):
    views = [View(), View(), View()]
    for view in views:
        window.view = view
        bar.show("text")
    window.view = None
    bar.show("nobody sees it")
    window.view = views[0]
    bar.show("text")
    bar.clear()
    assert texts(*views) == [[], [], []]
    bar.clear()
    bar.show("again")
    assert texts(*views) == [["Companion: again"], [], []]


def test_what_is_shown_already_is_not_set_again(bar, window):
    window.view = view = View()
    bar.show("text")
    bar.show("text")
    assert view.times == 1


def test_hidden_characters_are_made_visible(bar, window):
    window.view = view = View()
    bar.show("a\u202eb")
    assert "\u202e" not in view.status["gemini_companion"]
