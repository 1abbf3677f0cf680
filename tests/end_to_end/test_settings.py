"""Settings as a user changes them: at once, and checked."""

from __future__ import annotations

CHANGE = "sublime.load_settings('Gemini Companion.sublime-settings').set({!r}, {!r})"
EVERY_SETTING = {
    "programs": ["codex"],
    "workspace_fallback": "nope",
    "terminal_commands": [],
    "share_selection": "no",
    "track_changes": "sometimes",
    "notify": "often",
    "review_before_writing": True,
    "review_skip": "docs/**",
    "context_exclude": ".env",
    "workspace_trust": "yes",
    "review_colors": "red_green",
    "review_focus": "sometimes",
    "review_marks": "dots",
    "review_open": "sometimes",
    "review_presentation": 19,
    "review_ignore_whitespace": "some",
}


def said(desktop, *words):
    return any(all(word in message for word in words) for message in desktop.window()["status_messages"])


def test_every_wrong_value_is_said_and_does_no_harm(desktop, client):
    desktop.open("greeting.py")
    desktop.host.wait_until(client.open_files)
    for name, value in EVERY_SETTING.items():
        desktop.host.execute(CHANGE.format(name, value))
        desktop.host.wait_until(lambda: said(desktop, f'"{name}" in the settings should be'))  # noqa: B023
    assert len(desktop.own_discovery_files()) == 1
    assert client.call("status")["status"] == "connected"
    desktop.host.call("select_rowcol", row=1, column=4, end_row=1, end_column=10)
    desktop.host.wait_until(lambda: client.open_files()[0].get("selectedText") == "return")


def test_the_table_of_wrong_values_is_complete(desktop):
    names = desktop.host.evaluate("list(sublime.load_settings('Gemini Companion.sublime-settings').to_dict())")
    assert sorted(names) == sorted(EVERY_SETTING)
