"""A successor goes on where the former server ended: places, streams, what waits, and what is known of the client."""

from __future__ import annotations

import json

import pytest


def say(wire, number, **options):
    wire.notify("note", {"n": number}, **options)


def numbers(messages):
    return [message["params"]["n"] for _, message in messages if message]


@pytest.fixture
def move(make_wire):
    """The core that takes the place of another."""

    def moved(wire):
        successor = make_wire()
        state = json.loads(json.dumps(wire.core.registry.export_state()))
        successor.core.registry.import_state(state, wire.now)
        return successor

    return moved


def test_the_successor_delivers_what_the_former_one_could_not(wire, move):
    session = wire.connect("2025-11-25", "gemini")
    stream = wire.listen(session)
    for number in range(3):
        say(wire, number)
    received = wire.read(stream)
    wire.core.stop()
    say(wire, 3, collapse="context")
    successor = move(wire)
    assert successor.core.registry.clients == wire.core.registry.clients
    assert successor.request("ping", session=session).result == {}
    say(successor, 4, collapse="context")
    messages = successor.read(successor.listen(session, last_event_id=received[0][0]))
    assert numbers(messages) == [1, 2, 4]
    places = [int(event_id.rpartition("-")[2]) for event_id, _ in messages]
    assert places == sorted(set(places))


def test_a_session_of_an_unknown_revision_is_left_out(wire, make_wire):
    kept, unknown = wire.connect(), wire.connect()
    state = wire.core.registry.export_state()
    state["sessions"][1]["revision"] = "2030-01-01"
    successor = make_wire()
    successor.core.registry.import_state(state, wire.now)
    assert list(successor.core.registry.clients) == [kept]
    assert successor.request("ping", session=unknown).status == 404


def test_the_client_is_told_to_wait_for_the_successor_and_then_not_to(wire, move):
    session = wire.connect()
    stream = wire.listen(session)
    wire.take(stream)
    wire.core.stop(5)
    parting = wire.take(stream)
    assert b"retry: 5000" in parting
    assert b"event: reconnection" in parting, "of a type that earlier clients pass over"
    successor = move(wire)
    again = successor.listen(session, last_event_id=stream.label + "-0")
    assert b"retry: 1000" in successor.take(again)


def test_a_fresh_stream_takes_no_former_ones_place(wire, move):
    session = wire.connect()
    former = wire.listen(session)
    say(wire, 1)
    wire.read(former)
    wire.lose(former)
    successor = move(wire)
    fresh = successor.listen(session)
    assert fresh.label != former.label
    successor.lose(fresh)
    assert numbers(successor.read(successor.listen(session, last_event_id=former.label + "-0"))) == [1]


def test_a_client_that_reads_event_ids_is_still_known_to_do_so(wire, move):
    session = wire.connect()
    stream = wire.listen(session)
    say(wire, 1)
    event_id, _ = wire.read(stream)[0]
    wire.lose(stream)
    wire.lose(wire.listen(session, last_event_id=event_id))
    successor = move(wire)
    fresh = successor.listen(session)
    say(successor, 2)
    assert numbers(successor.read(fresh)) == [2]
    successor.lose(fresh, was_reset=True)
    assert numbers(successor.read(successor.listen(session))) == []


def test_listeners_without_a_session_do_not_move(wire, move):
    wire.events()
    session = wire.connect()
    assert list(move(wire).core.registry.clients) == [session]


def test_the_last_word_comes_after_all_that_still_waits(wire):
    session = wire.connect()
    stream = wire.listen(session)
    for number in range(4):
        wire.notify("note", {"n": number, "text": "x" * 300_000})
    wire.core.stop(5)
    data = wire.take(stream)
    assert data.count(b"event: reconnection") == 1
    assert data.rindex(b"event: reconnection") > data.rindex(b'"n":3')


def test_a_stream_that_is_opened_after_the_stop_ends_at_once(wire):
    """Else a client that comes late would hold up the end of the server."""
    session = wire.connect()
    wire.core.stop(5)
    stream = wire.listen(session)
    assert stream.closing
    assert b"retry: 5000" in wire.take(stream), "it comes back to the successor, as those do that came earlier"
