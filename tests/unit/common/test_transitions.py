"""One function changes all states."""

from __future__ import annotations

from enum import Enum

import pytest

from companion.common.transitions import WrongStepError, may_step, step


class Door(Enum):
    OPEN = "open"
    CLOSED = "closed"
    LOCKED = "locked"


TRANSITIONS = {
    Door.OPEN: frozenset({Door.CLOSED}),
    Door.CLOSED: frozenset({Door.OPEN, Door.LOCKED}),
    Door.LOCKED: frozenset({Door.CLOSED}),
}


def test_a_step_that_is_not_in_the_table_is_an_error():
    assert step(TRANSITIONS, Door.OPEN, Door.CLOSED) is Door.CLOSED
    assert not may_step(TRANSITIONS, Door.OPEN, Door.LOCKED)
    with pytest.raises(WrongStepError, match="Door cannot go from OPEN to LOCKED"):
        step(TRANSITIONS, Door.OPEN, Door.LOCKED)
