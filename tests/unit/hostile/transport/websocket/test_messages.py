"""Messages that come in floods, or name each other wrongly."""

from __future__ import annotations

import json

import pytest

from tests.host.waiting import until
from tests.unit.hostile.transport.test_messages import envelope
from tests.unit.hostile.transport.websocket.conftest import TEXT, frame, text

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "openDiff", "arguments": {"filePath": "/a", "newContent": ""}}}  # fmt: skip


def test_the_refusal_says_why_and_the_connection_goes_on(enter):
    target, connect = enter()
    attacker = connect().enter()
    attacker.send(frame(TEXT, envelope(b"[" + b"1," * 200000 + b"1]")))
    assert "50000 values" in attacker.message()["error"]["message"]
    attacker.send(frame(TEXT, b"[" * 100 + b"]" * 100))
    assert "64 levels" in attacker.message()["error"]["message"]
    attacker.send(frame(TEXT, b"{"))
    assert attacker.message()["error"]["code"] == -32700
    attacker.send(text({"jsonrpc": "2.0", "id": 9, "method": "ping"}))
    assert attacker.message()["id"] == 9
    assert [line for line in target.log() if "Traceback" in line] == []


def test_thousands_of_calls_that_wait_are_refused_one_by_one(enter):
    target, connect = enter(waits=True)
    attacker = connect().enter()
    attacker.send(b"".join(text({**CALL, "id": number}) for number in range(3000)))
    refused = [attacker.message() for _ in range(3000 - 64)]
    assert {answer["error"]["message"] for answer in refused} == {"Too many calls wait for their results."}
    assert [answer["id"] for answer in refused] == list(range(64, 3000))
    assert target.gauges()["calls"] == 64
    attacker.close()
    until(lambda: target.gauges()["clients"] == 0)


def test_calls_of_the_same_id_are_answered_once_each(enter):
    _, connect = enter()
    attacker = connect().enter()
    attacker.send(text(CALL) * 10)
    attacker.send(text({"jsonrpc": "2.0", "id": "end", "method": "ping"}))
    heard = [attacker.message()["id"] for _ in range(11)]
    assert sorted(map(str, heard)) == ["1"] * 10 + ["end"]


def test_calls_that_are_taken_back_at_once_are_not_answered(enter):
    target, connect = enter(waits=True)
    attacker = connect().enter()
    for number in range(500):
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        attacker.send(text({**CALL, "id": number}) + text(cancelled) * 2)
    attacker.send(text({"jsonrpc": "2.0", "id": "end", "method": "ping"}))
    assert attacker.message()["id"] == "end"
    assert target.gauges()["calls"] <= 500


@pytest.mark.parametrize(
    "params", [{}, {"requestId": None}, {"requestId": True}, {"requestId": [1]}, {"requestId": 1.0}, {"requestId": "1"}]
)
def test_only_the_call_that_is_named_is_taken_back(enter, params):
    _, connect = enter(waits=True)
    attacker = connect().enter()
    attacker.send(text(CALL) + text({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
    for number in range(64):
        attacker.send(text({**CALL, "id": 100 + number}))
    assert attacker.message()["id"] == 163, "the first one still waits, so one is too many"


def test_a_client_that_reads_nothing_is_let_go(enter):
    target, connect = enter({"queued_bytes": 4 * 1024 * 1024})
    attacker = connect(small=True).enter()
    until(lambda: target.gauges()["clients"] == 1)
    tasks = target.gauges()["tasks"]
    for _ in range(5):
        target.ask("notify")
    until(lambda: target.gauges()["clients"] == 0)
    until(lambda: target.gauges()["tasks"] < tasks)
    assert target.grown() < 80
    attacker.close()


def test_what_a_client_tells_before_the_handshake_counts_for_nothing(enter):
    target, connect = enter()
    attacker = connect()
    assert attacker.upgrade() == 101
    attacker.send(text({"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": 1}}))
    attacker.send(text(CALL))
    answer = attacker.message()
    assert answer["error"]["message"] == "Initialize first."
    assert target.gauges()["calls"] == 0
    assert json.dumps(answer)
