"""When folders are looked at: soon after a sign, and never for more than a fiftieth of the time."""

from __future__ import annotations

import pytest

from companion.unreviewed.schedule import ATTENTION_SECONDS, SHARE, Schedule


def test_a_sign_is_followed_by_a_look_at_once():
    schedule = Schedule()
    schedule.looked(100.0, 0.01)
    schedule.asked(100.5)
    assert schedule.due(100.5) <= 0.1


def test_what_changes_just_after_a_look_is_found_within_two_seconds():
    schedule, ended, long = Schedule(), 100.0, 0.15
    schedule.happened(ended)
    schedule.looked(ended, long)
    assert schedule.due(ended) + long < 2.0


@pytest.mark.parametrize("cost", [0.001, 0.05, 0.15, 1.0])
def test_looks_take_a_fiftieth_of_the_time_however_many_signs_there_are(cost):
    schedule = Schedule()
    now, spent = 0.0, 0.0
    while now < 3600.0:
        schedule.asked(now)
        now += max(0.01, schedule.due(now))
        schedule.looked(now, cost)
        spent += cost
    assert spent <= 3600.0 * SHARE * 1.02 + cost


def test_the_first_look_holds_up_the_next_one_for_seconds_at_most():
    schedule = Schedule()
    schedule.happened(100.0)
    schedule.looked(100.0, 5.0, first=True)
    assert schedule.due(100.0) <= 10.0


def test_after_a_quiet_minute_nothing_is_due():
    schedule = Schedule()
    schedule.happened(100.0)
    assert schedule.due(100.0 + ATTENTION_SECONDS + 1) is None
