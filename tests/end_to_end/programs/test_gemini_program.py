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
from tests.clients.programs.shared import GREETING

OLD_CONNECTION_SECONDS = 15.0
"""After so long nothing is left of a connection that the program has lost."""
PROPOSAL = GREETING.replace("Hello", "Good day")
PROGRAM, MODEL = GeminiCli, GeminiApi


@pytest.fixture
def gemini(desktop, beside):
    """The program, connected."""
    gemini = beside.program()
    gemini.wait_connected()
    return gemini


def editor_context(request):
    """The editor's context in a request to the model."""
    text = next(text for text in user_texts(request) if text.startswith("Here is the user's editor context"))
    return json.loads(text.split("```json")[1].split("```")[0])


def start_review(desktop, gemini, model, *answers):
    """Asks the program for a change; returns the proposal once it shows here and there."""
    edit = {"file_path": desktop.path("greeting.py"), "old_string": "Hello", "new_string": "Good day"}
    model.script(CallTool("replace", dict(edit, instruction="Greet politely.")), *answers)
    gemini.submit("Be more polite")
    gemini.wait_confirmation("greeting.py")
    proposal = desktop.wait_proposal()
    assert proposal["text"] == PROPOSAL
    return proposal


def test_ide_enable_connects_a_program_that_sees_the_editor_for_the_first_time(desktop, model):
    with GeminiCli(desktop.host, desktop.workspace, model, ide_mode=False) as gemini:
        gemini.wait_for("Do you want to connect Sublime Text to Gemini CLI?")
        gemini.press("escape")
        gemini.wait_ready()
        gemini.enter("/ide enable", lambda: "Connected to Sublime Text" in gemini.text())
        desktop.wait_status("Gemini CLI")


def test_an_edit_is_accepted_in_the_editor_with_a_change_of_the_user(desktop, gemini, model):
    before = desktop.arrangement()
    desktop.wait_status("Gemini CLI")
    proposal = start_review(desktop, gemini, model, Say("It is polite now."))
    assert editor_context(model.turns[0])["activeFile"] == {
        "path": desktop.path("greeting.py"),
        "cursor": {"line": 2, "character": 18},
        "selectedText": "Hello",
    }
    desktop.type_at_end(proposal["id"], "# reviewed\n")
    assert desktop.read("greeting.py").decode() == GREETING, "the program writes, after the answer"
    desktop.accept()
    gemini.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# reviewed\n"
    [response] = tool_responses(model.turns[-1])
    assert response["name"] == "replace"
    assert response["response"]["output"].startswith("Successfully modified file")
    assert "# reviewed" in response["response"]["output"]
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_a_diff_that_waits_to_be_asked_for_leaves_the_editor_alone_and_the_terminal_usable(desktop, gemini, model):
    desktop.host.evaluate("sublime.load_settings('Gemini Companion.sublime-settings').set('review_open', 'on_request')")
    before = desktop.arrangement()
    edit = {"file_path": desktop.path("greeting.py"), "old_string": "Hello", "new_string": "Good day"}
    for number, key in enumerate(("escape", "enter")):
        model.script(
            CallTool("replace", dict(edit, instruction="Greet politely.")), *[Say("It is polite on request.")] * number
        )
        gemini.submit("Be more polite")
        gemini.wait_confirmation("greeting.py")
        desktop.wait_status("1 to review")
        assert desktop.arrangement() == before
        assert not desktop.views_of_role("proposal")
        gemini.press(key)
        desktop.host.wait_until(lambda: "to review" not in desktop.window()["status_bar"])
    gemini.wait_for("It is polite on request.")
    assert desktop.read("greeting.py").decode() == PROPOSAL

    edit = {"file_path": desktop.path("greeting.py"), "old_string": "Good day", "new_string": "Welcome"}
    model.script(CallTool("replace", dict(edit, instruction="Greet warmly.")), Say("It is warm now."))
    gemini.submit("Be warmer")
    gemini.wait_confirmation("greeting.py")
    desktop.wait_status("1 to review")
    desktop.host.call("run_palette", caption="Gemini Companion: Show Pending Diffs")
    desktop.host.wait_until(lambda: desktop.window()["quick_panel"])
    desktop.host.call("choose", item="greeting.py")
    assert "Welcome" in desktop.wait_proposal()["text"]
    desktop.accept()
    gemini.wait_for("It is warm now.")
    assert "Welcome" in desktop.read("greeting.py").decode()
    desktop.wait_no_review()


def test_an_answer_in_the_terminal_closes_the_diff(desktop, gemini, model):
    before = desktop.arrangement()
    start_review(desktop, gemini, model)
    gemini.press("escape")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == GREETING

    proposal = start_review(desktop, gemini, model, Say("It is polite by the terminal."))
    desktop.type_at_end(proposal["id"], "# reviewed\n")
    gemini.press("enter")
    gemini.wait_for("It is polite by the terminal.")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# reviewed\n"
    assert "Successfully modified file" in tool_responses(model.turns[-1])[-1]["response"]["output"]


def test_what_is_rejected_in_the_editor_is_not_written(desktop, gemini, model):
    before = desktop.arrangement()
    start_review(desktop, gemini, model)
    desktop.reject()
    desktop.wait_no_review()
    assert desktop.arrangement() == before

    arguments = {"file_path": desktop.path("new.txt"), "content": "new\n"}
    model.script(CallTool("write_file", arguments), Say("Written."))
    gemini.submit("Write a new file")
    gemini.wait_confirmation("new.txt")
    assert desktop.wait_proposal()["text"] == "new\n"
    desktop.accept()
    gemini.wait_for("Written.")
    assert desktop.read("new.txt") == b"new\n"
    assert desktop.read("greeting.py").decode() == GREETING


def test_a_reload_of_the_package_does_not_disturb_the_program(desktop, gemini, model):
    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.wait_status("Gemini CLI")
    start_review(desktop, gemini, model, Say("It is polite after all."))
    desktop.accept()
    gemini.wait_for("It is polite after all.")
    assert desktop.read("greeting.py").decode() == PROPOSAL


def test_a_program_that_has_connected_to_a_new_start_of_the_editor_stays_connected(desktop, gemini):
    """Its old connection tries to come back beside the new one, and would take it along when it gives up."""
    desktop.host.quit()
    gemini.is_soon(lambda: False, 2.0)  # the user starts the editor again
    desktop.host.restart()
    desktop.wait_published()
    gemini.enter("/ide enable", lambda: "Connected to Sublime Text" in gemini.text())
    desktop.wait_status("Gemini CLI")
    assert not gemini.is_soon(lambda: "Gemini CLI" not in desktop.window()["status_bar"], OLD_CONNECTION_SECONDS)
    shown = gemini.text().count("Connected to Sublime Text")
    gemini.enter("/ide status", lambda: gemini.text().count("Connected to Sublime Text") > shown)
    assert "Disconnected" not in gemini.text()


def test_a_program_that_is_closed_takes_its_diff_with_it(desktop, gemini, model):
    before = desktop.arrangement()
    start_review(desktop, gemini, model)
    gemini.close()
    desktop.host.wait_until(lambda: desktop.arrangement() == before)
    assert desktop.read("greeting.py").decode() == GREETING
    desktop.wait_status("no client")
