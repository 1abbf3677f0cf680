"""The real `opencode` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.model_stub import Say
from tests.clients.programs.openai_api import OpenAiApi, user_texts
from tests.clients.programs.opencode import OpenCode

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def model():
    with OpenAiApi() as model:
        yield model
        assert model.problems == []


def test_it_comes_by_itself_and_hears_of_the_selection(desktop, model):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with OpenCode(desktop.host, desktop.workspace, model) as opencode:
        opencode.wait_connected("greeting.py#1")
        desktop.host.wait_until(lambda: "opencode" in desktop.window()["status_bar"])
        model.script(Say("It is polite now."))
        opencode.submit("Be more polite")
        opencode.wait_for("It is polite now.")
        request = "\n".join(user_texts(model.turns[0]))
        assert f'selected #1 from "{desktop.path("greeting.py")}"' in request and "```Hello```" in request
    desktop.host.wait_until(lambda: "no client" in desktop.window()["status_bar"])


def test_it_comes_back_after_a_reload_of_the_package(desktop, model):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with OpenCode(desktop.host, desktop.workspace, model) as opencode:
        opencode.wait_connected("greeting.py#1")
        desktop.host.disable_package()
        desktop.host.enable_package()
        desktop.host.wait_until(lambda: "opencode" in desktop.window()["status_bar"], 30)
