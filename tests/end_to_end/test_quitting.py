"""An editor that quits: clients are told, and nobody calls an API that has shut down."""

from __future__ import annotations

import http.client
import json
import re

import pytest

from tests.host.waiting import NEVER_SECONDS

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.fixture
def stream(desktop):
    """The event stream of a session with the first window."""
    announcement = desktop.wait_published()
    headers = {
        "Authorization": "Bearer " + announcement["authToken"],
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }
    connection = http.client.HTTPConnection("127.0.0.1", int(announcement["port"]), timeout=NEVER_SECONDS)
    connection.request("POST", "/mcp", json.dumps(INITIALIZE), headers)
    answer = connection.getresponse()
    answer.read()
    headers["Mcp-Session-Id"] = answer.getheader("Mcp-Session-Id")
    connection.request("GET", "/mcp", headers=headers)
    stream = connection.getresponse()
    stream.readline()
    yield stream
    connection.close()


def told_to_wait(stream):
    """Milliseconds: what the client was told last."""
    return int(re.findall(rb"^retry: (\d+)$", stream.read(), re.M)[-1])


def test_an_editor_that_quits_keeps_no_client_trying(desktop, stream):
    """Clients try twice, and have given up within a second: long before the user has started the editor again."""
    desktop.host.quit()
    assert 2 * told_to_wait(stream) < 1000


def test_nor_does_a_window_that_closes(desktop, stream):
    window = desktop.window()["id"]
    desktop.host.call("new_window")
    desktop.host.call("close_window", window=window)
    assert 2 * told_to_wait(stream) < 1000


def test_a_package_that_is_replaced_has_them_wait_for_its_successor(desktop, stream):
    desktop.host.disable_package()
    assert told_to_wait(stream) == 6000


def test_clients_and_a_pending_review_at_the_end(desktop, client):
    desktop.open("greeting.py")
    client.start_call("open_diff", path=desktop.path("greeting.py"), content="changed\n")
    desktop.wait_proposal()
    desktop.host.execute("import logging\nlogging.getLogger('gemini_companion').setLevel('DEBUG')")
    desktop.host.execute("sublime.active_window().run_command('gemini_companion_show_log')")
    desktop.host.quit()
    assert desktop.own_discovery_files() == []
    console = desktop.host.console()
    assert "Traceback" not in console, console[-3000:]
    assert "shut down" not in console, console[-3000:]


def test_the_plugin_host_outlives_an_editor_that_has_crashed(desktop, client):
    """Nobody tells the package: no event comes, no timer fires on the main thread, and the parent is another one."""
    desktop.open("greeting.py")
    pending = client.start_call("open_diff", path=desktop.path("greeting.py"), content="changed\n")
    desktop.wait_proposal()
    assert desktop.own_discovery_files() != []
    desktop.host.execute("import os\nos.getppid = lambda: 1")
    desktop.host.wait_until(lambda: desktop.own_discovery_files() == [])
    assert pending.result() == {"status": "rejected"}
    # A file of another process would be believed: none is written under the new parent's id.
    desktop.host.pump(1.5)
    assert desktop.discovery_files() == []
