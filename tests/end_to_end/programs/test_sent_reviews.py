"""The real programs, hooked: a review that the user sends is in the next request to their model, and where that is.

By what a program does just then. In its terminal it gets what the package types there, by a stand-in for Terminus.
"""

from __future__ import annotations

import contextlib
import operator
import os
import platform
import sys
import threading

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("two of the programs are installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.codex_cli import CodexCli
from tests.clients.programs.copilot_cli import CopilotCli
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.model_stub import Later, Say
from tests.clients.programs.program import Program
from tests.clients.programs.qwen_code import QwenCode
from tests.end_to_end.programs import test_hooked_programs as hooked_programs
from tests.end_to_end.programs.hooked import HERE, SEND, TOLD, at_work

pytestmark = pytest.mark.everything  # test_reviewed_writes.py has the journeys of every run

TEXT = (
    "I reviewed your changes: 2 comments. Round {}.\n\nsrc/a.py:3\n```\n\tif x < 2 && y > \"\u00fc\" \\ '\u2713':\n```"
    "\nkeep it <b>small</b>\n\nb.py:1\n```\n    a\n```\nwhy?"
)
#: A terminal of ours for this agent, which keeps what is typed into it.
TERMINAL = (
    HERE
    + """
launcher = sys.modules["Gemini Companion.companion.terminals.launcher"]
tag = f"gemini_companion.{}.{{endpoint.window.id()}}.{{launcher.RUN}}.1"
view = endpoint.window.new_file()
view.set_scratch(True)
view.settings().set("terminus_view", True)
view.settings().set("terminus_view.tag", tag)
typed = sys.typed = []
run = sublime.Window.run_command
def run_command(window, name, arguments=None):
    if name == "terminus_send_string":
        typed.append(arguments["string"])
    else:
        run(window, name, arguments)
sublime.Window.run_command = run_command
"""
)


def entities(text, signs="<>"):
    """The text with these signs as entities."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity) if sign in signs else text
    return text


class Sending:
    """What becomes of the text on each way."""

    with_result = with_prompt = staticmethod(entities)
    at_the_end = typed = staticmethod(str)
    in_terminal = False

    def start(self, host, workspace, model):
        env = {}
        if self.in_terminal:
            env["GEMINI_COMPANION_TERMINAL"] = host.execute(TERMINAL.format(self.command), result="tag")
        return self.start_in(host, workspace, model, env)


class Gemini(Sending, hooked_programs.Gemini):
    def start_in(self, host, workspace, model, env):
        return GeminiCli(host, workspace, model, env, ide_mode=None, options=["--approval-mode", "yolo"])


class Qwen(Sending, hooked_programs.Qwen):
    def start_in(self, host, workspace, model, env):
        return QwenCode(host, workspace, model, env, ide_mode=None, own_mode=True)


class Codex(Sending, hooked_programs.Codex):
    with_result = with_prompt = staticmethod(str)

    @staticmethod
    def at_the_end(text):
        return entities(text, "&<>")

    def start_in(self, host, workspace, model, env):
        return CodexCli.with_hooks(host, workspace, model)


class Copilot(Sending, hooked_programs.Copilot):
    with_result = with_prompt = staticmethod(str)

    @staticmethod
    def typed(text):
        return text.replace("\t", "    ")

    def start_in(self, host, workspace, model, env):
        return CopilotCli(host, workspace, model, env, options=["--allow-all-tools"])


def strings(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


class GeminiInTerminal(Gemini):
    in_terminal = True


class QwenInTerminal(Qwen):
    in_terminal = True


class CopilotInTerminal(Copilot):
    in_terminal = True


class Sent:
    """A program at work, and the reviews that its user sends."""

    def __init__(self, hooked):
        self.hooked, self.kind, self.model, self.program = hooked, hooked.kind, hooked.model, hooked.program
        self.host, self.desktop, self._round = hooked.desktop.host, hooked.desktop, 0

    def begin(self):
        self._round += 1
        self.text = TEXT.format(self._round)  # the earlier ones stay in the requests
        self.host.execute(SEND.format(self.text))

    def send(self):
        self.begin()
        self.host.wait_until(self.is_under_way)

    def is_under_way(self):
        return bool(self.told or "2 comments" in self.desktop.window()["status_bar"])

    @property
    def told(self):
        return self.host.evaluate(TOLD)

    @property
    def typed(self):
        """What was typed into its terminal."""
        return self.host.evaluate("list(__import__('sys').typed)")

    def wait(self, state):
        self.host.wait_until(lambda: self.told[-1:] == [state])

    def asked_with(self, text):
        """How many of the texts in the last request to the model hold this one."""
        return sum(text in each for each in strings(self.model.turns[-1]))

    def done(self, saying):
        self.program.wait_for(saying)

    def prompt(self, *replies, text="go on"):
        self.model.script(*replies)
        self.program.submit(text)


SENDING = [Gemini(), Qwen(), Codex(), Copilot()]


TITLE = operator.attrgetter("title")
IN_TERMINAL = [GeminiInTerminal(), QwenInTerminal(), CopilotInTerminal()]


@contextlib.contextmanager
def sending(kind, place):
    with at_work(kind, os.path.realpath(place)) as hooked:
        sent = Sent(hooked)
        path = os.path.join(os.path.dirname(sent.desktop.workspace), "bin", "codex")
        if os.path.exists(path):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\nHOME="{sent.host.environment["HOME"]}" exec "{CodexCli.program()}" "$@"\n')
        sent.prompt(Say("hello yourself"), text="hello")
        sent.done("hello yourself")
        sent.desktop.wait_status("is done")
        yield sent


@pytest.fixture(scope="module", params=SENDING, ids=TITLE)
def sent(request, tmp_path_factory):
    with sending(request.param, tmp_path_factory.mktemp("sent")) as sent:
        yield sent


@pytest.mark.parametrize("kind", IN_TERMINAL, ids=TITLE)
def test_in_a_terminal_of_ours_it_is_typed_as_a_prompt(kind, tmp_path):
    with sending(kind, tmp_path) as sent:
        sent.program.type("half of it: ")
        sent.program.wait_for("half of it:")
        sent.model.script(Say("it was pasted"))
        sent.send()
        for number in (1, 2):
            sent.host.wait_until(lambda number=number: len(sent.typed) >= number)
            sent.program.type(sent.typed[number - 1])
        sent.done("it was pasted")
        assert sent.asked_with("half of it: " + kind.typed(sent.text)) == 1
        sent.wait("sent")


def test_at_work_it_comes_with_the_next_result(sent):
    thought = threading.Event()
    first, *others = sent.kind.shell("true", sent.desktop.workspace)
    sent.prompt(Later(thought, first), *others, Say("work is over"))
    sent.host.wait_until(lambda: sent.host.evaluate(hooked_programs.LAST) in PROMPTS)
    sent.send()
    thought.set()
    sent.done("work is over")
    assert sent.asked_with(sent.kind.with_result(sent.text)) == 1
    sent.wait("sent")
    assert "2 comments" not in sent.desktop.window()["status_bar"]


HOLD = 'import sublime; sublime.load_settings("Gemini Companion.sublime-settings").set("hold_turns", {})'
PROMPTS = ("UserPromptSubmit", "BeforeAgent", "userPromptSubmitted")


def test_at_the_end_of_the_turn_it_makes_the_agent_go_on_once(sent):
    thought = threading.Event()
    sent.prompt(Later(thought, Say("was it right")), Say("I have read it all"))
    sent.host.wait_until(lambda: sent.host.evaluate(hooked_programs.LAST) in PROMPTS)
    sent.send()
    thought.set()
    sent.done("I have read it all")
    assert sent.asked_with(sent.kind.at_the_end(sent.text)) == 1
    sent.wait("sent")


def test_an_idle_agent_reads_it_with_the_next_prompt_or_by_its_own_command(sent):
    sent.host.wait_until(lambda: sent.host.evaluate(hooked_programs.LAST) not in PROMPTS)
    is_queued = isinstance(sent.kind, Codex)
    sent.model.script(Say("so it is idle no more"))
    sent.send()
    if not is_queued:
        sent.desktop.wait_status(f"Type anything in {sent.kind.title} to send 2 comments")
        sent.program.submit("type")
    sent.done("so it is idle no more")
    assert sent.asked_with(sent.text if is_queued else sent.kind.with_prompt(sent.text)) == 1
    sent.wait("sent")


def test_what_is_taken_back_is_in_no_request(sent):
    thought = threading.Event()
    first, *others = sent.kind.shell("true", sent.desktop.workspace)
    sent.prompt(Later(thought, first), *others, Say("nothing was said"))
    sent.host.wait_until(lambda: sent.host.evaluate(hooked_programs.LAST) in PROMPTS)
    sent.send()
    sent.host.execute(HERE + "deliveries.take_back(endpoint)")
    sent.wait("draft")
    thought.set()
    sent.done("nothing was said")
    assert sent.asked_with(sent.text.partition("\n")[0]) == 0


@pytest.mark.parametrize("sent", [each for each in SENDING if not isinstance(each, Qwen)], ids=TITLE, indirect=True)
def test_with_hold_turns_it_waits_at_the_end_for_the_review(sent):
    sent.host.execute(HOLD.format(True))
    sent.prompt(*sent.kind.create(sent.desktop.path("made.py"), "made\n"), Say("it is made"), Say("held and read"))
    sent.desktop.wait_status(f"{sent.kind.title} waits for your review")
    sent.send()
    sent.done("held and read")
    assert sent.asked_with(sent.kind.at_the_end(sent.text)) == 1
    sent.desktop.wait_status(f"{sent.kind.title} waits for your review")  # and again, at the end of this one
    sent.desktop.run("Keep All Changes")
    sent.desktop.wait_status("is done")
    sent.wait("sent")
    sent.host.execute(HOLD.format(False))


def test_a_held_write_is_refused_with_it(sent):
    sent.desktop.run("Review Every Write")
    path = sent.desktop.write("held.py", b"one\ntwo\n")
    sent.prompt(*sent.kind.edit(path, "two", "2"), Say("the write was refused"))
    sent.desktop.wait_shown("held.py")
    sent.send()
    sent.done("the write was refused")
    assert sent.asked_with(f"The user rejected this change: {sent.text}") == 1
    assert sent.desktop.read("held.py") == b"one\ntwo\n"
    sent.wait("sent")


def test_of_two_sessions_in_one_folder_only_the_chosen_one_gets_it(sent):
    is_queued = isinstance(sent.kind, Codex)
    with contextlib.ExitStack() as stack:
        other = sent.kind.start_in(sent.host, sent.desktop.workspace, sent.model, {})
        stack.callback(Program.close, other)  # and not its own way, which takes away what the first one needs
        sent.model.script(Say("the other one is here"))
        other.submit("other")
        other.wait_for("the other one is here")
        sent.desktop.wait_status("2 " + sent.kind.title + " are done")
        sent.begin()
        rows = sent.desktop.rows()
        (row,) = [each for each in rows if '"other"' in each]
        if is_queued:
            sent.model.script(Say("it was queued for me"))
        sent.host.call("choose", item=row)
        sent.host.wait_until(sent.is_under_way)
        if not is_queued:
            sent.prompt(Say("nothing for me"))
            sent.done("nothing for me")
            assert sent.asked_with(sent.kind.with_prompt(sent.text)) == 0
            sent.model.script(Say("it was queued for me"))
            other.submit("type")
        other.wait_for("it was queued for me")
        assert sent.asked_with(sent.text if is_queued else sent.kind.with_prompt(sent.text)) == 1
        sent.wait("sent")


# Codex CLI tells nothing when its terminal is closed.
@pytest.mark.parametrize("sent", [each for each in SENDING if not isinstance(each, Codex)], ids=TITLE, indirect=True)
def test_when_it_ends_first_the_comments_are_drafts_again(sent):
    thought = threading.Event()
    sent.prompt(Later(thought, Say("nobody hears that")))
    sent.host.wait_until(lambda: sent.host.evaluate(hooked_programs.LAST) in PROMPTS)
    sent.send()
    sent.program.close()
    sent.wait("draft")
    thought.set()
    sent.model.forget()
