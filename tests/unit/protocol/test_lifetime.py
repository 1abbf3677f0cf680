"""When a session ends by itself, to the second: the time runs from the last thing that its client did."""

from __future__ import annotations

import json

import pytest

from companion.protocol.limits import Limits
from companion.protocol.tools import EMPTY

GRACE = 8
SILENCE = 100
LIMITS = Limits(stream_grace_seconds=GRACE, silent_session_seconds=SILENCE)
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}'


@pytest.fixture
def patient(make_wire):
    return make_wire(LIMITS)


def ends_at(wire, when):
    """The only session is there until the very moment `when`, and is not from then on."""
    assert wire.core.registry.next_deadline() == when
    wire.note(wire.core.registry.tick(when - 1))
    assert not wire.closed
    wire.note(wire.core.registry.tick(when))
    assert len(wire.closed) == 1
    assert wire.core.registry.next_deadline() is None


def test_the_grace_period_begins_when_the_stream_is_lost(patient):
    stream = patient.listen(patient.connect())
    patient.now = 1000
    patient.lose(stream)
    ends_at(patient, 1000 + GRACE)


def test_by_default_that_is_eight_seconds(make_wire):
    """As PROTOCOL.md says: clients try again after a second and two, or twice after the four that they are told."""
    wire = make_wire()
    wire.lose(wire.listen(wire.connect()))
    wire.now = 7.9
    wire.note(wire.core.registry.tick(wire.now))
    assert not wire.closed
    wire.now = 8.0
    wire.note(wire.core.registry.tick(wire.now))
    assert len(wire.closed) == 1


def test_by_default_a_client_that_never_listens_is_kept_for_half_an_hour(make_wire):
    wire = make_wire()
    wire.connect()
    wire.note(wire.core.registry.tick(1799.0))
    assert not wire.closed
    wire.note(wire.core.registry.tick(1800.0))
    assert len(wire.closed) == 1


@pytest.mark.parametrize("way", ["plain event stream", "subscription"])
def test_so_has_who_listens_without_a_session(patient, way):
    if way == "subscription":
        wanted = {"notifications": {"toolsListChanged": True}}
        stream = patient.modern("subscriptions/listen", wanted).opened[0].stream
    else:
        stream = patient.events()
    assert len(patient.opened) == 1
    patient.now = 1000
    patient.lose(stream)
    ends_at(patient, 1000 + GRACE)


def test_while_one_of_two_streams_is_open_no_time_runs(patient):
    session = patient.connect()
    first, second = patient.listen(session), patient.listen(session)
    patient.now = 10
    patient.lose(second)
    assert patient.core.registry.next_deadline() is None
    patient.now = 50
    patient.lose(first)
    ends_at(patient, 50 + GRACE)


def test_a_request_begins_the_time_anew(patient):
    session = patient.connect()
    patient.lose(patient.listen(session))
    patient.now = 5
    patient.request("ping", session=session)
    ends_at(patient, 5 + GRACE)


def test_so_does_that_of_a_client_whose_subscription_broke(patient):
    patient.lose(patient.modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}).opened[0].stream)
    patient.now = 5
    patient.modern("tools/list")
    ends_at(patient, 5 + GRACE)


def test_so_does_the_answer_of_a_long_call(patient):
    session = patient.connect()
    call = patient.raw(CALL, {"Mcp-Session-Id": session}).calls[0]
    patient.now = 500
    patient.note(patient.core.registry.tick(500))
    assert not patient.closed
    patient.core.finish(call, EMPTY, 500)
    ends_at(patient, 500 + SILENCE)


def test_two_calls_at_once_both_keep_the_session(patient):
    session = patient.connect()
    calls = [patient.raw(CALL, {"Mcp-Session-Id": session}).calls[0] for _ in range(2)]
    patient.core.finish(calls[0], EMPTY, 10)
    assert patient.core.registry.next_deadline() is None
    patient.core.finish(calls[1], EMPTY, 20)
    ends_at(patient, 20 + SILENCE)


def test_who_moved_to_another_server_has_the_usual_time_from_then_on(patient, make_wire):
    patient.connect()
    successor = make_wire(LIMITS)
    state = json.loads(json.dumps(patient.core.registry.export_state()))
    successor.core.registry.import_state(state, 300.0)
    ends_at(successor, 300 + GRACE)


def test_the_earliest_of_several_deadlines_is_the_next_one(patient):
    first = patient.connect()
    patient.now = 3
    patient.connect()
    assert patient.core.registry.next_deadline() == SILENCE
    patient.lose(patient.listen(first))
    assert patient.core.registry.next_deadline() == 3 + GRACE
    patient.note(patient.core.registry.tick(3 + GRACE))
    assert [client.id for client in patient.closed] == [first]
    assert patient.core.registry.next_deadline() == 3 + SILENCE
