"""A pause ends only when the user resumes: not with the package, not with a project, not by a project's file."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from tests.support.tracking import Window, WindowSettings


@pytest.fixture
def pause(monkeypatch):
    """The pause of a window, made anew each time as by a package that is loaded again."""
    if "sublime" not in sys.modules:
        stand_in = ModuleType("sublime")
        stand_in.Window = object
        monkeypatch.setitem(sys.modules, "sublime", stand_in)
    from companion.context.tracker import Pause

    return Pause


def test_a_window_is_shared_until_the_user_pauses(pause):
    assert not pause(Window())


def test_a_pause_outlasts_the_package_that_was_told(pause):
    window, other = Window(), Window()
    pause(window).set(True)
    assert pause(window)
    assert not pause(other)
    pause(window).set(False)
    assert not pause(window)
    assert window.stored.own == {}


def test_another_project_in_the_window_does_not_end_it(pause):
    window = Window()
    now = pause(window)
    now.set(True)
    window.stored = WindowSettings()
    now.project_changed()
    assert now
    assert pause(window)


def test_a_project_that_was_paused_comes_back_paused(pause):
    window = Window()
    now = pause(window)
    now.set(True)
    first, window.stored = window.stored, WindowSettings()
    now.project_changed()
    now.set(False)
    window.stored = first
    now.project_changed()
    assert now
    assert pause(window)


def test_a_look_at_the_same_project_changes_nothing(pause):
    window = Window()
    now = pause(window)
    for on in (False, True, False):
        now.set(on)
        stored = dict(window.stored.own)
        now.project_changed()
        assert bool(now) is on
        assert window.stored.own == stored


@pytest.mark.parametrize("theirs", [False, None, 0, ""])
def test_a_project_file_cannot_end_it(pause, theirs):
    window = Window()
    pause(window).set(True)
    window.stored.beneath["gemini_companion.sharing_paused"] = theirs
    assert pause(window)


def test_a_project_file_that_asks_for_it_yields_to_the_user(pause):
    window = Window()
    window.stored.beneath["gemini_companion.sharing_paused"] = True
    now = pause(window)
    assert now
    now.set(False)
    now.project_changed()
    assert not now
    assert not pause(window)
