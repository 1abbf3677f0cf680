"""The switch of each program, turned while the program is connected: who is told of the window, and who is not."""

from __future__ import annotations

import pytest

from tests.clients.claude import ClaudeClient


@pytest.fixture
def home(desktop):
    return desktop.host.environment["HOME"]


def switch(desktop, program, on):
    desktop.host.evaluate(
        f"sublime.load_settings('Gemini Companion.sublime-settings').set('publish_for_{program}', {on})"
    )


def shown(desktop, name):
    return name in desktop.window()["status_bar"]


def test_a_program_that_is_switched_off_is_told_nothing_any_more(desktop, home):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ClaudeClient(home, desktop.workspace, "opencode") as opencode:
        opencode.connect()
        opencode.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
        switch(desktop, "opencode", False)
        opencode.wait_notification("selection_changed", lambda params: params["filePath"] == "")
        desktop.host.wait_until(lambda: not shown(desktop, "opencode"))
        count = len(opencode.notifications)
        desktop.open("greeting.py", row=0, column=0, end_row=0, end_column=3)
        desktop.host.pump(1)
        assert "does not share" in str(opencode.run(opencode.call("getCurrentSelection")))
        assert len(opencode.notifications) == count
        switch(desktop, "opencode", True)
        opencode.wait_notification("selection_changed", lambda params: params["text"] == "def")
    desktop.host.wait_until(lambda: shown(desktop, "no client"))
