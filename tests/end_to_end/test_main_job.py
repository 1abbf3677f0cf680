"""The main job with the real IdeClient and edit tools of Gemini CLI: connect, context, diffs, files."""

from __future__ import annotations

import pytest

GREETING = "def greet(name):\n    return 'Hello, ' + name\n"


def active_file(client, path, **expected):
    """Waits for a context whose active file is `path` and has these values; returns that file."""

    def fits(event):
        files = (event["context"] or {}).get("workspaceState", {}).get("openFiles", [])
        return files and files[0]["path"] == path and all(files[0].get(key) == value for key, value in expected.items())

    return client.wait_event("context", fits)["context"]["workspaceState"]["openFiles"][0]


def start_edit(client, desktop, name="greeting.py", before="Hello", after="Good day"):
    """Starts the real edit tool; returns the call and the view of the proposal."""
    count = len(desktop.views_of_role("proposal"))
    pending = client.start_call("edit", path=desktop.path(name), before=before, after=after)
    assert client.wait_event("confirming")["inEditor"] is True
    return pending, desktop.wait_proposal(count + 1)


def test_the_client_connects_and_finds_the_tools(desktop, client):
    status = client.call("status")
    assert status["status"] == "connected"
    assert status["diffing"] is True
    assert status["ide"] == {"name": "sublimetext", "displayName": "Sublime Text"}
    assert {"openDiff", "closeDiff"} <= set(client.call("tools"))


def test_the_context_follows_file_cursor_and_selection(desktop, client):
    path = desktop.path("greeting.py")
    desktop.open("greeting.py", row=1, column=4)
    file = active_file(client, path, cursor={"line": 2, "character": 5})
    assert file["isActive"] is True
    assert not file.get("selectedText")
    desktop.host.call("select_rowcol", row=0, column=4, end_row=0, end_column=9)
    active_file(client, path, cursor={"line": 1, "character": 10}, selectedText="greet")
    desktop.host.call("close_tab")
    client.wait_event("context", lambda event: event["context"]["workspaceState"].get("openFiles") == [])


def test_a_client_that_connects_later_hears_the_context_at_once(desktop):
    desktop.open("greeting.py", row=1)
    with desktop.client() as client:
        client.connect()
        active_file(client, desktop.path("greeting.py"), cursor={"line": 2, "character": 1})


def test_an_accepted_diff_is_written_by_the_client(desktop, client):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    pending, proposal = start_edit(client, desktop)
    assert proposal["text"] == GREETING.replace("Hello", "Good day")
    assert desktop.views_of_role("original")[0]["text"] == GREETING
    assert len(desktop.window()["groups"]) == 2
    desktop.accept()
    assert pending.result() == {"outcome": "accepted", "content": GREETING.replace("Hello", "Good day"), "error": None}
    assert desktop.read("greeting.py").decode() == GREETING.replace("Hello", "Good day")
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_edits_of_the_user_are_part_of_what_is_accepted(desktop, client):
    desktop.open("greeting.py")
    pending, proposal = start_edit(client, desktop)
    desktop.type_at_end(proposal["id"], "# reviewed\n")
    assert desktop.read("greeting.py").decode() == GREETING, "nothing may be written before the client does it"
    desktop.accept()
    expected = GREETING.replace("Hello", "Good day") + "# reviewed\n"
    assert pending.result()["content"] == expected
    assert desktop.read("greeting.py").decode() == expected


@pytest.mark.parametrize("way", ["command", "closing the tab"])
def test_a_rejected_diff_changes_nothing(desktop, client, way):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    pending, proposal = start_edit(client, desktop)
    if way == "command":
        desktop.reject()
    else:
        desktop.host.call("close_tab", view=proposal["id"])
    assert pending.result() == {"outcome": "rejected"}
    assert desktop.read("greeting.py").decode() == GREETING
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_the_answer_may_come_from_the_terminal(desktop, client):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    pending, proposal = start_edit(client, desktop)
    desktop.type_at_end(proposal["id"], "# kept\n")
    client.call("resolve", path=desktop.path("greeting.py"), outcome="accepted")
    assert pending.result()["content"].endswith("# kept\n")
    assert desktop.read("greeting.py").endswith(b"# kept\n")
    desktop.wait_no_review()
    assert desktop.arrangement() == before

    pending, proposal = start_edit(client, desktop, before="Good day", after="Hi")
    client.call("resolve", path=desktop.path("greeting.py"), outcome="rejected")
    assert pending.result() == {"outcome": "rejected"}
    desktop.wait_no_review()
    assert b"Good day" in desktop.read("greeting.py")


def test_a_new_file_is_created_by_the_client(desktop, client):
    pending, proposal = start_edit(client, desktop, "new.py", before="", after="x = 1\n")
    assert proposal["text"] == "x = 1\n"
    assert desktop.views_of_role("original") == []
    desktop.accept()
    assert pending.result()["error"] is None
    assert desktop.read("new.py") == b"x = 1\n"


def test_a_file_with_crlf_keeps_its_bytes(desktop, client):
    desktop.write("dos.txt", b"one\r\ntwo\r\nthree\r\n")
    desktop.open("dos.txt")
    pending, proposal = start_edit(client, desktop, "dos.txt", before="two", after="2")
    desktop.type_at_end(proposal["id"], "four\n")
    desktop.accept()
    assert pending.result()["error"] is None
    assert desktop.read("dos.txt") == b"one\r\n2\r\nthree\r\nfour\r\n"


def test_unsaved_edits_in_a_tab_survive(desktop, client):
    view = desktop.open("greeting.py")
    desktop.type_at_end(view, "# not saved\n")
    pending, _ = start_edit(client, desktop)
    desktop.accept()
    assert pending.result()["error"] is None
    assert desktop.read("greeting.py").decode() == GREETING.replace("Hello", "Good day")
    text = desktop.host.evaluate(f"sublime.View({view}).substr(sublime.Region(0, sublime.View({view}).size()))")
    assert text == GREETING + "# not saved\n"
    assert desktop.host.evaluate(f"sublime.View({view}).is_dirty()")


def test_the_write_tool_replaces_the_whole_file(desktop, client):
    pending = client.start_call("write", path=desktop.path("greeting.py"), content="print('all new')\n")
    assert client.wait_event("confirming")["inEditor"] is True
    desktop.wait_proposal()
    desktop.accept()
    assert pending.result()["error"] is None
    assert desktop.read("greeting.py") == b"print('all new')\n"


def test_closing_a_diff_that_is_not_open_gives_nothing(desktop, client):
    assert client.call("close_diff", path=desktop.path("greeting.py")) == {"content": None}


def test_a_client_outside_the_workspace_is_told_of_the_mismatch(desktop, tmp_path):
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    with desktop.client(cwd=str(outside)) as client:
        status = client.connect()
    assert status["status"] == "disconnected"
    assert status["diffing"] is False
