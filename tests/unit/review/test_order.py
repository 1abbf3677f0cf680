"""Which of several proposals comes next, and which of how many it is."""

from __future__ import annotations

import pytest

from companion.review.decision import Owner, Review, Source, Ticket
from companion.review.order import ReviewOrder

SOURCE = Source()


@pytest.fixture
def order():
    return ReviewOrder()


def opened(order, *names, session="one", call=None):
    found = []
    for name in names:
        ticket = Ticket(name, True, lambda outcome: None)
        ticket.call = call
        found.append(Review(Owner(session, "Gemini CLI"), name, "new\n", SOURCE, ticket))
        order.add(found[-1])
    return found


def test_the_one_that_came_next_follows_and_after_the_last_the_first(order):
    a, b, c = opened(order, "a", "b", "c")
    assert [order.following(each) for each in (a, b, c)] == [b, c, a]
    b.accept("new\n")
    assert [order.following(each) for each in (a, b, c)] == [c, c, a]
    order.remove(b)
    assert [order.place(each) for each in (a, c)] == [(2, 3), (3, 3)]


def test_another_session_is_in_no_ones_way(order):
    (a,), (other,) = opened(order, "a"), opened(order, "other", session="two")
    assert (order.following(a), order.place(other)) == (None, (1, 1))
    assert list(order.reviews) == [a, other]


def test_what_comes_after_all_are_decided_is_counted_from_one(order):
    a, b = opened(order, "a", "b")
    for review in (a, b):
        review.reject()
        order.remove(review)
    (c,) = opened(order, "c")
    assert order.place(c) == (1, 1)


def test_a_rejection_that_ends_its_call_is_followed_by_none_of_that_call(order):
    call = object()
    a, b = opened(order, "a", "b", call=call)
    assert order.following(a) is b
    a.reject()
    assert order.following(a) is None
    (other,) = opened(order, "c", call=object())
    assert order.following(a) is other


def test_one_that_is_opened_anew_keeps_its_place(order):
    a, b = opened(order, "a", "b")
    order.add(a)
    assert list(order.reviews) == [a, b]
