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
import threading

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import Later
from tests.clients.programs.program import IDE_SETTINGS, write_settings
from tests.clients.programs.qwen_code import SETTINGS, QwenCode
from tests.end_to_end.programs import test_hooked_programs as hooked_programs
from tests.end_to_end.programs.hooked import DOING, PATIENT, PROMPT, SEND, TOLD, at_work
from tests.host.driver import Host

LIMIT = """
import sys
agents = sys.modules["Gemini Companion.companion.agents.registry"].AGENTS
(dialect,) = {{type(agent.hooks) for agent in agents if agent.title == {!r}}}
former, dialect.patience_seconds = dialect.patience_seconds, {!r}
"""
OPEN = """
import sys
tracking = sys.modules["Gemini Companion.plugin"].application._endpoints.tracking
open_calls = sum(len(run.open) for run in tracking._calls._runs.values())
"""
CANCELLED = "Operation cancelled by user"
REWIND = "Rewind to a previous point"
BOM = "\ufeff"
BEFORE = "one\r\ntwo\r\n\u00e4"


class Ways:
    """What a program does, beyond what all do alike."""

    question: str
    """With which it asks its user in the terminal, about a file."""
    command_question: str
    """The same about a command, if it asks."""
    asks_in_terminal = False
    """Whether it asks before it writes what no hook has held."""
    asks_when_late = False
    """Whether it asks when nobody has decided here in time."""
    escapes = 1
    """How often its user presses Escape to stop it."""
    tells_of_escape = False
    """Whether its hook ends then."""
    hangs_after_escape = False
    """Whether it does nothing more until the user has decided here."""
    refuses_what_has_changed = False
    """Whether it writes over no file that has changed since it has read it."""
    tells_of_stop = True
    """Whether it tells that a command which ran was stopped."""


def outside(workspace):
    """A folder beside the workspace, in which the program may write."""
    return os.path.join(os.path.dirname(workspace), "outside")


class Gemini(Ways, hooked_programs.Gemini):
    question, ide_mode, asks = "Apply this change?", None, False
    hangs_after_escape = True

    def start(self, host, workspace, model):
        options = [] if self.asks else ["--approval-mode", "yolo"]
        options += ["--include-directories", outside(workspace)]
        return GeminiCli(host, workspace, model, ide_mode=self.ide_mode, options=options)


class GeminiAsks(Gemini):
    asks = True


class Qwen(Ways, hooked_programs.Qwen):
    question, own_mode, asks_when_late = "Apply this change?", True, True
    ide_mode, refuses_what_has_changed = None, True

    def settle(self, host):
        tools = {} if self.own_mode else {"approvalMode": "default"}
        write_settings(host, ".qwen", dict(SETTINGS, tools=tools, ide=IDE_SETTINGS[self.ide_mode]))

    def start(self, host, workspace, model):
        options = ["--include-directories", outside(workspace)]
        return QwenCode(host, workspace, model, ide_mode=self.ide_mode, own_mode=self.own_mode, options=options)


class QwenAsks(Qwen):
    own_mode, asks_in_terminal, tells_of_escape = False, True, True
    command_question = "Allow execution of"


class Codex(Ways, hooked_programs.Codex):
    question, tells_of_escape = "Would you like to", True


class Copilot(Ways, hooked_programs.Copilot):
    question, allowed, tells_of_stop = "Do you want to", ("--allow-all-tools",), False
    hangs_after_escape = True
    escapes = 8  # two within half a second, which it has read one by one

    def start(self, host, workspace, model):
        return CopilotCli(host, workspace, model, options=[*self.allowed, "--add-dir", outside(workspace)])


class CopilotAsks(Copilot):
    allowed, asks_in_terminal = (), True
    command_question = Copilot.question


class Reviewed:
    """A program beside an editor that reviews every write."""

    def __init__(self, hooked):
        self.kind, self.desktop, self.model, self.program = hooked.kind, hooked.desktop, hooked.model, hooked.program
        self.work, self.hooked = hooked.work, hooked
        self.desktop.run("Review Every Write")

    @property
    def saying(self):
        """What the model says at the end of the turn."""
        return self.hooked._done

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

    def escape(self):
        """The user stops the program, whose model is asked nothing more."""
        for _ in range(self.kind.escapes):
            self.program.press("escape")
            if self.program.is_soon(lambda: CANCELLED in self.program.text().rsplit(PROMPT, 1)[-1], 0.15):
                break  # another one would mean something else
        while self.program.is_soon(lambda: REWIND in self.program.text(), 0.5):  # it has, where much else runs
            self.program.press("escape")
            self.program.is_soon(lambda: REWIND not in self.program.text(), 2.0)
        self.model.forget()

    def restart(self, end):
        """The editor ends, and is started again."""
        before = self.hooked.address()
        end(self.desktop.host)
        self.desktop.host.restart()
        self.desktop.host.wait_until(lambda: "http://" in self.hooked.address() and self.hooked.address() != before)
        self.desktop.host.execute(PATIENT)

    def write_another(self, name):
        """The next write of the program waits for the user as well, who accepts it."""
        path = self.desktop.write(name, b"one\ntwo\n")
        self.work(self.kind.edit(path, "two", "2"))
        self.proposal(name)
        self.desktop.accept()
        self.done()
        assert self.desktop.read(name) == b"one\n2\n"

    def listed(self):
        """The unreviewed changes: those that are counted, and those apart."""
        self.desktop.run("Show Unreviewed Changes")
        rows = self.desktop.rows()
        self.desktop.host.call("choose", item=-1)
        return {*rows, *self.hooked.listed_apart()}

    def assert_apart(self, *names):
        """That these are listed, as changed outside of the program's steps."""
        assert self.hooked.listed_apart() >= set(names)

    def asked(self):
        """All that the model was asked last, as text."""
        return json.dumps(self.model.turns[-1], ensure_ascii=False)


@contextlib.contextmanager
def working(kind, folder):
    os.mkdir(os.path.join(folder, "outside"))
    with at_work(kind, os.path.realpath(folder)) as hooked:
        yield Reviewed(hooked)


# What Codex CLI asks is up to its sandbox, and Gemini CLI asks after its hook, whatever that has said: see below.
WORKING = [Gemini(), Qwen(), Codex(), Copilot()]
ASKING = [QwenAsks(), CopilotAsks()]


@pytest.fixture(
    scope="module",
    params=[*WORKING, *(pytest.param(kind, marks=pytest.mark.everything) for kind in ASKING)],
    ids=lambda kind: type(kind).__name__,
)
def reviewed(request, tmp_path_factory):
    with working(request.param, tmp_path_factory.mktemp("reviewed")) as reviewed:
        yield reviewed


@pytest.mark.everything
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


@pytest.mark.everything
def test_what_is_saved_while_the_user_looks_stays_in_the_file(reviewed):
    """The user has edited the proposal; or the program would write the whole file, if it has a tool for that."""
    desktop, kind = reviewed.desktop, reviewed.kind
    for whole in (False,) if isinstance(kind, (Codex, Copilot)) else (False, True):
        name, two = f"saved-{whole}.py", "2" if whole else "zwei"
        path = desktop.write(name, b"one\ntwo\nthree\n")
        *reads, edit = kind.edit(path, "two", "2")  # Qwen Code overwrites no file that it has not read
        reviewed.work([*reads, *kind.create(path, "one\n2\nthree\n")] if whole else [*reads, edit])
        shown = reviewed.proposal(name)
        if not whole:
            reviewed.replace(shown["id"], "one\nzwei\nthree\n")
        desktop.write(name, b"saved\none\ntwo\nthree\n")
        desktop.accept()
        desktop.host.wait_until(lambda: "look, then accept again" in desktop.header())
        assert desktop.wait_shown(name)["text"] == f"saved\none\n{two}\nthree\n"
        desktop.accept()
        reviewed.done()
        kept = "two" if kind.refuses_what_has_changed else two
        wanted = f"saved\none\n{kept}\nthree\n".encode()
        desktop.host.wait_until(lambda name=name, wanted=wanted: desktop.read(name) == wanted)


@pytest.mark.everything
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


def test_what_the_user_sends_while_it_works_is_read_with_the_next_result(reviewed):
    """test_sent_reviews.py has the other ways."""
    thought, text = threading.Event(), "I reviewed your changes: 2 comments."
    first, *others = reviewed.kind.shell("true", reviewed.desktop.workspace)
    asked = len(reviewed.model.turns)
    reviewed.work([Later(thought, first), *others])
    reviewed.desktop.host.wait_until(lambda: len(reviewed.model.turns) > asked)
    reviewed.desktop.host.execute(SEND.format(text))
    reviewed.desktop.wait_status("2 comments go to")
    thought.set()
    if isinstance(reviewed.kind, QwenAsks):
        reviewed.program.answer("enter", QwenAsks.command_question)
    reviewed.done()
    assert text in reviewed.asked()
    reviewed.desktop.host.wait_until(lambda: reviewed.desktop.host.evaluate(TOLD)[-1:] == ["sent"])


@pytest.mark.everything
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


@pytest.mark.everything
def test_a_file_outside_goes_the_programs_own_way(reviewed):
    path = os.path.join(outside(reviewed.desktop.workspace), "new.py")
    reviewed.work(reviewed.kind.create(path, "new\n"))
    if reviewed.kind.asks_in_terminal:
        reviewed.program.answer("enter", reviewed.kind.question)
    reviewed.done()
    with open(path, "rb") as file:
        assert file.read() == b"new\n"


@pytest.mark.everything
def test_what_is_accepted_after_the_program_was_stopped_changes_nothing(reviewed):
    desktop = reviewed.desktop
    path = desktop.write("stopped.py", b"one\ntwo\n")
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    reviewed.proposal("stopped.py")
    reviewed.escape()
    if not reviewed.kind.tells_of_escape:
        desktop.accept()
    desktop.wait_no_review()
    desktop.write("after-stop.txt", b"the user's\n")
    reviewed.write_another("after-stop.py")
    reviewed.assert_apart("after-stop.txt")
    assert desktop.read("stopped.py") == b"one\ntwo\n"
    if not reviewed.kind.tells_of_escape:
        said = f"{reviewed.kind.title} has not written stopped.py: what you accepted changes nothing"
        assert f"Companion: {said}" in desktop.window()["status_messages"]


@pytest.mark.everything
def test_a_leftover_diff_goes_with_the_next_prompt_or_a_rejection(reviewed):
    desktop = reviewed.desktop
    path = desktop.write("left-over.py", b"one\ntwo\n")
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    reviewed.proposal("left-over.py")
    reviewed.escape()
    if reviewed.kind.hangs_after_escape:
        desktop.reject()
    reviewed.write_another("after-left-over.py")
    assert desktop.read("left-over.py") == b"one\ntwo\n"


@pytest.mark.everything
def test_what_a_command_has_written_is_the_programs_asked_about_or_not(reviewed):
    desktop, kind = reviewed.desktop, reviewed.kind
    reviewed.work(kind.shell("echo 'a = 1' > allowed.py", desktop.workspace))
    if kind.asks_in_terminal:
        reviewed.program.answer("enter", kind.command_question)
    reviewed.program.wait_for(reviewed.saying)
    desktop.host.wait_until(lambda: "allowed.py" in reviewed.hooked.listed_of_it())
    assert reviewed.hooked.listed_of_it()["allowed.py"].endswith(DOING.format(kind.title))
    desktop.run("Keep All Changes")


@pytest.mark.everything
def test_what_the_user_does_after_stopping_a_command_is_not_the_programs(reviewed):
    """Before it ran, if the program asks him."""
    desktop = reviewed.desktop
    begun, never = desktop.path("begun.txt"), desktop.path("never.txt")
    reviewed.work(reviewed.kind.shell("touch begun.txt; sleep 600; touch never.txt", desktop.workspace))
    if reviewed.kind.asks_in_terminal:
        desktop.wait_status(" asks")
    else:
        desktop.host.wait_until(lambda: os.path.exists(begun))
    reviewed.escape()
    if reviewed.kind.tells_of_stop and not reviewed.kind.asks_in_terminal:
        desktop.host.wait_until(lambda: desktop.host.execute(OPEN, result="open_calls") == 0)
    desktop.write("instead.txt", b"the user's\n")
    reviewed.write_another("after-command.py")
    reviewed.assert_apart("instead.txt")
    assert os.path.exists(begun) is not reviewed.kind.asks_in_terminal
    assert not os.path.exists(never)


@pytest.mark.everything
def test_what_nobody_decides_is_not_written(reviewed):
    """The time limit, shortened."""
    path = reviewed.desktop.write("late.py", b"one\ntwo\n")
    patience = reviewed.desktop.host.execute(LIMIT.format(reviewed.kind.title, 1.0), result="former")
    reviewed.work(reviewed.kind.edit(path, "two", "2"))
    if reviewed.kind.asks_when_late:
        reviewed.program.wait_for(reviewed.kind.question)
        assert reviewed.desktop.read("late.py") == b"one\ntwo\n"
        reviewed.program.answer("enter", reviewed.kind.question)
    reviewed.done()
    reviewed.desktop.host.execute(LIMIT.format(reviewed.kind.title, patience))
    if not reviewed.kind.asks_when_late:
        late = "The user did not review this change in time. Nothing is written."
        assert late in reviewed.asked()
    wanted = b"one\n2\n" if reviewed.kind.asks_when_late else b"one\ntwo\n"
    assert reviewed.desktop.read("late.py") == wanted


@pytest.mark.everything
def test_an_editor_that_is_killed_leaves_a_program_to_its_own_rules(reviewed):
    """It writes, or asks in the terminal. That is listed at the next start, from which on its writes are held again."""
    desktop, kind = reviewed.desktop, reviewed.kind
    reviewed.restart(Host.quit)  # an editor that is killed restores what the one before has left
    path = desktop.write("killed.py", b"one\ntwo\n")
    reviewed.work(kind.edit(path, "two", "2"))
    reviewed.proposal("killed.py")

    def kill(host):
        host.kill()
        if kind.asks_in_terminal:
            reviewed.program.answer("enter", kind.question)
        reviewed.program.wait_for(reviewed.saying)

    reviewed.restart(kill)
    assert desktop.read("killed.py") == b"one\n2\n"
    reviewed.write_another("after-kill.py")
    assert "killed.py" in reviewed.listed()  # it may have been there before anybody tracked, or not


@pytest.mark.everything
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


class ConnectedGemini(Gemini):
    """Its diffs come to the editor as well."""

    question, ide_mode = "never shown: its question stands beside its diff", True

    def wait_connected(self, program):
        program.wait_connected()


class ConnectedGeminiAsks(ConnectedGemini):
    asks = True


class ConnectedQwen(Qwen):
    """In its own mode no diff of its own comes."""

    ide_mode = True

    def wait_connected(self, program):
        program.wait_connected("open.py")


class ConnectedQwenAsks(ConnectedQwen):
    question, own_mode = ConnectedGemini.question, False


@pytest.mark.everything
@pytest.mark.parametrize("kind", [ConnectedGemini, ConnectedGeminiAsks, ConnectedQwen, ConnectedQwenAsks])
def test_a_program_that_is_connected_shows_each_write_once(tmp_path, kind):
    with working(kind(), str(tmp_path)) as reviewed:
        desktop = reviewed.desktop
        desktop.open(os.path.basename(desktop.write("open.py", b"x\n")))
        reviewed.kind.wait_connected(reviewed.program)
        for number, name in enumerate(("first.py", "second.py")):
            path = desktop.write(name, b"one\ntwo\n")
            reviewed.work(reviewed.kind.edit(path, "two", "2"))
            shown = reviewed.proposal(name)
            if number:
                desktop.type_at_end(shown["id"], "mine\n")
            desktop.accept()
            reviewed.done()
            wanted = b"one\n2\nmine\n" if number else b"one\n2\n"
            desktop.host.wait_until(lambda name=name, wanted=wanted: desktop.read(name) == wanted)


@pytest.mark.everything
def test_gemini_is_left_to_its_terminal_questions_from_the_second_write_on(tmp_path):
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
