"""When the turn of a session has ended, with subagents that work within it or beside their agent."""

from __future__ import annotations

import pytest

from companion.agents.hooks import Happening, HookEvent
from companion.endpoint.turns import Stage, Turn

PROMPT, TOOL, END = Happening.PROMPT, Happening.TOOL_BEGINS, Happening.TURN_ENDED
BEGINS, ENDS, ON = Happening.SUBAGENT_BEGINS, Happening.SUBAGENT_ENDED, Happening.GOES_ON


def told(happening, subagent="", background=None):
    return HookEvent(happening, "s", "/w", "", subagent=subagent, background=background)


A, B = "a", "b"
RUNS, NOBODY = frozenset({A}), frozenset()


@pytest.mark.parametrize(
    "events",
    [
        [(PROMPT,), (TOOL,), (END,)],
        [(PROMPT,), (BEGINS, A), (TOOL, A), (ENDS, A), (TOOL,), (END,)],
        # its agent is told of the end, and says how many work on
        [(PROMPT,), (BEGINS, A), (END, "", RUNS), (TOOL, A), (ENDS, A), (ON,), (END, "", NOBODY)],
        [(PROMPT,), (BEGINS, A), (END, "", RUNS), (ENDS, A), (END, "", NOBODY)],
        # its agent does not say
        [(PROMPT,), (BEGINS, A), (BEGINS, B), (END,), (ENDS, B), (TOOL, A), (ENDS, A)],
        # whoever the agent does not name has gone without a word
        [(PROMPT,), (BEGINS, A), (END, "", NOBODY)],
        [(PROMPT,), (BEGINS, A), (END,), (PROMPT,), (ENDS, A), (END,)],
    ],
)
def test_a_turn_ends_once_and_with_its_last_event(events):
    turn = Turn()
    assert [turn.take(told(*event)) for event in events] == [False] * (len(events) - 1) + [True]
    assert turn.stage is Stage.ENDED


def test_before_the_first_event_and_while_others_work_the_stage_says_so():
    turn = Turn()
    assert not turn.take(told(Happening.OTHER))
    assert turn.stage is Stage.NOT_BEGUN
    turn.take(told(PROMPT))
    turn.take(told(BEGINS, A))
    assert turn.stage is Stage.WORKS
    turn.take(told(END))
    assert turn.stage is Stage.SUBAGENTS_WORK


def test_a_subagent_of_an_ended_turn_that_works_once_more_opens_it_again():
    turn = Turn()
    for event in ((PROMPT,), (END,)):
        turn.take(told(*event))
    assert not turn.take(told(TOOL, A))
    assert turn.take(told(ENDS, A))
