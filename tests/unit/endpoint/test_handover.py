"""What a replaced package leaves to its successor: taken once, while it is fresh, and never by another version."""

from __future__ import annotations

import sys

import pytest

from companion.endpoint import servers
from companion.endpoint.servers import ServerState

FIRST = ServerState(4711, {"": "token", "gemini": "other"}, {"sessions": []})
LEFT = {
    7: {"ide_companion": FIRST, "claude": ServerState(4712, {"": "c"}, {})},
    8: {"claude": ServerState(1, {"": "t"}, {})},
}


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch):
    """By another test, and for the next one."""
    monkeypatch.delitem(sys.modules, servers.MODULE, raising=False)
    yield
    sys.modules.pop(servers.MODULE, None)


def test_the_successor_gets_all_of_it_once(clock):
    servers.leave_states({9: LEFT[7]})
    servers.leave_states(LEFT)
    clock.advance(1)
    taken = servers.take_states()
    assert taken == LEFT
    assert all(type(each) is ServerState for states in taken.values() for each in states.values())
    assert servers.take_states() == {}
    assert servers.MODULE not in sys.modules


@pytest.mark.parametrize(("seconds", "fresh"), [(19.5, True), (20.5, False), (3 * 3600, False)])
def test_the_tokens_of_long_ago_are_not_good_again(clock, seconds, fresh):
    servers.leave_states(LEFT)
    clock.advance(seconds)
    assert (servers.take_states() == LEFT) is fresh
    assert servers.MODULE not in sys.modules, "neither kept for later"


def test_what_another_version_left_is_left_alone(clock, monkeypatch):
    servers.leave_states(LEFT)
    monkeypatch.setattr(servers, "FORMAT", servers.FORMAT + 1)
    assert servers.take_states() == {}


@pytest.mark.parametrize("kept", [None, [], "text", {}, {"format": 0}])
def test_what_is_no_inheritance_is_none(clock, kept):
    servers.leave_states(LEFT)
    sys.modules[servers.MODULE].kept = kept
    assert servers.take_states() == {}


def test_no_class_of_the_package_that_ends_is_kept(clock):
    servers.leave_states(LEFT)
    kept = sys.modules[servers.MODULE].kept
    assert {type(states) for states in kept["windows"].values()} == {dict}
    assert {type(values) for states in kept["windows"].values() for values in states.values()} == {tuple}
