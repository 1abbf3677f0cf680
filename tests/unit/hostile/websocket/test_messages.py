"""Messages that are made to take long, come in floods, or name each other wrongly."""

from __future__ import annotations

import json
import threading
import time

import pytest

from tests.unit.hostile.frozen.test_messages import ATTACKS, TEXTS, envelope
from tests.unit.hostile.websocket.conftest import TEXT, frame, text, until

LONGEST_STALL = 0.5
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "openDiff", "arguments": {"filePath": "/a", "newContent": ""}}}  # fmt: skip


def answer_of(target, connect, body):
    """The answer to a message, while another client pings; whether that one, or the main thread, was held up; and how
    often the message was sent.

    What holds others up does so every time, and so the best of three counts on a machine that is busy with others.
    """
    sent, held_up = 0, True
    while held_up and sent < 3:
        answer, wait = answer_once(target, connect, body)
        sent += 1
        stall = target.gauges()["main_stall"]
        print(f"another client waited {wait:.2f} s, the main thread {stall:.2f} s")
        held_up = stall >= LONGEST_STALL or wait >= 2 * LONGEST_STALL
    return answer, held_up, sent


def answer_once(target, connect, body):
    waits, done = [], threading.Event()

    def others():
        other = connect().enter()
        while not done.is_set():
            began = time.monotonic()
            other.send(text({"jsonrpc": "2.0", "id": 7, "method": "ping"}))
            other.message()
            waits.append(time.monotonic() - began)
            time.sleep(0.02)

    attacker = connect().enter()
    target.gauges(reset=True)
    thread = threading.Thread(target=others)
    thread.start()
    try:
        attacker.send(frame(TEXT, body))
        answer = attacker.message()
    finally:
        done.set()
        thread.join()
        attacker.close()
    return answer, max(waits)


@pytest.mark.parametrize("name", ["nested lists", "deep lists", "strings", "keys", "an endless number", "no json"])
def test_a_message_that_is_made_to_take_long_is_refused_at_once(enter, name):
    target, connect = enter()
    answer, held_up, _ = answer_of(target, connect, envelope(ATTACKS[name]()))
    assert answer["error"]["code"] in (-32600, -32700)
    assert not held_up
    assert target.grown() < 450


@pytest.mark.parametrize("name", ["code", "surrogate pairs", "utf-8"])
def test_a_large_text_is_taken_and_holds_nobody_up(enter, name):
    target, connect = enter()
    answer, held_up, sent = answer_of(target, connect, envelope(TEXTS[name]()))
    assert answer["id"] == 1 and target.gauges()["calls"] == sent
    assert not held_up


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
    assert answer["error"]["message"] == "Initialize first." and target.gauges()["calls"] == 0
    assert json.dumps(answer)
