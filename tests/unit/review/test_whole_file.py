"""What changes in all of a file is said whenever it happens, whatever else changes."""

from __future__ import annotations

import pytest

from companion.agents.registry import AGENTS
from companion.agents.window import RESTORES_ALL, RESTORES_NOTHING
from companion.review.document.whole_file import (
    MARK_COMES,
    MARK_GOES,
    WrittenText,
    proposed_text,
    same_encoding,
    whole_file_changes,
)

UTF_8, MARKED, WIDE = "UTF-8", "UTF-8 with BOM", "UTF-16 LE with BOM"
WINDOWS, GREEK = "Western (Windows 1252)", "Greek (ISO 8859-7)"
LINES = "one\ntwo\nthree\n"
CRLF = LINES.replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (LINES, CRLF, ["All 3 line ends change: LF → CRLF."]),
        (CRLF, LINES + "four\n", ["All 3 line ends change: CRLF → LF."]),
        (CRLF, LINES.replace("two", "2"), ["All 3 line ends change: CRLF → LF."]),
        ("a\r\n" * 1200, "a\n", ["All 1,200 line ends change: CRLF → LF."]),
        ("one\n", "one\r\n", ["The line end changes: LF → CRLF."]),
        ("one\rtwo\r", "one\ntwo\n", ["All 2 line ends change: CR → LF."]),
        (LINES, LINES + "four\r\n", ["The line ends become mixed: LF → 3 LF, 1 CRLF."]),
        ("a\nb\r\n", "a\r\nb\r\n", ["The line ends are no longer mixed: 1 LF, 1 CRLF → CRLF."]),
        ("a\nb\r\nc\n", "a\r\nb\nc\n", ["2 line ends change."]),
        ("a\nb\r\nc\n", "new\na\r\nb\r\nc\n", ["1 line end changes."]),
        ("a\nb\r\nc\n", "a\nb\r\nc\nnew\n", []),
        ("a\nb\r\nc\n", "a\nB\r\nc\n", []),
        (LINES, LINES + "more\n", []),
        ("no end", "no end\r\n", []),
        (LINES, "", []),
        ("", CRLF, []),
    ],
)
def test_line_ends(before, after, said):
    assert list(whole_file_changes(WrittenText(before, UTF_8), WrittenText(after, UTF_8))) == said


@pytest.mark.parametrize(
    ("before", "after", "text", "said"),
    [
        (MARKED, UTF_8, "é\n", [MARK_GOES]),
        (UTF_8, MARKED, "a\n", [MARK_COMES]),
        (WINDOWS, UTF_8, "é\n", ["Windows 1252 → UTF-8."]),
        (WINDOWS, UTF_8, "plain\n", []),
        (GREEK, MARKED, "λ\n", ["ISO 8859-7 → UTF-8."]),
        (WIDE, UTF_8, "plain\n", ["UTF-16 LE → UTF-8."]),
        (WIDE, WIDE, "plain\n", []),
    ],
)
def test_marks_and_encodings(before, after, text, said):
    old, new = WrittenText(text, before), WrittenText(text + "more\n", after)
    assert list(whole_file_changes(old, new)) == said
    assert same_encoding(old, new) is not any(" → " in each for each in said)


def test_all_of_it_is_said_at_once():
    before, after = WrittenText("é\r\n" * 20, WINDOWS), WrittenText("é\n" * 20 + "new\n", UTF_8)
    assert whole_file_changes(before, after) == ("All 20 line ends change: CRLF → LF.", "Windows 1252 → UTF-8.")
    assert whole_file_changes(WrittenText("", MARKED), WrittenText("", UTF_8)) == (MARK_GOES,)


@pytest.mark.parametrize(
    ("restored", "proposed", "said"),
    [
        (RESTORES_ALL, LINES, []),
        (RESTORES_ALL, CRLF, []),
        (RESTORES_ALL, LINES.replace("two", "2"), []),
        (RESTORES_ALL, "a\rb\r", ["All 3 line ends change: CRLF → CR."]),  # these are meant
        (RESTORES_ALL._replace(mark=False), "\ufeff" + LINES, []),
        (RESTORES_ALL._replace(mark=False), LINES, [MARK_GOES]),
        (RESTORES_NOTHING, "\ufeff" + CRLF, []),
        (RESTORES_NOTHING, LINES, ["All 3 line ends change: CRLF → LF.", MARK_GOES]),
    ],
)
def test_a_proposal_is_silent_only_where_its_program_restores_the_format(restored, proposed, said):
    before = WrittenText(CRLF, MARKED)
    assert list(whole_file_changes(before, proposed_text(before, proposed, restored))) == said


def test_that_a_program_writes_utf_8_over_another_encoding_is_said():
    before = WrittenText("é\n", WINDOWS)
    (gemini,) = [agent for agent in AGENTS if agent.key == "gemini"]
    after = proposed_text(before, "é\n2\n", gemini.restored)
    assert whole_file_changes(before, after) == ("Windows 1252 → UTF-8.",)
