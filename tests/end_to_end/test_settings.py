"""Settings as a user changes them: at once, and checked."""

from __future__ import annotations

CHANGE = "sublime.load_settings('Gemini Companion.sublime-settings').set({!r}, {!r})"
WRONG = 1.5
"""What no setting takes."""


def said(desktop, *words):
    return any(all(word in message for word in words) for message in desktop.window()["status_messages"])


def test_every_wrong_value_is_said_and_does_no_harm(desktop, client):
    desktop.open("greeting.py")
    desktop.host.wait_until(client.open_files)
    names = desktop.host.evaluate("list(sublime.load_settings('Gemini Companion.sublime-settings').to_dict())")
    assert "programs" in names
    for name in names:
        desktop.host.execute(CHANGE.format(name, WRONG))
        desktop.host.wait_until(lambda: said(desktop, f'"{name}" in the settings should be'))  # noqa: B023
    assert len(desktop.own_discovery_files()) == 1
    assert client.call("status")["status"] == "connected"
    desktop.host.call("select_rowcol", row=1, column=4, end_row=1, end_column=10)
    desktop.host.wait_until(lambda: client.open_files()[0].get("selectedText") == "return")
