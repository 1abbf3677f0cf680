"""A review ends once, whoever ends it."""

from __future__ import annotations

from itertools import product

import pytest

from companion.review.decision import Outcome, Owner, Review, ReviewState, Verdict

OWNER = Owner("session", "Gemini CLI")
ENDINGS = {
    "accept": lambda review: review.accept("text"),
    "reject": lambda review: review.reject(),
    "close": lambda review: review.close(),
}


def make(proposed="proposed\n"):
    return Review(OWNER, "/project/file.py", proposed)


def test_a_new_review_is_pending():
    review = make()
    assert review.pending
    assert review.state is ReviewState.PENDING
    assert not review.orphaned
    assert review.proposal.exact == "proposed\n"


def test_accepting_gives_the_text():
    review = make()
    assert review.accept("edited\n") == Outcome(Verdict.ACCEPTED, "/project/file.py", "edited\n")
    assert review.state is ReviewState.ACCEPTED


def test_rejecting_gives_no_text():
    review = make()
    assert review.reject() == Outcome(Verdict.REJECTED, "/project/file.py", None)
    assert review.state is ReviewState.REJECTED


def test_closing_is_told_as_a_rejection():
    review = make()
    assert review.close() == Outcome(Verdict.REJECTED, "/project/file.py", None)
    assert review.state is ReviewState.CLOSED


@pytest.mark.parametrize(("first", "second"), list(product(ENDINGS, ENDINGS)))
def test_only_the_first_ending_counts(first, second):
    review = make()
    assert ENDINGS[first](review) is not None
    state = review.state
    assert ENDINGS[second](review) is None
    assert review.state is state


def test_a_replaced_proposal_is_the_one_that_counts():
    review = make()
    review.replace("newer\r\n")
    assert review.pending
    assert review.proposal.exact == "newer\r\n"


def test_the_client_goes_once():
    review = make()
    assert review.orphan()
    assert review.orphaned
    assert not review.orphan()


def test_an_ended_review_cannot_be_orphaned():
    review = make()
    review.reject()
    assert not review.orphan()
    assert not review.orphaned


def test_while_it_is_being_written_nobody_can_decide_otherwise():
    review = make()
    assert review.begin_writing()
    assert review.state is ReviewState.WRITING
    assert not review.pending
    assert not review.ended
    assert not review.begin_writing()
    assert review.reject() is None
    assert review.close() is None
    assert review.accept("text") == Outcome(Verdict.ACCEPTED, "/project/file.py", "text")


def test_what_could_not_be_written_can_be_decided_again():
    review = make()
    assert not review.writing_failed()
    review.begin_writing()
    assert review.writing_failed()
    assert review.pending
    assert review.reject() is not None
