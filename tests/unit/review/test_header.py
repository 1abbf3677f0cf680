"""The header fits into its view row by row, says what there is to know, and warns."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.display_names import columns
from companion.review.display.header import Header, Notice, header_html, header_rows, position, status_text
from companion.review.display.markup import filler_html, link_html, parse_link, removed_html
from companion.review.display.notices import Circumstances, notices

HEADER = Header("file.py", "Gemini CLI", False, True, 3, 1, 2, 5, (), 100)
FINE = Circumstances("file.py", "Gemini CLI", "", "", False, False, False, False, False)


def words(markup):
    return unescape(re.sub(r"<[^>]+>", "", markup)).replace("\xa0", " ")


def links(rows):
    return re.findall(r'href="([^"]*)"', "".join(row.markup for row in rows))


def test_a_wide_view_gets_one_row():
    (row,) = header_rows(HEADER)
    assert words(row.markup) == (
        "file.py \u2190 Gemini CLI   +3 \u22121   change 2 of 5   Accept   Reject   \u2191 Previous   \u2193 Next"
    )


def test_a_narrow_view_gets_more_rows():
    rows = header_rows(HEADER._replace(columns=60))
    assert [words(row.markup) for row in rows] == [
        "file.py \u2190 Gemini CLI   +3 \u22121   change 2 of 5",
        "Accept   Reject   \u2191 Previous   \u2193 Next",
    ]


@given(
    st.builds(
        Header,
        name=st.text(min_size=1, max_size=80),
        client=st.sampled_from(["Gemini CLI", "Qwen Code", "the CLI"]),
        new_file=st.booleans(),
        compared=st.booleans(),
        added=st.integers(0, 99999),
        removed=st.integers(0, 99999),
        current=st.integers(0, 9),
        changes=st.integers(0, 9),
        notices=st.lists(
            st.builds(
                Notice,
                st.lists(st.sampled_from(["a", "word", "and", "more", "warnings"]), max_size=30).map(" ".join),
                st.sampled_from(["", "reload"]),
                st.just("Compare again"),
            ),
            max_size=3,
        ).map(tuple),
        columns=st.integers(28, 200),
    )
)
def test_every_row_fits(header):
    rows = header_rows(header)
    for row in rows:
        assert columns(words(row.markup)) == row.columns
        assert row.columns <= header.columns
    assert {"accept", "reject"} <= set(links(rows))
    assert ("next" in links(rows)) == bool(header.changes)
    assert links(rows).count("reload") == sum(notice.link == "reload" for notice in header.notices)


def test_names_are_escaped():
    (row,) = header_rows(HEADER._replace(name="<i>&.py"))
    assert "<b>&lt;i&gt;&amp;.py</b>" in row.markup


def test_long_names_lose_their_middle():
    (first, *_) = header_rows(HEADER._replace(name="a_very_long_file_name.py", columns=24))
    assert words(first.markup) == "a_ver\u2026me.py \u2190 Gemini CLI"


@pytest.mark.parametrize(
    ("current", "changes", "said"),
    [(0, 0, "no changes"), (0, 1, "1 change"), (0, 3, "3 changes"), (2, 3, "change 2 of 3")],
)
def test_where_the_caret_is(current, changes, said):
    assert position(current, changes) == said


def test_the_status_bar():
    assert status_text(HEADER) == "Gemini CLI's diff: +3 \u22121, change 2 of 5"
    assert status_text(HEADER._replace(compared=False)) == "Gemini CLI's diff"


def test_the_document_has_as_many_rows_as_were_counted():
    rows = header_rows(HEADER._replace(columns=40, notices=(Notice("warning"),)))
    assert header_html(rows, 20.0, 2).count("<div") == len(rows) + 2
    assert filler_html(3, 20.0).count("<div") == 3
    assert "padding-top: 2000px" in filler_html(500, 20.0)


def test_nothing_to_warn_of():
    assert notices(FINE) == ()


@pytest.mark.parametrize(
    ("circumstance", "said"),
    [
        ({"problem": "It is read-only."}, "read-only"),
        ({"original_notice": "It is binary."}, "binary"),
        ({"proposal_too_large": True}, "proposal is large"),
        ({"unsaved": True}, "unsaved edits"),
        ({"changed_on_disk": True}, "changed on disk"),
        ({"orphaned": True}, "Gemini CLI has gone"),
        ({"emptied": True}, "ignores an empty text"),
    ],
)
def test_each_warning(circumstance, said):
    (notice,) = notices(FINE._replace(**circumstance))
    assert said in notice.sentence


def test_removed_lines_keep_their_blanks_and_are_escaped():
    html = removed_html(["\tif a < b:\n", "\n"], [[(4, 5)], []], 4, 20.0)
    assert "&nbsp;&nbsp;&nbsp;&nbsp;if&nbsp;<span>a</span>&nbsp;&lt;&nbsp;b:" in html
    assert html.count('class="line"') == 2


def test_very_many_removed_lines_are_not_all_shown():
    html = removed_html(["x\n"] * 300, [[]] * 300, 4, 20.0)
    assert html.count('class="line"') == 200
    assert "and 100 more lines" in html


def test_links():
    assert link_html("revert", 3, "Revert") == '<a href="revert:3">Revert</a>'
    assert parse_link("revert:3") == ("revert", 3)
    assert parse_link("accept") == ("accept", -1)
    assert parse_link("revert:x") == ("revert", -1)
