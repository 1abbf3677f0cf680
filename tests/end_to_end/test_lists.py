"""The two lists to choose from: what can be done now, and the diffs that wait for an answer."""

from __future__ import annotations

OPEN = """
import sys
modules = {{name: sys.modules["Gemini Companion." + name] for name in ("plugin", "companion.review.decision")}}
endpoint = modules["plugin"].application.window_opened(sublime.Window({window}))
owner = modules["companion.review.decision"].Owner("played", "Gemini CLI")
endpoint.reviews.open_diff(owner, {path!r}, "proposed\\n")
"""
ALWAYS = [
    "Run Gemini CLI",
    "Run Qwen Code",
    "Run LLxprt Code",
    "Run Claude Code",
    "Run opencode",
    "Run Kilo CLI",
    "Run Copilot CLI",
    "Run Codex CLI",
    "Run Agent\u2026",
    "Copy Connection Environment",
    "Pause Sharing",
    "Diagnose",
    "Show Log",
    "Disconnect Clients",
    "Restart Server",
]
IN_REVIEW = [
    "Accept Diff",
    "Reject Diff",
    "Next Change",
    "Previous Change",
    "Revert Hunk",
    "Revert All Remaining",
    "Accept This Hunk Only",
    "Undo Revert Hunk",
    "Toggle Whitespace Changes",
    "Show Pending Diffs",
    "Read as Patch",
]


def open_diff(desktop, name, window=None):
    number = window if window is not None else desktop.host.evaluate("window.id()")
    desktop.host.execute(OPEN.format(window=number, path=desktop.path(name)))


def choices(desktop):
    """The rows of the quick panel in the window in front, once it shows."""
    panel = desktop.host.wait_until(lambda: desktop.window()["quick_panel"])
    return [row["trigger"] for row in panel["items"]]


def show_menu(desktop):
    desktop.host.call("run_palette", caption="Companion: Open Companion Menu")
    return choices(desktop)


def test_palette_and_menu_name_nothing_that_is_not_there(desktop):
    menu = desktop.host.call("menu")
    ours = [entry for entry in menu if "Gemini Companion" in entry["path"]]
    assert {"Tools", "Preferences"} == {entry["path"][0] for entry in ours}
    entries = [*desktop.host.call("palette"), *menu]
    assert [entry for entry in entries if not entry["exists"]] == []
    path = ["Preferences", "Package Settings", "Gemini Companion", "README"]
    desktop.host.call("run_menu", path=path)
    desktop.host.wait_until("sublime.active_window().active_view().file_name().endswith('README.md')")


def test_the_menu_offers_what_can_be_done_now(desktop):
    desktop.open("greeting.py")
    assert show_menu(desktop) == ALWAYS
    desktop.host.call("choose", item="Pause Sharing")
    assert show_menu(desktop) == [name.replace("Pause", "Resume") for name in ALWAYS]
    desktop.host.call("choose", item="Resume Sharing")
    open_diff(desktop, "greeting.py")
    desktop.wait_proposal()
    assert show_menu(desktop) == IN_REVIEW + ALWAYS
    desktop.host.call("choose", item="Reject Diff")
    desktop.wait_no_review()
    assert show_menu(desktop) == ALWAYS
    desktop.host.call("choose", item=-1)


def test_a_pending_diff_of_any_window_is_picked(desktop):
    here = desktop.host.evaluate("window.id()")
    other = desktop.host.call("new_window", folders=[desktop.workspace])
    open_diff(desktop, "greeting.py", here)
    open_diff(desktop, "new.py", other)
    desktop.host.wait_until(lambda: desktop.host.evaluate("window.id()") == other)
    desktop.host.call("run_palette", caption="Companion: Show Pending Diffs")
    assert sorted(choices(desktop)) == ["greeting.py", "new.py"]
    desktop.host.call("choose", item="greeting.py")
    desktop.host.wait_until(lambda: desktop.host.evaluate("window.id()") == here)
    role = "window.active_view().settings().get('gemini_companion.role', {}).get('role')"
    desktop.host.wait_until(lambda: desktop.host.evaluate(role) == "proposal")
