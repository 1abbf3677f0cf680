"""A review whose views the user moves into another window, or opens a second time."""

from __future__ import annotations

import pytest

from tests.support.by_hand import PROPOSED, open_diff, text_of, told


@pytest.mark.parametrize(("ending", "outcome"), [("press", PROPOSED), ("close_tab", None)])
def test_a_proposal_dragged_into_another_window(desktop, ending, outcome):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    first = desktop.window()["id"]
    view = open_diff(desktop)
    other = desktop.host.call("new_window")
    desktop.host.call("drag_tab", view=view, window=other)
    desktop.host.call("focus_view", view=view)
    if ending == "press":
        assert desktop.host.call("press", keys="ctrl+s") is not None
    else:
        desktop.host.call("close_tab", view=view)
    desktop.host.wait_until(lambda: told(desktop) == [outcome])
    desktop.host.call("focus_window", window=first)
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: desktop.arrangement()["layout"] == before["layout"])
    assert desktop.arrangement()["groups"] == before["groups"]


@pytest.fixture
def dragged(desktop):
    """A proposal in a second window: its view, and the numbers of the first and the second window."""
    own = desktop.open("greeting.py")
    first = desktop.window()["id"]
    view = open_diff(desktop)
    other = desktop.host.call("new_window")
    desktop.host.call("drag_tab", view=view, window=other)
    desktop.host.call("focus_view", view=view)
    return view, own, first, other


def test_the_keys_walk_and_take_back_in_another_window_too(desktop, dragged):
    view = dragged[0]

    def row():
        return desktop.host.evaluate(f"(lambda v: v.rowcol(v.sel()[0].b)[0])(sublime.View({view}))")

    rows = [row()]
    for keys in ("f8", "f8", "shift+f8"):
        assert desktop.host.call("press", keys=keys) is not None
        rows.append(row())
    assert rows == [0, 2, 2, 0]  # at the last change F8 stays, and says that it is
    assert desktop.host.call("press", keys="ctrl+f8") == "gemini_companion_revert_hunk"
    desktop.host.wait_until(lambda: text_of(desktop, view) == PROPOSED[len("import sys\n") :])


def test_the_keys_decide_in_another_window_too(desktop, dragged):
    assert desktop.host.call("press", keys="shift+escape") == "gemini_companion_reject"
    desktop.host.wait_until(lambda: told(desktop) == [None])


def test_the_commands_decide_in_another_window_too(desktop, dragged):
    desktop.host.call("run_command", command="gemini_companion_accept", window=dragged[3])
    desktop.host.wait_until(lambda: told(desktop) == [PROPOSED])


def test_a_proposal_in_another_window_is_gone_to(desktop, dragged):
    view, own, first, other = dragged
    desktop.host.call("focus_window", window=first)
    desktop.host.call("focus_view", view=own)
    desktop.host.call("run_command", command="gemini_companion_show_pending_diffs", window=first)
    desktop.host.wait_until(lambda: desktop.window()["quick_panel"])
    desktop.host.call("press", keys="enter")
    desktop.host.wait_until(lambda: desktop.host.evaluate("sublime.active_window().id()") == other)
    assert desktop.host.evaluate("sublime.active_window().active_view().id()") == view
    assert desktop.host.evaluate(f"sublime.Window({first}).active_view().id()") == own


@pytest.mark.parametrize("role", ["proposal", "original"])
def test_closing_the_window_that_a_tab_was_dragged_into_rejects(desktop, role):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    first = desktop.window()["id"]
    open_diff(desktop)
    other = desktop.host.call("new_window")
    desktop.host.call("focus_window", window=first)
    desktop.host.call("drag_tab", view=desktop.views_of_role(role)[0]["id"], window=other)
    desktop.host.call("close_window", window=other)
    desktop.host.wait_until(lambda: told(desktop) == [None])
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: desktop.arrangement()["layout"] == before["layout"])
    assert desktop.arrangement()["groups"] == before["groups"]


def test_a_second_view_of_the_proposal_is_edited_and_saved_like_the_first(desktop):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    view = open_diff(desktop)
    clone = desktop.host.call("clone_view", view=view)
    desktop.type_at_end(clone, "# mine\n")
    desktop.host.call("focus_view", view=clone)
    desktop.host.call("press", keys="ctrl+s")
    desktop.wait_no_review()
    assert told(desktop) == [PROPOSED + "# mine\n"]
    desktop.host.wait_until(lambda: desktop.arrangement() == before)


def test_closing_a_second_view_into_the_proposal_decides_nothing(desktop):
    view = open_diff(desktop)
    clone = desktop.host.call("clone_view", view=view)
    desktop.host.call("close_tab", view=clone)
    assert [tab["id"] for tab in desktop.views_of_role("proposal")] == [view]
    assert told(desktop) == []


def test_a_second_view_goes_with_the_proposal(desktop):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    view = open_diff(desktop)
    desktop.host.call("clone_view", view=view)
    desktop.host.call("close_tab", view=view)
    desktop.wait_no_review()
    assert told(desktop) == [None]
    desktop.host.wait_until(lambda: desktop.arrangement() == before)
