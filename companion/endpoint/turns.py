"""Whether the turn of a session goes on: it ends when its agent has ended its part and all of its subagents theirs.

Subagents may work beside their agent, which then ends its part first. If the agent names its subagents when it does so,
it works on after the last of them has ended, and ends its part once more. If it names none, its turn ends with the last
of them.

    stage           event                                                   next stage
    --------------  ------------------------------------------------------  --------------
    any             a prompt; a tool or a question of the agent; it goes on  WORKS
    any             its part ends, and no subagent works                    ENDED
    any             its part ends, and subagents work on                    SUBAGENTS_WORK
    any             its part ends, and it is given a review for an answer   WORKS
    ENDED           a subagent works                                        SUBAGENTS_WORK
    SUBAGENTS_WORK  the last one ends, and the agent has named them         WORKS
    SUBAGENTS_WORK  the last one ends, and it has not                       ENDED

What a subagent does changes nothing else. Pure.
"""

from __future__ import annotations

from enum import Enum
from typing import Set

from ..agents.hooks import Happening, HookEvent


class Stage(Enum):
    """What the session does, as far as its agent tells: some tell nothing of a turn that their user interrupts."""

    NOT_BEGUN = "no event has told of a turn"
    WORKS = "the agent works"
    SUBAGENTS_WORK = "the agent has ended its part, its subagents have not"
    ENDED = "the turn has ended"


NEXT = {
    Happening.PROMPT: Stage.WORKS,
    Happening.TOOL_BEGINS: Stage.WORKS,
    Happening.TOOL_ENDED: Stage.WORKS,
    Happening.WAITS: Stage.WORKS,
    Happening.GOES_ON: Stage.WORKS,
    Happening.TURN_ENDED: Stage.ENDED,
}
"""By what the agent tells of itself."""


class Turn:
    """The turn of one session."""

    def __init__(self) -> None:
        self.stage = Stage.NOT_BEGUN
        self.subagents: Set[str] = set()
        """Those that work, by their ids."""
        self._names_subagents = False

    def take(self, event: HookEvent) -> bool:
        """Follow an event; whether the turn ends by it."""
        former = self.stage
        if event.happening is Happening.SUBAGENT_ENDED:
            self.subagents.discard(event.subagent)
        elif event.subagent:
            self.subagents.add(event.subagent)
        else:
            if event.background is not None:
                self.subagents = set(event.background)
                self._names_subagents = self._names_subagents or bool(self.subagents)
            self.stage = NEXT.get(event.happening, self.stage)
        if former is Stage.SUBAGENTS_WORK and event.subagent and not self.subagents:
            self.stage = Stage.WORKS if self._names_subagents else Stage.ENDED
        elif self.stage is Stage.ENDED and self.subagents:
            self.stage = Stage.SUBAGENTS_WORK
        ends = event.happening is Happening.TURN_ENDED or former is Stage.SUBAGENTS_WORK
        return ends and self.stage is Stage.ENDED

    def goes_on(self) -> None:
        """The agent was given more to do when it would have ended its turn."""
        self.stage = Stage.WORKS
