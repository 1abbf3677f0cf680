"""The real `codex` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.model_stub import Say
from tests.clients.programs.responses_api import ResponsesApi, user_texts

PROGRAM, MODEL = CodexCli, ResponsesApi


def status(desktop, window):
    return desktop.host.call("snapshot_window", window=window)["status_bar"]


def test_prompts_bring_the_selection_and_tabs_of_the_window_of_the_folder(desktop, model, beside, tmp_path):
    first = desktop.window()["id"]
    path = tmp_path / "elsewhere.py"
    path.write_bytes(b"# elsewhere\n")
    second = desktop.host.call("new_window", folders=[str(tmp_path)])
    desktop.host.call("open_file", path=str(path), window=second)
    codex = beside.program()
    codex.switch_on()
    desktop.host.wait_until(lambda: "Codex CLI" in status(desktop, first))
    assert "Companion" not in status(desktop, second)
    model.script(Say("It greets."))
    codex.submit("Explain it")
    codex.wait_for("It greets.")
    asked = user_texts(model.turns[0])[-1]
    assert asked.startswith("# Context from my IDE setup:")
    assert "## Active file: greeting.py" in asked
    assert "Hello" in asked
    assert "elsewhere" not in asked
    assert asked.rstrip().endswith("Explain it")
    codex.close()
    desktop.host.wait_until(lambda: "Companion" not in status(desktop, first))
