"""Who gets in, who does not, and what is left behind: discovery files, tokens, workspaces, bad input."""

from __future__ import annotations

import http.client
import json
import os

import pytest

from tests.host.driver import Host
from tests.tools.desktop import Desktop

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


class Caller:
    """Plain HTTP, to say what no real client says."""

    def __init__(self, announcement):
        self.port, self.token = int(announcement["port"]), announcement["authToken"]
        self.session = None

    def post(self, message, token=None, method="POST", path="/mcp"):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token is not False:
            headers["Authorization"] = f"Bearer {token or self.token}"
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, json.dumps(message), headers)
            response = connection.getresponse()
            body = response.read().decode("utf-8")
            return response.status, dict(response.getheaders()), body
        finally:
            connection.close()

    def open_session(self):
        _, headers, _ = self.post(INITIALIZE)
        self.session = {name.lower(): value for name, value in headers.items()}["mcp-session-id"]
        status, _, _ = self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert status == 202

    def call_tool(self, name, arguments):
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        status, _, body = self.post(message)
        assert status == 200
        if body.startswith(("event:", "data:", "id:", ":")):
            body = next(line[5:] for line in body.splitlines() if line.startswith("data:") and line[5:].strip())
        return json.loads(body)


@pytest.mark.parametrize("token", ["wrong", False])
def test_without_the_token_there_is_a_401_and_nothing_else(desktop, token):
    caller = Caller(desktop.wait_published())
    for path in ("/mcp", "/events", "/anything"):
        for method in ("POST", "GET", "DELETE"):
            status, headers, body = caller.post(INITIALIZE, token, method, path)
            assert status == 401
            assert "WWW-Authenticate" in headers
            assert "mcp-session-id" not in {name.lower() for name in headers}
            assert caller.token not in body
            assert desktop.workspace not in body


def test_a_client_outside_the_workspace_is_told_of_the_mismatch(desktop, tmp_path):
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    with desktop.client(cwd=str(outside)) as client:
        status = client.connect()
    assert status["status"] == "disconnected"
    assert status["diffing"] is False


def test_the_discovery_file_is_private_and_complete(desktop):
    announcement = desktop.wait_published()
    assert announcement["workspacePath"] == desktop.workspace
    assert announcement["ideInfo"] == {"name": "sublimetext", "displayName": "Sublime Text"}
    path = desktop.own_discovery_files()[0]
    assert os.path.basename(path) == f"gemini-ide-server-{desktop.host.editor_pid}-{announcement['port']}.json"
    if os.name != "nt":
        assert os.stat(path).st_mode & 0o777 == 0o600


def test_quitting_removes_the_discovery_file(desktop):
    desktop.host.quit()
    assert desktop.discovery_files() == []


def test_switching_off_removes_the_discovery_file_and_switching_on_brings_one_back(desktop):
    desktop.host.disable_package()
    assert desktop.discovery_files() == []
    desktop.host.enable_package()
    desktop.wait_published()
    with desktop.client() as client:
        assert client.connect()["status"] == "connected"


def test_a_file_left_by_a_killed_editor_is_removed_by_the_next_start(desktop, processes):
    left = desktop.own_discovery_files()
    desktop.host.kill()
    assert desktop.discovery_files() == left
    with Host.start(folders=[desktop.workspace], env={"TMPDIR": desktop.host.environment["TMPDIR"]}) as host:
        second = Desktop(host, desktop.workspace, processes)
        second.wait_published()
        host.wait_until(lambda: not any(os.path.exists(path) for path in left))
        with second.client() as client:
            assert client.connect()["status"] == "connected"


@pytest.mark.parametrize(
    "name, arguments, kind, word",
    [
        ("openDiff", {"filePath": "relative.py", "newContent": ""}, "isError", "absolute"),
        ("openDiff", {"filePath": "{workspace}", "newContent": ""}, "isError", "folder"),
        ("openDiff", {"filePath": "{workspace}/new/", "newContent": ""}, "isError", "folder"),
        ("openDiff", {"filePath": "{workspace}/greeting.py/", "newContent": ""}, "isError", "folder"),
        ("openDiff", {"filePath": "{workspace}/\ud800.py", "newContent": ""}, "isError", "surrogate"),
        ("openDiff", {"filePath": "{workspace}/\0.py", "newContent": ""}, "isError", "NUL"),
        ("openDiff", {"filePath": os.devnull, "newContent": ""}, "isError", "regular"),
        ("openDiff", {"filePath": "{workspace}/a.py"}, -32602, "newContent"),
        ("openDiff", {"filePath": 7, "newContent": ""}, -32602, "filePath"),
        ("closeDiff", {}, -32602, "filePath"),
        ("noSuchTool", {}, -32602, "noSuchTool"),
    ],
)
def test_bad_input_gets_a_clear_answer_of_the_right_kind(desktop, name, arguments, kind, word):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    caller = Caller(desktop.wait_published())
    caller.open_session()
    filled = {
        key: value.replace("{workspace}", desktop.workspace) if isinstance(value, str) else value
        for key, value in arguments.items()
    }
    answer = caller.call_tool(name, filled)
    if kind == "isError":
        assert answer["result"]["isError"] is True
        assert word in answer["result"]["content"][0]["text"]
    else:
        assert answer["error"]["code"] == kind
        assert word in json.dumps(answer["error"])
    assert desktop.arrangement() == before


def test_the_largest_message_is_a_setting_that_works_at_once(desktop):
    caller = Caller(desktop.wait_published())
    caller.open_session()
    large = {"filePath": desktop.path("greeting.py"), "newContent": "x" * 2000000}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "openDiff", "arguments": large}}

    def allow(mebibytes):
        desktop.host.execute(
            f"sublime.load_settings('Gemini Companion.sublime-settings').set('maximum_body_mebibytes', {mebibytes})"
        )

    allow(1)
    desktop.host.wait_until(lambda: caller.post(call)[0] == 413)
    assert desktop.views_of_role("proposal") == []
    allow(3)
    desktop.host.wait_until(lambda: caller.post(call)[0] == 200)
    desktop.wait_proposal()
