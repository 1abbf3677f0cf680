"""The header fits into its view row by row, says what there is to know, and warns."""

from __future__ import annotations

import os
import re
import sys
from html import unescape

import pytest

from companion.review.decision import Position
from companion.review.display.header import (
    Header,
    age_text,
    columns_of,
    header_html,
    header_rows,
    place_of,
    position,
    status_text,
)
from companion.review.display.mark_style import MarkStyle

HEADER = Header("file.py", "Gemini CLI", 100, compared=True, added=3, removed=1, current=2, changes=5)


def words(markup):
    return unescape(re.sub(r"<[^>]+>", "", markup)).replace("\xa0", " ")


KEYS = {"accept": "Ctrl+S", "reject": "Shift+Escape", "next_change": "F8"}


def test_one_row_says_it_all():
    (row,) = header_rows(HEADER)
    assert words(row.markup) == "Accept  Reject  \u2191 \u2193  2 of 5  +3 \u22121  \u2190 Gemini CLI"


FROM_45 = range(columns_of(8.0, 45 * 8.0), 200)


@pytest.mark.parametrize("columns", FROM_45)
@pytest.mark.parametrize("more", [{}, {"edits_stay": True}])
def test_from_45_columns_on_the_decisions_and_their_keys_are_one_row(columns, more):
    """What is in the tab already is left out first, then the counts, then the arrows. What is special stands below."""
    row, *below = header_rows(HEADER._replace(columns=columns, keys=KEYS, **more))
    assert {below_row.kind for below_row in below} == ({"notice"} if more else set())
    assert 'href="accept"' not in "".join(below_row.markup for below_row in below)
    pattern = "Accept Ctrl.S  Reject Shift.Escape(  \u2191 \u2193)?(  2 of 5)?(  .3 \u22121)?(  \u2190 Gemini CLI)?"
    assert re.fullmatch(pattern, words(row.markup))
    assert row.columns <= columns


@pytest.mark.parametrize("columns", FROM_45)
def test_a_second_row_says_who_why_and_which_folder(columns):
    several = Position(2, 4, "source/z.py")
    held = HEADER._replace(columns=columns, keys=KEYS, place="source/deep", reasons=True, position=several)
    first, *others = [words(row.markup) for row in header_rows(held)]
    assert first.startswith("Accept Ctrl+S  Reject Shift+Escape")
    for said in ("Why\u2026", "file 2 of 4", "source/deep \u2190 Gemini CLI", "Next: source/z.py"):
        assert said in "  ".join([first, *others])
    one_row = len(others) <= 1
    assert one_row or columns < 80  # all of that is longer than two of the narrowest rows


@pytest.mark.parametrize("columns", range(columns_of(8.0, 60 * 8.0), 200, 10))
def test_from_sixty_columns_on_large_numbers_have_room_too(columns):
    many = HEADER._replace(columns=columns, added=12345, removed=6789, current=1000, changes=2000)
    assert len(header_rows(many)) == 1


def test_which_of_several_files_it_is_and_what_comes_next():
    several = HEADER._replace(position=Position(2, 4, "z.py"))
    first, *others = header_rows(several)
    assert "  file 2 of 4  change 2 of 5  " in words(first.markup)
    assert words([first, *others][-1].markup).endswith("  \u2190 Gemini CLI  Next: z.py")
    assert status_text(several) == "+3 \u22121, change 2 of 5, file 2 of 4. Next: z.py"
    assert status_text(several._replace(position=Position(4, 4))).endswith("file 4 of 4")


def test_the_edits_that_a_client_leaves_out_are_said_to_be_saved_by_accept():
    row, *below = header_rows(HEADER._replace(edits_stay=True, generation=3))
    assert 'title="Accept, then save my edits"' in row.markup
    assert "Accept saves your edits over it" in words(below[0].markup)
    assert '<a href="as_proposed@3">Accept without them</a>' in below[-1].markup


def test_decisions_have_the_keys_that_there_is_room_for():
    def says(columns):
        (row,) = header_rows(HEADER._replace(columns=columns, keys=KEYS))
        return words(row.markup)

    for columns in (100, 60, 48, 44, 38):
        assert says(columns).startswith("Accept Ctrl+S  Reject Shift+Escape")
    rows = [words(row.markup) for row in header_rows(HEADER._replace(columns=30, keys=KEYS))]
    assert rows == ["Accept Ctrl+S", "Reject Shift+Escape  2 of 5"]
    long = header_rows(HEADER._replace(columns=30, keys={"accept": "Ctrl+K, " * 5}))
    assert words(long[0].markup).startswith("Accept  Reject")


def test_decisions_look_like_buttons_whose_room_is_counted():
    (row,) = header_rows(HEADER)
    html = header_html([row], 20.0, MarkStyle())
    rule = re.search(r"a.accept, a.reject \{([^}]*)\}", html).group(1)
    assert re.search(r"padding: 0 [\d.]+rem", rule)
    assert "border-radius" in rule
    assert re.search(r"a.accept \{ background-color", html)
    assert re.search(r"a.reject \{ background-color", html)
    assert row.columns == len(words(row.markup)) + 2 * 2


def test_each_link_says_what_it_does_and_its_key():
    (row,) = header_rows(HEADER._replace(keys=KEYS))
    assert re.findall('title="([^"]*)"', row.markup) == [
        "Accept these changes (Ctrl+S)",
        "Reject these changes (Shift+Escape)",
        "Previous change",
        "Next change (F8)",
    ]
    (row,) = header_rows(HEADER._replace(accept="Keep", reject="Undo", keys=KEYS))
    assert words(row.markup).startswith("Keep Ctrl+S  Undo Shift+Escape  ")
    assert 'title="Undo these changes (Shift+Escape)"' in row.markup


def test_colors_are_those_of_the_marks():
    html = header_html(header_rows(HEADER), 20.0, MarkStyle("bluish", "orangish"))
    assert re.search(r"a.accept \{ background-color: color\(var\(--bluish\)", html)
    assert re.search(r"a.reject \{ background-color: color\(var\(--orangish\)", html)


def test_what_is_said_of_the_file_stands_below_where_it_has_no_room():
    rows = header_rows(HEADER._replace(columns=57, place="source/deep", new_file=True))
    assert [words(row.markup) for row in rows] == [
        "Accept  Reject  \u2191 \u2193  2 of 5  +3 \u22121",
        "new file  source/deep \u2190 Gemini CLI",
    ]


def test_names_are_escaped():
    (row,) = header_rows(HEADER._replace(client="<i>&"))
    assert "\u2190 &lt;i&gt;&amp;</span>" in row.markup


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
    assert "1,000 of 2,000  +12,345 \u22126,789" in words(header_rows(many)[0].markup)


def test_the_status_bar_says_the_keys_where_the_header_does_not():
    held = HEADER._replace(keys=KEYS, position=Position(1, 2, "z.py"))
    said = "+3 \u22121, change 2 of 5, file 1 of 2. Ctrl+S accepts, Shift+Escape rejects. Next: z.py"
    assert status_text(held, with_keys=True) == said
    of_changes = HEADER._replace(keys=KEYS, accept="Keep", reject="Undo")
    assert status_text(of_changes, with_keys=True).endswith("Ctrl+S keeps, Shift+Escape undoes")
    assert status_text(HEADER, with_keys=True) == status_text(HEADER)
    assert status_text(held) != said
    assert status_text(held._replace(columns=20)) == said


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


def test_a_change_of_the_whole_file_is_said_and_is_never_called_no_change():
    flipped = "All 20 line ends change: LF \u2192 CRLF."
    header = HEADER._replace(columns=100, whole_file=(flipped, "The byte order mark goes."))
    rows = [words(row.markup) for row in header_rows(header)]
    assert rows[1:] == [flipped, "The byte order mark goes."]
    nothing_else = header._replace(added=0, removed=0, current=0, changes=0)
    row, *_ = header_rows(nothing_else)
    assert "only the format changes" in words(row.markup)
    assert "\u2212" not in words(row.markup)
    assert status_text(nothing_else) == "only the format changes"


def test_the_document_has_as_many_rows_as_were_counted():
    rows = header_rows(HEADER._replace(columns=40, problem="warning"))
    assert header_html(rows, 20.0, MarkStyle()).count("<div") == len(rows)
    assert header_html(rows, 20.0, MarkStyle(), below=40).count("<div") == len(rows) + 1


def test_the_document_is_as_wide_as_its_view():
    rows = header_rows(HEADER._replace(columns=40))
    rooms = [
        int(found) for found in re.findall(r"padding-right: (\d+)px", header_html(rows, 20.0, MarkStyle(), 400.0, 8.0))
    ]
    assert len(rooms) == len(rows)
    for row, room in zip(rows, rooms):
        assert 400 - 30 <= row.columns * 8 / 0.95 + room <= 400


def test_the_folder_of_the_file_stands_before_its_client():
    (row,) = header_rows(HEADER._replace(place="source/deep"))
    assert words(row.markup).endswith("  source/deep \u2190 Gemini CLI")
    for width in range(28, 110):
        rows = header_rows(HEADER._replace(columns=width, place="a" * 50))
        assert all(row.columns <= width for row in rows)
        assert "a" * 10 in "".join(words(row.markup) for row in rows)


def test_a_long_folder_inside_the_workspace_leaves_room_for_the_rest():
    (row,) = header_rows(HEADER._replace(columns=200, place="a" * 30 + "/" + "z" * 30))
    assert re.search(r"  a+\u2026z+ \u2190 Gemini CLI$", words(row.markup))
    assert row.columns < len(words(header_rows(HEADER)[0].markup)) + 2 * 2 + 45


@pytest.mark.parametrize("place", [os.path.abspath(os.sep + "etc"), os.path.abspath(os.sep + "a_longer_name" * 4)])
def test_a_file_outside_the_workspace_says_its_place_in_a_narrow_view_too(place):
    for width in range(28, 150):
        text = "".join(
            words(row.markup).strip() + " " for row in header_rows(HEADER._replace(columns=width, place=place))
        )
        assert place in text.replace(" ", ""), width
        assert text.count("The file is in") == (0 if f"{place} \u2190" in text else 1)


@pytest.mark.parametrize(
    ("path", "folders", "place"),
    [
        ("/files/a/file.py", ["/files/a"], ""),
        ("/files/a/b/c/file.py", ["/files/a"], "b/c"),
        ("/files/a/b/file.py", ["/files/a", "/home"], "a/b"),
        ("/files/a/file.py", ["/files/a", "/home"], "a"),
        ("/one/app/src/file.py", ["/one/app", "/two/app"], "one/app/src"),
        ("/app/file.py", ["/app", "/two/app"], "/app"),
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
