"""Who listens, on how many streams, and who is told that something waits."""

from __future__ import annotations

import pytest

from companion.protocol.exchanges import Wake
from companion.protocol.limits import Limits


def subscribe(wire, token_name=""):
    """A stateless client listens; its stream."""
    reply = wire.modern("subscriptions/listen", {"notifications": {"note": True}}, token_name)
    return reply.opened[0].stream


@pytest.mark.parametrize(("version", "status", "code"), [("1999-01-01", 400, -32022), ("2026-07-28", 405, -32600)])
def test_no_stream_is_opened_for_a_revision_that_has_none(wire, version, status, code):
    refused = wire.listen(wire.connect(), MCP_Protocol_Version=version)
    assert (refused.status, refused.error["code"]) == (status, code)


def test_a_client_has_no_more_subscriptions_than_streams(make_wire):
    wire = make_wire(Limits(streams_per_session=1), subscribable=["note"])
    subscribe(wire)
    refused = wire.modern("subscriptions/listen", {"notifications": {"note": True}})
    assert (refused.status, refused.error["code"]) == (429, -32600)


def test_a_subscription_that_is_cut_gets_nothing_more_kept_for_it(make_wire):
    wire = make_wire(Limits(queued_messages=3), subscribable=["note"])
    first, second = subscribe(wire), subscribe(wire)
    assert len(wire.opened) == 1, "it is the same client"
    wire.lose(first)
    for _ in range(10):
        wire.notify("note", {"n": 1})
        assert b'"n":1' in wire.take(second)
    assert not wire.closed


def test_clients_of_one_name_are_told_apart_by_their_tokens(wire):
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
