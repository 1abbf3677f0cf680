"""Open connections: how many there may be, and which of them has to go."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from companion.protocol.limits import Limits
from companion.transport import connections as module
from companion.transport.connections import SHARE, OpenConnections, descriptor_limit

MANY = 1000


class Caller:
    """A connection that keeps whether it had to go."""

    def __init__(self):
        self.evicted = 0

    def evict(self):
        self.evicted += 1


@pytest.fixture
def of_three(monkeypatch):
    monkeypatch.setattr(module, "descriptor_limit", lambda: 3 * SHARE + SHARE - 1)
    return OpenConnections()


def evicted(callers):
    return [caller.evicted for caller in callers]


def test_of_too_many_the_oldest_goes(of_three):
    callers = [Caller() for _ in range(5)]
    for caller in callers[:3]:
        of_three.add(caller, MANY)
    assert evicted(callers) == [0, 0, 0, 0, 0]
    of_three.add(callers[3], MANY)
    assert evicted(callers) == [1, 0, 0, 0, 0]
    of_three.add(callers[4], MANY)
    assert evicted(callers) == [1, 1, 0, 0, 0]


def test_whoever_shows_a_token_or_ends_makes_room(of_three):
    callers = [Caller() for _ in range(4)]
    for caller in callers[:3]:
        of_three.add(caller, MANY)
    of_three.remove(callers[1])
    of_three.remove(callers[1])
    of_three.add(callers[3], MANY)
    assert evicted(callers) == [0, 0, 0, 0]


def test_what_nobody_holds_any_more_is_passed_over(of_three):
    callers = [Caller() for _ in range(3)]
    for caller in callers:
        of_three.add(caller, MANY)
    kept = callers[1]
    del callers, caller
    gc.collect()
    assert of_three.make_room() is True
    assert kept.evicted == 1
    assert of_three.make_room() is False


@pytest.mark.parametrize(
    ("descriptors", "most"),
    [(1, 1), (SHARE, 1), (2 * SHARE, 2), (sys.maxsize, Limits().unauthenticated_connections)],
)
def test_the_bound_is_an_eighth_of_the_descriptors_or_the_limit(monkeypatch, descriptors, most):
    monkeypatch.setattr(module, "descriptor_limit", lambda: descriptors)
    connections, callers = OpenConnections(), [Caller() for _ in range(most + 1)]
    for caller in callers[:-1]:
        connections.add(caller, MANY)
    assert not any(evicted(callers))
    connections.add(callers[-1], MANY)
    assert evicted(callers) == [1] + [0] * most


def held_by(connections, count, most=MANY):
    """So many connections that show a token, one after the other; None for one that is not admitted."""
    callers = []
    for _ in range(count):
        caller = Caller()
        taken = connections.add(caller, most) and connections.admit(caller, most)
        callers.append(caller if taken else None)
    return callers


class TestWithATokenShown:
    """An eighth of all connections is for those that have not shown one yet."""

    @pytest.fixture
    def of_sixteen(self, monkeypatch):
        monkeypatch.setattr(module, "descriptor_limit", lambda: 32)
        return OpenConnections()

    def test_none_goes_for_another_one(self, of_sixteen):
        callers = held_by(of_sixteen, 16)
        assert callers[14:] == [None, None]
        assert evicted(callers[:14]) == [0] * 14

    def test_one_that_ends_makes_room(self, of_sixteen):
        callers = held_by(of_sixteen, 14)
        of_sixteen.remove(callers[5])
        assert held_by(of_sixteen, 2)[1] is None

    def test_all_of_them_count_together_with_those_that_have_shown_none(self, of_sixteen):
        assert None not in held_by(of_sixteen, 14)
        strangers = [Caller() for _ in range(4)]
        assert [of_sixteen.add(caller, MANY) for caller in strangers] == [True] * 4
        assert evicted(strangers) == [1, 1, 0, 0]

    def test_a_smaller_limit_holds(self, of_sixteen):
        callers = held_by(of_sixteen, 6, most=5)
        assert callers[5] is None
        assert None not in callers[:5]


def test_all_servers_of_one_loop_share_them_and_no_others():
    async def of_this_loop():
        return OpenConnections.of_this_loop(), OpenConnections.of_this_loop()

    first, second = asyncio.run(of_this_loop())
    assert first is second
    assert asyncio.run(of_this_loop())[0] is not first


def test_an_eighth_of_what_the_process_may_open(monkeypatch):
    assert SHARE == 8
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1000, 2000))
    assert descriptor_limit() == 1000
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert descriptor_limit() == sys.maxsize


def test_where_there_is_no_such_limit_it_is_the_number_that_select_takes(monkeypatch):
    monkeypatch.setattr(module.sys, "platform", "win32")
    limit = descriptor_limit()
    monkeypatch.undo()
    assert limit == 512
