"""Comments on lines of files, their states, and how they follow their lines.

    state    what happens                                     next state
    -------  -----------------------------------------------  ----------
    DRAFT    the user sends the review                        WAITING
    DRAFT    it goes as the reason of a Reject                SENT
    WAITING  an event of the agent proves that it has arrived SENT
    WAITING  the user takes it back                           DRAFT
    WAITING  the agent's session ends first                   DRAFT

Beside comments there are notes of what the user has undone and edited: they go out with the same review.

Rule: a comment never changes what it quotes. Where its line is not to be found any more it stays where it was, and says
so. Pure.
"""

from __future__ import annotations

import itertools
from enum import Enum
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..common.transitions import may_step

QUESTION = "??"
MOST_QUOTED = 200
"""Characters of a line that are kept and quoted."""
_OWN_TURN_SECONDS = 5.0  # between a prompt and the proof that it has arrived

numbers = itertools.count(1)


class TextSide(Enum):
    """Which of two texts a line is in: in a file that is not under review, it is the new one."""

    OLD = "old"
    NEW = "new"


class NoteKind(Enum):
    """What the agent reads of it."""

    COMMENT = "comment"
    QUESTION = "question"
    UNDONE = "undone"
    EDITED = "edited"


class CommentState(Enum):
    """Where a comment stands."""

    DRAFT = "draft"
    WAITING = "waiting"
    SENT = "sent"


TRANSITIONS: Dict[CommentState, FrozenSet[CommentState]] = {
    CommentState.DRAFT: frozenset({CommentState.WAITING, CommentState.SENT}),
    CommentState.WAITING: frozenset({CommentState.DRAFT, CommentState.SENT}),
    CommentState.SENT: frozenset(),
}


class CommentPlace(NamedTuple):
    """Lines of a file's text, from 1, both included; `text` is theirs. `path` is absolute."""

    path: str
    side: TextSide
    first: int
    last: int
    text: str


class Comment(NamedTuple):
    """What the user says of some lines. `path` is relative to the folder, with `/`, or absolute outside of it. Lines
    count from 1, both included. `line` is the text of the first one as it was. `changed`: whether the file has that
    line no more. `sent`: when it was sent, in seconds since 1970; `recent`: whether the agent has begun no other turn
    since. `number` names it until the editor ends.

    Other notes than comments may be about a whole file: then their lines are 0.
    """

    path: str
    side: TextSide
    first: int
    last: int
    line: str
    text: str
    kind: NoteKind = NoteKind.COMMENT
    state: CommentState = CommentState.DRAFT
    changed: bool = False
    sent: float = 0.0
    recent: bool = False
    number: int = 0

    @property
    def shown(self) -> bool:
        """Whether it stands below its line: until the agent begins the turn after that in which it was sent."""
        return self.is_comment and (self.recent or self.state is not CommentState.SENT)

    @property
    def is_comment(self) -> bool:
        """Whether the user has written it, and it is no note of what they have done."""
        return self.kind in (NoteKind.COMMENT, NoteKind.QUESTION)


def is_draft(comment: Comment) -> bool:
    """Whether it has not been sent, nor is on its way."""
    return comment.state is CommentState.DRAFT


def written(place: CommentPlace, path: str, text: str) -> Comment:
    """A draft of what the user has typed about a place; `path` is as comments name their files."""
    text, kind = _read(text)
    line = quotable(place.text.split("\n", 1)[0])
    return Comment(path, place.side, place.first, place.last, line, text, kind, number=next(numbers))


def rewritten(comment: Comment, text: str) -> Comment:
    """The comment with another text."""
    text, kind = _read(text)
    return comment._replace(text=text, kind=kind)


def typed(comment: Comment) -> str:
    """What the user types to write this comment."""
    return f"{QUESTION} {comment.text}" if comment.kind is NoteKind.QUESTION else comment.text


def _read(text: str) -> Tuple[str, NoteKind]:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if text.startswith(QUESTION):
        return text[len(QUESTION) :].strip(), NoteKind.QUESTION
    return text, NoteKind.COMMENT


def quotable(line: str) -> str:
    """What is kept of a line, without its end."""
    return line.rstrip("\r\n")[:MOST_QUOTED]


def go(comments: Iterable[Comment], chosen: Iterable[int], state: CommentState, when: float = 0.0) -> List[Comment]:
    """All of these, the chosen ones in another state, as far as they can come to it. `when`: seconds since 1970."""
    some = frozenset(chosen)
    return [
        each._replace(state=state, sent=when if state is CommentState.SENT else 0.0, recent=state is CommentState.SENT)
        if each.number in some and may_step(TRANSITIONS, each.state, state)
        else each
        for each in comments
    ]


def after_turn(comments: Iterable[Comment], when: float) -> List[Comment]:
    """All of these, once the agent has begun a turn, `when` in seconds since 1970: what it was sent before is history.
    A comment that goes out as a prompt begins a turn itself."""
    return [
        each._replace(recent=False) if each.recent and when - each.sent > _OWN_TURN_SECONDS else each
        for each in comments
    ]


# -- following the text ------------------------------------------------------------------------------------------------


def followed(comment: Comment, lines: Sequence[str], at: Optional[Tuple[int, int]] = None) -> Comment:
    """The comment where its line is in this text. `at` are the first and the last line to which the user's edits have
    carried it; without that the line is looked for, where it was and then next to that."""
    first, last = at or (comment.first, comment.last)
    looked_at: Iterable[int] = [first]
    if at is not None:
        looked_at = range(first - 1, first + 2)  # an edit at the end of a line may carry the place to the next one
    elif any(map(str.isalnum, comment.line)) and not _is_at(comment, lines, first):
        looked_at = range(1, len(lines) + 1)  # a line without a letter is not looked for
    there = [number for number in looked_at if _is_at(comment, lines, number)]
    found = min(there, key=lambda number: abs(number - first), default=0)
    moved = (found or first) - first
    return comment._replace(first=first + moved, last=max(first, last) + moved, changed=not found)


def _is_at(comment: Comment, lines: Sequence[str], number: int) -> bool:
    return 0 < number <= len(lines) and quotable(lines[number - 1]) == comment.line
