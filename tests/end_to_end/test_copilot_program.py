"""The real `copilot` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi, user_texts

pytestmark = pytest.mark.timeout(150)

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSAL = GREETING.replace("Hello", "Good day")


@pytest.fixture
def model():
    with OpenAiApi() as model:
        yield model
        assert model.problems == []


@pytest.fixture
def copilot(desktop, model):
    """The program, connected, with the word "Hello" selected in the editor."""
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with CopilotCli(desktop.host, desktop.workspace, model) as copilot:
        copilot.wait_connected("@greeting.py:2")
        yield copilot


def start_review(desktop, copilot, model, *answers, name="greeting.py", old="Hello", new="Good day"):
    """Asks the program for a change; returns the proposal once it shows."""
    model.script(CallTool("edit", {"path": desktop.path(name), "old_str": old, "new_str": new}), *answers)
    copilot.submit("Be more polite")
    return desktop.wait_proposal()


def test_the_selection_is_in_the_request_and_an_accepted_diff_is_written(desktop, copilot, model):
    before = desktop.arrangement()
    assert start_review(desktop, copilot, model, Say("It is polite now."))["text"] == PROPOSAL
    request = "\n".join(user_texts(model.turns[0]))
    assert "<ide_selection>" in request and "Hello" in request and "greeting.py" in request
    assert desktop.read("greeting.py").decode() == GREETING
    desktop.accept()
    copilot.wait_for("It is polite now.")
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL)
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_an_edit_of_the_user_is_saved_over_what_the_program_wrote(desktop, copilot, model):
    proposal = start_review(desktop, copilot, model, Say("It is polite now."))
    desktop.type_at_end(proposal["id"], "# mine\n")
    desktop.accept()
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL + "# mine\n")
    copilot.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# mine\n"


def test_a_rejected_diff_is_not_written(desktop, copilot, model):
    start_review(desktop, copilot, model)
    desktop.reject()
    desktop.wait_no_review()
    copilot.wait_for("cancelled by user")
    assert desktop.read("greeting.py").decode() == GREETING


def test_an_answer_in_the_terminal_closes_the_diff(desktop, copilot, model):
    before = desktop.arrangement()
    start_review(desktop, copilot, model, Say("It is polite now."))
    copilot.wait_for("1. Yes")
    copilot.press("enter")
    copilot.wait_for("It is polite now.")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == PROPOSAL


@pytest.mark.parametrize(
    "before, after",
    [
        (b"a = 1\r\nb = 2\r\n", b"a = 9\r\nb = 2\r\n"),
        (b"\xef\xbb\xbfa = 1\n", b"\xef\xbb\xbfa = 9\n"),
        (b"a = 1", b"a = 9"),
    ],
    ids=["crlf", "mark", "no newline at the end"],
)
def test_the_bytes_that_were_not_changed_stay(desktop, copilot, model, before, after):
    desktop.write("bytes.py", before)
    start_review(desktop, copilot, model, Say("Done."), name="bytes.py", old="a = 1", new="a = 9")
    desktop.accept()
    desktop.host.wait_until(lambda: desktop.read("bytes.py") == after)


def test_the_editor_quits_while_a_diff_waits_and_the_terminal_goes_on(desktop, copilot, model):
    start_review(desktop, copilot, model, Say("It is polite now."))
    desktop.host.disable_package()
    copilot.wait_for("1. Yes")
    copilot.press("enter")
    copilot.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL


def test_a_reload_of_the_package_does_not_disturb_the_program(desktop, copilot, model):
    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.host.wait_until(lambda: "Copilot CLI" in desktop.window()["status_bar"], 30)
    start_review(desktop, copilot, model, Say("It is polite now."))
    desktop.accept()
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL)
