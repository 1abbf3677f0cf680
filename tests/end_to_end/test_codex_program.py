"""The real `codex` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import os
import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.model_stub import Say
from tests.clients.programs.responses_api import ResponsesApi, user_texts


def status(desktop, window):
    return desktop.host.call("snapshot_window", window=window)["status_bar"]


def test_its_prompts_bring_the_selection_and_the_tabs_of_the_window_that_has_its_folder(desktop):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=19)
    first = desktop.window()["id"]
    other = os.path.join(os.path.dirname(desktop.workspace), "other")
    os.mkdir(other)
    path = os.path.join(other, "elsewhere.py")
    with open(path, "wb") as file:
        file.write(b"# elsewhere\n")
    second = desktop.host.call("new_window", folders=[other])
    desktop.host.call("open_file", path=path, window=second)
    with ResponsesApi() as model, CodexCli(desktop.host, desktop.workspace, model) as codex:
        codex.switch_on()
        desktop.host.wait_until(lambda: "Codex CLI" in status(desktop, first))
        assert "no client" in status(desktop, second)
        model.script(Say("It greets."))
        codex.submit("Explain it")
        codex.wait_for("It greets.")
        asked = user_texts(model.turns[0])[-1]
        assert asked.startswith("# Context from my IDE setup:")
        assert "## Active file: greeting.py" in asked
        assert "Hello, " in asked
        assert "elsewhere" not in asked
        assert asked.rstrip().endswith("Explain it")
        assert model.problems == []
    desktop.host.wait_until(lambda: "no client" in status(desktop, first))
