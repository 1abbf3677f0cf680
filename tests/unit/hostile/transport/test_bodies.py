"""Bodies that are being read count against one bound, whoever sends them."""

from __future__ import annotations

import json
import select

from tests.host.waiting import NEVER_SECONDS

MEBIBYTE = 1024 * 1024


def test_bodies_that_are_read_at_once_have_one_bound(attack):
    """Forty clients with the token send 8 MB each and never finish: 320 MB."""
    target = attack({"body_bytes": 9 * MEBIBYTE, "request_seconds": 1000.0})
    clients = [target.connect() for _ in range(40)]
    for client in clients:
        client.sendall(target.head(Content_Length=str(8 * MEBIBYTE)))
        target.flood(client, b" " * 65536, 8 * MEBIBYTE - 65536, 2.0)
    grown = target.grown()
    print(f"{grown:.0f} MB more memory")
    assert grown < 160
    refused, _, _ = select.select(clients, [], [], NEVER_SECONDS)
    assert 503 in map(target.status, refused)
    target.ping()


def test_one_body_as_large_as_allowed_always_has_room(attack):
    target = attack({"body_bytes": 8 * MEBIBYTE})
    for _ in range(8):  # What was read before counts no more.
        with target.connect() as client:
            message = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y" * (7 * MEBIBYTE)}}
            client.sendall(target.post(json.dumps(message).encode()))
            assert target.status(client) == 200


def test_a_body_in_small_chunks_passes(attack):
    """The frames of its chunks are several times as long as what they carry."""
    target = attack()
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "y" * 100000}}).encode()
    with target.connect() as client:
        client.sendall(target.head(Transfer_Encoding="chunked"))
        client.sendall(b"".join(b"1\r\n%c\r\n" % byte for byte in message) + b"0\r\n\r\n")
        assert target.status(client) == 200
