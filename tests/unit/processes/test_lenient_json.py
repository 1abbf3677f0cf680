"""JSON as Sublime Text reads it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.host import lenient_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=10,
)


@given(values, st.sampled_from([None, 2]))
def test_plain_json_means_the_same(value, indent):
    assert lenient_json.loads(json.dumps(value, indent=indent)) == value


@given(values)
def test_comments_and_trailing_commas_change_nothing(value):
    text = json.dumps({"value": value, "list": [value]})
    text = text[:-2] + " /* , */ , // last\n ] , /* end */ }"
    assert lenient_json.loads("// first\n" + text) == {"value": value, "list": [value]}


def test_what_looks_like_a_comment_inside_a_string_is_text():
    assert lenient_json.loads('["// no comment", "/* nor, ] this */", "quote \\" // still text",]') == [
        "// no comment",
        "/* nor, ] this */",
        'quote " // still text',
    ]


def test_a_byte_order_mark_is_skipped():
    assert lenient_json.loads("\ufeff[1]") == [1]


@pytest.mark.parametrize("text", ["[1,,2]", "[,]", "{,}", "['single']", "[1 2]", "{a: 1}", "", "[NaN]", "[1] /* open"])
def test_other_mistakes_are_refused(text):
    with pytest.raises(lenient_json.LenientJsonError):
        lenient_json.loads(text)


def test_an_error_names_source_line_and_column():
    with pytest.raises(lenient_json.LenientJsonError, match=r"^Some\.sublime-settings:3:8: "):
        lenient_json.loads('{\n  // note\n  "a": oops\n}', "Some.sublime-settings")
