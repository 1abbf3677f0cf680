"""Several messages in one POST: only 2025-03-26 has them."""

from __future__ import annotations

import json

import pytest

from companion.protocol.limits import Limits


def ping(number):
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


def post(wire, batch, revision="2025-03-26"):
    return wire.post(batch, {"Mcp-Session-Id": wire.connect(revision)})


def test_each_request_is_answered_once_and_notifications_are_not(wire):
    arguments = {"name": "echo", "arguments": {"text": "x"}}
    batch = [
        ping(1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": arguments},
        {"jsonrpc": "2.0", "id": 1, "method": "nope"},
        17,
        {"jsonrpc": "2.0", "id": 9, "method": "initialize"},
    ]
    answers = post(wire, batch).json
    assert sorted(json.dumps(answer["id"]) for answer in answers) == ['"b"', "1", "1", "9", "null"]
    codes = [(answer["id"], answer["error"]["code"]) for answer in answers if "error" in answer]
    assert codes == [(1, -32601), (None, -32600), (9, -32600)]
    assert len(wire.opened) == 1, "no session is begun inside of a batch"


def test_a_batch_without_requests_gets_202(wire):
    assert post(wire, [{"jsonrpc": "2.0", "method": "notifications/initialized"}]).status == 202


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (3, 200), (4, 400)])
def test_how_many_messages_a_batch_may_hold(make_wire, count, status):
    reply = post(make_wire(Limits(batch_messages=3)), [ping(number) for number in range(count)])
    assert reply.status == status
    if status == 200:
        assert [answer["id"] for answer in reply.json] == list(range(count))


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_other_revisions_refuse_them(wire, revision):
    if revision == "2026-07-28":
        reply = wire.post([ping(1)], {"MCP-Protocol-Version": revision})
    else:
        reply = post(wire, [ping(1)], revision)
    assert (reply.status, reply.error["code"]) == (400, -32600)
