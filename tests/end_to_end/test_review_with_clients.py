"""Reviews for the real IDE client and write tool of Gemini CLI: hunks taken back, two clients, a lost one."""

from __future__ import annotations

import pytest

LINES = [f"line {number}\n" for number in range(30)]
PROPOSED = [*LINES[:5], "LINE 5\n", *LINES[6:20], *LINES[21:], "the end\n"]


@pytest.fixture
def file(desktop):
    path = desktop.write("lines.txt", "".join(LINES).encode())
    desktop.open("lines.txt")
    return path


def propose(client, desktop, path, lines, count=1):
    """Starts the real write tool; returns the call and the proposal's view."""
    pending = client.start_call("write", path=path, content="".join(lines))
    assert client.wait_event("confirming")["inEditor"] is True
    view = desktop.wait_proposal(count)["id"]
    desktop.host.wait_until(lambda: len(changes(desktop, view)) > 0)
    return pending, view


def changes(desktop, view):
    """The places that a link beside them takes back."""
    regions = desktop.host.call("snapshot_view", view=view)["regions"]
    return regions.get("gemini_companion.revert", {}).get("regions", [])


def take_back(desktop, view, number):
    left = len(changes(desktop, view)) - 1
    href = f"revert:{number}@*"
    desktop.host.call("click_annotation", key="gemini_companion.revert", href=href, index=number, view=view)
    desktop.host.wait_until(lambda: len(changes(desktop, view)) == left)


def test_edits_and_taking_back_go_together(desktop, client, file):
    before = desktop.arrangement()
    pending, view = propose(client, desktop, file, PROPOSED)
    desktop.type_at_end(view, "mine\n")
    take_back(desktop, view, 0)
    desktop.host.call("press", keys="ctrl+s")
    assert pending.result()["error"] is None
    assert desktop.read("lines.txt").decode() == "".join([*LINES[:20], *LINES[21:], "the end\n", "mine\n"])
    desktop.wait_no_review()
    assert desktop.arrangement() == before


def test_two_clients_review_the_same_file(desktop, client, file):
    with desktop.client() as other:
        assert other.connect()["status"] == "connected"
        first, first_view = propose(client, desktop, file, PROPOSED)
        second, second_view = propose(other, desktop, file, ["from the other\n", *LINES], count=2)
        desktop.host.call("focus_view", view=second_view)
        desktop.reject()
        assert second.result() == {"outcome": "rejected"}
        desktop.host.wait_until(lambda: [view["id"] for view in desktop.views_of_role("proposal")] == [first_view])
        assert desktop.read("lines.txt").decode() == "".join(LINES)
        desktop.accept()
        assert first.result()["error"] is None
        assert desktop.read("lines.txt").decode() == "".join(PROPOSED)
        desktop.wait_no_review()


def test_a_client_that_is_lost_leaves_its_review_and_accept_writes_it(desktop, file):
    before = desktop.arrangement()
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"
        _, view = propose(client, desktop, file, PROPOSED)
        client.kill()
    desktop.host.wait_until(lambda: "has gone" in header(desktop, view))
    take_back(desktop, view, 0)
    desktop.accept()
    desktop.wait_no_review()
    assert desktop.read("lines.txt").decode() == "".join([*LINES[:20], *LINES[21:], "the end\n"])
    own = next(tab for tab in desktop.tabs() if tab["file"] == file)
    assert not own["dirty"]
    assert own["text"] == desktop.read("lines.txt").decode()
    assert desktop.arrangement() == before


def header(desktop, view):
    phantoms = desktop.host.call("snapshot_view", view=view)["phantoms"]
    return " ".join(phantom["text"] for phantom in phantoms if phantom["key"] == "gemini_companion.top")


@pytest.mark.parametrize("name", ["ünï 😀 it's.py", "100% {x} <b>&amp;.py"])
def test_files_with_unusual_names_are_reviewed_and_written(desktop, client, name):
    path = desktop.write(name, b"one\ntwo\n")
    desktop.open(name)
    desktop.host.wait_until(lambda: client.open_files() and client.open_files()[0]["path"] == path)
    before = desktop.arrangement()
    pending, _ = propose(client, desktop, path, ["one\n", "TWO\n"])
    desktop.accept()
    assert pending.result()["error"] is None
    assert desktop.read(name) == b"one\nTWO\n"
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: desktop.arrangement() == before)
