"""The real `qwen` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import sys

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of this kind are POSIX", allow_module_level=True)

from tests.clients.programs.model_stub import CallTool
from tests.clients.programs.openai_api import OpenAiApi, tool_texts, user_texts
from tests.clients.programs.qwen_code import QwenCode
from tests.end_to_end.programs.journeys import Journeys

pytestmark = pytest.mark.everything  # test_five_programs.py has its journey of every run
PROGRAM, MODEL = QwenCode, OpenAiApi


@pytest.fixture
def program(desktop, beside):
    """The program, connected."""
    qwen = beside.program()
    qwen.wait_connected("greeting.py")
    return qwen


class TestJourneys(Journeys):
    title = "Qwen Code"
    written = "has been updated"
    tells_of_a_rejection = True

    def change(self, path):
        edit = {"file_path": path, "old_string": "Hello", "new_string": "Good day"}
        return CallTool("read_file", {"file_path": path}), CallTool("edit", edit)

    def tool_outputs(self, request):
        return tool_texts(request)

    def check_context(self, desktop, request):
        context = next(text for text in user_texts(request) if "current editor context" in text)
        assert "Path: " + desktop.path("greeting.py") in context
        assert "Cursor: line 2, character 18" in context
        assert "Selected text:\n```\nHello\n```" in context


def test_ide_enable_connects_to_the_window_that_the_port_variable_names(desktop, model):
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
        assert "Companion" not in status(desktop, second)


def status(desktop, window):
    return desktop.host.call("snapshot_window", window=window)["status_bar"]
