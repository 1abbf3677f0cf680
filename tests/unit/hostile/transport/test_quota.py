"""Connections that have not shown a token: how many descriptors of the process they can hold."""

from __future__ import annotations

PATIENT = {"request_seconds": 1000.0}
"""Limits of a server that waits longer than any test: whoever is served beside others did not wait for their end."""


def served_beside_quota(target):
    """An eighth of 256 descriptors is taken at most, and a client with the token is served."""
    target.ping()
    taken = target.gauges()["descriptors"] - target.start["descriptors"]
    print(f"{taken} descriptors taken")
    assert taken <= 256 // 8 + 2


def test_idle_connections_without_a_token_have_a_quota(attack):
    """A process with 256 descriptors, as macOS gives desktop programs, and 260 idle connections to two endpoints."""
    target = attack(PATIENT, servers=2, descriptors=256)
    for number in range(260):
        target.connect(target.ports[number % 2])
    served_beside_quota(target)
    assert not [line for line in target.log() if "Traceback" in line]


def test_a_client_with_the_token_keeps_its_connection(attack):
    target = attack(PATIENT, descriptors=256)
    with target.connect() as client:
        client.sendall(target.post())
        assert target.status(client) == 200
        for _ in range(200):
            target.connect()
        target.ping()
        client.sendall(target.post())
        assert target.status(client) == 200


def test_refused_clients_do_not_hold_what_is_left(attack):
    """Each is refused for its token in the middle of a body, and goes on sending nothing."""
    target = attack(PATIENT, descriptors=256)
    for _ in range(200):
        target.connect().sendall(target.head(Authorization="Bearer wrong", Content_Length="1000"))
    served_beside_quota(target)


def test_as_many_clients_as_there_are_descriptors_leave_some_to_others(attack):
    """With the token: half of the process's descriptors, then a clear refusal."""
    target = attack(PATIENT, descriptors=256)
    before = target.start["descriptors"]
    statuses = []
    for _ in range(200):
        client = target.connect()
        client.sendall(target.post())
        statuses.append(target.status(client))
    taken = target.gauges()["descriptors"] - before
    print(f"{taken} descriptors taken, {statuses.count(200)} answered, {statuses.count(503)} refused")
    assert taken <= 130
    assert statuses[:100] == [200] * 100


def test_all_servers_together_leave_some_to_others(attack):
    """One client, with the tokens of a port and of a socket in the file system, takes all it can get of both. What it
    has is not closed for others, who are refused until it lets go of some."""
    target = attack(PATIENT, servers=3, socket=True, descriptors=256)
    before = target.start["descriptors"]
    clients = []
    for number in range(400):
        server = (0, 2)[number % 2]
        client = target.connect_to(server)
        clients.append(client)
        client.sendall(target.post_to(server))
        target.status(client)
    taken = target.gauges()["descriptors"] - before
    print(f"{taken} descriptors taken")
    assert 100 <= taken <= 130
    client = target.connect_to(1)
    client.sendall(target.post_to(1))
    assert target.status(client) == 503
    clients[0].sendall(target.post_to(0))
    assert target.status(clients[0]) == 200
    for each in clients[:10]:
        each.close()
    target.ping(1)


def test_what_repeats_is_one_line_in_the_log(attack):
    """A thousand clients that speak no HTTP, or have no token."""
    target = attack()
    for number in range(500):
        with target.connect() as client:
            client.sendall(b"\x16\x03\x01 no http\r\n\r\n" if number % 2 else target.head(Authorization="Bearer no"))
            target.status(client)
    lines = target.log()
    print(f"{len(lines)} lines")
    assert len(lines) <= 6, lines[:10]
