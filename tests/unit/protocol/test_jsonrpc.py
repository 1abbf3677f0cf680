"""Which bytes are which message, and the exact code of each refusal."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("request_id", [0, 1, -5, 2**80, "", "x", "\ud800", 1.5])
def test_requests_are_answered_with_their_own_id(wire, request_id):
    reply = wire.post({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
    assert reply.status == 200
    assert reply.json == {"jsonrpc": "2.0", "id": request_id, "result": {}}


def test_a_fraction_is_echoed_with_the_digits_it_came_with(wire):
    reply = wire.raw(b'{"jsonrpc":"2.0","id":1.500,"method":"ping"}')
    assert reply.answer.body == b'{"jsonrpc":"2.0","id":1.500,"result":{}}'


@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        (b"{", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":NaN}', -32700, None),
        (b"\xff", -32700, None),
        (b"1", -32600, None),
        (b'"ping"', -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b'{"id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":1}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":3}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":7,"result":1,"error":{}}', -32600, 7),
        (b"[" * 100 + b"]" * 100, -32600, None),
    ],
)
def test_refusals(wire, body, code, request_id):
    reply = wire.raw(body)
    assert reply.status == 400
    assert reply.error["code"] == code
    assert reply.json["id"] == request_id
    assert reply.error["message"]


def test_an_unknown_method_is_told_by_name(wire):
    reply = wire.request("no/such")
    assert (reply.status, reply.error["code"]) == (200, -32601)
    assert "no/such" in reply.error["message"]


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/unheard/of", "tools/call", ""])
def test_notifications_are_taken_and_not_answered(wire, method):
    reply = wire.post({"jsonrpc": "2.0", "method": method})
    assert (reply.status, reply.answer.body, reply.calls) == (202, b"", [])


def test_a_bad_notification_is_refused_and_the_session_lives(wire):
    session = wire.connect()
    assert wire.raw(b'{"jsonrpc":"2.0","method":5}', {"Mcp-Session-Id": session}).status == 400
    assert wire.request("ping", session=session).result == {}


def test_responses_are_taken_and_ignored(wire):
    assert wire.post({"jsonrpc": "2.0", "id": 1, "result": {}}).status == 202
    assert wire.post({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}).status == 202
