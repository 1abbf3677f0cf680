"""The real `copilot` program in a terminal beside the editor, with a stub for its model: what a user of both sees."""

from __future__ import annotations

import functools
import os
import platform
import signal
import sys

import pytest

if sys.platform != "linux" or platform.machine() != "x86_64":
    pytest.skip("the program is installed for Linux on x64 only", allow_module_level=True)

from tests.clients.programs.copilot_cli import TRUST, CopilotCli
from tests.clients.programs.model_stub import CallTool, CallTools, Say
from tests.clients.programs.openai_api import OpenAiApi, user_texts
from tests.clients.programs.shared import GREETING
from tests.tools.desktop import ROLE

PROPOSAL = GREETING.replace("Hello", "Good day")
CANCELLED = "cancelled by user"
QUESTION = "1. Yes"
pytestmark = pytest.mark.everything  # test_five_programs.py has its journey of every run
PROGRAM, MODEL = functools.partial(CopilotCli, trusted=False), OpenAiApi


@pytest.fixture
def copilot(desktop, beside):
    """The program, connected."""
    copilot = beside.program()
    copilot.wait_connected("@greeting.py:2")
    return copilot


DEFAULTS = {"name": "greeting.py", "old": "Hello", "new": "Good day"}


def edit(desktop, **change):
    name, old, new = (change.get(key, default) for key, default in DEFAULTS.items())
    return CallTool("edit", {"path": desktop.path(name), "old_str": old, "new_str": new})


def start_review(desktop, copilot, model, *answers, **change):
    """Asks the program for a change; returns the proposal once it shows."""
    model.script(edit(desktop, **change), *answers)
    copilot.submit("Please write {new} in {name}".format(**dict(DEFAULTS, **change)))
    return desktop.wait_proposal()


def roles(window):
    """The roles of the views of reviews in a window."""
    views = [tab["view"]["settings"] for group in window["groups"] for tab in group["tabs"] if tab.get("view")]
    return [settings[ROLE]["role"] for settings in views if ROLE in settings]


def test_it_comes_by_itself_once_the_folder_is_trusted(desktop, model, beside):
    copilot = beside.program()
    copilot.wait_for(TRUST)
    copilot.wait_connected("@greeting.py:2")
    model.script(Say("It is trusted now."))
    copilot.submit("Be more polite")
    copilot.wait_for("It is trusted now.")
    assert "<ide_selection>" in "\n".join(user_texts(model.turns[0]))


def test_the_request_has_the_selection_and_an_accepted_diff_the_users_edit(desktop, copilot, model):
    before = desktop.arrangement()
    assert start_review(desktop, copilot, model, Say("It is polite now."))["text"] == PROPOSAL
    request = "\n".join(user_texts(model.turns[0]))
    assert "<ide_selection>" in request
    assert "Hello" in request
    assert "greeting.py" in request
    assert desktop.read("greeting.py").decode() == GREETING, "the program writes, after the answer"
    desktop.accept()
    copilot.wait_for("It is polite now.")
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL)
    desktop.wait_no_review()
    assert desktop.arrangement() == before

    # The protocol takes no edits back: they are saved over what the program wrote.
    proposal = start_review(desktop, copilot, model, Say("It is nice now."), old="Good", new="Nice")
    desktop.type_at_end(proposal["id"], "# mine\n")
    desktop.accept()
    final = PROPOSAL.replace("Good", "Nice") + "# mine\n"
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == final)
    copilot.wait_for("It is nice now.")
    assert desktop.read("greeting.py").decode() == final


def test_a_rejected_diff_is_not_written_and_the_terminal_closes_the_next(desktop, copilot, model):
    before = desktop.arrangement()
    start_review(desktop, copilot, model)
    desktop.reject()
    desktop.wait_no_review()
    copilot.wait_for(CANCELLED)
    assert desktop.read("greeting.py").decode() == GREETING
    assert desktop.arrangement() == before

    start_review(desktop, copilot, model, Say("It is polite by the terminal."))
    copilot.answer("enter", QUESTION)
    copilot.wait_for("It is polite by the terminal.")
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert desktop.read("greeting.py").decode() == PROPOSAL

    start_review(desktop, copilot, model, old="Good", new="Nice")
    copilot.answer("escape", QUESTION)
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == PROPOSAL


def test_the_bytes_that_were_not_changed_stay(desktop, copilot, model):
    for name, before in {
        "crlf.py": b"a = 1\r\nb = 2\r\n",
        "mark.py": b"\xef\xbb\xbfa = 1",
    }.items():
        desktop.write(name, before)
        start_review(desktop, copilot, model, Say(f"Done with {name}."), name=name, old="a = 1", new="a = 9")
        desktop.accept()
        copilot.wait_for(f"Done with {name}.")
        desktop.wait_no_review()
        assert desktop.read(name) == before.replace(b"a = 1", b"a = 9")
        # The same once more, with an edit of the user.
        proposal = start_review(desktop, copilot, model, Say(f"Over with {name}."), name=name, old="a = 9", new="a = 5")
        at = proposal["text"].index("a = 5")
        desktop.host.call("select", ranges=[[at, at]], view=proposal["id"])
        desktop.host.call("type_text", text="x = 0; ", view=proposal["id"])
        desktop.accept()
        final = before.replace(b"a = 1", b"x = 0; a = 5")
        desktop.host.wait_until(lambda name=name, final=final: desktop.read(name) == final)
        copilot.wait_for(f"Over with {name}.")
        desktop.wait_no_review()
        assert desktop.read(name) == final


def test_two_edits_in_a_turn_are_reviewed_one_after_the_other(desktop, copilot, model):
    before = desktop.arrangement()
    model.script(CallTools([edit(desktop), edit(desktop, old="+ name", new="+ name + '!'")]), Say("Both are done."))
    copilot.submit("Be more polite")
    # The program takes them in either order.
    assert desktop.wait_proposal()["text"] in (PROPOSAL, GREETING.replace("+ name", "+ name + '!'"))
    desktop.accept()
    final = PROPOSAL.replace("+ name", "+ name + '!'")
    desktop.host.wait_until(lambda: [view["text"] for view in desktop.views_of_role("proposal")] == [final])
    desktop.accept()
    copilot.wait_for("Both are done.")
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == final)
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_the_editor_quits_while_a_diff_waits_and_comes_back(desktop, copilot, model):
    start_review(desktop, copilot, model, Say("It is polite without an editor."))
    desktop.host.quit()
    copilot.answer("enter", QUESTION)
    copilot.wait_for("It is polite without an editor.")
    assert desktop.read("greeting.py").decode() == PROPOSAL

    desktop.host.restart()
    desktop.wait_status("Copilot CLI")
    start_review(desktop, copilot, model, Say("It is nice again."), old="Good", new="Nice")
    desktop.accept()
    copilot.wait_for("It is nice again.")
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL.replace("Good", "Nice"))


def test_reloading_the_package_beside_two_windows_leaves_the_program_alone(desktop, copilot, model, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "other.py").write_text("# other\n")
    first = desktop.window()["id"]
    second = desktop.host.call("new_window", folders=[str(other)])
    desktop.host.call("open_file", path=os.path.realpath(str(other / "other.py")), window=second)

    def shown():
        return desktop.host.call("snapshot_window", window=first)

    desktop.host.disable_package()
    desktop.host.enable_package()
    desktop.host.wait_until(lambda: "Copilot CLI" in shown()["status_bar"])
    assert desktop.window()["id"] == second
    assert "Companion" not in desktop.window()["status_bar"]
    model.script(edit(desktop), Say("It is polite after all."))
    copilot.submit("Be more polite")
    desktop.host.wait_until(lambda: roles(shown()))
    assert roles(desktop.host.call("snapshot_window", window=second)) == []
    assert "other.py" not in "\n".join(user_texts(model.turns[0])) + copilot.text()
    desktop.host.call("focus_window", window=first)
    desktop.accept()
    copilot.wait_for("It is polite after all.")
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL)


@pytest.mark.parametrize("edits", ["", "# mine\n"], ids=["as proposed", "edited"])
def test_a_diff_accepted_from_a_suspended_program_is_written_on_its_kill(desktop, copilot, model, edits):
    proposal = start_review(desktop, copilot, model)
    if edits:
        desktop.type_at_end(proposal["id"], edits)
    os.killpg(copilot._process.pid, signal.SIGSTOP)
    desktop.accept()
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == GREETING
    os.killpg(copilot._process.pid, signal.SIGKILL)
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL + edits)
    desktop.wait_no_review()
