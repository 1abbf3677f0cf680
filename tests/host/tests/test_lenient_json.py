"""JSON as Sublime Text reads it."""

from __future__ import annotations

import pytest

from tests.host import lenient_json


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
