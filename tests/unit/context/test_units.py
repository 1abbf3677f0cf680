"""Text in UTF-16 units: nothing is cut in half, and nothing that cannot be sent gets out."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from companion.context.model import cut, utf16_length, well_formed

ANY_TEXT = st.text(st.characters(), max_size=60)  # lone surrogates included
GOOD_TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=60)


@given(GOOD_TEXT)
def test_length_is_that_of_the_encoding(text):
    assert utf16_length(text) == len(text.encode("utf-16-le")) // 2


@given(GOOD_TEXT, st.integers(0, 130))
def test_a_cut_is_the_longest_beginning_that_fits(text, units):
    beginning = cut(text, units)
    assert text.startswith(beginning)
    assert utf16_length(beginning) <= units
    if beginning != text:
        assert utf16_length(text[: len(beginning) + 1]) > units


def test_a_character_of_two_units_is_not_cut_in_half():
    assert cut("ab🎈", 3) == "ab"
    assert cut("ab🎈", 4) == "ab🎈"
    assert cut("🎈🎈🎈", 5) == "🎈🎈"
    assert cut("🎈", 0) == cut("a", 0) == ""


def test_a_cut_leaves_no_character_out_that_fits():
    assert cut("🎈🎈ab", 2) == "🎈"
    assert cut("🎈🎈🎈🎈", 4) == "🎈🎈"
    assert cut("a🎈🎈bc", 5) == "a🎈🎈"
    assert cut("a🎈🎈bc", 6) == "a🎈🎈b"


@given(ANY_TEXT)
def test_well_formed_text_can_always_be_sent(text):
    good = well_formed(text)
    good.encode("utf-8")
    assert json.loads(json.dumps(good)) == good
    assert well_formed(good) == good
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return
    assert good == text


def test_surrogates_alone_are_replaced_and_pairs_are_joined():
    assert well_formed("a\ud83cb") == "a\ufffdb"
    assert well_formed("a\udf88b") == "a\ufffdb"
    assert well_formed("a\ud83c\udf88b") == "a🎈b"
