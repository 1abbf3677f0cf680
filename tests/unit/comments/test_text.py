"""The text of a review, as the agent reads it."""

from __future__ import annotations

import pytest

from companion.comments.model import NoteKind, TextSide
from companion.comments.text import MOST_CHARACTERS, compose
from tests.support.made_comments import comment

NAME = ".gemini-companion-review-1.md"


def test_a_review_has_the_counts_first_and_then_the_places() -> None:
    comments = [
        comment("Why?", "src/b.py", 7, kind=NoteKind.QUESTION, side=TextSide.OLD, line="gone()"),
        comment(first=12, last=14),
        comment("", "src/a.py", 3, last=5, kind=NoteKind.UNDONE, line="print(total)"),
        comment("", "new.py", 0, kind=NoteKind.UNDONE, line=""),
        comment("", "src/a.py", 0, kind=NoteKind.EDITED, line=""),
    ]
    assert compose(comments).text == (
        "I reviewed your changes: 1 comment, 1 question, 2 changes undone, 1 file edited by me; answer the questions,"
        " and change nothing for them.\n\n"
        "src/a.py:12-14\n```\n    total = 0\n```\nuse a list\n\n"
        "src/b.py:7 (as it was before your change)\n```\ngone()\n```\nQuestion: Why?\n\n"
        "I undid your change at new.py; do not put it back.\n\n"
        "I undid your change at src/a.py:3-5; do not put it back.\n```\nprint(total)\n```\n\n"
        "I edited src/a.py after you; keep my edits.\n"
    )


def test_a_line_that_has_changed_says_so() -> None:
    assert "src/a.py:3 (this line has changed since)\n" in compose([comment(changed=True)]).text


def test_quotes_tags_tabs_and_letters_are_left_alone() -> None:
    text = 'say "it", \\n, <b>tags</b> & ü ✓ \U0001f44d\tand a tab'
    assert text in compose([comment(text)]).text
    assert "\n```\n\tif a < b && c > d:\n```\n" in compose([comment(line="\tif a < b && c > d:")]).text


def test_no_line_of_ours_is_a_tag_or_a_quote() -> None:
    text = compose([comment(kind=kind, side=TextSide.OLD, changed=True) for kind in NoteKind], opening="no").text
    assert not set("<>&") & set(text)


def test_line_ends_are_those_of_every_agent() -> None:
    assert "one\ntwo\nthree" in compose([comment("one\r\ntwo\rthree")]).text


@pytest.mark.parametrize("character", ["\x1b", "\x03", "\x9b", "\u202e", "\x7f"])
def test_no_terminal_obeys_a_comment(character: str) -> None:
    """`ESC [ 201 ~` would end the paste, and what follows would be typed."""
    text = compose(
        [comment(f"a{character}[201~b", line=f"x{character}", path=f"src/{character}.py")], opening=character
    ).text
    assert character not in text
    assert f"a<U+{ord(character):04X}>[201~b" in text


def test_a_quoted_fence_ends_none() -> None:
    assert "\n`````\n````python\n`````\n" in compose([comment(line="````python")]).text


def test_a_blank_line_is_not_quoted() -> None:
    assert "src/a.py:3\nuse a list\n" in compose([comment(line="   ")]).text


def test_another_opening_stands_before_the_counts() -> None:
    text = compose([comment()], opening="Not like this.\n\n").text
    assert text.startswith("Not like this.\n\n1 comment.\n\nsrc/a.py:3\n")


def sized(characters: int) -> str:
    """A comment with which the review has so many characters."""
    return "x" * (characters - len(compose([comment("")], NAME).text))


def test_what_fits_names_no_file() -> None:
    letter = compose([comment(sized(MOST_CHARACTERS))], NAME)
    assert (len(letter.text), letter.rest) == (MOST_CHARACTERS, "")


@pytest.mark.parametrize("characters", [MOST_CHARACTERS + 1, 100000])
def test_what_is_longer_is_in_a_file_that_the_text_names(characters: int) -> None:
    long = sized(characters)
    letter = compose([comment(long)], NAME)
    assert len(letter.text) <= MOST_CHARACTERS
    assert f"The rest of this review (1 comment) is in the file {NAME}: read that file, too.\n" in letter.text
    assert letter.rest == f"src/a.py:3\n```\n    total = 0\n```\n{long}\n"


def test_as_many_comments_as_fit_come_before_the_file() -> None:
    comments = [comment(f"{number} " + "x" * 500, first=number) for number in range(1, 101)]
    letter = compose(comments, NAME)
    before, after = letter.text.count("src/a.py:"), letter.rest.count("src/a.py:")
    assert MOST_CHARACTERS - 600 < len(letter.text) <= MOST_CHARACTERS
    assert (before + after, f"review ({after} comments) is" in letter.text) == (100, True)
    assert f"src/a.py:{before}\n" in letter.text
    assert letter.rest.startswith(f"src/a.py:{before + 1}\n")


def test_without_a_file_the_text_is_whole() -> None:
    assert len(compose([comment("x" * 100000)]).text) > 100000
