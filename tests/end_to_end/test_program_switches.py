"""The switch of each program, turned while the program is connected: who is told of the window, and who is not."""

from __future__ import annotations

import pytest

from tests.clients.claude import ClaudeClient

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"


@pytest.fixture
def home(desktop):
    return desktop.host.environment["HOME"]


def switch(desktop, program, on):
    desktop.host.evaluate(
        f"sublime.load_settings('Gemini Companion.sublime-settings').set('publish_for_{program}', {on})"
    )


def shown(desktop, name):
    return name in desktop.window()["status_bar"]


def test_a_program_that_is_switched_on_again_hears_of_the_window(desktop, home):
    switch(desktop, "opencode", False)
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ClaudeClient(home, desktop.workspace) as claude, ClaudeClient(home, desktop.workspace, "opencode") as opencode:
        opencode.connect()
        claude.connect()
        desktop.host.wait_until(lambda: shown(desktop, "Claude Code"))
        assert opencode.notifications == []
        assert not shown(desktop, "opencode")
        switch(desktop, "opencode", True)
        opencode.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
        desktop.host.wait_until(lambda: shown(desktop, "opencode"))
        assert "Hello" in str(opencode.run(opencode.call("getCurrentSelection")))


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


def test_the_question_of_a_program_that_is_switched_off_goes_on_in_its_terminal(desktop, home):
    with ClaudeClient(home, desktop.workspace) as claude:
        claude.connect()
        asked = claude.open_diff(desktop.path("greeting.py"), GREETING.replace("Hello", "Good day"), "a tab")
        desktop.wait_proposal()
        switch(desktop, "claude", False)
        assert asked.result(30)["result"]["isError"]
        desktop.wait_no_review()


def test_nothing_is_taken_back_from_a_program_that_was_told_nothing(desktop, home):
    desktop.host.call("run_palette", caption="Gemini Companion: Pause Sharing")
    with ClaudeClient(home, desktop.workspace, "opencode") as opencode:
        opencode.connect()
        desktop.host.wait_until(lambda: shown(desktop, "opencode"))
        desktop.host.pump(1)
        assert opencode.notifications == []
        desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
        desktop.host.call("run_palette", caption="Gemini Companion: Resume Sharing")
        opencode.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
        assert [params["filePath"] for _, params in opencode.notifications] == [desktop.path("greeting.py")]
