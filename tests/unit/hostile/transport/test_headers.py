"""Headers, trailers and pipelined requests without end, by clients that have no token: the memory they can take."""

from __future__ import annotations

import contextlib

import pytest

FLOOD = 25 * 1024 * 1024
MOST = 60
"""Mebibytes that an attack may add to the peak."""
PATIENT = {"request_seconds": 1000.0}
"""Limits of a server that waits longer than any test: whoever is answered beside others did not wait for their end."""


def good_request(target, client):
    """A connection's first request, which needs no token."""
    client.sendall(target.head("GET", "/health", Authorization=None))
    assert target.status(client) == 200


@contextlib.contextmanager
def flooded(target):
    """A connection, to flood and to judge; afterwards others are served."""
    with target.connect() as client:
        yield client
    target.ping()


def take_flood(target, client, data, size=FLOOD):
    """Send so much of `data`, which must cost the server no more memory than is bearable."""
    sent = target.flood(client, data, size)
    grown = target.grown()
    print(f"{sent / 1e6:.1f} MB sent, {grown:.0f} MB more memory")
    assert grown < MOST


@pytest.mark.parametrize("later", [False, True], ids=["first request", "later request"])
@pytest.mark.parametrize(
    "data", [b"a:\r\n" * 1024, b"a: b\r\n x\r\n" * 400, b"h" * 8192], ids=["tiny", "folded", "long"]
)
def test_a_header_without_end(attack, later, data):
    target = attack()
    with flooded(target) as client:
        if later:
            good_request(target, client)
        client.sendall(target.head("GET", "/health")[:-2])
        take_flood(target, client, data)
        assert target.ended(client)


@pytest.mark.parametrize("token", [False, True])
def test_trailers_without_end(attack, token):
    target = attack()
    with flooded(target) as client:
        head = {} if token else {"Authorization": "Bearer wrong"}
        client.sendall(target.head(Transfer_Encoding="chunked", **head))
        client.sendall(b"4\r\ntrue\r\n0\r\n")
        take_flood(target, client, b"a:\r\n" * 1024)
        assert target.ended(client)


def test_a_refused_body_that_goes_on_is_not_kept(attack):
    target = attack()
    with flooded(target) as client:
        client.sendall(target.head(Authorization=None, Content_Length=str(FLOOD)))
        take_flood(target, client, b"x" * 65536, FLOOD - 1)
        assert target.status(client) in (0, 401)


def test_a_flood_behind_a_request_to_upgrade(attack):
    target = attack()
    with flooded(target) as client:
        client.sendall(target.head("GET", "/health", Connection="Upgrade", Upgrade="websocket"))
        take_flood(target, client, b"x" * 65536)


def test_answers_that_are_not_read(attack):
    """Requests one after the other on one connection, and not one answer is read."""
    target = attack({"request_seconds": 3.0})
    with flooded(target) as client:
        request = target.head("GET", "/health", Authorization=None, Content_Type=None, Accept=None)
        take_flood(target, client, request * 500)
        assert target.ended(client)


def test_requests_behind_a_stream(attack):
    """The first request is answered by a stream without end; those behind it wait for ever."""
    target = attack()
    with flooded(target) as client:
        client.sendall(target.head("GET", "/events"))
        assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
        take_flood(target, client, target.head("GET", "/health") * 200)


def test_many_connections_with_half_a_header(attack):
    """What one connection may take, taken by as many as can be had."""
    target = attack(PATIENT)
    held = [target.connect() for _ in range(100)]
    for client in held:
        try:
            client.sendall(target.head("GET", "/health")[:-2] + b"a:\r\n" * 8000)
        except OSError:  # had to make room
            pass
    target.ping()
    grown = target.grown()
    print(f"{grown:.0f} MB more memory")
    assert grown < MOST


@pytest.mark.parametrize("first", [False, True], ids=["after the header", "within the header"])
def test_a_later_header_has_its_time(attack, first):
    """A header that comes byte by byte after a good request is not waited for longer than the first one."""
    target = attack({"request_seconds": 1.0})
    with target.connect() as client:
        good_request(target, client)
        head = target.head("GET", "/health")
        client.sendall(head[:20] if first else head + head[:20])
        if not first:
            assert target.status(client) == 200
            client.sendall(head[20:21])
        assert target.status(client) in (0, 408)
        assert target.ended(client)
