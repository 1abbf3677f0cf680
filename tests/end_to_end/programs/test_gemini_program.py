"""The real `gemini` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import json
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of this kind are POSIX", allow_module_level=True)

from tests.clients.programs.gemini_api import GeminiApi, tool_responses, user_texts
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import CallTool, Say
from tests.end_to_end.programs.journeys import PROPOSAL, Journeys

pytestmark = pytest.mark.everything  # test_five_programs.py has its journey of every run
OLD_CONNECTION_SECONDS = 15.0
"""After so long nothing is left of a connection that the program has lost."""
PROGRAM, MODEL = GeminiCli, GeminiApi


@pytest.fixture
def program(desktop, beside):
    """The program, connected."""
    gemini = beside.program()
    gemini.wait_connected()
    return gemini


def change(path, old="Hello", new="Good day"):
    edit = {"file_path": path, "old_string": old, "new_string": new, "instruction": "Greet politely."}
    return (CallTool("replace", edit),)


class TestJourneys(Journeys):
    title = "Gemini CLI"
    written = "Successfully modified file"
    tells_of_a_rejection = False
    edits_before_a_key = "# reviewed\n"

    def change(self, path):
        return change(path)

    def tool_outputs(self, request):
        return [json.dumps(answer["response"]) for answer in tool_responses(request)]

    def check_context(self, desktop, request):
        text = next(text for text in user_texts(request) if text.startswith("Here is the user's editor context"))
        assert json.loads(text.split("```json")[1].split("```")[0])["activeFile"] == {
            "path": desktop.path("greeting.py"),
            "cursor": {"line": 2, "character": 18},
            "selectedText": "Hello",
        }


def test_ide_enable_connects_a_program_that_is_new_to_the_editor(desktop, model):
    with GeminiCli(desktop.host, desktop.workspace, model, ide_mode=False) as gemini:
        gemini.wait_for("Do you want to connect Sublime Text to Gemini CLI?")
        gemini.press("escape")
        gemini.wait_ready()
        gemini.enter("/ide enable", lambda: "Connected to Sublime Text" in gemini.text())
        desktop.wait_status("Gemini CLI")


def test_a_diff_shown_on_request_leaves_the_editor_and_the_terminal_usable(desktop, program, model):
    desktop.host.evaluate("sublime.load_settings('Gemini Companion.sublime-settings').set('review_open', 'on_request')")
    before = desktop.arrangement()
    path = desktop.path("greeting.py")
    for number, key in enumerate(("escape", "enter")):
        model.script(*change(path), *[Say("It is polite on request.")] * number)
        program.submit("Be more polite")
        program.wait_confirmation("greeting.py")
        desktop.wait_status("1 to review")
        assert desktop.arrangement() == before
        assert not desktop.views_of_role("proposal")
        program.press(key)
        desktop.host.wait_until(lambda: "to review" not in desktop.window()["status_bar"])
    program.wait_for("It is polite on request.")
    assert desktop.read("greeting.py").decode() == PROPOSAL

    model.script(*change(path, "Good day", "Welcome"), Say("It is warm now."))
    program.submit("Be warmer")
    program.wait_confirmation("greeting.py")
    desktop.wait_status("1 to review")
    desktop.host.call("run_palette", caption="Companion: Show Pending Diffs")
    desktop.host.wait_until(lambda: desktop.window()["quick_panel"])
    desktop.host.call("choose", item="greeting.py")
    assert "Welcome" in desktop.wait_proposal()["text"]
    desktop.accept()
    program.wait_for("It is warm now.")
    assert "Welcome" in desktop.read("greeting.py").decode()
    desktop.wait_no_review()


def test_a_program_connected_to_a_restarted_editor_stays_connected(desktop, program):
    """Its old connection tries to come back beside the new one, and would take it along when it gives up."""
    desktop.host.quit()
    program.is_soon(lambda: False, 2.0)  # the user starts the editor again
    desktop.host.restart()
    desktop.wait_published()
    program.enter("/ide enable", lambda: "Connected to Sublime Text" in program.text())
    desktop.wait_status("Gemini CLI")
    assert not program.is_soon(lambda: "Gemini CLI" not in desktop.window()["status_bar"], OLD_CONNECTION_SECONDS)
    assert "Connected to Sublime Text" in program.ask("/ide status", "onnected")
    assert "Disconnected" not in program.text()
