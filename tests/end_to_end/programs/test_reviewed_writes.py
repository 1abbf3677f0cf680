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

from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.program import IDE_SETTINGS, write_settings
from tests.clients.programs.qwen_code import SETTINGS, QwenCode
from tests.end_to_end.programs import test_hooked_programs as hooked_programs
from tests.end_to_end.programs.hooked import at_work

BOM = "\ufeff"
BEFORE = "one\r\ntwo\r\n\u00e4"


class Gemini(hooked_programs.Gemini):
    question, ide_mode, asks = "Apply this change?", None, False

    def start(self, host, workspace, model):
        options = [] if self.asks else ["--approval-mode", "yolo"]
        return GeminiCli(host, workspace, model, ide_mode=self.ide_mode, options=options)


class GeminiAsks(Gemini):
    asks = True


class Qwen(hooked_programs.Qwen):
    question, own_mode = "Apply this change?", True

    def settle(self, host):
        tools = {} if self.own_mode else {"approvalMode": "default"}
        write_settings(host, ".qwen", dict(SETTINGS, tools=tools, ide=IDE_SETTINGS[None]))

    def start(self, host, workspace, model):
        return QwenCode(host, workspace, model, ide_mode=None, own_mode=self.own_mode)


class QwenAsks(Qwen):
    own_mode = False


class Codex(hooked_programs.Codex):
    question = "Would you like to"


class Copilot(hooked_programs.Copilot):
    question = "Do you want to"


class CopilotAsks(Copilot):
    def start(self, host, workspace, model):
        return CopilotCli(host, workspace, model)


class Reviewed:
    """A program beside an editor that reviews every write."""

    def __init__(self, hooked):
        self.kind, self.desktop, self.model, self.program = hooked.kind, hooked.desktop, hooked.model, hooked.program
        self.work = hooked.work
        self._hooked = hooked
        self.desktop.run("Review Every Write")

    @property
    def saying(self):
        """What the model says at the end of the turn."""
        return self._hooked._done

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

    def reject(self, reason):
        """The user says why not."""
        self.desktop.run("Reject With Reason\u2026")
        self.desktop.host.call("type_text", text=reason)
        self.desktop.host.call("press", keys="enter")

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
def working(kind, folder):
    with at_work(kind, os.path.realpath(folder)) as hooked:
        yield Reviewed(hooked)


# What Codex CLI asks is up to its sandbox, and Gemini CLI asks after its hook, whatever that has said: see below.
WORKING = [Gemini(), Qwen(), QwenAsks(), Codex(), Copilot(), CopilotAsks()]


@pytest.fixture(scope="module", params=WORKING, ids=lambda kind: type(kind).__name__)
def reviewed(request, tmp_path_factory):
    with working(request.param, tmp_path_factory.mktemp("reviewed")) as reviewed:
        yield reviewed


def test_accepted_as_it_is(reviewed):
    path = reviewed.desktop.write("as-is.py", b"one\ntwo\n")
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    assert reviewed.proposal("as-is.py")["text"] == "one\n2\n"
    assert reviewed.desktop.read("as-is.py") == b"one\ntwo\n"
    reviewed.desktop.accept()
    reviewed.done()
    assert reviewed.desktop.read("as-is.py") == b"one\n2\n"


def test_accepted_with_edits(reviewed):
    desktop = reviewed.desktop
    path = desktop.write("edited.py", (BOM + BEFORE).encode())
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    shown = reviewed.proposal("edited.py")
    reviewed.replace(shown["id"], "one\nzwei\n\u20ac")
    desktop.accept()
    reviewed.done()
    wanted = (BOM + "one\r\nzwei\r\n\u20ac").encode()
    desktop.host.wait_until(lambda: desktop.read("edited.py") == wanted)


def test_a_new_file_in_a_new_folder(reviewed):
    path = reviewed.desktop.path("new", "\u00e4 [x].py")
    if isinstance(reviewed.kind, Copilot):
        os.mkdir(os.path.dirname(path))  # it does not
    reviewed.work(reviewed.kind.create(path, "new\n"))
    shown = reviewed.proposal("\u00e4 [x].py")
    reviewed.desktop.type_at_end(shown["id"], "newer\n")
    reviewed.desktop.accept()
    reviewed.done()
    with open(path, "rb") as file:
        assert file.read() == b"new\nnewer\n"


def test_rejected_with_a_reason_that_the_model_reads(reviewed):
    path = reviewed.desktop.write("rejected.py", b"one\ntwo\n")
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    reviewed.proposal("rejected.py")
    reviewed.reject("keep the words")
    reviewed.done()
    assert "The user rejected this change: keep the words" in reviewed.asked()
    assert reviewed.desktop.read("rejected.py") == b"one\ntwo\n"


def test_two_files_in_one_turn(reviewed):
    for name in ("first.py", "second.py"):
        reviewed.desktop.write(name, b"one\ntwo\n")
    first, second = (reviewed.kind.edit(reviewed.desktop.path(name), "two", "2") for name in ("first.py", "second.py"))
    reviewed.work(first, second)
    reviewed.proposal("first.py")
    reviewed.desktop.reject()
    reviewed.proposal("second.py")
    reviewed.desktop.accept()
    reviewed.done()
    assert reviewed.desktop.read("first.py") == b"one\ntwo\n"
    assert reviewed.desktop.read("second.py") == b"one\n2\n"


def test_a_file_outside_goes_the_programs_own_way(reviewed, tmp_path):
    """Others refuse such a file, or ask in the terminal."""
    if isinstance(reviewed.kind, Codex):
        path = os.path.join(os.path.realpath(str(tmp_path)), "outside.py")
        reviewed.work(reviewed.kind.create(path, "new\n"))
        reviewed.done()
        with open(path, "rb") as file:
            assert file.read() == b"new\n"


def test_the_editor_quits_while_a_write_is_held(reviewed):
    """The last test: nothing is written unseen. The program asks, or its model hears why not."""
    path = reviewed.desktop.write("late.py", b"one\ntwo\n")
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    reviewed.proposal("late.py")
    reviewed.desktop.host.quit()
    program = reviewed.program
    asks = ("hook", reviewed.kind.question, "Do you want to allow", reviewed.saying)
    program.wait_until(lambda: any(each in program.text() for each in asks), "a question, or the end of the turn")
    with open(path, "rb") as file:
        assert file.read() == b"one\ntwo\n"


def test_an_editor_that_is_killed_leaves_a_program_to_its_own_rules(tmp_path):
    """It is in the mode in which it asks nobody."""
    with working(Codex(), str(tmp_path)) as reviewed:
        path = reviewed.desktop.write("late.py", b"one\ntwo\n")
        reviewed.work(reviewed.kind.edit(path, "two", "2"))
        reviewed.proposal("late.py")
        reviewed.desktop.host.kill()
        reviewed.program.wait_for(reviewed.saying)
        assert reviewed.desktop.read("late.py") == b"one\n2\n"


class ConnectedGemini(Gemini):
    """Its diffs come to the editor as well."""

    question, ide_mode = "never shown: its question stands beside its diff", True


class ConnectedGeminiAsks(ConnectedGemini):
    asks = True


@pytest.mark.parametrize("kind", [ConnectedGemini, ConnectedGeminiAsks])
def test_gemini_shows_its_own_diff_once_where_it_is_connected(tmp_path, kind):
    with working(kind(), str(tmp_path)) as reviewed:
        desktop = reviewed.desktop
        desktop.open(os.path.basename(desktop.write("open.py", b"x\n")))
        reviewed.program.wait_connected()
        for number, name in enumerate(("first.py", "second.py")):
            path = desktop.write(name, b"one\ntwo\n")
            reviewed.work(reviewed.kind.edit(path, "two", "2"))
            shown = reviewed.proposal(name)
            if number:
                desktop.type_at_end(shown["id"], "mine\n")
            desktop.accept()
            reviewed.done()
            assert desktop.read(name) == (b"one\n2\nmine\n" if number else b"one\n2\n")


def test_gemini_that_asks_in_its_terminal_is_left_to_that_from_the_second_write_on(tmp_path):
    with working(GeminiAsks(), str(tmp_path)) as reviewed:
        desktop, program, question = reviewed.desktop, reviewed.program, reviewed.kind.question
        path = desktop.write("first.py", b"one\ntwo\n")
        reviewed.work(reviewed.kind.edit(path, "two", "2"))
        reviewed.proposal("first.py")
        desktop.accept()
        program.answer("enter", question)
        reviewed.done()
        assert desktop.read("first.py") == b"one\n2\n"
        path = desktop.write("second.py", b"one\ntwo\n")
        reviewed.work(reviewed.kind.edit(path, "two", "2"))
        program.answer("enter", question)
        reviewed.done()
        assert desktop.read("second.py") == b"one\n2\n"
        assert desktop.views_of_role("proposal") == []
