"""Several messages in one POST (2025-03-26)."""

from __future__ import annotations

import pytest

from companion.protocol.limits import Limits

BATCHING = "2025-03-26"


def call(number):
    return {
        "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "x"}},
    }  # fmt: skip


def ping(number):
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (3, 200), (4, 400)])
def test_how_many_messages_a_batch_may_hold(make_wire, count, status):
    wire = make_wire(Limits(batch_messages=3))
    headers = {"Mcp-Session-Id": wire.connect(BATCHING)}
    reply = wire.post([ping(number) for number in range(count)], headers)
    assert reply.status == status
    if status == 200:
        assert [answer["id"] for answer in reply.json] == list(range(count))


def test_a_session_is_not_begun_inside_a_batch(wire):
    headers = {"Mcp-Session-Id": wire.connect(BATCHING)}
    params = {"protocolVersion": BATCHING, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    reply = wire.post([begin, ping(2)], headers)
    assert [("error" in answer) for answer in reply.json] == [True, False]
    assert len(wire.opened) == 1


def test_nor_outside_of_any_session(wire):
    params = {"protocolVersion": BATCHING, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    reply = wire.post([begin])
    assert "error" in reply.json[0]
    assert wire.opened == []
