"""Comments: what the user types, the states, and how they follow their lines."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import List, Optional, Tuple

import pytest

from companion.comments.display import line_beside
from companion.comments.model import (
    CommentPlace,
    CommentState,
    NoteKind,
    TextSide,
    followed,
    go,
    quotable,
    typed,
    written,
)
from companion.comparison import Hunk
from tests.support.made_comments import comment

LINES = ["def total(items):", "    if not items:", "    total = 0", "    return None", "", "    return None"]


def test_a_comment_has_the_text_of_its_first_line() -> None:
    place = CommentPlace("/w/src/a.py", TextSide.OLD, 3, 4, "    total = 0\r\n    return None")
    draft = written(place, "src/a.py", "  use a list\r\nhere ")
    assert (draft.line, draft.text, draft.kind) == ("    total = 0", "use a list\nhere", NoteKind.COMMENT)
    assert (draft.path, draft.side, draft.first, draft.last) == ("src/a.py", TextSide.OLD, 3, 4)
    assert draft.state is CommentState.DRAFT


def test_two_question_marks_make_a_question_and_are_there_for_an_edit() -> None:
    question = written(CommentPlace("/w/a", TextSide.NEW, 1, 1, "x"), "a", "?? why")
    assert (question.kind, question.text) == (NoteKind.QUESTION, "why")
    assert typed(question) == "?? why"
    assert typed(comment("plain")) == "plain"


def test_of_a_long_line_the_beginning_is_kept() -> None:
    assert quotable("x" * 500 + "\n") == "x" * 200


@pytest.mark.parametrize(("state", "wanted"), list(product(CommentState, CommentState)))
def test_a_comment_goes_from_draft_over_waiting_to_sent_and_back(state: CommentState, wanted: CommentState) -> None:
    allowed = {("draft", "waiting"), ("draft", "sent"), ("waiting", "draft"), ("waiting", "sent")}
    one, other = comment(state=state), comment(state=state)
    moved, left = go([one, other], [one.number], wanted, 7.0)
    assert left == other
    assert moved.state is (wanted if (state.value, wanted.value) in allowed else state)
    assert moved.sent == (7.0 if moved.state is CommentState.SENT and state is not CommentState.SENT else 0.0)


@dataclass
class Moved:
    """Lines, where edits have carried the comment on line 3, and where it is then; whether its line has changed."""

    lines: List[str]
    at: Optional[Tuple[int, int]]
    first: int
    changed: bool = False


MOVES = {
    "nothing was edited": Moved(LINES, None, 3),
    "lines came above, and the file was read again": Moved(["# new", "# new", *LINES], None, 5),
    "lines came above while it was typed": Moved(["# new", "# new", *LINES], (5, 5), 5),
    "the line was typed in": Moved(LINES[:2] + ["    total = 1"] + LINES[3:], (3, 3), 3, True),
    "the line was typed in, and stands elsewhere, too": Moved(
        LINES[:2] + ["    total = 1"] + LINES[3:] + ["    total = 0"], (3, 3), 3, True
    ),
    "the line has gone": Moved(LINES[:2], None, 3, True),
    "of two the nearer one": Moved(["    total = 0", *[""] * 5, "    total = 0"], None, 1),
    "it begins one line below, as its place says": Moved(["#", *LINES], (3, 4), 4),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_comment_follows_its_line(name: str) -> None:
    case = MOVES[name]
    moved = followed(comment(), case.lines, case.at)
    assert (moved.first, moved.changed) == (case.first, case.changed)
    assert moved.line == "    total = 0"


def test_a_range_stays_as_long_as_it_was() -> None:
    moved = followed(comment(last=6), ["# new", *LINES])
    assert (moved.first, moved.last) == (4, 7)


def test_what_has_changed_and_is_back_is_no_more_changed() -> None:
    changed = followed(comment(), ["", ""])
    assert changed.changed
    assert not followed(changed, LINES).changed


def test_a_line_without_a_letter_is_not_looked_for() -> None:
    """Any brace would do."""
    moved = followed(comment(first=2, line="}"), ["}", "x"])
    assert (moved.first, moved.changed) == (2, True)


HUNKS = [Hunk(1, 1, 1, 3), Hunk(4, 6, 6, 6), Hunk(8, 9, 8, 10)]  # two added, two removed, one became two


@pytest.mark.parametrize(
    ("side", "lines"),
    [
        (TextSide.OLD, {1: 1, 2: 4, 4: 6, 5: 6, 6: 6, 7: 7, 9: 9, 10: 11}),
        (TextSide.NEW, {1: 1, 2: 1, 3: 1, 4: 2, 6: 4, 7: 7, 9: 9, 10: 9, 11: 10}),
    ],
)
def test_a_line_of_one_text_has_one_of_the_other_beside_it(side: TextSide, lines: dict[int, int]) -> None:
    assert {line: line_beside(line, side, HUNKS) for line in lines} == lines
