"""A call that waits for a decision: whatever happens in whatever order, it is answered once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.review.decision import Owner, Review, Ticket, Verdict

OWNER = Owner("session-1", "Claude Code")


def opened():
    delivered = []
    ticket = Ticket("name", True, delivered.append)
    return Review(OWNER, "/project/a.py", "text\n", ticket), ticket, delivered


def accept(review, ticket):
    outcome = review.accept("text\n")
    if outcome is not None:
        ticket.settle(outcome)


def reject(review, ticket):
    outcome = review.reject()
    if outcome is not None:
        ticket.settle(outcome)


def answered_in_the_terminal(review, ticket):
    review.close()
    ticket.settle(None)


def connection_lost(review, ticket):
    if review.orphan():
        ticket.settle(None)


def taken_back(review, ticket):
    ticket.waiting = False  # the call itself has been told
    review.close()


def begin_writing(review, ticket):
    review.begin_writing()


def writing_failed(review, ticket):
    review.writing_failed()


EVENTS = [accept, reject, answered_in_the_terminal, connection_lost, taken_back, begin_writing, writing_failed]


@given(st.lists(st.sampled_from(EVENTS), max_size=8))
def test_no_order_of_events_answers_a_call_twice(events):
    review, ticket, delivered = opened()
    for event in events:
        event(review, ticket)
    assert len(delivered) <= 1
    answered_in_the_terminal(review, ticket)
    if taken_back not in events:
        assert len(delivered) == 1, "nor never"


@given(st.permutations([accept, reject, answered_in_the_terminal, connection_lost]))
def test_the_first_one_decides(events):
    review, ticket, delivered = opened()
    for event in events:
        event(review, ticket)
    (answer,) = delivered
    if events[0] is accept:
        assert answer.kind is Verdict.ACCEPTED
        assert answer.content == "text\n"
    elif events[0] is not reject:
        assert answer is None
