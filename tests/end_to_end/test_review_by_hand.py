"""A review under the user's hands: keys pressed, links clicked, tabs closed, the editor quit and started again."""

from __future__ import annotations

import pytest

from tests.host.driver import Host
from tests.support.by_hand import GREETING, PROPOSED, open_diff, regions_of, text_of, told
from tests.tools.desktop import Desktop

ON_PAGE = "gemini_companion_act_on_page"
INPUT_GUARD = "Gemini Companion.companion.review.window.focus"


@pytest.mark.parametrize(("keys", "outcome"), [("ctrl+s", PROPOSED), ("shift+escape", None)])
def test_keys_decide(desktop, keys, outcome):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    open_diff(desktop)
    desktop.host.call("press", keys=keys)
    desktop.wait_no_review()
    assert told(desktop) == [outcome]
    desktop.host.wait_until(lambda: desktop.arrangement() == before)
    if outcome is None:  # no client is there to write what was accepted, so the companion soon does
        assert desktop.read("greeting.py").decode() == GREETING


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        ("ctrl+s", PROPOSED),
        ("save", PROPOSED),
        ("shift+escape", None),
        ("ctrl+w", None),
        ("ctrl+f4", None),
        ("close", None),
    ],
)
def test_a_key_pressed_twice_decides_once(desktop, keys, outcome):
    # The moment in which keys are ignored is longer than the longest stall of a busy machine.
    desktop.host.execute(f"__import__('sys').modules[{INPUT_GUARD!r}]._AFTER_COMING_SECONDS = 60")
    desktop.open("greeting.py")
    first = open_diff(desktop)
    desktop.host.execute(
        "import sys; played = sys.modules['played']; "
        f"played.reviews.open_diff(played.owner, {desktop.path('new.py')!r}, {PROPOSED!r})"
    )
    desktop.host.call("press", keys=f"{keys} {keys}", view=first)
    desktop.host.wait_until(lambda: [view["id"] for view in desktop.views_of_role("proposal")] not in ([first], []))
    (second,) = [view["id"] for view in desktop.views_of_role("proposal")]
    desktop.host.wait_until(lambda: desktop.host.evaluate("window.active_view().id()") == second)
    desktop.host.call("press", keys=keys)
    desktop.host.pump(0.1)
    assert told(desktop) == [outcome]
    assert len(desktop.views_of_role("proposal")) == 1
    desktop.host.execute(
        "import sys; reviews = sys.modules['played'].reviews; "
        "[reviews.open_reviews.input_guard.asked_for(review) for review in reviews.pending()]"
    )
    desktop.reject()
    desktop.wait_no_review()
    assert told(desktop) == [outcome, None]


def test_keys_walk_and_take_back(desktop):
    view = open_diff(desktop)

    def row():
        return desktop.host.evaluate(f"(lambda v: v.rowcol(v.sel()[0].b)[0])(sublime.View({view}))")

    desktop.host.wait_until(lambda: "gemini_companion.revert" in regions_of(desktop, view))
    rows = [row()]
    for keys in ("f8", "f8", "f8", "f8", "shift+f8"):  # at the last change it says so first
        desktop.host.call("press", keys=keys)
        rows.append(row())
    assert rows == [0, 2, 2, 0, 2, 0]
    desktop.host.call("press", keys="ctrl+f8")
    expected = PROPOSED[len("import sys\n") :]
    desktop.host.wait_until(lambda: text_of(desktop, view) == expected)
    desktop.host.call("press", keys="ctrl+z")
    assert text_of(desktop, view) == PROPOSED


def test_keys_walk_the_page_and_lead_to_the_review(desktop):
    review = open_diff(desktop)
    desktop.host.call("press", keys="ctrl+k ctrl+shift+r")
    active = "window.active_view()"
    caret = f"{active}.substr({active}.line({active}.sel()[0].b))"
    desktop.host.wait_until(lambda: desktop.host.evaluate(f"{active}.name()") == "Review Changes")
    desktop.host.wait_until(lambda: desktop.host.evaluate(caret) == "+import sys")
    lines = []
    for keys in ("n", "shift+n", "f8", "shift+f8", "p"):
        assert desktop.host.call("press", keys=keys) == ON_PAGE
        lines.append(desktop.host.evaluate(caret))
    assert len(set(lines)) == 3
    assert desktop.host.call("press", keys="enter") == ON_PAGE
    desktop.host.wait_until(lambda: desktop.host.evaluate(f"{active}.id()") == review)
    assert desktop.host.call("press", keys="enter") != ON_PAGE


def test_on_another_screen_it_fits_again(desktop):
    """The sizes of all fonts change, and no event tells of it."""
    view = open_diff(desktop)

    def rows():
        phantoms = desktop.host.call("snapshot_view", view=view)["phantoms"]
        return "".join(phantom["content"] for phantom in phantoms if phantom["key"] == "gemini_companion.top")

    desktop.host.pump(1.1)  # looks are rarer once nothing has moved for a second
    for factor in (1.5, 1.0, 2.0, 1.25, 1.0):
        desktop.host.call("zoom", factor=factor)
        height = f"line-height: {20 * factor:g}px"
        desktop.host.wait_until(lambda height=height: height in rows())
        desktop.host.pump(0.3)  # a moment in which nothing moves


@pytest.mark.parametrize("typed", [":w", ":wq!", ":s/a/b/"])
def test_what_writes_in_the_command_line_of_neovintageous_accepts(desktop, typed):
    desktop.open("greeting.py")
    open_diff(desktop)
    desktop.host.execute(
        f"panel = window.show_input_panel('', {typed!r}, None, None, None); panel.settings().set('_nv_ex_mode', True)"
    )
    desktop.host.call("press", keys="enter")
    if typed == ":s/a/b/":
        desktop.host.pump(0.1)
        assert told(desktop) == []
    else:
        desktop.wait_no_review()
        assert told(desktop) == [PROPOSED]
        assert desktop.host.evaluate("window.active_panel()") is None


def test_the_keys_mean_nothing_outside_a_review(desktop):
    own = desktop.open("greeting.py")
    open_diff(desktop)
    desktop.host.call("focus_view", view=own)
    desktop.type_at_end(own, "# mine\n")
    assert desktop.host.call("press", keys="ctrl+s") == "save"
    assert desktop.read("greeting.py").decode() == GREETING + "# mine\n"
    for keys in ("f8", "shift+f8", "ctrl+f8", "shift+escape"):
        assert desktop.host.call("press", keys=keys) is None
    assert told(desktop) == []
    assert len(desktop.views_of_role("proposal")) == 1


@pytest.mark.parametrize(("link", "outcome"), [("accept", PROPOSED), ("reject", None)])
def test_links_in_the_header_are_clicked(desktop, link, outcome):
    view = open_diff(desktop)
    desktop.host.call("click_phantom", key="gemini_companion.top", href=f"{link}@*", view=view)
    desktop.wait_no_review()
    assert told(desktop) == [outcome]


def test_links_beside_changes_are_clicked(desktop):
    view = open_diff(desktop)
    desktop.host.call("click_annotation", key="gemini_companion.revert", href="revert:0@*", view=view)
    desktop.host.wait_until(lambda: text_of(desktop, view) == PROPOSED[len("import sys\n") :])
    desktop.host.wait_until(lambda: "gemini_companion.undo" in regions_of(desktop, view))
    desktop.host.call("click_annotation", key="gemini_companion.undo", href="undo:*", view=view)
    desktop.host.wait_until(lambda: text_of(desktop, view) == PROPOSED)


def test_closing_the_window_rejects(desktop):
    other = desktop.host.call("new_window", folders=[desktop.workspace])
    open_diff(desktop)
    desktop.host.call("close_window", window=other)
    desktop.host.wait_until(lambda: told(desktop) == [None])


def test_a_restart_leaves_no_trace(workspace, tmp_path):
    with Host.start(folders=[workspace], data=str(tmp_path / "data")) as host:
        desktop = Desktop(host, workspace)
        desktop.wait_published()
        desktop.open("greeting.py")
        before = host.call("snapshot_window")
        open_diff(desktop)
        host.quit()
        host.restart()
        desktop.wait_published()
        desktop.wait_no_review()
        after = host.call("snapshot_window")
        assert after["layout"] == before["layout"]
        assert [tab["file"] for tab in after["groups"][0]["tabs"]] == [desktop.path("greeting.py")]


def test_disabling_the_package_leaves_no_trace(desktop):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    open_diff(desktop)
    desktop.host.disable_package()
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert told(desktop) == [None]
    desktop.host.enable_package()
    desktop.wait_published()


def test_saving_all_files_saves_the_users_own_and_asks_nothing(desktop):
    own = desktop.open("greeting.py")
    view = open_diff(desktop)
    desktop.type_at_end(own, "# mine\n")
    desktop.type_at_end(view, "# for the proposal\n")
    desktop.host.call("run_command", command="save_all")
    assert desktop.read("greeting.py").decode() == GREETING + "# mine\n"
    assert len(desktop.views_of_role("proposal")) == 1
    assert told(desktop) == []


def test_the_users_own_tab_may_be_closed_during_a_review(desktop):
    own = desktop.open("greeting.py")
    layout = desktop.window()["layout"]
    open_diff(desktop)
    desktop.host.call("close_tab", view=own)
    desktop.accept()
    desktop.wait_no_review()
    assert told(desktop) == [PROPOSED]
    desktop.host.wait_until(lambda: desktop.window()["layout"] == layout)
    assert desktop.titles() == []


def test_reopening_a_closed_tab_brings_no_review_back(new_editor, desktop):
    desktop.open("greeting.py")
    open_diff(desktop)
    desktop.accept()
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: desktop.titles() == ["greeting.py"])
    desktop.host.call("press", keys="ctrl+shift+t")
    assert desktop.titles() == ["greeting.py"]


def test_another_project_in_the_window_ends_the_review(desktop, tmp_path):
    desktop.open("greeting.py")
    project = tmp_path / "other.sublime-project"
    project.write_text('{"folders": [{"path": "."}]}')
    open_diff(desktop)
    desktop.host.call("load_project", path=str(project))
    desktop.host.wait_until(lambda: desktop.wait_published()["workspacePath"] == str(tmp_path.resolve()))
    desktop.host.wait_until(lambda: told(desktop) == [None])
    assert desktop.titles() == []
    assert len(desktop.host.snapshot()["windows"][0]["groups"]) == 1


def test_a_project_saved_during_a_review_gets_the_window_back(desktop, tmp_path):
    desktop.open("greeting.py")
    layout, titles = desktop.window()["layout"], desktop.titles()
    open_diff(desktop)
    desktop.host.call("save_project", path=str(tmp_path / "saved.sublime-project"))
    desktop.host.call("press", keys="ctrl+s")
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: desktop.window()["layout"] == layout)
    assert desktop.titles() == titles
    assert told(desktop) == [PROPOSED]


def test_the_last_window_closed_and_another_opened(desktop):
    open_diff(desktop)
    desktop.host.call("close_window")
    desktop.host.wait_until(lambda: told(desktop) == [None])
    desktop.host.wait_until(lambda: desktop.own_discovery_files() == [])
    assert desktop.host.running
    desktop.host.call("new_window", folders=[desktop.workspace])
    desktop.wait_published()
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
