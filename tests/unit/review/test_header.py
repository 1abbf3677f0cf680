"""The header fits into its view row by row, says what there is to know, and warns."""

from __future__ import annotations

import os
import re
import sys
from html import unescape

import pytest

from companion.review.display.header import Header, age_text, header_html, header_rows, place_of, position, status_text

HEADER = Header("file.py", "Gemini CLI", 100, compared=True, added=3, removed=1, current=2, changes=5)


def words(markup):
    return unescape(re.sub(r"<[^>]+>", "", markup)).replace("\xa0", " ")


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
    assert status_text(HEADER) == "+3 \u22121, change 2 of 5"
    assert status_text(HEADER._replace(compared=False)) == ""
    many = HEADER._replace(added=12345, removed=6789, current=1000, changes=2000)
    assert status_text(many) == "+12,345 \u22126,789, change 1,000 of 2,000"
    assert "+12,345 \u22126,789   change 1,000 of 2,000" in words(header_rows(many)[0].markup)


@pytest.mark.parametrize("columns", [30, 200])
def test_only_a_risk_has_a_warning_sign(columns):
    both = {"problem": "It is at risk, for a long reason.", "notes": ("It is as it is, for a long reason.",)}
    rows = [words(row.markup) for row in header_rows(HEADER._replace(columns=columns, **both))]
    assert [row.startswith("\u26a0 It is at risk") for row in rows].count(True) == 1
    assert [row.startswith("It is as it is") for row in rows].count(True) == 1
    assert "".join(rows).count("\u26a0") == 1


def test_the_status_bar_says_what_is_hidden():
    assert status_text(HEADER._replace(hidden=1)).endswith("change 2 of 5, 1 whitespace change is hidden")
    nothing_else = HEADER._replace(added=0, removed=0, current=0, changes=0)
    assert status_text(nothing_else._replace(hidden=2)).endswith("+0 \u22120, only whitespace changes")
    assert status_text(nothing_else).endswith("+0 \u22120, no changes")
    (row, _) = header_rows(nothing_else._replace(hidden=2))
    assert "only whitespace changes" in words(row.markup)


def test_the_document_has_as_many_rows_as_were_counted():
    rows = header_rows(HEADER._replace(columns=40, problem="warning"))
    assert header_html(rows, 20.0).count("<div") == len(rows)
    assert header_html(rows, 20.0, below=40).count("<div") == len(rows) + 1


def test_the_document_is_as_wide_as_its_view():
    rows = header_rows(HEADER._replace(columns=40))
    rooms = [int(found) for found in re.findall(r"padding-right: (\d+)px", header_html(rows, 20.0, 400.0, 8.0))]
    assert len(rooms) == len(rows)
    for row, room in zip(rows, rooms):
        assert 400 - 30 <= row.columns * 8 / 0.95 + room <= 400


def test_the_place_of_the_file_takes_what_room_is_left():
    (row,) = header_rows(HEADER._replace(place="source/deep"))
    assert words(row.markup).startswith("source/deep/file.py \u2190 Gemini CLI   +3")
    assert "source/deep/<b>file.py</b>" in row.markup
    for width in range(28, 110):
        without, rows = (header_rows(HEADER._replace(columns=width, place=place)) for place in ("", "a" * 50))
        assert len(rows) == len(without)
        assert all(row.columns <= width for row in rows)


@pytest.mark.parametrize("place", [os.path.abspath(os.sep + "etc"), os.path.abspath(os.sep + "a_longer_name" * 4)])
def test_the_place_of_a_file_in_no_workspace_folder_is_said_however_narrow_the_view_is(place):
    for width in range(28, 150):
        text = "".join(
            words(row.markup).strip() + " " for row in header_rows(HEADER._replace(columns=width, place=place))
        )
        assert place in text.replace(" ", ""), width
        assert text.count("The file is in") == (0 if f"{place}/file.py" in text else 1)


@pytest.mark.parametrize(
    ("path", "folders", "place"),
    [
        ("/files/a/file.py", ["/files/a"], ""),
        ("/files/a/b/c/file.py", ["/files/a"], "b/c"),
        ("/files/a/b/file.py", ["/files/a", "/home"], "a/b"),
        ("/files/a/file.py", ["/files/a", "/home"], "a"),
        ("/other/file.py", ["/files/a"], "/other"),
        ("/files/ab/file.py", ["/files/a"], "/files/ab"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths are spelled in another way")
def test_the_place_of_a_file_in_the_workspace(path, folders, place):
    assert place_of(path, folders) == place


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "just now"), (59, "just now"), (61, "1 min"), (7300, "2 h"), (200000, "2 d")]
)
def test_ages(seconds, said):
    assert age_text(seconds) == said
