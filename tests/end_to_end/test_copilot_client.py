"""GitHub Copilot CLI beside the editor, as a client that sends its literal messages: what a user sees."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("the client connects to sockets in the file system", allow_module_level=True)

from tests.clients.copilot import CopilotClient, lock_files
from tests.host.waiting import NEVER_SECONDS

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSAL = GREETING.replace("Hello", "Good day")
NAME = "[Copilot CLI] - greeting.py (a1b2c3)"


@pytest.fixture
def home(desktop):
    return desktop.host.environment["HOME"]


@pytest.fixture
def copilot(desktop, home):
    """The program, connected, with the word "Hello" selected in the editor."""
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with CopilotClient(home, desktop.workspace) as client:
        client.connect()
        yield client


def start_review(desktop, client, text=PROPOSAL):
    asked = client.open_diff(desktop.path("greeting.py"), text, NAME)
    return asked, desktop.wait_proposal()


def header(proposal):
    """The words above a proposal."""
    return " ".join(str(phantom["content"]) for phantom in proposal["phantoms"])


def test_the_lock_file_says_what_the_program_asks_for(desktop, home):
    (lock,) = desktop.host.wait_until(lambda: lock_files(home))
    assert lock["scheme"] == "unix"
    assert lock["ideName"] == "Sublime Text"
    assert "isTrusted" not in lock
    assert lock["workspaceFolders"] == [os.path.realpath(desktop.workspace)]
    assert lock["pid"] == desktop.host.editor_pid
    socket = os.lstat(lock["socketPath"])
    assert socket.st_mode & 0o777 == 0o600
    assert os.lstat(os.path.dirname(lock["socketPath"])).st_mode & 0o777 == 0o700


def test_it_hears_of_the_selection_and_the_user_of_it(desktop, copilot):
    params = copilot.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
    assert params["filePath"] == desktop.path("greeting.py")
    assert copilot.run(copilot.call("get_selection"))["text"] == "Hello"
    assert copilot.run(copilot.call("get_diagnostics")) == []
    assert copilot.run(copilot.call("update_session_name", name="Be polite")) == {"success": True}
    desktop.wait_status("Copilot CLI: Be polite")


def wait_clients_gone(desktop):
    application = "__import__('sys').modules['Gemini Companion.plugin'].application"
    count = f"sum(len(each.agents.connected) for each in {application}.endpoints())"
    desktop.host.wait_until(lambda: desktop.host.evaluate(count) == 0)


def kept(desktop):
    """The files of the accepted texts that are kept on the disk."""
    folder = Path(desktop.host.evaluate("sublime.cache_path()")).parent / "Package Storage"
    return list(folder.rglob("*.json"))


def is_kept(desktop, words):
    for file in kept(desktop):
        with suppress(FileNotFoundError):  # a newer one takes the place of an older one
            if words in file.read_text():
                return True
    return False


def test_they_are_not_taken_back_when_the_program_ends_just_afterwards(desktop, home):
    with CopilotClient(home, desktop.workspace) as client:
        client.connect()
        asked, proposal = start_review(desktop, client)
        desktop.type_at_end(proposal["id"], "# mine\n")
        desktop.accept()
        assert asked.result(NEVER_SECONDS)["result"] == "SAVED"
        desktop.write("greeting.py", PROPOSAL.encode())
        desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL + "# mine\n")
    wait_clients_gone(desktop)
    with CopilotClient(home, desktop.workspace) as other:  # what was to come of the end has come when this one is done
        other.connect()
        other.open_diff(desktop.path("greeting.py"), GREETING + "# other\n", "other")
        assert "# other" in desktop.wait_proposal()["text"]
        desktop.reject()
        desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# mine\n"
    assert kept(desktop) == []


def accept_edits_that_the_program_does_not_write(desktop, client):
    asked, proposal = start_review(desktop, client)
    desktop.type_at_end(proposal["id"], "# mine\n")
    desktop.accept()
    assert asked.result(NEVER_SECONDS)["result"] == "SAVED"
    desktop.host.wait_until(lambda: len(kept(desktop)) == 1)


def accept_what_is_shown_again(desktop):
    proposal = desktop.wait_proposal()
    assert proposal["text"] == PROPOSAL + "# mine\n"
    shown = "What you accepted is not saved yet"
    desktop.host.wait_until(lambda: shown in header(desktop.views_of_role("proposal")[0]))
    desktop.accept()
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == PROPOSAL + "# mine\n"
    desktop.host.wait_until(lambda: kept(desktop) == [])


def test_edits_that_are_not_saved_yet_outlive_a_reload_of_the_package(desktop, copilot):
    accept_edits_that_the_program_does_not_write(desktop, copilot)
    desktop.host.disable_package()
    assert desktop.read("greeting.py").decode() == GREETING
    desktop.host.enable_package()
    accept_what_is_shown_again(desktop)


@pytest.mark.parametrize("end", ["quit", "kill"])
def test_so_they_do_the_end_of_the_editor(desktop, copilot, end):
    accept_edits_that_the_program_does_not_write(desktop, copilot)
    getattr(desktop.host, end)()
    assert desktop.read("greeting.py").decode() == GREETING
    desktop.host.restart()
    accept_what_is_shown_again(desktop)


def test_a_text_in_use_is_shown_in_no_other_window_until_its_own_has_gone(desktop, copilot):
    def proposals():
        roles = "view.settings().get('gemini_companion.role', {}).get('role') for view in each.views()"
        return desktop.host.evaluate(f"{{each.id(): [{roles}].count('proposal') for each in sublime.windows()}}")

    accept_edits_that_the_program_does_not_write(desktop, copilot)
    first = desktop.window()["id"]
    second = desktop.host.call("new_window", folders=[desktop.workspace])
    desktop.host.wait_until(lambda: len(desktop.own_discovery_files()) == 2)  # it has looked for what was left, too
    desktop.host.pump(8)  # what was left is looked at twice, and shown once its program has had time to come back
    assert proposals() == {str(first): 0, str(second): 0}
    desktop.host.call("close_window", window=first)
    desktop.host.wait_until(lambda: proposals() == {str(second): 1})


def test_edits_of_a_text_shown_again_survive_a_second_crash(desktop, copilot):
    accept_edits_that_the_program_does_not_write(desktop, copilot)
    desktop.host.kill()
    desktop.host.restart()
    proposal = desktop.wait_proposal()
    desktop.type_at_end(proposal["id"], "# more\n")
    desktop.write("greeting.py", b"theirs\n")
    desktop.accept()
    desktop.host.wait_until(lambda: is_kept(desktop, "# more"))
    desktop.host.kill()
    desktop.host.restart()
    assert desktop.wait_proposal()["text"] == PROPOSAL + "# mine\n# more\n"
    assert len(kept(desktop)) == 1
    desktop.reject()
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: kept(desktop) == [])
    assert desktop.read("greeting.py") == b"theirs\n"


def test_a_reload_of_the_package_leaves_one_lock_that_leads_somewhere(desktop, home, copilot):
    former = copilot.socket
    desktop.host.disable_package()
    assert lock_files(home) == []
    assert not os.path.exists(os.path.dirname(former))
    desktop.host.enable_package()
    (lock,) = desktop.host.wait_until(lambda: lock_files(home))
    assert lock["socketPath"] != former
    with CopilotClient(home, desktop.workspace) as again:
        again.connect()


def test_a_socket_that_a_cleaner_removed_is_made_again(desktop, home, copilot):
    (lock,) = lock_files(home)
    shutil.rmtree(os.path.dirname(lock["socketPath"]))
    desktop.host.wait_until(lambda: os.path.exists(lock["socketPath"]), 10)
    assert lock_files(home) == [lock]
    asked, _ = start_review(desktop, copilot)
    with CopilotClient(home, desktop.workspace) as other:
        other.connect()
        desktop.wait_status("Copilot CLI, Copilot CLI waits: 1 to review")
    desktop.reject()
    assert asked.result(NEVER_SECONDS)["result"] == "REJECTED"
