"""A review on its way to one session of an agent: which way it takes, and when it counts as sent.

    passage   what happens                                               next passage
    --------  ---------------------------------------------------------  ------------
    WAITS     a hook is answered with it, or another way takes it        HANDED_OVER
    HANDED_OVER  an event of the agent proves that it has arrived        SENT
    HANDED_OVER  the way fails, or the user stops the agent before that  WAITS
    any but SENT  the user takes it back, or the session ends            RETURNED

An answer to a hook is proved by what the agent does next: it calls another tool, asks its model once more, or ends its
turn. What was typed for the user, or queued, is proved by the prompt that the agent tells of.

Rule: an agent that works is never disturbed: it reads the review with the result of its next tool, or where it would
end its turn. Pure.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Callable, Container, Dict, FrozenSet, Optional, Tuple

from ..agents.hooks import Happening, HookEvent
from ..common.transitions import may_step, step


class Doing(Enum):
    """What the session does when the user sends a review."""

    WRITE_HELD = "it waits for the user before it writes"
    END_HELD = "it waits for the review before it ends its turn"
    WORKS = "it works, as far as it tells"
    IDLE = "it waits for a prompt"


class DeliveryWay(Enum):
    """How the review gets to the agent."""

    REJECTION = "as the reason for which the write is refused"
    END_OF_TURN = "as the answer to the end of the turn"
    TOOL_RESULT = "with the result of the next tool, or at the end of the turn"
    QUEUE = "by the agent's own command"
    TERMINAL = "as a paste into its terminal"
    PROMPT = "with the next prompt of the user"


WAYS: Dict[Doing, Tuple[DeliveryWay, ...]] = {
    Doing.WRITE_HELD: (DeliveryWay.REJECTION,),
    Doing.END_HELD: (DeliveryWay.END_OF_TURN,),
    Doing.WORKS: (DeliveryWay.TOOL_RESULT,),
    Doing.IDLE: (DeliveryWay.QUEUE, DeliveryWay.TERMINAL, DeliveryWay.PROMPT),
}
"""Which ways there are, the best one first."""
SUBMITTED = frozenset({DeliveryWay.QUEUE, DeliveryWay.TERMINAL})
"""Those by which it becomes a prompt of its own."""
ON_THE_NEXT_HOOK = frozenset({DeliveryWay.TOOL_RESULT, DeliveryWay.PROMPT})
"""Those that wait for a hook, and take the first that can carry a text."""


def way_for(doing: Doing, lacking: Container[DeliveryWay] = ()) -> DeliveryWay:
    """The way to a session that does this and lacks some of the ways."""
    return next(way for way in WAYS[doing] if way not in lacking)


class Passage(Enum):
    """How far a review has come."""

    WAITS = "waits"
    HANDED_OVER = "handed over"
    SENT = "sent"
    RETURNED = "returned"


TRANSITIONS: Dict[Passage, FrozenSet[Passage]] = {
    Passage.WAITS: frozenset({Passage.HANDED_OVER, Passage.RETURNED}),
    Passage.HANDED_OVER: frozenset({Passage.SENT, Passage.WAITS, Passage.RETURNED}),
    Passage.SENT: frozenset(),
    Passage.RETURNED: frozenset(),
}

GOES_ON = frozenset({Happening.TOOL_BEGINS, Happening.GOES_ON})
COMPARED = 200  # characters of a text without blanks: agents change these, and some tell only the beginning of a prompt
PASTED = re.compile(r"\[past(?:e|ed) [^\]]*\]", re.IGNORECASE)
"""What stands in a prompt for a paste, with some agents."""


def comments_text(count: int) -> str:
    """So many comments; with none, the review tells what the user has undone or edited."""
    return f"{count} comment{'' if count == 1 else 's'}" if count else "your review"


def yours(count: int) -> str:
    """So many comments, as the user's own."""
    return f"your {comments_text(count)}" if count else comments_text(count)


def drafts_again(count: int) -> str:
    """Say that so many comments have not been sent."""
    return f"{comments_text(count)} {'are drafts' if count > 1 else 'is a draft'} again"


class Delivery:
    """A review for one session. `title` is what users call the agent, `count` counts the comments."""

    def __init__(self, title: str, text: str, count: int, tell: Callable[[Passage, str], None]) -> None:
        """`tell` is called with each new passage and a sentence for the user, "" if there is nothing to say."""
        self.title, self.text, self.count = title, text, count
        self.passage = Passage.WAITS
        self.way: Optional[DeliveryWay] = None
        self._tell = tell
        self._text = _compared(text)[:COMPARED]

    @property
    def is_open(self) -> bool:
        """Whether it may still arrive."""
        return self.passage in (Passage.WAITS, Passage.HANDED_OVER)

    @property
    def comments(self) -> str:
        """How many comments it has, in words."""
        return comments_text(self.count)

    @property
    def status(self) -> str:
        """Where it is, for the status bar; "" once it has arrived or is back."""
        if not self.is_open or self.way is None:
            return ""
        if self.way is DeliveryWay.PROMPT:
            return f"Type anything in {self.title} to send {self.comments}"
        how = {
            DeliveryWay.TOOL_RESULT: " with its next step",
            DeliveryWay.TERMINAL: " (press Return if it does not start)",
        }
        return f"{self.comments} {'go' if self.count > 1 else 'goes'} to {self.title}{how.get(self.way, '')}"

    def go(self, passage: Passage, sentence: str = "") -> bool:
        """Bring it to this passage. False if there is no way to it any more."""
        if not may_step(TRANSITIONS, self.passage, passage):
            return False
        self.passage = step(TRANSITIONS, self.passage, passage)
        self._tell(passage, sentence)
        return True

    def is_in(self, event: HookEvent) -> bool:
        """Whether a prompt is this review: it may stand behind what the user has typed before."""
        if event.happening is not Happening.PROMPT:
            return False
        is_pasted = self.way is DeliveryWay.TERMINAL and PASTED.search(event.prompt) is not None
        return self._text in _compared(event.prompt) or (is_pasted and self.passage is Passage.HANDED_OVER)

    def hear(self, event: HookEvent, ends_turn: bool) -> None:
        """What an event of the agent says of a review that was handed over. `ends_turn`: it ends its turn by itself."""
        if self.passage is not Passage.HANDED_OVER or event.subagent:
            return
        if self.way in SUBMITTED:
            if self.is_in(event):
                self.go(Passage.SENT, f"{self.title} has {yours(self.count)}")
            elif event.happening is Happening.PROMPT and self.way is DeliveryWay.TERMINAL:
                self.way = DeliveryWay.PROMPT  # it was not sent off, and is removed from the prompt
                self.go(Passage.WAITS)
        elif ends_turn or event.happening in GOES_ON:
            self.go(Passage.SENT, f"{self.title} has {yours(self.count)}")
        elif event.happening in (Happening.PROMPT, Happening.TURN_ENDED) and not self.is_in(event):
            self.way = DeliveryWay.TOOL_RESULT  # the user has stopped the agent
            self.go(Passage.WAITS)


def _compared(text: str) -> str:
    return re.sub(r"\s+", "", text)
