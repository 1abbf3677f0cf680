"""A client that is cut at any byte comes back with the last event id that it saw, and gets all the rest."""

from __future__ import annotations

import re

import pytest

PRIMING = "2025-11-25"


def say(wire, number, **options):
    wire.notify("note", {"n": number}, **options)


def numbers(messages):
    return [message["params"]["n"] for _, message in messages]


def last_id(data):
    """The last event id in these bytes: what a client keeps that read no further."""
    return re.findall(rb"^id: (.*)$", data, re.MULTILINE)[-1].decode()


def greeting(data):
    """The first block of a stream."""
    return data[: data.index(b"\n\n") + 2]


def test_a_client_that_read_only_the_greeting_loses_nothing(wire):
    session = wire.connect(PRIMING)
    stream = wire.listen(session)
    for number in range(1, 5):
        say(wire, number)
    seen = wire.read(stream)
    wire.lose(stream)
    data = wire.take(wire.listen(session, last_event_id=seen[1][0]))
    assert last_id(greeting(data)) == seen[1][0]
    wire.lose(stream)
    again = wire.listen(session, last_event_id=last_id(greeting(data)))
    assert numbers(wire.read(again)) == [3, 4]


def test_a_fresh_greeting_names_the_place_before_everything_that_follows(wire):
    session = wire.connect(PRIMING)
    for number in range(3):
        say(wire, number)
    stream = wire.listen(session)
    data = wire.take(stream)
    wire.lose(stream)
    assert numbers(wire.read(wire.listen(session, last_event_id=last_id(greeting(data))))) == [0, 1, 2]


def test_a_greeting_with_nothing_to_repeat_names_the_last_event(wire):
    session = wire.connect(PRIMING)
    stream = wire.listen(session)
    say(wire, 1)
    event_id, _ = wire.read(stream)[0]
    wire.lose(stream)
    again = wire.listen(session, last_event_id=event_id)
    assert last_id(wire.take(again)) == event_id


@pytest.mark.parametrize("places", [1, 2, 5])
def test_what_was_received_is_not_kept_any_longer(wire, places):
    session = wire.connect()
    stream = wire.listen(session)
    for number in range(5):
        say(wire, number)
    seen = wire.read(stream)
    wire.lose(stream)
    wire.lose(wire.listen(session, last_event_id=seen[places - 1][0]))
    older = wire.listen(session, last_event_id=stream.label + "-0")
    assert numbers(wire.read(older)) == list(range(places, 5)), "what was named is known to have come"


@pytest.mark.parametrize("on_another", [False, True])
def test_what_a_later_message_has_replaced_is_not_sent_again(wire, on_another):
    """It may hold what the user shares no more."""
    session = wire.connect()
    stream = wire.listen(session)
    say(wire, 1, collapse="context")
    say(wire, 2)
    assert numbers(wire.read(stream)) == [1, 2]
    wire.lose(stream)
    other = wire.listen(session) if on_another else None
    say(wire, 3, collapse="context")
    if other is not None:
        assert numbers(wire.read(other)) == [3]
    again = wire.listen(session, last_event_id=stream.label + "-0")
    assert numbers(wire.read(again)) == ([2] if on_another else [2, 3])


def test_a_reset_counts_only_for_clients_that_never_showed_an_event_id(wire):
    session = wire.connect()
    stream = wire.listen(session)
    say(wire, 1)
    event_id, _ = wire.read(stream)[0]
    wire.lose(stream)
    stream = wire.listen(session, last_event_id=event_id)
    say(wire, 2)
    wire.read(stream)
    wire.lose(stream, was_reset=True)
    assert numbers(wire.read(wire.listen(session))) == [], "it reads event ids, and so would have shown one"


def test_that_a_stream_was_reset_is_forgotten_once_it_is_carried_again(wire):
    session = wire.connect()
    stream = wire.listen(session)
    say(wire, 1)
    wire.read(stream)
    wire.lose(stream, was_reset=True)
    again = wire.listen(session)
    assert numbers(wire.read(again)) == [1]
    wire.lose(again)
    assert numbers(wire.read(wire.listen(session))) == []
