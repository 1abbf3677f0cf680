"""Claude Code and opencode beside the editor, as clients that send their literal messages: what a user sees."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.clients.claude import ClaudeClient, lock_files
from tests.host.waiting import NEVER_SECONDS

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"
PROPOSAL = GREETING.replace("Hello", "Good day")
NAME = "\u273b [Claude Code] greeting.py (a1b2c3) \u29c9"


@pytest.fixture
def home(desktop):
    return desktop.host.environment["HOME"]


@pytest.fixture
def claude(desktop, home):
    """Claude Code, connected, with the word "Hello" selected in the editor."""
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ClaudeClient(home, desktop.workspace) as client:
        client.connect()
        desktop.wait_status("Claude Code")  # the commands know of it, too
        yield client


def start_review(desktop, client, text=PROPOSAL, name=NAME):
    asked = client.open_diff(desktop.path("greeting.py"), text, name)
    return asked, desktop.wait_proposal()


def test_the_lock_file_says_what_the_program_asks_for(desktop, home):
    files = desktop.host.wait_until(lambda: lock_files(home))
    ((port, lock),) = files.items()
    assert lock["transport"] == "ws"
    assert lock["ideName"] == "Sublime Text"
    assert lock["workspaceFolders"] == [os.path.realpath(desktop.workspace)]
    assert lock["pid"] == desktop.host.editor_pid
    assert len(lock["authToken"]) > 30
    folder = os.path.join(home, ".claude", "ide")
    assert os.stat(folder).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(folder, f"{port}.lock")).st_mode & 0o777 == 0o600


def test_it_hears_of_the_selection_and_the_user_of_it(desktop, claude):
    desktop.wait_status("Claude Code")
    params = claude.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
    assert params["filePath"] == desktop.path("greeting.py")
    assert params["selection"] == {
        "start": {"line": 1, "character": 12},
        "end": {"line": 1, "character": 17},
        "isEmpty": False,
    }
    selection = json.loads(claude.run(claude.call("getCurrentSelection"))[0])
    assert selection["text"] == "Hello"
    assert selection["success"]


def test_a_program_that_is_slow_to_start_is_told_the_selection_again(desktop, claude):
    claude.wait_until(lambda: claude.notifications)
    claude.notifications.clear()  # until it has started, the program misses what it is sent
    for _ in range(2):
        claude.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
        claude.notifications.clear()


def test_a_diff_is_accepted_with_a_change_of_the_user(desktop, claude):
    before = desktop.arrangement()
    assert claude.run(claude.call("closeAllDiffTabs")) == ["CLOSED_0_DIFF_TABS"]
    asked, proposal = start_review(desktop, claude)
    assert proposal["text"] == PROPOSAL
    desktop.type_at_end(proposal["id"], "# reviewed\n")
    desktop.accept()
    assert asked.result(NEVER_SECONDS) == ["FILE_SAVED", PROPOSAL + "# reviewed\n"]
    assert desktop.read("greeting.py").decode() == GREETING, "the program writes, after the answer"
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert claude.run(claude.call("close_tab", tab_name=NAME)) == ["TAB_CLOSED"]


def test_two_sessions_of_it_are_told_apart_and_their_diffs_listed_together(desktop, claude, home):
    with ClaudeClient(home, desktop.workspace) as second:
        second.connect()
        desktop.wait_status("2 Claude Code")
        for number, client in enumerate((claude, second, claude, second)):
            desktop.write(f"{number}.py", b"old\n")
            client.open_diff(desktop.path(f"{number}.py"), "new\n", f"name {number}")
            desktop.wait_status(f"{number + 1} to review")
        titles = sorted(view["title"] for view in desktop.views_of_role("proposal"))
        first_of_each = [f"{number}.py \u2190 Claude Code{' 2' * (number % 2)} (proposal)" for number in range(2)]
        assert titles == first_of_each, "the others come after them"
        desktop.host.call("run_palette", caption="Companion: Show Pending Diffs")
        rows = desktop.host.wait_until(lambda: desktop.window()["quick_panel"])["items"][:4]
        assert [row["trigger"] for row in rows] == ["0.py", "2.py", "1.py", "3.py"]
        assert [row["annotation"].split(",")[0] for row in rows] == ["Claude Code"] * 2 + ["Claude Code 2"] * 2
        desktop.host.call("choose", item=-1)
        assert second.run(second.call("closeAllDiffTabs")) == ["CLOSED_2_DIFF_TABS"], "those of this session alone"
        desktop.wait_proposal(1)
    desktop.wait_status("Claude Code")


def test_an_untouched_text_comes_back_letter_by_letter(desktop, claude):
    for text in ("", "no newline", "\ufeffmark\n", "a\r\nb\r\n", "mixed\r\nends\n", "\u00e4\u20ac\U0001f600\n"):
        asked, _ = start_review(desktop, claude, text)
        desktop.accept()
        assert asked.result(NEVER_SECONDS) == ["FILE_SAVED", text]
        desktop.wait_no_review()


def test_a_diff_is_rejected(desktop, claude):
    asked, _ = start_review(desktop, claude)
    desktop.reject()
    assert asked.result(NEVER_SECONDS) == ["DIFF_REJECTED", NAME]
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == GREETING


def test_an_answer_in_the_terminal_closes_the_diff_without_another_one(desktop, claude):
    before = desktop.arrangement()
    asked, _ = start_review(desktop, claude)
    assert claude.run(claude.call("close_tab", tab_name=NAME)) == ["TAB_CLOSED"]
    desktop.wait_no_review()
    assert desktop.arrangement() == before
    assert asked.result(NEVER_SECONDS)["result"]["isError"]


def test_the_program_ends_while_a_diff_waits_and_the_user_decides(desktop, home):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with ClaudeClient(home, desktop.workspace, pid=ended.pid) as client:
        client.connect()
        start_review(desktop, client)
    desktop.wait_no_client()
    desktop.accept()
    desktop.host.wait_until(lambda: desktop.read("greeting.py").decode() == PROPOSAL)
    desktop.wait_no_review()


def test_a_broken_connection_of_a_program_that_lives_closes_its_diff(desktop, claude):
    start_review(desktop, claude)
    claude.break_off()
    desktop.wait_no_review()
    assert desktop.read("greeting.py").decode() == GREETING


def test_a_reload_of_the_package_keeps_port_and_secret(desktop, home, claude):
    port = claude.port
    (lock,) = lock_files(home).values()
    desktop.host.disable_package()
    desktop.host.enable_package()
    files = desktop.host.wait_until(lambda: lock_files(home))
    assert {port: lock} == files


def test_send_selection_is_told_where_the_program_listens(desktop, claude):
    desktop.host.call("run_palette", caption="Companion: Send Selection to Agent")
    params = claude.wait_notification("at_mentioned")
    assert params == {"filePath": desktop.path("greeting.py"), "lineStart": 1, "lineEnd": 1}


def test_pausing_takes_back_what_was_selected(desktop, claude):
    claude.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
    desktop.host.call("run_palette", caption="Companion: Pause Sharing")
    claude.wait_until(lambda: claude.notifications[-1][1]["filePath"] == "")
    assert claude.run(claude.call("getOpenEditors")) == ['{"tabs": []}']
    assert '"success": false' in claude.run(claude.call("getCurrentSelection"))[0]


class TestFilesOnItsWord:
    """What it may have opened and saved, through a link or under a tab's edits."""

    @pytest.fixture(autouse=True)
    def secret(self, desktop, claude):
        self.desktop, self.claude = desktop, claude
        with open(desktop.path(".env"), "w", encoding="utf-8") as file:
            file.write("KEY=1\n")
        os.symlink(desktop.path(".env"), desktop.path("notes.txt"))

    def said(self, tool, **arguments):
        return self.claude.run(self.claude.call(tool, **arguments))

    def test_a_link_to_a_secret_is_neither_opened_nor_saved(self):
        assert "does not share this file" in str(self.said("openFile", filePath=self.desktop.path("notes.txt")))
        assert self.desktop.host.evaluate("[view.file_name() for view in window.views()]") == [
            self.desktop.path("greeting.py")
        ]

    def test_files_take_no_focus_from_a_terminal_and_there_are_only_so_many(self):
        self.desktop.host.execute(
            "view = window.new_file(); view.set_scratch(True); view.settings().set('terminus_view', True)"
        )
        said = ""
        for number in range(30):
            self.desktop.write(f"{number}.py", b"")
            said = str(self.said("openFile", filePath=self.desktop.path(f"{number}.py")))
            assert self.desktop.host.evaluate("bool(window.active_view().settings().get('terminus_view'))")
        assert "20 files that agents have opened are open" in said
        assert self.desktop.host.evaluate("len(window.views())") == 22

    def test_what_is_selected_in_such_a_link_is_not_told(self):
        self.desktop.open("notes.txt", row=0, column=0, end_row=0, end_column=5)
        self.desktop.host.pump(0.5)  # in which it would hear of any other file
        assert "KEY" not in str(self.said("getCurrentSelection"))
        assert "notes" not in str(self.said("getOpenEditors"))
        assert "notes" not in str(self.said("getDiagnostics"))
        self.desktop.open("greeting.py", row=1, column=4, end_row=1, end_column=10)
        self.desktop.host.wait_until(lambda: "return" in str(self.claude.notifications[-1:]))
        assert "notes" not in str(self.claude.notifications)
        assert "KEY" not in str(self.claude.notifications)

    def test_what_another_program_has_written_is_not_overwritten(self):
        path = self.desktop.path("greeting.py")
        self.desktop.host.execute("window.active_view().run_command('insert', {'characters': 'typed'})")
        with open(path, "w", encoding="utf-8") as file:
            file.write("of another program\n")
        assert "has changed on the disk" in str(self.said("saveDocument", filePath=path))
        with open(path, encoding="utf-8") as file:
            assert file.read() == "of another program\n"
        assert self.desktop.host.evaluate("window.active_view().is_dirty()")

    def test_what_has_been_deleted_is_not_brought_back(self):
        path = self.desktop.path("greeting.py")
        self.desktop.host.execute("window.active_view().run_command('insert', {'characters': 'typed'})")
        os.unlink(path)
        assert "is not on the disk" in str(self.said("saveDocument", filePath=path))
        assert not os.path.exists(path)
        assert self.desktop.host.evaluate("window.active_view().is_dirty()")
