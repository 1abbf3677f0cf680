"""The life of one accepted text: its states, how often its file is looked at, and how long anybody is waited for."""

from __future__ import annotations

import itertools
import re
from typing import List

import pytest

from companion.review import accepted_text
from companion.review.accepted_text import TRANSITIONS, AcceptedText, Holder
from companion.review.decision import Owner
from companion.review.document.disk import Kind, Original

ORIGINAL = Original("/a.py", Kind.TEXT)


@pytest.fixture(name="clock")
def steady_clock(monkeypatch: pytest.MonkeyPatch) -> List[float]:
    """The time in seconds, which the test moves on."""
    now = [1000.0]
    monkeypatch.setattr(accepted_text.time, "monotonic", lambda: now[0])
    return now


def told(awaited: str = "", original: Original = ORIGINAL) -> AcceptedText:
    return AcceptedText(Holder.TOLD, Owner("session", "A client"), "/a.py", "text\n", original, awaited=awaited or None)


def in_state(state: Holder) -> AcceptedText:
    made = told()
    made.state = state
    return made


@pytest.mark.parametrize(("one", "other"), list(itertools.product(Holder, Holder)))
def test_there_is_no_way_but_those_of_the_table(one: Holder, other: Holder) -> None:
    made = in_state(one)
    assert made.go(other) is (other in TRANSITIONS[one])
    assert made.state is (other if other in TRANSITIONS[one] else one)


def test_the_table_in_words_has_every_state() -> None:
    documented = set(re.findall(r"\b[A-Z]{4,}\b", accepted_text.__doc__ or ""))
    assert documented == {state.name for state in Holder}


def test_only_its_end_in_the_file_or_a_decision_ends_a_text() -> None:
    assert [state for state in Holder if not TRANSITIONS[state]] == [Holder.ENDED]


def test_at_first_the_file_is_looked_at_often_and_then_ever_less(clock: List[float]) -> None:
    made = told()
    looks = 0
    while clock[0] < 1060:
        clock[0] += made.pause
        looks += 1
    assert 40 < looks < 100
    assert made.pause == pytest.approx(6, abs=1)
    clock[0] += 3600
    assert made.pause == pytest.approx(10, abs=0.1), "six times a minute, for as long as the client is there"


def test_a_formatter_that_follows_the_client_at_once_is_too_slow(clock: List[float]) -> None:
    made = told()
    while clock[0] < 1000.25:
        assert made.pause <= 0.03
        clock[0] += made.pause


def test_a_long_file_is_looked_at_less_often(clock: List[float]) -> None:
    made = told()
    made.text = "x" * 10**7
    assert made.pause > 0.5


def test_a_client_that_is_there_is_waited_for_without_end(clock: List[float]) -> None:
    made = told()
    clock[0] += 10**6
    assert not made.overdue


def test_not_so_if_edits_of_the_user_are_to_be_saved_over_what_it_writes(clock: List[float]) -> None:
    made = told(awaited="proposed\n")
    clock[0] += 29.9
    assert not made.overdue
    clock[0] += 0.2
    assert made.overdue


@pytest.mark.parametrize("awaited", ["", "proposed\n"])
def test_a_client_that_has_gone_has_two_seconds(clock: List[float], awaited: str) -> None:
    made = told(awaited)
    clock[0] += 25
    made.go(Holder.GOING)
    assert made.pause < 0.1, "it is looked for at once"
    clock[0] += 1.9
    assert not made.overdue
    clock[0] += 0.2
    assert made.overdue


def test_a_write_that_came_too_soon_gives_nobody_more_time(clock: List[float]) -> None:
    made = told(awaited="proposed\n")
    clock[0] += 29
    made.go(Holder.WRITING)
    made.go(Holder.TOLD)
    clock[0] += 2
    assert made.overdue


def test_what_is_written_for_a_client_that_has_gone_was_accepted_just_before(clock: List[float]) -> None:
    made = told()
    clock[0] += 59
    assert made.may_be_written_unasked
    clock[0] += 2
    assert not made.may_be_written_unasked
