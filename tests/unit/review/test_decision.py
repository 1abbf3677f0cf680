"""A review ends once, and the call that waits for it is answered once: whoever ends it, in whatever order."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.review.decision import TRANSITIONS, Outcome, Owner, Review, ReviewState, Ticket

PATH = "/project/file.py"
ACCEPTED, REJECTED = Outcome(PATH, "text\n"), Outcome(PATH, None)
UNDECIDED = (ReviewState.PENDING, ReviewState.OFFERED)
# What happens, the states in which it may, and what it gives then; else it gives None or False.
STEPS = [
    (lambda review: review.accept("text\n"), (*UNDECIDED, ReviewState.WRITING), ACCEPTED),
    (lambda review: review.reject(), UNDECIDED, REJECTED),
    (lambda review: review.offer(), (ReviewState.PENDING,), True),
    (lambda review: review.begin_writing(), UNDECIDED, True),
    (lambda review: review.writing_failed(), (ReviewState.OFFERED, ReviewState.WRITING), True),
]


def make(state=ReviewState.PENDING, ticket=None):
    review = Review(Owner("session", "Gemini CLI"), PATH, "proposed\n", None, ticket)
    review.state = state
    return review


@pytest.mark.parametrize(("state", "step"), list(product(ReviewState, STEPS)))
def test_a_review_can_only_be_decided_as_the_table_says(state, step):
    act, states, result = step
    review = make(state)
    found = act(review)
    if state in states:
        assert found == result
        assert review.state in TRANSITIONS[state]
    else:
        assert not found
        assert review.state is state


def test_what_could_not_be_written_can_be_decided_again():
    review = make()
    review.begin_writing()
    assert not review.pending
    review.writing_failed()
    assert review.pending
    assert review.reject() == REJECTED


@pytest.mark.parametrize("state", UNDECIDED)
def test_a_replaced_proposal_is_the_one_that_counts(state):
    review = make(state)
    review.replace("newer\r\n")
    assert review.state is ReviewState.PENDING
    assert review.proposal.exact == "newer\r\n"


# -- a call that waits for the decision -------------------------------------------------------------------------------


def opened():
    delivered = []
    ticket = Ticket("name", True, delivered.append)
    return make(ticket=ticket), ticket, delivered


def accept(review, ticket):
    outcome = review.accept("text\n")
    if outcome is not None:
        ticket.settle(outcome)


def reject(review, ticket):
    outcome = review.reject()
    if outcome is not None:
        ticket.settle(outcome)


def answered_in_the_terminal(review, ticket):
    review.reject()
    ticket.settle(None)


def connection_lost(review, ticket):
    ticket.settle(None)


def taken_back(review, ticket):
    ticket.waiting = False  # the call itself has been told
    review.reject()


def offer(review, ticket):
    review.offer()


def begin_writing(review, ticket):
    review.begin_writing()


def writing_failed(review, ticket):
    review.writing_failed()


EVENTS = [accept, reject, answered_in_the_terminal, connection_lost, taken_back, offer, begin_writing, writing_failed]


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
    wanted = {accept: ACCEPTED, reject: REJECTED}.get(events[0])
    assert delivered == [wanted]
