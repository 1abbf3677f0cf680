"""What a server answers to those that may not come in, and to calls that are wrong: plain HTTP, from outside."""

from __future__ import annotations

import http.client
import itertools
import json
import os

import pytest

from tests.host.waiting import NEVER_SECONDS

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


class Caller:
    """Says what no real client says."""

    def __init__(self, announcement):
        self.token = announcement["authToken"]
        self._port = int(announcement["port"])
        self._session = {}

    def send(self, message, token="", method="POST", path="/mcp"):
        """Status, headers with their names in lower case, and body of the answer. Without a `token`, none is shown."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **self._session}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=NEVER_SECONDS)
        try:
            connection.request(method, path, json.dumps(message), headers)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read().decode("utf-8")
        finally:
            connection.close()

    def open_session(self):
        _, headers, _ = self.send(INITIALIZE, self.token)
        self._session = {"Mcp-Session-Id": headers["mcp-session-id"]}
        status, _, _ = self.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, self.token)
        assert status == 202

    def call_tool(self, name, arguments):
        """The kind of error, "isError" or a number, and its words."""
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        status, _, body = self.send(message, self.token)
        assert status == 200
        answer = json.loads(body)
        if "error" in answer:
            return answer["error"]["code"], json.dumps(answer["error"])
        return "isError" if answer["result"].get("isError") else "result", answer["result"]["content"][0]["text"]


@pytest.fixture
def caller(desktop):
    return Caller(desktop.wait_published())


def test_without_the_token_there_is_a_401_and_nothing_else(desktop, caller):
    for token, path, method in itertools.product(
        ("wrong", ""), ("/mcp", "/events", "/anything"), ("POST", "GET", "DELETE")
    ):
        status, headers, body = caller.send(INITIALIZE, token, method, path)
        assert status == 401, (token, path, method)
        assert "www-authenticate" in headers
        assert "mcp-session-id" not in headers
        assert caller.token not in body
        assert desktop.workspace not in body


def test_bad_input_gets_a_clear_answer_and_leaves_the_window_unchanged(desktop, caller):
    desktop.open("greeting.py")
    before = desktop.arrangement()
    caller.open_session()
    for name, arguments, kind, word in (
        ("openDiff", {"filePath": "relative.py", "newContent": ""}, "isError", "absolute"),
        ("openDiff", {"filePath": desktop.workspace, "newContent": ""}, "isError", "folder"),
        ("openDiff", {"filePath": desktop.path("new", ""), "newContent": ""}, "isError", "folder"),
        ("openDiff", {"filePath": desktop.path("greeting.py", ""), "newContent": ""}, "isError", "folder"),
        ("openDiff", {"filePath": desktop.path("\ud800.py"), "newContent": ""}, "isError", "surrogate"),
        ("openDiff", {"filePath": desktop.path("\0.py"), "newContent": ""}, "isError", "NUL"),
        ("openDiff", {"filePath": os.devnull, "newContent": ""}, "isError", "regular"),
        ("openDiff", {"filePath": desktop.path("a.py")}, -32602, "newContent"),
        ("openDiff", {"filePath": 7, "newContent": ""}, -32602, "filePath"),
        ("closeDiff", {}, -32602, "filePath"),
        ("noSuchTool", {}, -32602, "noSuchTool"),
    ):
        answered, words = caller.call_tool(name, arguments)
        assert answered == kind, (name, arguments, words)
        assert word in words
        assert desktop.arrangement() == before, (name, arguments)
