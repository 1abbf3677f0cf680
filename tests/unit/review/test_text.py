"""What the user gets back is what was proposed, but for what they edited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.review.document.text import ProposedText, plain

ODD_TEXTS = {
    "line feeds": "a\nb\n",
    "carriage returns and line feeds": "a\r\nb\r\n",
    "carriage returns": "a\rb\r",
    "mixed endings": "a\r\nb\nc\rd",
    "no final newline": "a\nb",
    "byte order mark": "\ufeffa\n",
    "two byte order marks": "\ufeff\ufeffa\n",
    "a byte order mark inside": "a\ufeffb\n",
    "NUL": "a\x00b\n\x00",
    "NUL and its picture": "a\x00\u2400b",
    "lone surrogates": "a\ud800b\udfffc\udc80\n",
    "lone surrogates and private characters": "\udc80\U000f0480\U000f0000",
    "NUL, its picture and every private character": "\x00\u2400" + "".join(map(chr, range(0xF0000, 0x10FFFE))),
    "astral characters": "\U0001f600\n",
    "form feeds and other separators": "a\x0cb\x0bc\x1cd\u2028e\u2029f\x85g\n",
    "empty": "",
    "only an ending": "\r\n",
    "one long line": "x" * 5000000,
}

ODD_CHARACTERS = "ab\n\r\t \x00\x0c\u2028\u2400\ud800\udfff\ufeff\U000f0000\U0001f600"
texts = st.text(alphabet=st.sampled_from(ODD_CHARACTERS), max_size=40)


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_an_unchanged_text_comes_back_identical(text):
    proposal = ProposedText(text)
    assert proposal.restore(proposal.shown) == text


@given(texts)
def test_any_unchanged_text_comes_back_identical(text):
    proposal = ProposedText(text)
    assert proposal.restore(proposal.shown) == text


@given(texts)
def test_what_is_shown_suits_a_view(text):
    shown = ProposedText(text).shown
    assert "\r" not in shown
    assert "\x00" not in shown
    shown.encode("utf-8")  # the editor's interface takes UTF-8


@given(texts, texts)
def test_what_was_typed_in_front_leaves_the_rest_identical(text, typed):
    typed = plain(typed).replace("\x00", "").encode("utf-8", "ignore").decode()
    typed = "".join(character for character in typed if character not in "\u2400\U000f0000")
    typed = (typed + "\n").replace("\n", "!\n")  # or nobody could say which of two equal lines is the new one
    proposal = ProposedText(text)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    restored = proposal.restore(typed + proposal.shown)
    assert restored.startswith(mark)
    assert restored.endswith(text[len(mark) :])


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_edited_lines_end_as_the_proposal_does(ending):
    proposal = ProposedText("one" + ending + "two" + ending)
    assert proposal.shown == "one\ntwo\n"
    assert proposal.restore("zero\none\nTWO\nthree\n") == ending.join(["zero", "one", "TWO", "three", ""])


def test_mixed_endings_stay_with_their_lines():
    proposal = ProposedText("a\r\nb\nc\r\nd\r\n")
    assert proposal.restore("a\nB\nc\nd\n") == "a\r\nB\nc\r\nd\r\n"
    assert proposal.restore("b\nc\nd\n") == "b\nc\r\nd\r\n"
    assert proposal.restore("a\nb\nnew\nc\nd\n") == "a\r\nb\nnew\r\nc\r\nd\r\n"


@pytest.mark.parametrize(
    ("current", "restored"),
    [
        ("a\nnew\nb\nc\nd\n", "a\r\nnew\r\nb\nc\r\nd\r\n"),  # before the line with the rarer ending
        ("a\nnew\nnewer\nb\nc\nd\n", "a\r\nnew\r\nnewer\r\nb\nc\r\nd\r\n"),
        ("a\nb\nnew\nc\nd\n", "a\r\nb\nnew\r\nc\r\nd\r\n"),  # and after it
        ("a\nB\nnew\nc\nd\n", "a\r\nB\nnew\r\nc\r\nd\r\n"),  # one line becomes two
        ("A\nB\nC\nd\n", "A\r\nB\nC\r\nd\r\n"),
        ("a\nC\nd\n", "a\r\nC\nd\r\n"),  # two become one: the place of the first
        ("a\nb\nc\nd\nnew\n", "a\r\nb\nc\r\nd\r\nnew\r\n"),
        ("a\nb\nc\nd", "a\r\nb\nc\r\nd"),
    ],
)
def test_new_lines_end_as_most_do_wherever_they_are_put(current, restored):
    assert ProposedText("a\r\nb\nc\r\nd\r\n").restore(current) == restored


def test_a_newline_added_to_a_last_line_without_one():
    assert ProposedText("a\r\nb\n\r\nc").restore("a\nb\n\nc\n") == "a\r\nb\n\r\nc\r\n"


def test_a_text_of_one_line_gets_line_feeds():
    assert ProposedText("a").restore("a\nb") == "a\nb"


def test_characters_that_a_view_cannot_hold_survive_an_edit_of_their_line():
    proposal = ProposedText("x\ud800y\x00z\n")
    assert proposal.restore("!" + proposal.shown) == "!x\ud800y\x00z\n"


def test_an_emptied_text_is_empty():
    assert ProposedText("a\r\n").restore("") == ""


def test_plain():
    assert plain("\ufeffa\r\nb\rc\n") == "a\nb\nc\n"
