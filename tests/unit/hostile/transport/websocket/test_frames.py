"""Frames that are made to take memory or time, or that are wrong: they end their own connection and nobody else's."""

from __future__ import annotations

import json
import threading

import pytest

from tests.host.waiting import until
from tests.unit.hostile.transport.websocket.conftest import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    frame,
    text,
)

MEBIBYTE = 1024 * 1024
SMALL = {"body_bytes": 2 * MEBIBYTE}
PING_MESSAGE = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
TOO_BIG, PROTOCOL_ERROR, NO_TEXT, NOT_UTF8 = 1009, 1002, 1003, 1007


def served(connect):
    """Whether another client is answered."""
    other = connect().enter()
    other.send(text(PING_MESSAGE))
    answer = other.message()
    other.close()
    return answer == {"jsonrpc": "2.0", "id": 7, "result": {}}


@pytest.mark.parametrize(
    "first, more",
    [
        (frame(TEXT, b"x", said=1 << 40), b""),  # it ends before the frame comes
        (frame(TEXT, said=1 << 40), b"x" * 65536),
        (frame(TEXT, b"x" * 65536, final=False), frame(CONTINUATION, b"x" * 65536, final=False)),
    ],
    ids=["a claim", "a huge frame", "many fragments"],
)
def test_a_message_that_is_too_large_ends_the_connection(enter, first, more):
    target, connect = enter(SMALL)
    attacker = connect().enter()
    attacker.send(first)
    if more:
        attacker.flood(more, 50 * MEBIBYTE)
    assert attacker.close_code() in ((TOO_BIG, 0) if more else (TOO_BIG,))
    assert target.grown() < (16 if more else 8)
    assert served(connect)


@pytest.mark.parametrize("opcode", [TEXT, CONTINUATION, PING, PONG])
def test_empty_frames_without_end_take_no_memory(enter, opcode):
    target, connect = enter(SMALL)
    attacker = connect(small=True).enter()
    if opcode == CONTINUATION:
        attacker.send(frame(TEXT, final=False))
    empty = frame(opcode, final=opcode in (PING, PONG, TEXT)) * 5000
    flood = threading.Thread(target=attacker.flood, args=(empty, 20 * MEBIBYTE, 5))
    flood.start()
    assert served(connect)
    flood.join()
    assert target.grown() < 40
    assert served(connect)


def test_a_message_in_fragments_with_a_ping_between_is_read(enter):
    _, connect = enter()
    attacker = connect().enter()
    first, second = json.dumps(PING_MESSAGE).encode()[:9], json.dumps(PING_MESSAGE).encode()[9:]
    attacker.send(frame(TEXT, first, final=False) + frame(PING, b"still there?") + frame(CONTINUATION, second))
    assert attacker.frame() == (PONG, b"still there?")
    assert attacker.message()["id"] == 7


def test_messages_that_are_read_count_no_longer(enter):
    _, connect = enter(SMALL)
    attacker = connect().enter()
    for _ in range(3):
        attacker.send(text({**PING_MESSAGE, "params": {"padding": "x" * MEBIBYTE}}))
        assert attacker.message()["id"] == 7


def test_bytes_that_come_one_by_one_are_read(enter):
    _, connect = enter()
    attacker = connect().enter()
    for byte in text(PING_MESSAGE):
        attacker.send(bytes([byte]))
    assert attacker.message()["id"] == 7


@pytest.mark.parametrize(
    "data, code",
    [
        (frame(BINARY, b"{}"), NO_TEXT),
        (frame(TEXT, b"\xff\xfe"), NOT_UTF8),
        (frame(TEXT, b"\xed\xa0\x80"), NOT_UTF8),
        (frame(3, b"x"), PROTOCOL_ERROR),
        (frame(11, b"x"), PROTOCOL_ERROR),
        (frame(CONTINUATION, b"x"), PROTOCOL_ERROR),
        (frame(TEXT, b"x", reserved=0x20), PROTOCOL_ERROR),
        (frame(TEXT, b"x", reserved=0x40), PROTOCOL_ERROR),
        (frame(PING, b"x", final=False), PROTOCOL_ERROR),
        (frame(PING, b"x" * 126), PROTOCOL_ERROR),
        (frame(CLOSE, b"\x00"), PROTOCOL_ERROR),
        (frame(CLOSE, b"\x03\xe7"), PROTOCOL_ERROR),
        (frame(TEXT, b"x", final=False) + frame(TEXT, b"y"), PROTOCOL_ERROR),
        (b"\x81\x02{}", PROTOCOL_ERROR),
        (b"\x89\x00", PROTOCOL_ERROR),
        (b"\x81\x7e\x00\x80" + b" " * 128, PROTOCOL_ERROR),
        (frame(TEXT, json.dumps(PING_MESSAGE).encode()[:9], final=False) + b"\x80\x01}", PROTOCOL_ERROR),
    ],
)
def test_what_the_protocol_does_not_allow_ends_the_connection(enter, data, code):
    target, connect = enter()
    attacker = connect().enter()
    attacker.send(data)
    assert attacker.close_code() == code
    assert served(connect)
    assert [line for line in target.log() if "Traceback" in line] == []


def test_a_compression_bomb_is_not_unpacked(enter):
    target, connect = enter()
    attacker = connect()
    assert attacker.upgrade(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits") == 101
    assert "sec-websocket-extensions" not in attacker.answered, "compression is not agreed upon"
    import zlib

    packer = zlib.compressobj(wbits=-15)
    bomb = packer.compress(b" " * (200 * MEBIBYTE)) + packer.flush(zlib.Z_SYNC_FLUSH)
    attacker.send(frame(TEXT, bomb[:-4], reserved=0x40))
    assert attacker.close_code() == PROTOCOL_ERROR
    assert target.grown() < 16


def test_large_messages_at_once_on_many_connections_share_one_limit(enter):
    target, connect = enter({"body_bytes": 8 * MEBIBYTE, "bodies_at_once": 2})
    attackers = [connect().enter() for _ in range(12)]
    for attacker in attackers:
        attacker.flood(frame(TEXT, b"x" * (7 * MEBIBYTE), said=8 * MEBIBYTE - 1), 7 * MEBIBYTE, 3)
    assert target.grown() < 60
    until(lambda: target.gauges()["clients"] < 12)
    assert served(connect)
