"""The real `claude` program in a terminal beside the editor, with a stub for its model: what a user of both sees.

Its licence reserves all rights, so it is installed and run only where the user asks for it:
`python3 tests/run.py --with-claude`. Everywhere else `test_claude_client.py` sends its messages.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal

import pytest

from tests.clients.claude import lock_files
from tests.clients.programs.anthropic_api import AnthropicApi, all_texts, tool_texts
from tests.clients.programs.claude_code import QUESTION, ClaudeCode
from tests.clients.programs.model_stub import CallTool, CallTools, Say
from tests.clients.programs.program import write_settings
from tests.end_to_end.programs.comparing import assert_written_as_said
from tests.end_to_end.programs.hooked import HookedJourneys, Kind, at_work
from tests.tools.unasked import BEFORE, NEW, REST, Unasked, looked_at

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSAL = GREETING.replace("Hello", "Good day")


@pytest.fixture
def model():
    with AnthropicApi() as model:
        yield model
        assert model.problems == []


@pytest.fixture
def claude(desktop, model):
    """The program, connected, with the word "Hello" selected in the editor."""
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ClaudeCode(desktop.host, desktop.workspace, model) as claude:
        claude.wait_connected()
        yield claude


DEFAULTS = {"name": "greeting.py", "old": "Hello", "new": "Good day"}


def edit(desktop, **change):
    name, old, new = (change.get(key, default) for key, default in DEFAULTS.items())
    return CallTool("Edit", {"file_path": desktop.path(name), "old_string": old, "new_string": new})


def start_review(desktop, claude, model, *answers, **change):
    """Asks the program for a change; returns the proposal once it shows here and there."""
    wanted = dict(DEFAULTS, **change)
    read = CallTool("Read", {"file_path": desktop.path(wanted["name"])})
    model.script(read, edit(desktop, **change), *answers)
    claude.submit("Please write {new} in {name}".format(**wanted))
    claude.wait_question(wanted["name"])
    return desktop.wait_proposal()


def test_the_selection_is_in_the_request_and_an_accepted_diff_is_written(desktop, claude, model):
    before = desktop.arrangement()
    desktop.wait_status("Claude Code")
    assert start_review(desktop, claude, model, Say("It is polite now."))["text"] == PROPOSAL
    told = "\n".join(all_texts(model.turns[0]))
    assert f"The user selected the lines 2 to 2 from {desktop.path('greeting.py')}:\nHello\n" in told
    assert desktop.read("greeting.py").decode() == GREETING, "the program writes, after the answer"
    desktop.accept()
    claude.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_an_edit_of_the_user_is_written_and_the_model_hears_of_it(desktop, claude, model):
    proposal = start_review(desktop, claude, model, Say("It is polite now."))
    desktop.type_at_end(proposal["id"], "# reviewed\n")
    desktop.accept()
    claude.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# reviewed\n"
    assert "The user modified your proposed changes before accepting them" in tool_texts(model.turns[-1])[-1]
    desktop.wait_no_review()


def test_an_edit_accepted_from_a_suspended_program_is_written_on_its_kill(desktop, claude, model):
    proposal = start_review(desktop, claude, model)
    desktop.type_at_end(proposal["id"], "# mine\n")
    os.killpg(claude._process.pid, signal.SIGSTOP)
    desktop.accept()
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == GREETING
    os.killpg(claude._process.pid, signal.SIGKILL)
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL + "# mine\n")
    desktop.wait_no_review()


def test_a_rejected_diff_is_not_written_and_the_terminal_answers_the_next(desktop, claude, model):
    before = desktop.arrangement()
    start_review(desktop, claude, model)
    desktop.reject()
    desktop.wait_no_review()
    claude.wait_ready()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == GREETING

    proposal = start_review(desktop, claude, model, Say("It is polite now."))
    assert any("doesn't want to proceed" in text for text in tool_texts(model.turns[-1]))
    desktop.type_at_end(proposal["id"], "# lost\n")
    claude.answer("enter", QUESTION)
    claude.wait_for("It is polite now.")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == PROPOSAL

    start_review(desktop, claude, model, old="Good day", new="Welcome")
    claude.answer("escape", QUESTION)
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == PROPOSAL


def test_a_new_file_in_a_new_folder(desktop, claude, model):
    path = os.path.join("new", "\u00e4 %20 [x].py")
    model.script(CallTool("Write", {"file_path": desktop.path(path), "content": "a = 1\n"}), Say("Written."))
    claude.submit("Write a new file")
    assert desktop.wait_proposal()["text"] == "a = 1\n"
    desktop.accept()
    claude.wait_for("Written.")
    assert desktop.read(path) == b"a = 1\n"


def test_the_bytes_that_were_not_changed_stay(desktop, claude, model):
    for name, before in {
        "lf.py": b"a = 1\nb = 2\n",
        "crlf.py": b"a = 1\r\nb = 2\r\n",
        "mark.py": b"\xef\xbb\xbfa = 1\n",
        "crlf_mark.py": b"\xef\xbb\xbfa = 1\r\nb = 2\r\n",
        "no_newline.py": b"a = 1",
    }.items():
        desktop.write(name, before)
        start_review(desktop, claude, model, Say(f"Done with {name}."), name=name, old="a = 1", new="a = 9")
        desktop.accept()
        claude.wait_for(f"Done with {name}.")
        desktop.wait_no_review()
        assert desktop.read(name) == before.replace(b"a = 1", b"a = 9")
        # The same once more, with an edit of the user.
        proposal = start_review(desktop, claude, model, Say(f"Over with {name}."), name=name, old="a = 9", new="a = 5")
        at = proposal["text"].index("a = 5")
        desktop.host.call("select", ranges=[[at, at]], view=proposal["id"])
        desktop.host.call("type_text", text="x = 0; ", view=proposal["id"])
        desktop.accept()
        claude.wait_for(f"Over with {name}.")
        desktop.wait_no_review()
        assert desktop.read(name) == before.replace(b"a = 1", b"x = 0; a = 5")


def test_two_edits_in_a_turn_are_reviewed_one_after_the_other(desktop, claude, model):
    before = desktop.arrangement()
    read = CallTool("Read", {"file_path": desktop.path("greeting.py")})
    both = CallTools([edit(desktop), edit(desktop, old="+ name", new="+ name + '!'")])
    model.script(read, both, Say("Both are done."))
    claude.submit("Be more polite")
    assert desktop.wait_proposal()["text"] == PROPOSAL
    desktop.accept()
    final = PROPOSAL.replace("+ name", "+ name + '!'")
    desktop.host.wait_until(lambda: [view["text"] for view in desktop.views_of_role("proposal")] == [final])
    desktop.accept()
    claude.wait_for("Both are done.")
    assert desktop.read("greeting.py").decode() == final
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_the_editor_quits_while_a_diff_waits_and_comes_back(desktop, claude, model):
    start_review(desktop, claude, model, Say("It is polite now."))
    desktop.host.quit()
    claude.answer("enter", QUESTION)
    claude.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL

    desktop.host.restart()
    desktop.host.wait_until(lambda: lock_files(desktop.host.environment["HOME"]))
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=16)
    claude.choose_editor()
    claude.wait_connected()
    start_review(desktop, claude, model, Say("Once more."), old="Good", new="Nice")
    desktop.accept()
    claude.wait_for("Once more.")
    assert desktop.read("greeting.py").decode() == PROPOSAL.replace("Good", "Nice")


def test_a_reload_of_the_package_does_not_disturb_the_program(desktop, claude, model):
    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.wait_status("Claude Code")
    start_review(desktop, claude, model, Say("It is polite now."))
    desktop.accept()
    claude.wait_for("It is polite now.")
    assert desktop.read("greeting.py").decode() == PROPOSAL


def test_ide_connects_a_program_that_was_not_told_to(desktop, model):
    desktop.open("greeting.py")
    with ClaudeCode(desktop.host, desktop.workspace, model, connects=False) as claude:
        claude.choose_editor()
        claude.wait_connected("In greeting.py")
        desktop.wait_status("Claude Code")
        view = desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
        claude.wait_connected()
        desktop.host.call("focus_view", view=view)
        desktop.host.call("run_palette", caption="Companion: Send Selection to Agent")
        claude.wait_for("@greeting.py#L2")
    desktop.wait_no_client()


def test_two_sessions_have_names_of_their_own(desktop, claude, model):
    with ClaudeCode(desktop.host, desktop.workspace, model) as second:
        second.wait_connected()
        desktop.wait_status("2 Claude Code")
        assert start_review(desktop, second, model)["title"] == "greeting.py \u2190 Claude Code 2 (proposal)"
        desktop.reject()
        desktop.wait_no_review()
        second.wait_ready()
        assert start_review(desktop, claude, model)["title"] == "greeting.py \u2190 Claude Code (proposal)"


def test_of_two_windows_on_one_folder_the_port_variable_names_one(desktop, model):
    home = desktop.host.environment["HOME"]
    desktop.open("greeting.py")
    desktop.host.wait_until(lambda: lock_files(home))
    first = set(lock_files(home))
    desktop.write("second.py", b"# second\n")
    window = desktop.host.call("new_window", folders=[desktop.workspace])
    desktop.host.call("open_file", path=desktop.path("second.py"), window=window)
    (port,) = desktop.host.wait_until(lambda: set(lock_files(home)) - first)
    env = {"CLAUDE_CODE_SSE_PORT": str(port)}
    with ClaudeCode(desktop.host, desktop.workspace, model, env) as claude:
        claude.wait_connected("In second.py")
        start_review(desktop, claude, model, Say("Done."), name="second.py", old="second", new="2nd")
        told = json.dumps(model.turns[0])
        assert "second.py" in told
        assert "greeting.py" not in told
        other = next(
            number for number in desktop.host.evaluate("[w.id() for w in sublime.windows()]") if number != window
        )
        shown = desktop.host.call("snapshot_window", window=other)
        assert "Companion" not in shown["status_bar"]
        assert not shows_review(shown)
        desktop.accept()
        claude.wait_for("Done.")
        assert desktop.read("second.py") == b"# 2nd\n"
    with ClaudeCode(desktop.host, desktop.workspace, model) as claude:
        claude.choose_editor(count=2)


def test_what_it_writes_in_automatic_mode_is_kept_or_undone(desktop, model):
    for name, content in BEFORE.items():
        desktop.write(name, content)
    os.unlink(desktop.path("greeting.py"))
    desktop.write("notes.txt", b"of the user\n")
    desktop.open("notes.txt")
    work = Unasked(desktop)
    path = work.path("one.py")
    with ClaudeCode(desktop.host, desktop.workspace, model, mode="auto") as claude:
        claude.wait_connected("In notes.txt")
        desktop.host.wait_until(lambda: looked_at(desktop, desktop.workspace))
        model.script(
            CallTool("Read", {"file_path": path}),
            CallTool("Edit", {"file_path": path, "old_string": "line 2", "new_string": "LINE 2"}),
            CallTool("Write", {"file_path": work.path("new.py"), "content": NEW}),
            CallTool("Bash", {"command": REST, "description": "The rest"}),
            Say("All of it is written."),
        )
        claude.submit("Change the files")
        claude.wait_for("All of it is written.")
        assert desktop.views_of_role("proposal") == [], "it asks nobody"
        work.decide()


def test_each_file_that_it_writes_holds_what_was_said(tmp_path):
    assert_written_as_said("claude", tmp_path)


class Claude(Kind):
    title, command, model = "Claude Code", "claude", AnthropicApi

    def settle(self, host):
        write_settings(host, ".claude", {"permissions": {"defaultMode": "auto"}})

    def start(self, host, workspace, model):
        return ClaudeCode(host, workspace, model, mode="auto")

    def edit(self, path, old, new):
        change = {"file_path": path, "old_string": old, "new_string": new}
        return [CallTool("Read", {"file_path": path}), CallTool("Edit", change)]

    def create(self, path, content):
        return [CallTool("Write", {"file_path": path, "content": content})]

    def shell(self, command, folder):
        return [CallTool("Bash", {"command": f"cd '{folder}' && {command}", "description": "The rest"})]


@pytest.fixture(scope="module")
def hooked(tmp_path_factory):
    """The program, connected by the user before its start."""
    with at_work(Claude(), str(tmp_path_factory.mktemp("hooked"))) as hooked:
        yield hooked


class TestHooked(HookedJourneys):
    pass


def shows_review(window):
    return any(
        "gemini_companion.role" in tab["view"]["settings"] for group in window["groups"] for tab in group["tabs"]
    )


# -- every write is reviewed -------------------------------------------------------------------------------------------


class ClaudeReviewed(Claude):
    """In this mode, by its hooks alone or connected to the editor as well."""

    def __init__(self, mode, connects):
        self.mode, self.connects = mode, connects

    def settle(self, host):
        write_settings(host, ".claude", {"permissions": {"defaultMode": self.mode}})

    def start(self, host, workspace, model):
        return ClaudeCode(host, workspace, model, None, self.connects, self.mode)


@contextlib.contextmanager
def held(tmp_path, mode="auto", connects=False):
    """A write of the program waits for the user; gives it and the path of the file."""
    with at_work(ClaudeReviewed(mode, connects), str(tmp_path)) as hooked:
        desktop = hooked.desktop
        desktop.run("Review Every Write")
        desktop.open(os.path.basename(desktop.write("greeting.py", GREETING.encode())))
        hooked.program.wait_connected("In greeting.py") if connects else hooked.program.wait_ready()
        hooked.work(hooked.kind.edit(desktop.path("greeting.py"), "Hello", "Good day"))
        assert desktop.wait_proposal()["text"] == PROPOSAL
        desktop.wait_decidable()
        yield hooked
        hooked.model.forget()


WAYS = [("auto", False), ("manual", False), ("auto", True), ("manual", True)]


@pytest.mark.parametrize(("mode", "connects"), WAYS)
def test_a_write_is_reviewed_once_in_each_mode(tmp_path, mode, connects):
    with held(tmp_path, mode, connects) as hooked:
        desktop = hooked.desktop
        assert connects or QUESTION not in hooked.program.text(), "held, it does not ask"
        desktop.type_at_end(desktop.wait_proposal()["id"], "# reviewed  \n")
        desktop.accept()
        hooked.wait_done()
        desktop.wait_no_review()
        assert desktop.read("greeting.py").decode() == PROPOSAL + "# reviewed  \n"


@pytest.mark.parametrize(("mode", "connects"), WAYS)
def test_its_model_reads_why_a_write_is_rejected(tmp_path, mode, connects):
    with held(tmp_path, mode, connects) as hooked:
        desktop = hooked.desktop
        desktop.host.wait_until(lambda: "Why\u2026" in desktop.header())
        desktop.run("Reject With Reason\u2026")
        desktop.host.call("type_text", text="keep the words")
        desktop.host.call("press", keys="enter")
        hooked.wait_done()
        desktop.wait_no_review()
        assert "The user rejected this change: keep the words" in tool_texts(hooked.model.turns[-1])[-1]
        assert desktop.read("greeting.py").decode() == GREETING


def test_what_is_saved_while_the_user_looks_stays_in_the_file(tmp_path):
    with held(tmp_path) as hooked:
        desktop = hooked.desktop
        desktop.type_at_end(desktop.wait_proposal()["id"], "# reviewed\n")
        desktop.write("greeting.py", b"# saved\n" + GREETING.encode())
        desktop.accept()
        desktop.host.wait_until(lambda: "look, then accept again" in desktop.header())
        assert desktop.wait_proposal()["text"] == "# saved\n" + PROPOSAL + "# reviewed\n"
        desktop.accept()
        hooked.wait_done()
        desktop.wait_no_review()
        assert desktop.read("greeting.py").decode() == "# saved\n" + PROPOSAL + "# reviewed\n"


def test_escape_withdraws_what_waits(tmp_path):
    with held(tmp_path) as hooked:
        hooked.program.press("escape")
        hooked.desktop.wait_no_review()
        assert hooked.desktop.read("greeting.py").decode() == GREETING


def test_what_the_user_does_in_place_of_a_refused_command_is_his_own(tmp_path):
    with at_work(ClaudeReviewed("manual", connects=False), str(tmp_path)) as hooked:
        desktop, kind, program = hooked.desktop, hooked.kind, hooked.program
        program.wait_ready()
        hooked.work(kind.shell("touch never.txt", desktop.workspace))
        program.wait_for(QUESTION)
        desktop.write("while-asked.txt", b"the user's\n")
        program.press("escape")
        program.wait_until(lambda: QUESTION not in program.text(), "the end of the question")
        hooked.model.forget()
        desktop.write("instead.txt", b"the user's\n")
        hooked.work(kind.shell("echo 'a = 1' > allowed.py", desktop.workspace))
        program.answer("enter", QUESTION)
        hooked.wait_done()
        desktop.host.wait_until(lambda: "allowed.py" in hooked.listed_of_it())
        assert hooked.listed_apart() >= {"while-asked.txt", "instead.txt"}
        assert not os.path.exists(desktop.path("never.txt"))


def test_it_asks_if_the_editor_quits_meanwhile(tmp_path):
    with held(tmp_path) as hooked:
        hooked.desktop.host.quit()
        hooked.program.wait_for(QUESTION)
        assert hooked.desktop.read("greeting.py").decode() == GREETING
