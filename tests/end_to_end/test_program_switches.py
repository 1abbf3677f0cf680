"""The switch of each program, turned while the program is connected: who is told of the window, and who is not."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.clients.claude import ClaudeClient
from tests.host.waiting import NEVER_SECONDS
from tests.support.listening_client import ListeningClient


@pytest.fixture
def home(desktop):
    return desktop.host.environment["HOME"]


def switch(desktop, program, on):
    settings = "sublime.load_settings('Gemini Companion.sublime-settings')"
    programs = {**desktop.host.evaluate(f"{settings}.get('programs')"), program: {"enabled": on}}
    desktop.host.evaluate(f"{settings}.set('programs', {programs})")


def shown(desktop, name):
    return name in desktop.window()["status_bar"]


def test_a_program_that_is_switched_off_is_told_nothing_any_more(desktop, home):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    with ClaudeClient(home, desktop.workspace, "opencode") as opencode:
        opencode.connect()
        opencode.wait_notification("selection_changed", lambda params: params["text"] == "Hello")
        switch(desktop, "opencode", False)
        opencode.wait_notification("selection_changed", lambda params: params["filePath"] == "")
        desktop.host.wait_until(lambda: not shown(desktop, "opencode"))
        count = len(opencode.notifications)
        desktop.open("greeting.py", row=0, column=0, end_row=0, end_column=3)
        desktop.host.pump(1)
        assert "does not share" in str(opencode.run(opencode.call("getCurrentSelection")))
        assert len(opencode.notifications) == count
        switch(desktop, "opencode", True)
        opencode.wait_notification("selection_changed", lambda params: params["text"] == "def")
    desktop.wait_no_client()


def refused(announcement):
    """Whether the window's port no longer takes the token that a discovery file named."""
    headers = {"Authorization": "Bearer " + announcement["authToken"], "Accept": "text/event-stream"}
    url = f"http://127.0.0.1:{announcement['port']}/events"
    try:
        urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=NEVER_SECONDS).close()
    except urllib.error.HTTPError as error:
        return error.code == 401
    return False


def qwen_file(home):
    (path,) = [each for each in (home / ".qwen" / "ide").iterdir() if each.stem.isdigit()]
    return json.loads(path.read_text())


def test_switching_off_gemini_ends_its_session_and_diff_but_not_qwen_code(desktop, client, home):
    desktop.open("greeting.py", row=1, column=12, end_row=1, end_column=17)
    gemini, qwen = desktop.wait_published(), ListeningClient(qwen_file(Path(home)))
    desktop.wait_status("listening-client", "Gemini CLI")
    pending = client.start_call("open_diff", path=desktop.path("greeting.py"), content="print('Hi')\n")
    desktop.wait_proposal()
    switch(desktop, "gemini", False)
    assert pending.result()["status"] == "rejected"
    desktop.wait_no_review()
    desktop.host.wait_until(lambda: not shown(desktop, "Gemini CLI") and shown(desktop, "listening-client"))
    desktop.host.wait_until(lambda: not desktop.own_discovery_files())
    assert refused(gemini)
    assert client.wait_event("status", lambda state: state["status"] == "disconnected")
    client.events.clear()
    desktop.open("greeting.py", row=0, column=0, end_row=0, end_column=3)
    desktop.host.wait_until(lambda: qwen.active and qwen.active.get("selectedText") == "def")
    assert not [event for event in client.events if event.get("context")]
    assert client.call("connect")["status"] == "disconnected"

    switch(desktop, "gemini", True)
    assert desktop.wait_published()["authToken"] != gemini["authToken"]
    assert client.call("connect")["status"] == "connected"
    desktop.wait_status("Gemini CLI", "listening-client")
    qwen.close()


def test_the_plain_event_stream_ends_with_the_token_that_it_showed(desktop):
    announcement = desktop.wait_published()
    headers = {"Authorization": "Bearer " + announcement["authToken"], "Accept": "text/event-stream"}
    url = f"http://127.0.0.1:{announcement['port']}/events"
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=NEVER_SECONDS) as stream:
        desktop.wait_status("event stream")
        switch(desktop, "gemini", False)
        assert b"openFiles" in stream.read()
    desktop.wait_no_client()
    assert refused(announcement)


def test_a_shared_token_is_refused_once_all_programs_that_share_it_are_off(desktop, home):
    with ClaudeClient(home, desktop.workspace, "somebody-else") as other:
        other.connect()
        desktop.wait_status("somebody-else")
        for program in ("claude", "opencode"):
            switch(desktop, program, False)
            desktop.wait_status("somebody-else")
        switch(desktop, "kilo", False)
        desktop.wait_no_client()
        desktop.host.wait_until(lambda: other.ended)
