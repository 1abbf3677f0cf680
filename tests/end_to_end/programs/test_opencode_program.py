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

pytestmark = pytest.mark.everything  # test_five_programs.py has its journey of every run
PROGRAM, MODEL = OpenCode, OpenAiApi


def test_of_two_windows_it_comes_to_the_innermost_and_hears_of_that_alone(desktop, model, beside):
    inner = desktop.window()["id"]
    outer = desktop.host.call("new_window", folders=[os.path.dirname(desktop.workspace)])
    path = os.path.join(os.path.dirname(desktop.workspace), "outside.py")
    with open(path, "wb") as file:
        file.write(b"# Hello\n")
    desktop.host.call("open_file", path=path, window=outer)
    desktop.host.wait_until(lambda: len(lock_files(desktop.host.environment["HOME"])) == 2)
    desktop.host.call("focus_window", window=inner)
    opencode = beside.program()
    opencode.wait_connected("greeting.py#1")
    desktop.wait_status("opencode")
    assert "Companion" not in desktop.host.call("snapshot_window", window=outer)["status_bar"]
    model.script(Say("It is polite now."))
    opencode.submit("Be more polite")
    opencode.wait_for("It is polite now.")
    request = "\n".join(user_texts(model.turns[0]))
    assert f'selected #1 from "{desktop.path("greeting.py")}"' in request
    assert "```Hello```" in request
    assert "outside.py" not in request


def test_it_comes_back_after_a_package_reload_and_an_editor_restart(desktop, beside):
    opencode = beside.program()
    opencode.wait_connected("greeting.py#1")
    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.wait_status("opencode")
    desktop.host.call("run_palette", caption="Companion: Send Selection to Agent")
    opencode.wait_for("@greeting.py#1")
    desktop.open("greeting.py", row=0, column=0)  # nothing is selected now
    desktop.host.call("run_palette", caption="Companion: Send Selection to Agent")
    opencode.wait_for("@greeting.py#0-1")
    desktop.host.quit()
    desktop.host.restart()
    desktop.wait_status("opencode")
    desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
    opencode.wait_for("greeting.py#0")


def test_one_that_ends_is_a_client_no_more(desktop, beside):
    opencode = beside.program()
    opencode.wait_connected("greeting.py#1")
    desktop.wait_status("opencode")
    opencode.close()
    desktop.wait_no_client()
