"""Who listens, on how many streams, and who is told that something waits."""

from __future__ import annotations

from companion.protocol.effects import Wake
from companion.protocol.limits import Limits


def subscribe(wire, token_name=""):
    """A stateless client listens; its stream."""
    reply = wire.modern("subscriptions/listen", {"notifications": {"note": True}}, token_name)
    return reply.opened[0].stream


def test_a_subscription_that_is_cut_gets_nothing_more_kept_for_it(make_wire):
    wire = make_wire(Limits(queued_messages=3), subscribable=["note"])
    first, second = subscribe(wire), subscribe(wire)
    assert len(wire.opened) == 1, "it is the same client"
    wire.lose(first)
    for _ in range(10):
        wire.notify("note", {"n": 1})
        assert b'"n":1' in wire.take(second)
    assert not wire.closed


def test_clients_that_introduce_themselves_alike_are_told_apart_by_their_tokens(wire):
    for name in ("gemini", "qwen", "gemini"):
        subscribe(wire, name)
    assert [client.token_name for client in wire.opened] == ["gemini", "qwen"]


def test_when_the_newest_stream_is_lost_an_older_one_is_told_of_what_waits(wire):
    session = wire.connect()
    first, second = wire.listen(session), wire.listen(session)
    wire.notify("note", {"n": 1})
    assert wire.lose(second) == [Wake((first,))]
    assert [message["params"] for _, message in wire.read(first)] == [{"n": 1}]


def test_nobody_is_woken_when_nothing_waits(wire):
    session = wire.connect()
    wire.listen(session)
    assert wire.lose(wire.listen(session)) == []
