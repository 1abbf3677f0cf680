"""What waits for one client: in order, collapsed, and counted as what it is."""

from __future__ import annotations

import pytest

from companion.protocol.limits import Limits
from companion.protocol.streams import Outbox, QueuedMessage

SIZE = 100
BOUND = 10 * SIZE


def message(sequence, collapse=None, size=SIZE):
    return QueuedMessage(sequence, b"x" * size, collapse)


def taken(outbox, most=1 << 20):
    return [each.sequence for each in outbox.take(most)]


@pytest.fixture
def outbox():
    return Outbox(Limits(queued_messages=100, queued_bytes=BOUND))


def test_many_collapsed_messages_never_pass_the_bound(outbox):
    outbox.add(message(0))
    for number in range(1, 200):
        assert outbox.add(message(number, "context"))
    assert taken(outbox) == [0, 199]


def test_the_bound_in_bytes_is_met_exactly(outbox):
    assert all(outbox.add(message(number)) for number in range(10))
    assert not outbox.add(message(10, size=1))


def test_the_bound_in_messages_is_met_exactly():
    outbox = Outbox(Limits(queued_messages=3))
    assert [outbox.add(message(number)) for number in range(3)] == [True] * 3
    assert not outbox.add(message(3))


@pytest.mark.parametrize("at_once", [1, 4])
def test_what_was_taken_is_not_counted_any_more(outbox, at_once):
    for number in range(40):
        assert outbox.add(message(4 * number))
        for more in range(1, at_once):
            assert outbox.add(message(4 * number + more))
        assert len(taken(outbox)) == at_once
        assert len(outbox) == 0
    assert [outbox.add(message(1000 + number)) for number in range(11)] == [True] * 10 + [False]


def test_only_as_many_are_taken_as_fit_but_always_one(outbox):
    for number in range(5):
        outbox.add(message(number))
    assert taken(outbox, 2 * SIZE) == [0, 1]
    assert taken(outbox, SIZE - 1) == [2]
    assert taken(outbox, 3 * SIZE) == [3, 4]
    assert taken(outbox) == []


def test_an_update_after_one_that_was_taken_is_a_message_of_its_own(outbox):
    outbox.add(message(0, "context"))
    assert taken(outbox) == [0]
    outbox.add(message(1, "context"))
    outbox.add(message(2))
    assert taken(outbox, SIZE) == [1]
    outbox.add(message(3, "context"))
    assert taken(outbox) == [2, 3]


def test_only_updates_of_one_kind_replace_each_other(outbox):
    for number, key in enumerate(["context", "other", None, "context"]):
        outbox.add(message(number, key))
    assert taken(outbox) == [1, 2, 3]
