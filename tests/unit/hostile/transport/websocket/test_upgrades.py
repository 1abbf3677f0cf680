"""Who may open a WebSocket: no web page, nobody without the secret, and nobody who takes for ever."""

from __future__ import annotations

import socket

import pytest

from tests.host.waiting import until
from tests.unit.hostile.transport.websocket.conftest import HEADER, TOKEN, frame, text


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Origin": "http://127.0.0.1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "vscode-webview://x"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": None}, 400),
        ({HEADER: None}, 401),
        ({HEADER: TOKEN[:-1]}, 401),
        ({HEADER: TOKEN + "x"}, 401),
        ({HEADER: None, "Authorization": "Bearer " + TOKEN}, 401),
        ({HEADER: None, "Sec_WebSocket_Protocol": "mcp, " + TOKEN}, 401),
        ({"Upgrade": None, "Connection": None}, 426),
        ({"Upgrade": "tcp"}, 426),
        ({"Upgrade": "h2c"}, 426),
    ],
)
def test_whoever_may_not_come_in_is_refused_and_the_connection_ends(enter, headers, status):
    target, connect = enter()
    attacker = connect()
    answered = attacker.upgrade(**headers)
    assert answered == status or (status == 400 and answered == 403)
    attacker.flood(b"x" * 65536, 30 * 1024 * 1024, 5)
    assert target.grown() < 12
    assert target.gauges()["clients"] == 0
    assert TOKEN not in "".join(target.log())


def test_what_follows_a_refused_upgrade_in_one_piece_is_not_read(enter):
    _, connect = enter()
    attacker = connect()
    attacker.send(attacker.head(**{HEADER: "wrong"}) + text({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
    answer = b""
    while True:
        part = attacker.socket.recv(65536)
        if not part:
            break
        answer += part
    assert answer.startswith(b"HTTP/1.1 401")
    assert b"tools" not in answer.partition(b"\r\n\r\n")[2]


def test_what_follows_an_upgrade_in_one_piece_is_bounded_too(enter):
    target, connect = enter({"body_bytes": 1 << 20})
    attacker = connect()
    attacker.send(attacker.head() + frame(1, b"x", said=1 << 40))
    assert target.ended(attacker.socket)
    attacker.flood(b"x" * 65536, 50 * 1024 * 1024, 5)
    assert target.grown() < 12
    assert [line for line in target.log() if "Traceback" in line] == []


def test_an_upgrade_that_never_ends_is_given_up(enter):
    _, connect = enter({"request_seconds": 1.0})
    attacker = connect()
    attacker.send(attacker.head()[:-2])
    assert attacker.socket.recv(65536).startswith(b"HTTP/1.1 408")
    silent = connect()
    assert silent.socket.recv(65536).startswith(b"HTTP/1.1 408")


def test_connections_are_bounded(enter):
    _, connect = enter()
    clients = [connect().enter() for _ in range(64)]
    assert connect().upgrade() == 503
    clients[0].close()
    # A client counts as gone a moment before its connection does.
    until(lambda: connect().upgrade() == 101)


def test_idle_connections_without_the_secret_do_not_keep_a_client_out(enter):
    target, connect = enter()
    idle = [connect() for _ in range(200)]
    assert connect().enter()
    assert target.gauges()["descriptors"] < 120
    for each in idle:
        each.close()


def test_a_reset_in_the_middle_of_a_frame_leaves_nothing(enter):
    target, connect = enter()
    descriptors = target.gauges()["descriptors"]
    for _ in range(20):
        attacker = connect().enter()
        attacker.send(frame(1, b"x" * 1000, said=2000))
        attacker.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        attacker.close()
    until(lambda: target.gauges()["clients"] == 0 and target.gauges()["descriptors"] <= descriptors)
    assert [line for line in target.log() if "Traceback" in line] == []
