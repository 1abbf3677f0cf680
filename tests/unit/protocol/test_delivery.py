"""Nothing is lost: queues, streams, `Last-Event-ID`, and who gets which message."""

from __future__ import annotations

import pytest


def say(wire, number, session=None, collapse=None):
    wire.notify("note", {"n": number}, session, collapse)


def numbers(messages):
    return [message["params"]["n"] for _, message in messages]


def test_what_is_sent_before_the_stream_opens_waits_for_it(wire):
    session = wire.connect()
    say(wire, 1)
    say(wire, 2)
    stream = wire.listen(session)
    say(wire, 3)
    assert numbers(wire.read(stream)) == [1, 2, 3]
    assert wire.read(stream) == []


def test_a_later_update_replaces_one_that_still_waits(wire):
    session = wire.connect()
    say(wire, 1, collapse="context")
    say(wire, 2)
    say(wire, 3, collapse="context")
    stream = wire.listen(session)
    assert numbers(wire.read(stream)) == [2, 3]
    say(wire, 4, collapse="context")
    assert numbers(wire.read(stream)) == [4]


def test_of_updates_that_were_sent_only_the_newest_is_sent_again(wire):
    session = wire.connect()
    stream = wire.listen(session)
    for number in range(5):
        say(wire, number, collapse="context")
        wire.read(stream)
    say(wire, 5)
    first = wire.read(stream)
    wire.lose(stream)
    stream = wire.listen(session, last_event_id=stream.label + "-0")
    assert numbers(wire.read(stream)) == [4, 5]
    assert first[0][1]["params"] == {"n": 5}


def test_the_newest_stream_that_is_left_goes_on(wire):
    session = wire.connect()
    first, second, third = (wire.listen(session) for _ in range(3))
    say(wire, 1)
    wire.lose(third)
    say(wire, 2)
    assert [numbers(wire.read(stream)) for stream in (first, second)] == [[], [1, 2]]
    wire.lose(first)
    say(wire, 3)
    assert numbers(wire.read(second)) == [3]


def test_an_event_id_nobody_gave_out_opens_a_fresh_stream(wire):
    session = wire.connect()
    say(wire, 1)
    for strange in ("x", "9-9", "-", "1-", "1-x", "é", "1-" + "9" * 40):
        stream = wire.listen(session, last_event_id=strange)
        wire.lose(stream)
    assert numbers(wire.read(wire.listen(session, last_event_id="zzz"))) == [1]


def test_each_message_goes_to_exactly_one_of_several_streams(wire):
    session = wire.connect()
    first, second = wire.listen(session), wire.listen(session)
    for number in range(4):
        say(wire, number)
    assert (numbers(wire.read(first)), numbers(wire.read(second))) == ([], [0, 1, 2, 3])
    wire.lose(second)
    say(wire, 4)
    assert numbers(wire.read(first)) == [4]
    again = wire.listen(session, last_event_id=second.label + "-2")
    assert numbers(wire.read(again)) == [2, 3], "and never what went to the other stream"


def test_messages_reach_only_the_session_they_are_for(wire):
    ours, theirs = wire.connect(), wire.connect()
    mine, other = wire.listen(ours), wire.listen(theirs)
    say(wire, 1, session=ours)
    say(wire, 2)
    say(wire, 3, session="nobody")
    assert numbers(wire.read(mine)) == [1, 2]
    assert numbers(wire.read(other)) == [2]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18"])
def test_earlier_clients_never_see_an_event_without_a_message(wire, revision):
    session = wire.connect(revision)
    data = wire.take(wire.listen(session))
    assert data == b": connected\n\n"


def test_clients_since_2025_11_25_get_an_event_id_at_once(wire):
    session = wire.connect("2025-11-25")
    stream = wire.listen(session)
    first = wire.take(stream).decode()
    assert first.startswith("retry: 1000\nid: ")
    assert first.endswith("\ndata: \n\n")
    event_id = first.split("id: ")[1].split("\n")[0]
    say(wire, 1)
    wire.read(stream)
    wire.lose(stream)
    assert numbers(wire.read(wire.listen(session, last_event_id=event_id))) == [1]


class TestListeners:
    """The plain event stream."""

    def test_it_sees_everything_in_its_own_dialect(self, make_wire):
        wire = make_wire(plain_event=lambda method, params: ("plain/" + method, {"was": params}))
        session = wire.connect()
        stream = wire.events()
        say(wire, 1)
        say(wire, 2, session=session)
        assert [message for _, message in wire.read(stream)] == [
            {"jsonrpc": "2.0", "method": "plain/note", "params": {"was": {"n": 1}}},
            {"jsonrpc": "2.0", "method": "plain/note", "params": {"was": {"n": 2}}},
        ]

    def test_it_is_resumed_by_its_event_id_alone(self, wire):
        stream = wire.events()
        say(wire, 1)
        event_id, _ = wire.read(stream)[0]
        wire.lose(stream)
        say(wire, 2)
        other = wire.events()
        again = wire.events(event_id)
        assert numbers(wire.read(again)) == [2]
        assert wire.read(other) == []

    def test_nobody_can_guess_its_event_ids(self, wire):
        streams = [wire.events() for _ in range(3)]
        say(wire, 1)
        for stream in streams:
            ((event_id, _),) = wire.read(stream)
            assert len(event_id.partition(".")[0]) >= 32
        for guessed in ("events1.1-0", "1-0", streams[0].label.partition(".")[0] + "-0"):
            assert wire.events(guessed) not in streams

    def test_its_name_is_no_session_id(self, wire):
        wire.events()
        listener = next(iter(wire.core.registry.clients))
        assert wire.request("ping", session=listener).status == 404
