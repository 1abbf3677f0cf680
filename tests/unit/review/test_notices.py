"""What the header warns of, the most pressing first, and never two sentences that contradict each other."""

from __future__ import annotations

import pytest

from companion.review.display.header import Header, notices

QUIET = Header("file.py", "Gemini CLI", 100)


def sentences(**changes):
    return [notice.sentence for notice in notices(QUIET._replace(**changes))]


def test_when_all_is_well_nothing_is_said():
    assert notices(QUIET) == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"problem": "The disk is full."}, ["The disk is full."]),
        ({"reading_failed": True}, ["The file could not be read: Show Log says why."]),
        ({"comparison_failed": True}, ["The comparison failed: Show Log says why."]),
        ({"original_notice": "file.py is a binary file."}, ["binary"]),
        ({"too_large": True}, ["Raise review_maximum_bytes or review_maximum_lines to have it compared."]),
        ({"coarse": True}, ["Coarse comparison: the text is long."]),
        ({"contents": "file.py is a binary file: ELF program.", "too_large": True}, ["ELF program"]),
        ({"contents": "The proposal is a PNG.", "original_notice": "file.py is large."}, ["PNG", "is large"]),
        ({"unsaved": True}, ["unsaved edits"]),
        ({"changed_on_disk": True}, ["has changed on disk"]),
        ({"orphaned": True}, ["has gone: Accept writes the file itself"]),
        ({"accepted_before": True, "orphaned": True}, ["What you accepted is not saved yet: Accept writes the file"]),
        ({"emptied": True}, ["ignores an empty text"]),
        ({"orphaned": True, "emptied": True}, ["has gone"]),
        ({"hidden": 1}, ["1 whitespace change is hidden."]),
        ({"hidden": 3}, ["3 whitespace changes are hidden."]),
        ({"whitespace_shown": True}, ["Whitespace changes are shown in this diff."]),
        ({"hidden": 3, "unsaved": True, "orphaned": True}, ["unsaved", "has gone", "3 whitespace"]),
        ({"original_notice": "file.py is large.", "too_large": True}, ["file.py is large."]),
        (
            {"problem": "No.", "unsaved": True, "changed_on_disk": True, "orphaned": True},
            ["No.", "unsaved", "changed on disk", "has gone"],
        ),
    ],
)
def test_what_is_said(changes, words):
    said = sentences(**changes)
    assert len(said) == len(words)
    for sentence, word in zip(said, words):
        assert word in sentence


def test_a_file_that_changed_can_be_compared_again():
    (notice,) = notices(QUIET._replace(changed_on_disk=True))
    assert (notice.link, notice.caption) == ("reload", "Compare again")


def test_a_file_that_could_not_be_read_can_be_read_again():
    (notice,) = notices(QUIET._replace(reading_failed=True))
    assert (notice.link, notice.caption) == ("reload", "Compare again")


def test_hidden_whitespace_can_be_shown_and_hidden_again():
    (hidden,) = notices(QUIET._replace(hidden=2))
    (shown,) = notices(QUIET._replace(whitespace_shown=True))
    assert (hidden.link, hidden.caption) == ("whitespace", "Show them")
    assert (shown.link, shown.caption) == ("whitespace", "Hide them")


def test_what_may_be_lost_is_a_risk_and_the_rest_is_a_note():
    risks = [
        {"problem": "The disk is full."},
        {"reading_failed": True},
        {"comparison_failed": True},
        {"unsaved": True},
        {"changed_on_disk": True},
        {"accepted_before": True},
        {"edits_stay": True},
        {"emptied": True},
        {"original_notice": "file.py cannot be read.", "unreadable": True},
    ]
    notes = [
        {"contents": "file.py is a binary file: ELF program."},
        {"original_notice": "file.py is large."},
        {"too_large": True},
        {"orphaned": True},
        {"hidden": 2},
        {"whitespace_shown": True},
    ]
    for changes in risks + notes:
        (notice,) = notices(QUIET._replace(**changes))
        assert notice.risk == (changes in risks), changes
