"""The text of a review, as the agent reads it: `PROTOCOL.md` describes its form; and what the user reads of a comment.

Rule: some programs send `<`, `>` and `&` on as entities, so there are no tags, and code is quoted in a fence. Nothing
in the text is obeyed by a terminal, into which it may be pasted. Pure.
"""

from __future__ import annotations

import re
import time
from typing import NamedTuple, Sequence

from ..common.display_names import shown
from .model import Comment, CommentState, NoteKind, TextSide

MOST_CHARACTERS = 9000
"""Of a review in one piece: the tightest way to an agent carries 10,000."""
REVIEWED = "I reviewed your changes: "
_LAST = {NoteKind.UNDONE: 1, NoteKind.EDITED: 2}
REST = "The rest of this review ({}) is in the file {}: read that file, too."
ASKS = "; answer the questions, and change nothing for them"
_PLURALS = {
    NoteKind.COMMENT: ("comment", "comments"),
    NoteKind.QUESTION: ("question", "questions"),
    NoteKind.UNDONE: ("change undone", "changes undone"),
    NoteKind.EDITED: ("file edited by me", "files edited by me"),
}


class Letter(NamedTuple):
    """The text of a review, and what is to be in the file that it names; "" if it names none."""

    text: str
    rest: str = ""


def counts(comments: Sequence[Comment]) -> str:
    """How many there are of each kind, for example `2 comments, 1 question`."""
    found = {kind: sum(each.kind is kind for each in comments) for kind in NoteKind}
    return ", ".join(f"{count} {_PLURALS[kind][count != 1]}" for kind, count in found.items() if count)


def compose(
    comments: Sequence[Comment], rest_file: str = "", opening: str = REVIEWED, most: int = MOST_CHARACTERS
) -> Letter:
    """The review of these comments. What `most` characters do not hold is for `rest_file`, if there is one. `opening`
    stands before the counts."""
    ordered = sorted(comments, key=lambda each: (_LAST.get(each.kind, 0), each.path, each.first))
    asks = ASKS if any(each.kind is NoteKind.QUESTION for each in ordered) else ""
    head = f"{_clean(opening)}{counts(ordered)}{asks}."
    parts = list(map(_part, ordered))
    whole = _paragraphs([head, *parts])
    if len(whole) <= most or not rest_file:
        return Letter(whole)
    room, taken = most - len(_paragraphs([head, REST.format(counts(ordered), rest_file)])), 0
    while len(parts[taken]) + 2 <= room:
        room -= len(parts[taken]) + 2
        taken += 1
    pointer = REST.format(counts(ordered[taken:]), rest_file)
    return Letter(_paragraphs([head, *parts[:taken], pointer]), _paragraphs(parts[taken:]))


def _paragraphs(parts: Sequence[str]) -> str:
    return "\n\n".join(parts) + "\n"


def place_text(comment: Comment) -> str:
    """The lines of a comment, for example `src/a.py:12-14`."""
    lines = f"{comment.first}-{comment.last}" if comment.last > comment.first else f"{comment.first}"
    return f"{comment.path}:{lines}" if comment.first else comment.path


def _part(comment: Comment) -> str:
    place = _clean(place_text(comment)).replace("\n", " ")
    quote = _fenced(comment.line)
    if comment.kind is NoteKind.UNDONE:
        return f"I undid your change at {place}; do not put it back.{quote}"
    if comment.kind is NoteKind.EDITED:
        return f"I edited {place} after you; keep my edits."
    notes = ["as it was before your change"] if comment.side is TextSide.OLD else []
    notes += ["this line has changed since"] if comment.changed else []
    about = f" ({', '.join(notes)})" if notes else ""
    question = "Question: " if comment.kind is NoteKind.QUESTION else ""
    return f"{place}{about}{quote}\n{question}{_clean(comment.text)}"


def _fenced(line: str) -> str:
    """A line in a fence that it does not end, on lines of its own; nothing for a blank one."""
    if not line.strip():
        return ""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", line)), default=0))
    return f"\n{fence}\n{_clean(line)}\n{fence}"


def _clean(text: str) -> str:
    """The text, with hidden characters, and those that a terminal obeys, as `<U+001B>`."""
    return "\n".join(_visible(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _visible(line: str) -> str:
    return line if line.isascii() and line.replace("\t", "").isprintable() else shown(line, "\t")


# -- what the user reads -----------------------------------------------------------------------------------------------

_STATES = {CommentState.DRAFT: "draft", CommentState.WAITING: "waiting to be sent", CommentState.SENT: "sent %H:%M"}


def caption(comment: Comment) -> str:
    """What kind of comment it is, and how it stands."""
    kind = "Question" if comment.kind is NoteKind.QUESTION else "Comment"
    changed = ", line has changed" if comment.changed else ""
    return f"{kind} ({time.strftime(_STATES[comment.state], time.localtime(comment.sent))}{changed})"
