"""The real `qwen` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of this kind are POSIX", allow_module_level=True)

from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi, tool_texts, user_texts
from tests.clients.programs.qwen_code import QwenCode
from tests.clients.programs.shared import GREETING

PROPOSAL = GREETING.replace("Hello", "Good day")
PROGRAM, MODEL = QwenCode, OpenAiApi


@pytest.fixture
def qwen(desktop, beside):
    """The program, connected."""
    qwen = beside.program()
    qwen.wait_connected("greeting.py")
    return qwen


def start_review(desktop, qwen, model, *answers):
    """Asks the program for a change; returns the proposal once it shows here and there."""
    path = desktop.path("greeting.py")
    edit = {"file_path": path, "old_string": "Hello", "new_string": "Good day"}
    model.script(CallTool("read_file", {"file_path": path}), CallTool("edit", edit), *answers)
    qwen.submit("Be more polite")
    qwen.wait_confirmation("greeting.py")
    proposal = desktop.wait_proposal()
    assert proposal["text"] == PROPOSAL
    return proposal


def test_of_two_windows_ide_enable_connects_it_to_the_one_of_its_port_variable(desktop, model):
    first, port = desktop.window()["id"], desktop.wait_published()["port"]
    second = desktop.host.call("new_window", folders=[desktop.workspace])  # which it would take without the variable
    desktop.host.wait_until(lambda: len(desktop.own_discovery_files()) == 2)
    env = {"QWEN_CODE_IDE_SERVER_PORT": str(port), "QWEN_CODE_IDE_WORKSPACE_PATH": desktop.workspace}
    with QwenCode(desktop.host, desktop.workspace, model, env, ide_mode=False) as qwen:
        qwen.wait_for("Do you want to connect Sublime Text to Qwen Code?")
        qwen.press("escape")
        qwen.wait_ready()
        qwen.enter("/ide enable", lambda: "Connected to Sublime Text" in qwen.text())
        desktop.host.wait_until(lambda: "Qwen Code" in status(desktop, first))
        assert "no client" in status(desktop, second)


def status(desktop, window):
    return desktop.host.call("snapshot_window", window=window)["status_bar"]


def test_an_edit_is_accepted_in_the_editor_with_a_change_of_the_user(desktop, qwen, model):
    before = desktop.arrangement()
    desktop.wait_status("Qwen Code")
    proposal = start_review(desktop, qwen, model, Say("It is polite now."))
    context = next(text for text in user_texts(model.turns[0]) if "current editor context" in text)
    assert "Path: " + desktop.path("greeting.py") in context
    assert "Cursor: line 2, character 18" in context
    assert "Selected text:\n```\nHello\n```" in context
    desktop.type_at_end(proposal["id"], "# reviewed\n")
    assert desktop.read("greeting.py").decode() == GREETING, "the program writes, after the answer"
    desktop.accept()
    qwen.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# reviewed\n"
    answer = tool_texts(model.turns[-1])[-1]
    assert "has been updated" in answer
    assert "# reviewed" in answer
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_an_answer_in_the_terminal_closes_the_diff(desktop, qwen, model):
    before = desktop.arrangement()
    start_review(desktop, qwen, model)
    qwen.press("escape")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == GREETING

    start_review(desktop, qwen, model, Say("It is polite by the terminal."))
    qwen.press("enter")
    qwen.wait_for("It is polite by the terminal.")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == PROPOSAL
    assert "has been updated" in tool_texts(model.turns[-1])[-1]


def test_what_is_rejected_in_the_editor_is_not_written_and_the_model_hears_of_it(desktop, qwen, model):
    before = desktop.arrangement()
    start_review(desktop, qwen, model)
    desktop.reject()
    desktop.wait_no_review()
    assert desktop.arrangement() == before

    arguments = {"file_path": desktop.path("new.txt"), "content": "new\n"}
    model.script(CallTool("write_file", arguments), Say("Written."))
    qwen.submit("Write a new file")
    qwen.wait_confirmation("new.txt")
    assert desktop.wait_proposal()["text"] == "new\n"
    desktop.accept()
    qwen.wait_for("Written.")
    assert desktop.read("new.txt") == b"new\n"
    assert desktop.read("greeting.py").decode() == GREETING
    assert any("cancel" in text.lower() for text in tool_texts(model.turns[-1]))


def test_a_reload_of_the_package_does_not_disturb_the_program(desktop, qwen, model):
    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.wait_status("Qwen Code")
    start_review(desktop, qwen, model, Say("It is polite after all."))
    desktop.accept()
    qwen.wait_for("It is polite after all.")
    assert desktop.read("greeting.py").decode() == PROPOSAL


def test_a_program_that_is_closed_takes_its_diff_with_it(desktop, qwen, model):
    before = desktop.arrangement()
    start_review(desktop, qwen, model)
    qwen.close()
    desktop.host.wait_until(lambda: desktop.arrangement() == before)
    assert desktop.read("greeting.py").decode() == GREETING
