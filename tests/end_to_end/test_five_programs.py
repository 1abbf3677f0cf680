"""Five programs at once in one window: each hears of the same selection, and each has a review that is its own.

Four of them are the real ones in terminals, each with a stub for its model. For Claude Code, whose licence reserves all
rights, a client of our own sends its messages.
"""

from __future__ import annotations

import contextlib
import json
import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.claude import ClaudeClient
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi, user_texts
from tests.clients.programs.opencode import OpenCode
from tests.clients.programs.program import CONFIRMATION
from tests.clients.programs.qwen_code import QwenCode
from tests.host.waiting import NEVER_SECONDS

TITLES = ("Gemini CLI", "Qwen Code", "Copilot CLI", "Claude Code", "opencode")
BEFORE = "a = 1\n"
ASKED = "Change the number"


@pytest.fixture
def models():
    with contextlib.ExitStack() as stack:
        models = {"gemini": stack.enter_context(GeminiApi())}
        for name in ("qwen", "copilot", "opencode"):
            models[name] = stack.enter_context(OpenAiApi())
        yield models
        assert [problem for model in models.values() for problem in model.problems] == []


@pytest.fixture
def programs(desktop, models):
    """The programs by name, all connected, with the word "Hello" selected in the editor; they start side by side."""
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    host, folder = desktop.host, desktop.workspace
    with contextlib.ExitStack() as stack:
        copilot = stack.enter_context(CopilotCli(host, folder, models["copilot"]))
        opencode = stack.enter_context(OpenCode(host, folder, models["opencode"]))
        gemini = stack.enter_context(GeminiCli(host, folder, models["gemini"]))
        qwen = stack.enter_context(QwenCode(host, folder, models["qwen"]))
        claude = stack.enter_context(ClaudeClient(host.environment["HOME"], folder))
        claude.connect()
        copilot.wait_connected("@greeting.py:2")
        opencode.wait_connected("greeting.py#1")
        gemini.wait_connected()
        qwen.wait_connected("greeting.py")
        yield {"gemini": gemini, "qwen": qwen, "copilot": copilot, "claude": claude, "opencode": opencode}


class Reviews:
    """A review for each program that has any, of a file of its own."""

    def __init__(self, desktop):
        self.desktop = desktop

    def file(self, name):
        return f"of_{name}.py"

    def proposed(self, name):
        return f"a = 'by {name}'\n"

    def view(self, name):
        """The proposal of a program, or None."""
        texts = {view["text"]: view for view in self.desktop.views_of_role("proposal")}
        return texts.get(self.proposed(name))

    def wait_open(self, *names):
        """Waits until the proposals of just these programs show."""
        self.desktop.host.wait_until(
            lambda: (
                sorted(view["text"] for view in self.desktop.views_of_role("proposal"))
                == sorted(map(self.proposed, names))
            )
        )

    def to_front(self, name):
        self.desktop.host.call("focus_view", view=self.view(name)["id"])

    def text(self, name):
        return self.desktop.read(self.file(name)).decode()


def test_each_has_the_context_and_a_review_of_its_own(desktop, models, programs):
    gemini, qwen, claude = programs["gemini"], programs["qwen"], programs["claude"]
    copilot, opencode = programs["copilot"], programs["opencode"]
    before = desktop.arrangement()
    desktop.wait_status(*TITLES)

    # One selection, in the words of each.
    view = desktop.open("greeting.py", row=0, column=4, end_row=0, end_column=9)
    copilot.wait_for("@greeting.py:1")
    opencode.wait_for("greeting.py#0")
    claude.wait_notification("selection_changed", lambda params: params["text"] == "greet")

    # A review for each of the four that can show one, asked for in turn.
    reviews = Reviews(desktop)
    for name in ("gemini", "qwen", "copilot", "claude"):
        desktop.write(reviews.file(name), BEFORE.encode())
    path = {name: desktop.path(reviews.file(name)) for name in programs}
    old, new = "1", "'by {}'"
    change = {"path": path["copilot"], "old_str": old, "new_str": new.format("copilot")}
    models["copilot"].script(CallTool("edit", change), Say("Copilot is done."))
    copilot.submit(ASKED)
    copilot.wait_for("1. Yes")
    change = {"file_path": path["gemini"], "old_string": old, "new_string": new.format("gemini"), "instruction": "-"}
    models["gemini"].script(CallTool("replace", change), Say("Gemini is done."))
    gemini.submit(ASKED)
    gemini.wait_confirmation(reviews.file("gemini"))
    change = {"file_path": path["qwen"], "old_string": old, "new_string": new.format("qwen")}
    models["qwen"].script(CallTool("read_file", {"file_path": path["qwen"]}), CallTool("edit", change), Say("-"))
    qwen.submit(ASKED)
    qwen.wait_confirmation(reviews.file("qwen"))
    asked = claude.open_diff(path["claude"], reviews.proposed("claude"), "of Claude")
    models["opencode"].script(Say("opencode is done."))
    opencode.submit(ASKED)
    opencode.wait_for("opencode is done.")
    reviews.wait_open("gemini", "qwen", "copilot", "claude")
    selection = "\n".join(user_texts(models["copilot"].turns[0])).partition("<ide_selection>")[2]
    assert "greeting.py" in selection
    assert "greet" in selection.partition("```")[2]
    for name in ("gemini", "qwen", "opencode"):
        assert desktop.path("greeting.py") in json.dumps(models[name].turns[0]), name

    # Each is decided in another way, and nobody but its own program hears of it.
    reviews.to_front("copilot")
    desktop.accept()
    copilot.wait_for("Copilot is done.")
    desktop.host.wait_until(lambda: reviews.text("copilot") == reviews.proposed("copilot"))
    reviews.wait_open("gemini", "qwen", "claude")
    reviews.to_front("qwen")
    desktop.reject()
    reviews.wait_open("gemini", "claude")
    desktop.type_at_end(reviews.view("claude")["id"], "# mine\n")
    desktop.accept()
    assert asked.result(NEVER_SECONDS) == ["FILE_SAVED", reviews.proposed("claude") + "# mine\n"]
    reviews.wait_open("gemini")
    gemini.answer("enter", CONFIRMATION)  # in the terminal
    gemini.wait_for("Gemini is done.")
    desktop.wait_no_review()
    written = {name: reviews.text(name) for name in ("gemini", "qwen", "copilot", "claude")}
    assert written == {
        "gemini": reviews.proposed("gemini"),
        "qwen": BEFORE,
        "copilot": reviews.proposed("copilot"),
        "claude": BEFORE,  # which the program would write itself, now that it has the text
    }
    desktop.host.call("focus_view", view=view)
    assert desktop.arrangement() == before

    # One that goes leaves the others where they are.
    copilot.close()
    desktop.host.wait_until(lambda: "Copilot CLI" not in desktop.window()["status_bar"])
    desktop.wait_status(*(title for title in TITLES if title != "Copilot CLI"))
    desktop.host.call("select_rowcol", view=view, row=1, column=4, end_row=1, end_column=10)
    opencode.wait_for("eeting.py#1")  # by now the path of the folder covers the beginning
    claude.wait_notification("selection_changed", lambda params: params["text"] == "return")
