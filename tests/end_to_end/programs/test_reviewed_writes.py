"""The real programs, hooked, with every write reviewed: what the user decides here is what they write, once.

They are not connected in any other way, so that what they write waits here, in the mode in which they ask nobody and in
the one in which they ask their user: no question may show in the terminal then.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.qwen_code import QWEN_CODE
from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_api import GeminiApi
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import CallTool, Say
from tests.clients.programs.openai_api import OpenAiApi
from tests.clients.programs.qwen_code import QwenCode
from tests.clients.programs.responses_api import ResponsesApi
from tests.host.driver import Host
from tests.support.hooked import connect
from tests.tools.desktop import Desktop

BOM = "\ufeff"
BEFORE = "one\r\ntwo\r\n\u00e4"


class Gemini:
    agent, model, question = GEMINI_CLI, GeminiApi, "Apply this change?"

    def start(self, host, workspace, model, asks):
        options = [] if asks else ["--approval-mode", "yolo"]
        return GeminiCli(host, workspace, model, ide_mode=None, options=options)

    def edit(self, path, old, new):
        return [CallTool("replace", {"file_path": path, "old_string": old, "new_string": new, "instruction": "-"})]

    def create(self, path, content):
        return [CallTool("write_file", {"file_path": path, "content": content})]


class Qwen(Gemini):
    agent, model = QWEN_CODE, OpenAiApi

    def start(self, host, workspace, model, asks):
        return QwenCode(host, workspace, model, ide_mode=None, own_mode=not asks)

    def edit(self, path, old, new):
        edit = {"file_path": path, "old_string": old, "new_string": new}
        return [CallTool("read_file", {"file_path": path}), CallTool("edit", edit)]


class Codex:
    agent, model, question = CODEX_CLI, ResponsesApi, "Would you like to"

    def start(self, host, workspace, model, asks):
        codex = CodexCli(host, workspace, model)
        codex.trust_hooks()
        return codex

    def edit(self, path, old, new):
        return self._patch(f"*** Update File: {path}\n@@\n-{old}\n+{new}\n")

    def create(self, path, content):
        return self._patch(f"*** Add File: {path}\n" + "".join(f"+{line}\n" for line in content.splitlines()))

    def _patch(self, text):
        return [CallTool("apply_patch", {"input": f"*** Begin Patch\n{text}*** End Patch\n"})]


class Copilot:
    agent, model, question = COPILOT_CLI, OpenAiApi, "Do you want to"

    def start(self, host, workspace, model, asks):
        return CopilotCli(host, workspace, model, options=[] if asks else ["--allow-all-tools"])

    def edit(self, path, old, new):
        return [CallTool("edit", {"path": path, "old_str": old, "new_str": new})]

    def create(self, path, content):
        return [CallTool("create", {"path": path, "file_text": content})]


KINDS = {"gemini": Gemini(), "qwen": Qwen(), "codex": Codex(), "copilot": Copilot()}


class Reviewed:
    """A program beside an editor that reviews every write."""

    def __init__(self, kind, desktop, model, asks):
        self.kind, self.desktop, self.model = kind, desktop, model
        self.program = kind.start(desktop.host, desktop.workspace, model, asks)
        self.said = 0

    def work(self, *steps):
        """The user sends a prompt, and the model takes these steps, each a list of replies."""
        self.said += 1
        self.saying = f"Number {self.said} is done."
        self.model.script(*(reply for step in steps for reply in step), Say(self.saying))
        self.program.submit(f"please do number {self.said}")

    def proposal(self, name):
        """What is proposed for this file, once it may be decided."""
        shown = self.desktop.wait_shown(name)
        self.desktop.wait_decidable()
        assert self.kind.question not in self.program.text(), "it asks twice"
        return shown

    def replace(self, view, text):
        """The user makes another text of the proposal."""
        size = self.desktop.host.evaluate(f"sublime.View({view}).size()")
        self.desktop.host.call("select", ranges=[[0, size]], view=view)
        self.desktop.host.call("type_text", text=text, view=view)

    def done(self):
        self.program.wait_until(self._is_done, "the end of the turn")
        self.desktop.wait_no_review()

    def _is_done(self):
        assert self.kind.question not in self.program.text(), "it asks twice"
        return self.saying in self.program.text()

    def asked(self):
        """All that the model was asked last, as text."""
        return json.dumps(self.model.turns[-1], ensure_ascii=False)


@contextlib.contextmanager
def working(kind, folder, asks):
    workspace = os.path.join(os.path.realpath(folder), "workspace")
    os.mkdir(workspace)
    with Host.start(folders=[workspace]) as host, kind.model() as model:
        desktop = Desktop(host, workspace)
        desktop.wait_published()
        desktop.run("Review Every Write")
        connect(host, kind.agent)
        reviewed = Reviewed(kind, desktop, model, asks)
        try:
            yield reviewed
        finally:
            reviewed.program.close()
        assert model.problems == []


# What Codex CLI asks is up to its sandbox, and Gemini CLI asks after its hook, whatever that has said: see below.
WORKING = [("gemini", False), ("qwen", False), ("qwen", True), ("codex", False), ("copilot", False), ("copilot", True)]


@pytest.fixture(scope="module", params=WORKING, ids=lambda each: f"{each[0]}-{'asks' if each[1] else 'automatic'}")
def at_work(request, tmp_path_factory):
    key, asks = request.param
    with working(KINDS[key], tmp_path_factory.mktemp("reviewed"), asks) as reviewed:
        yield reviewed


def test_accepted_as_it_is(at_work):
    path = at_work.desktop.write("as-is.py", b"one\ntwo\n")
    at_work.work(at_work.kind.edit(path, "two", "2"))
    assert at_work.proposal("as-is.py")["text"] == "one\n2\n"
    assert at_work.desktop.read("as-is.py") == b"one\ntwo\n"
    at_work.desktop.accept()
    at_work.done()
    assert at_work.desktop.read("as-is.py") == b"one\n2\n"


def test_accepted_with_edits(at_work):
    desktop = at_work.desktop
    path = desktop.write("edited.py", (BOM + BEFORE).encode())
    at_work.work(at_work.kind.edit(path, "two", "2"))
    shown = at_work.proposal("edited.py")
    at_work.replace(shown["id"], "one\nzwei\n\u20ac")
    desktop.accept()
    at_work.done()
    wanted = (BOM + "one\r\nzwei\r\n\u20ac").encode()
    desktop.host.wait_until(lambda: desktop.read("edited.py") == wanted)


def test_a_new_file_in_a_new_folder(at_work):
    path = at_work.desktop.path("new", "\u00e4 [x].py")
    if at_work.kind.agent is COPILOT_CLI:
        os.mkdir(os.path.dirname(path))  # it does not
    at_work.work(at_work.kind.create(path, "new\n"))
    shown = at_work.proposal("\u00e4 [x].py")
    at_work.desktop.type_at_end(shown["id"], "newer\n")
    at_work.desktop.accept()
    at_work.done()
    with open(path, "rb") as file:
        assert file.read() == b"new\nnewer\n"


def test_rejected_with_a_reason_that_the_model_reads(at_work):
    path = at_work.desktop.write("rejected.py", b"one\ntwo\n")
    at_work.work(at_work.kind.edit(path, "two", "2"))
    at_work.proposal("rejected.py")
    at_work.desktop.run("Reject With Reason\u2026")
    at_work.desktop.host.call("type_text", text="keep the words")
    at_work.desktop.host.call("press", keys="enter")
    at_work.done()
    assert "The user rejected this change: keep the words" in at_work.asked()
    assert at_work.desktop.read("rejected.py") == b"one\ntwo\n"


def test_two_files_in_one_turn(at_work):
    for name in ("first.py", "second.py"):
        at_work.desktop.write(name, b"one\ntwo\n")
    first, second = (at_work.kind.edit(at_work.desktop.path(name), "two", "2") for name in ("first.py", "second.py"))
    at_work.work(first, second)
    at_work.proposal("first.py")
    at_work.desktop.reject()
    at_work.proposal("second.py")
    at_work.desktop.accept()
    at_work.done()
    assert at_work.desktop.read("first.py") == b"one\ntwo\n"
    assert at_work.desktop.read("second.py") == b"one\n2\n"


def test_a_file_outside_goes_the_programs_own_way(at_work, tmp_path):
    """Others refuse such a file, or ask in the terminal."""
    if at_work.kind.agent is CODEX_CLI:
        path = os.path.join(os.path.realpath(str(tmp_path)), "outside.py")
        at_work.work(at_work.kind.create(path, "new\n"))
        at_work.done()
        with open(path, "rb") as file:
            assert file.read() == b"new\n"


def test_the_editor_quits_while_a_write_is_held(at_work):
    """The last test: nothing is written unseen. The program asks, or its model hears why not."""
    path = at_work.desktop.write("late.py", b"one\ntwo\n")
    at_work.work(at_work.kind.edit(path, "two", "2"))
    at_work.proposal("late.py")
    at_work.desktop.host.quit()
    program = at_work.program
    asks = ("hook", at_work.kind.question, "Do you want to allow", at_work.saying)
    program.wait_until(lambda: any(each in program.text() for each in asks), "a question, or the end of the turn")
    with open(path, "rb") as file:
        assert file.read() == b"one\ntwo\n"


def test_an_editor_that_is_killed_leaves_a_program_to_its_own_rules(tmp_path):
    """It is in the mode in which it asks nobody."""
    with working(KINDS["codex"], str(tmp_path), False) as at_work:
        path = at_work.desktop.write("late.py", b"one\ntwo\n")
        at_work.work(at_work.kind.edit(path, "two", "2"))
        at_work.proposal("late.py")
        at_work.desktop.host.kill()
        at_work.program.wait_for(at_work.saying)
        assert at_work.desktop.read("late.py") == b"one\n2\n"


class ConnectedGemini(Gemini):
    """Its diffs come to the editor as well."""

    question = "never shown: its question stands beside its diff"

    def start(self, host, workspace, model, asks):
        return GeminiCli(host, workspace, model, options=[] if asks else ["--approval-mode", "yolo"])


@pytest.mark.parametrize("asks", [True, False], ids=["asks", "automatic"])
def test_gemini_shows_its_own_diff_once_where_it_is_connected(tmp_path, asks):
    with working(ConnectedGemini(), str(tmp_path), asks) as at_work:
        desktop = at_work.desktop
        desktop.open(os.path.basename(desktop.write("open.py", b"x\n")))
        at_work.program.wait_connected()
        for number, name in enumerate(("first.py", "second.py")):
            path = desktop.write(name, b"one\ntwo\n")
            at_work.work(at_work.kind.edit(path, "two", "2"))
            shown = at_work.proposal(name)
            if number:
                desktop.type_at_end(shown["id"], "mine\n")
            desktop.accept()
            at_work.done()
            assert desktop.read(name) == (b"one\n2\nmine\n" if number else b"one\n2\n")


def test_gemini_that_asks_in_its_terminal_is_left_to_that_from_the_second_write_on(tmp_path):
    with working(Gemini(), str(tmp_path), True) as at_work:
        desktop, program, question = at_work.desktop, at_work.program, at_work.kind.question
        path = desktop.write("first.py", b"one\ntwo\n")
        at_work.work(at_work.kind.edit(path, "two", "2"))
        at_work.proposal("first.py")
        desktop.accept()
        program.answer("enter", question)
        at_work.done()
        assert desktop.read("first.py") == b"one\n2\n"
        path = desktop.write("second.py", b"one\ntwo\n")
        at_work.work(at_work.kind.edit(path, "two", "2"))
        program.answer("enter", question)
        at_work.done()
        assert desktop.read("second.py") == b"one\n2\n"
        assert desktop.views_of_role("proposal") == []
