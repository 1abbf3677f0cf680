"""What the header warns of, the most pressing first, and never two sentences that contradict each other."""

from __future__ import annotations

import pytest

from companion.review.decision import Writer
from companion.review.display.header import Header, notices

QUIET = Header("file.py", "Gemini CLI", 100)


def test_when_all_is_well_nothing_is_said():
    assert notices(QUIET) == []


@pytest.mark.parametrize(
    ("changes", "words", "risk"),
    [
        ({"problem": "The disk is full."}, "The disk is full.", True),
        ({"reading_failed": True}, "The file could not be read: the log says why, to which Diagnose leads.", True),
        ({"comparison_failed": True}, "The comparison failed: the log says why, to which Diagnose leads.", True),
        ({"unsaved": True}, "unsaved edits", True),
        ({"changed_on_disk": True}, "has changed on disk", True),
        ({"edits_stay": True}, "Accept saves your edits over it", True),
        ({"emptied": True}, "ignores an empty text", True),
        ({"writer": Writer.ACCEPTED_BEFORE}, "What you accepted is not saved yet: Accept writes", True),
        ({"original_notice": "file.py cannot be read.", "unreadable": True}, "cannot be read", True),
        ({"original_notice": "file.py is large.", "too_large": True}, "file.py is large.", False),
        ({"too_large": True}, "The proposal is too long: shown without a comparison.", False),
        ({"coarse": True}, "Coarse comparison: the text is long.", False),
        ({"contents": "file.py is a binary file: ELF program.", "too_large": True}, "ELF program", False),
        ({"writer": Writer.CLIENT_GONE, "emptied": True}, "has gone: Accept writes the file itself", False),
        ({"hidden": 1}, "1 whitespace change is hidden.", False),
        ({"hidden": 3}, "3 whitespace changes are hidden.", False),
        ({"whitespace_shown": True}, "Whitespace changes are shown in this diff.", False),
    ],
)
def test_what_may_be_lost_is_a_risk_and_the_rest_is_a_note(changes, words, risk):
    (notice,) = notices(QUIET._replace(**changes))
    assert words in notice.sentence
    assert notice.risk is risk


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"contents": "The proposal is a PNG.", "original_notice": "file.py is large."}, ["PNG", "is large"]),
        ({"hidden": 3, "unsaved": True, "writer": Writer.CLIENT_GONE}, ["unsaved", "has gone", "3 whitespace"]),
        (
            {"problem": "No.", "unsaved": True, "changed_on_disk": True, "writer": Writer.CLIENT_GONE},
            ["No.", "unsaved", "changed on disk", "has gone"],
        ),
    ],
)
def test_the_most_pressing_is_said_first(changes, words):
    said = [notice.sentence for notice in notices(QUIET._replace(**changes))]
    assert len(said) == len(words)
    for sentence, word in zip(said, words):
        assert word in sentence


@pytest.mark.parametrize(
    ("changes", "link", "caption"),
    [
        ({"changed_on_disk": True}, "reload", "Compare again"),
        ({"reading_failed": True}, "reload", "Compare again"),
        ({"hidden": 2}, "whitespace", "Show them"),
        ({"whitespace_shown": True}, "whitespace", "Hide them"),
    ],
)
def test_what_can_be_done_about_it_has_a_link(changes, link, caption):
    (notice,) = notices(QUIET._replace(**changes))
    assert (notice.link, notice.caption) == (link, caption)
