"""What was sent is known to have been read, or it is given back when the session ends."""

from __future__ import annotations

import json

import pytest

from companion.protocol import exchanges, receipts, sessions, streams
from companion.protocol.limits import Limits
from companion.protocol.outbox import Message, Outbox
from companion.protocol.streams import Ending
from companion.protocol.transitions import ImpossibleTransition, after

GONE = 10000.0
MODULES = (exchanges, receipts, sessions, streams)


def told(wire, session, tag, number=0):
    wire.notify("note", {"n": number}, session, tag=tag)


def end(wire):
    """The client stays away until its session ends; the tags of what it is not known to have read."""
    wire.now += GONE
    wire.note(wire.core.registry.tick(wire.now))
    assert wire.closed
    return wire.unread


@pytest.fixture
def listening(wire):
    session = wire.connect()
    return session, wire.listen(session)


def test_what_still_waits_was_not_read(wire):
    told(wire, wire.connect(), "a")
    assert end(wire) == ["a"]


def test_that_a_connection_took_it_says_nothing(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    wire.lose(stream, ending=Ending.RESET)
    assert end(wire) == ["a"]


def test_neither_does_the_end_of_an_answer_that_we_ended(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    wire.lose(stream, ending=Ending.BY_SERVER)
    assert end(wire) == ["a"]


def test_a_connection_that_the_client_closed_in_order_was_read(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    told(wire, session, "b")
    wire.lose(stream, ending=Ending.BY_CLIENT)
    assert end(wire) == ["b"]


def test_a_later_request_shows_that_it_was_read(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    told(wire, session, "b")
    wire.request("ping", session=session)
    wire.read(stream)
    wire.lose(stream, ending=Ending.RESET)
    assert end(wire) == ["b"]


def test_deleting_the_session_is_a_later_request(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    told(wire, session, "b")
    wire.delete(session)
    assert wire.unread == ["b"]


def test_an_event_id_shows_that_everything_up_to_it_was_read(wire, listening):
    session, stream = listening
    for number, tag in enumerate("abc"):
        told(wire, session, tag, number)
    ids = [event_id for event_id, _ in wire.read(stream)]
    wire.lose(stream, ending=Ending.RESET)
    again = wire.listen(session, last_event_id=ids[1])
    wire.lose(again, ending=Ending.RESET)
    assert end(wire) == ["c"]


def test_after_a_reset_a_request_shows_nothing_until_it_is_sent_again(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    wire.lose(stream, ending=Ending.RESET)
    wire.request("ping", session=session)
    again = wire.listen(session)
    assert len(wire.read(again)) == 1, "sent again, because the client shows no event ids"
    wire.lose(again, ending=Ending.BY_CLIENT)
    assert end(wire) == []


def test_after_a_reset_a_request_alone_shows_nothing(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    wire.lose(stream, ending=Ending.RESET)
    wire.request("ping", session=session)
    assert end(wire) == ["a"]


def test_closing_one_stream_says_nothing_of_another(wire):
    session = wire.connect()
    first, second = wire.listen(session), wire.listen(session)
    told(wire, session, "a")
    wire.read(second)
    wire.lose(first, ending=Ending.BY_CLIENT)
    wire.lose(second, ending=Ending.RESET)
    assert end(wire) == ["a"]


def test_a_client_that_is_disconnected_is_not_known_to_have_read(wire, listening):
    session, stream = listening
    told(wire, session, "a")
    wire.read(stream)
    wire.note(wire.core.registry.close(wire.core.registry.find(session), "disconnected by the user"))
    assert wire.unread == ["a"]
    assert stream.closing


def test_what_an_onlooker_missed_is_nobodys_loss(wire):
    wire.events()
    wire.notify("note", {}, tag="a")
    for stream in list(wire.core.registry._owners):
        wire.lose(stream, ending=Ending.RESET)
    assert end(wire) == []


def test_a_successor_gives_back_what_the_former_server_sent_by_its_params(wire, make_wire, listening):
    session, stream = listening
    told(wire, session, "a", 1)
    told(wire, session, None, 2)
    wire.read(stream)
    told(wire, session, "c", 3)
    successor = make_wire()
    state = json.loads(json.dumps(wire.core.registry.export_state()))
    successor.core.registry.import_state(state, 0.0)
    assert end(successor) == [{"n": 1}, {"n": 3}]


def test_a_subscription_gives_back_what_it_did_not_read(make_wire):
    wire = make_wire(Limits(), subscribable=["note"])
    reply = wire.modern("subscriptions/listen", {"notifications": {"note": True}})
    stream, client = reply.opened[0].stream, wire.opened[0].id
    told(wire, client, "a")
    wire.read(stream)
    wire.notify("else", {}, client, tag="not subscribed")
    told(wire, client, "b")
    wire.lose(stream, ending=Ending.BY_CLIENT)
    assert sorted(end(wire)) == ["b", "not subscribed"]


def test_an_event_id_says_nothing_of_another_stream():
    kept = receipts.Receipts()
    kept.written("first", 1, "a")
    kept.written("second", 2, "b")
    kept.named("second", 2)
    assert kept.unread() == ["a"]


def test_what_was_not_read_is_given_back_in_the_order_in_which_it_was_sent():
    kept = receipts.Receipts()
    kept.written("second", 2, "b")
    kept.written("first", 1, "a")
    assert kept.unread() == ["a", "b"]
    assert kept.places() == [1, 2]


def test_what_another_connection_carries_anew_is_in_doubt_until_it_is_written_again():
    kept = receipts.Receipts()
    stream = streams.Stream("1", streams.LISTEN, Outbox(Limits()), Limits(), numbered=True, primes=False, receipts=kept)
    stream.attach()
    stream.outbox.add(Message(1, b"{}", None, "a"))
    stream.take(True)
    stream.attach()  # before the end of the first connection is known
    kept.requested()
    assert kept.unread() == ["a"]
    stream.take(True)
    kept.requested()
    assert kept.unread() == []


@pytest.mark.parametrize("table", [module.TRANSITIONS for module in MODULES])
def test_tables_are_part_of_the_documentation_and_forbid_what_they_do_not_name(table):
    module = next(each for each in MODULES if each.TRANSITIONS is table)
    kinds = {type(event) for events in table.values() for event in events}
    (kind,) = kinds
    for state, events in table.items():
        for event in kind:
            if event not in events:
                with pytest.raises(ImpossibleTransition):
                    after(table, state, event)
                continue
            row = next(line for line in module.__doc__.splitlines() if line.split()[:2] == [state.name, event.name])
            assert row.endswith("-> " + events[event].name)
