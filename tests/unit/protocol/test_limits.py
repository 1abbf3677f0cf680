"""What a client can make grow is bounded, and passing a bound hurts nobody else."""

from __future__ import annotations

from companion.protocol.limits import Limits


def say(wire, number, session=None, collapse=None):
    return wire.notify("note", {"n": number}, session, collapse)


def test_a_client_that_never_reads_is_closed_rather_than_given_gaps(make_wire):
    wire = make_wire(Limits(queued_messages=3))
    idle, reader = wire.connect(), wire.connect()
    stream = wire.listen(reader)
    for number in range(4):
        say(wire, number)
        wire.read(stream)
    assert [client.id for client in wire.closed] == [idle]
    assert reader in wire.core.registry.clients


def test_one_message_larger_than_the_bound_still_passes(make_wire):
    wire = make_wire(Limits(queued_bytes=10, replay_bytes=10))
    session = wire.connect()
    wire.notify("note", {"n": "x" * 1000})
    stream = wire.listen(session)
    assert len(wire.read(stream)) == 1
    wire.lose(stream)
    assert len(wire.read(wire.listen(session, last_event_id=stream.label + "-0"))) == 1


def test_streams_per_session(make_wire):
    wire = make_wire(Limits(streams_per_session=2))
    session, other = wire.connect(), wire.connect()
    first = wire.listen(session)
    wire.listen(session)
    refused = wire.listen(session)
    assert (refused.status, refused.error["code"]) == (429, -32600)
    assert wire.listen(other).open
    wire.lose(first)
    assert wire.listen(session).open


def test_broken_streams_are_not_kept_for_ever(make_wire):
    wire = make_wire(Limits(finished_streams=3))
    session = wire.connect()
    labels = []
    for _ in range(20):
        stream = wire.listen(session)
        labels.append(stream.label)
        wire.lose(stream)
    kept = list(wire.core.registry.find(session).streams)
    assert 3 <= len(kept) <= 4
    assert kept == labels[-len(kept) :], "the latest are those that a client comes back for"


def test_the_longest_silent_session_makes_room(make_wire):
    wire = make_wire(Limits(sessions=2))
    silent = wire.connect()
    wire.now = 1
    busy = wire.connect()
    wire.now = 20
    wire.request("ping", session=busy)
    wire.now = 30
    fresh = wire.connect()
    assert [client.id for client in wire.closed] == [silent]
    assert set(wire.core.registry.clients) == {busy, fresh}


def test_sessions_with_open_streams_are_not_pushed_out(make_wire):
    wire = make_wire(Limits(sessions=1))
    wire.listen(wire.connect())
    reply = wire.request("initialize", {})
    assert (reply.status, reply.error["code"]) == (503, -32600)
    refused = wire.events()
    assert refused.status == 503


class TestCrowds:
    """One client opens sessions without end. Those who show another token do not feel it."""

    LIMITS = Limits(sessions=6, sessions_per_token=4)

    def crowd(self, wire, most=20):
        """As many sessions as one token gets at one moment."""
        for count in range(most):
            reply = wire.initialize("crowd")
            if reply.status != 200:
                assert (reply.status, reply.error["code"]) == (503, -32600)
                return count
        raise AssertionError("without end")

    def test_one_token_has_its_share_and_no_more(self, make_wire):
        wire = make_wire(self.LIMITS)
        assert self.crowd(wire) == 4
        assert wire.initialize("other").status == 200
        assert not wire.closed

    def test_those_of_one_token_make_room_for_each_other_and_for_nobody_else(self, make_wire):
        wire = make_wire(self.LIMITS)
        wire.initialize("other")
        wire.now = 1
        self.crowd(wire)
        wire.now = 500
        assert self.crowd(wire) == 4
        assert {client.token_name for client in wire.closed} == {"crowd"}
        assert len(wire.closed) == 4

    def test_listeners_without_a_session_count_for_their_token(self, make_wire):
        wire = make_wire(self.LIMITS)
        listeners = [wire.events(token_name="crowd") for _ in range(4)]
        assert all(stream.open for stream in listeners)
        assert self.crowd(wire) == 0
        assert wire.events(token_name="crowd").status == 503
        assert wire.events(token_name="other").open

    def test_who_has_lost_the_stream_comes_back_within_the_grace_period(self, make_wire):
        wire = make_wire(Limits(sessions=3))
        session = wire.connect()
        wire.lose(wire.listen(session))
        wire.now = 0.8
        wire.initialize("crowd"), wire.initialize("crowd")
        assert wire.initialize("crowd").status == 503
        assert wire.listen(session).open
        assert not wire.closed

    def test_nor_is_anybody_pushed_out_who_has_just_come(self, make_wire):
        wire = make_wire(Limits(sessions=1))
        wire.connect()
        wire.now = Limits().stream_grace_seconds - 0.1
        assert wire.initialize("crowd").status == 503
        wire.now += 0.1
        assert wire.initialize("crowd").status == 200

    def test_by_default_one_token_leaves_half_of_the_sessions_to_others(self, make_wire):
        wire = make_wire()
        assert self.crowd(wire, 600) == 256
        assert Limits().sessions == 512
