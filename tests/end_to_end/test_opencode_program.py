"""The real `opencode` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import os
import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.claude import lock_files
from tests.clients.programs.model_stub import Say
from tests.clients.programs.openai_api import OpenAiApi, user_texts
from tests.clients.programs.opencode import OpenCode


@pytest.fixture
def model():
    with OpenAiApi() as model:
        yield model
        assert model.problems == []


def test_of_two_windows_it_comes_to_the_innermost_and_hears_of_that_alone(desktop, model):
    desktop.open("greeting.py")
    first = desktop.window()["id"]
    inner = desktop.path("inner")
    os.mkdir(inner)
    path = desktop.write(os.path.join("inner", "inside.py"), b"# Hello\n")
    second = desktop.host.call("new_window", folders=[inner])
    view = desktop.host.call("open_file", path=path, window=second)
    desktop.host.wait_until(f"not sublime.View({view}).is_loading()")
    desktop.host.call("select_rowcol", view=view, row=0, column=2, end_row=0, end_column=7)
    desktop.host.wait_until(lambda: len(lock_files(desktop.host.environment["HOME"])) == 2)
    with OpenCode(desktop.host, inner, model) as opencode:
        opencode.wait_connected("inside.py#0")
        desktop.wait_status("opencode")
        assert "no client" in desktop.host.call("snapshot_window", window=first)["status_bar"]
        model.script(Say("It is polite now."))
        opencode.submit("Be more polite")
        opencode.wait_for("It is polite now.")
        request = "\n".join(user_texts(model.turns[0]))
        assert f'selected #0 from "{path}"' in request
        assert "```Hello```" in request
        assert "greeting.py" not in request
    desktop.wait_status("no client")


def test_it_comes_back_after_a_reload_of_the_package_and_after_a_restart_of_the_editor(desktop, model):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with OpenCode(desktop.host, desktop.workspace, model) as opencode:
        opencode.wait_connected("greeting.py#1")
        desktop.host.disable_package()
        desktop.host.enable_package()
        desktop.wait_status("opencode")
        desktop.host.call("run_palette", caption="Gemini Companion: Send Selection to Terminal")
        opencode.wait_for("@greeting.py#1")
        desktop.open("greeting.py", row=0, column=0)  # nothing is selected now
        desktop.host.call("run_palette", caption="Gemini Companion: Send Selection to Terminal")
        opencode.wait_for("@greeting.py#0-1")
        desktop.host.quit()
        desktop.host.restart()
        desktop.wait_status("opencode", timeout=60)
        desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
        opencode.wait_for("greeting.py#0")
