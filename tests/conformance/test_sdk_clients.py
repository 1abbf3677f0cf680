"""Clients made of the official SDKs: initialize, list, openDiff, context, accept, against the server as shipped."""

from __future__ import annotations

import json
import os

import pytest

from tests.conformance.demo_tools import CONTEXT
from tests.conformance.servers import CLIENTS, run_program
from tests.tools import nodes

TOOL_NAMES = ["openDiff", "closeDiff", "acceptDiff", "rejectDiff"]
ACCEPTED = {"filePath": "/workspace/greeting.txt", "content": "proposed\nedited\n"}


def last_line(done):
    assert done.returncode == 0, done.stdout
    # What a library logs at its end may stand behind it.
    return json.loads([line for line in done.stdout.splitlines() if line.startswith("{")][-1])


def without_meta(value):
    return {key: inner for key, inner in value.items() if key != "_meta"}


@pytest.mark.parametrize(
    ("program", "argument", "revision"),
    [
        ("typescript_1.mjs", "mcp-sdk-1-23", "2025-06-18"),  # as inside Gemini CLI
        ("typescript_1.mjs", "mcp-sdk-1-newest", "2025-11-25"),
        ("typescript_2.mjs", "legacy", "2025-11-25"),
        ("typescript_2.mjs", "auto", "2026-07-28"),
    ],
)
def test_typescript(node, shipped_server, program, argument, revision):
    environment = shipped_server.environment(nodes.packages("mcp_sdk"))
    got = last_line(run_program([node, str(CLIENTS / "mcp_sdk" / program), argument], environment))
    assert got["revision"] == revision
    assert got["server"]["title"] == "Gemini Companion"
    assert got["tools"] == TOOL_NAMES
    assert without_meta(got["opened"]) == {"content": []}
    assert without_meta(got["context"]) == CONTEXT
    assert without_meta(got["accepted"]) == ACCEPTED
    assert got["closed"]["content"] == [{"type": "text", "text": '{"content": null}'}]
    assert '"newContent" is missing' in got["refusal"]
    assert got["errors"] == []


@pytest.mark.parametrize(("mode", "revision"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_python(sdk_python, shipped_server, mode, revision):
    environment = dict(os.environ, COMPANION_TEST_TOKEN=shipped_server.token, COMPANION_TEST_URL=shipped_server.url)
    program = str(CLIENTS / "mcp_python" / "conversation.py")
    got = last_line(run_program([sdk_python, program, mode], environment))
    assert got["revision"] == revision
    assert got["server"] == "gemini-companion"
    assert got["tools"] == TOOL_NAMES
    assert got["opened"] == {"content": [], "isError": False}
    assert got["closed"] == ['{"content": null}']
    if mode == "legacy":
        # In the stateless revision this SDK can listen only for what the specification itself names.
        assert got["context"] == CONTEXT
        assert got["accepted"] == ACCEPTED
