"""Accepted texts whose program is killed before it has written them, however much later that is: none is lost."""

from __future__ import annotations

import sys
import time

import pytest

if sys.platform == "win32":
    pytest.skip("one of the clients connects to sockets in the file system", allow_module_level=True)

from tests.clients.claude import ClaudeClient
from tests.clients.copilot import CopilotClient
from tests.host.waiting import NEVER_SECONDS

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSAL = GREETING.replace("Hello", "Good day")
LATER_SECONDS = 6.0
"""After which a program that was suspended is killed. Programs that run write within a second."""
SHUTDOWN = """
import sys, threading
accepted_text = sys.modules["Gemini Companion.companion.review.accepted_texts"].AcceptedText
looks, look = [], accepted_text.find_text
accepted_text.find_text = lambda accepted: looks.append(threading.get_ident()) or look(accepted)
sys.modules["Gemini Companion.plugin"].application.endpoints()[0].reviews.shutdown()
accepted_text.find_text, looked = look, looks.count(threading.get_ident())  # disk threads look now and then
"""


def accept(desktop, program, proposal, edits):
    """Let a program propose a text, and accept it with the user's edits; the program has heard of it then."""
    program.connect()
    asked = program.open_diff(desktop.path("greeting.py"), proposal, "greeting.py")
    shown = desktop.wait_proposal()
    if edits:
        desktop.type_at_end(shown["id"], edits)
    desktop.accept()
    asked.result(NEVER_SECONDS)
    desktop.wait_no_review()


@pytest.mark.parametrize(
    ("client", "edits"), [(ClaudeClient, "# mine\n"), (CopilotClient, "# mine\n"), (CopilotClient, "")]
)
def test_a_text_its_program_never_wrote_is_written_when_it_is_killed_later(desktop, client, edits):
    desktop.open("greeting.py")
    with client(desktop.host.environment["HOME"], desktop.workspace) as program:
        accept(desktop, program, PROPOSAL, edits)
        time.sleep(LATER_SECONDS)
        assert desktop.read("greeting.py").decode() == GREETING
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL + edits)
    assert not desktop.views_of_role("proposal")


@pytest.mark.parametrize("proposal", [GREETING, GREETING.replace("\n", "\r\n")], ids=["equal", "line ends"])
def test_edits_of_a_proposal_equal_to_the_file_wait_for_the_programs_write(desktop, proposal):
    desktop.open("greeting.py")
    with CopilotClient(desktop.host.environment["HOME"], desktop.workspace) as program:
        accept(desktop, program, proposal, "# mine\n")
        time.sleep(1.0)
        assert desktop.read("greeting.py").decode() == GREETING, "nothing is written before the program has"
        desktop.write("greeting.py", GREETING.encode())
        desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == GREETING + "# mine\n")


def test_an_upgrade_while_the_program_has_yet_to_write_holds_nobody_up(desktop):
    desktop.open("greeting.py")
    with CopilotClient(desktop.host.environment["HOME"], desktop.workspace) as program:
        accept(desktop, program, PROPOSAL, "# mine\n")
        assert desktop.host.execute(SHUTDOWN, "looked") == 0, "it is waited for"
