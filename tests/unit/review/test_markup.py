"""minihtml: text of files stays text, blanks stay blanks, and rows can be counted on."""

from __future__ import annotations

import re
from html import unescape

import pytest

from companion.review.display.mark_style import MarkStyle
from companion.review.display.markup import (
    RemovedLine,
    _rows,
    added_caption,
    filler_html,
    link,
    link_html,
    parse_link,
    removed_blocks,
    removed_caption,
    removed_html,
    unstamped,
)
from companion.review.document.analysis import analyse


@pytest.mark.parametrize(
    ("href", "parsed"), [("accept", ("accept", -1)), ("revert:3", ("revert", 3)), ("revert:0", ("revert", 0)),
                         ("revert:", ("revert", -1)), ("revert:x", ("revert", -1)), ("", ("", -1))]
)  # fmt: skip
def test_a_link_names_what_to_do_and_to_which_change(href, parsed):
    assert parse_link(href) == parsed


def test_a_link_says_what_it_was_drawn_for():
    assert link_html("revert", 3, "Revert", 7) == '<a href="revert:3@7">Revert</a>'
    assert unstamped("revert:3@7") == ("revert:3", 7)
    assert unstamped("accept") == ("accept", 0)


def removed(*texts, **more):
    lines = [RemovedLine(number, text, **more) for number, text in enumerate(texts, 1)]
    return removed_html(lines, 4, 16.0, MarkStyle(filled=True))


def rows(document):
    return re.findall(r'<div class="line"[^>]*>(.*?)</div>', document)


def test_nothing_of_a_file_becomes_markup():
    document = removed('<b>&\t"x"  y\n')
    assert "&lt;b&gt;&amp;" + "&nbsp;" * 4 in document
    assert "&nbsp;&nbsp;y" in document
    assert "<b>" not in document


def test_changed_characters_are_marked_and_the_rest_is_not():
    document = removed("one two three\n", parts=[(4, 7)])
    assert '<span class="removed">one&nbsp;<span class="changed">two</span>&nbsp;three</span>' in document


def test_a_removed_line_has_its_number_and_a_sign_before_it():
    (first, second) = rows(removed("one\n", "two\n"))
    assert first == '<span class="number">1&nbsp;\u2212&nbsp;</span><span class="removed">one</span>'
    assert second.startswith('<span class="number">2&nbsp;\u2212&nbsp;</span>')


def test_numbers_stand_below_each_other():
    lines = [RemovedLine(9, "a\n"), RemovedLine(10, "b\n"), RemovedLine(None, "of b\n")]
    found = [words(row) for row in rows(removed_html(lines, 4, 16.0, MarkStyle()))]
    assert found == [" 9 \u2212 a", "10 \u2212 b", "     of b"]


def test_lines_that_are_not_filled_are_outlined_block_by_block():
    lines = [RemovedLine(1, "a\n"), RemovedLine(2, "b\n"), RemovedLine(3, "c\n", moved="moved to line 3")]
    document = removed_html(lines, 4, 16.0, MarkStyle("bluish", "orangish"))
    assert document.count('<div class="removed">') == 1
    assert '<span class="removed">' not in document
    assert "div.removed { border: 1px solid var(--orangish); }" in document
    assert re.findall("line-height: ([^;]*)px", document.partition("</style>")[2]) == ["15", "15", "14"]


def test_a_removed_line_has_its_colors_inside_and_outside_of_what_changed():
    (row,) = rows(removed("if one\n", parts=[(1, 4)], colors=[(0, 2, "#f00"), (3, 6, "#0f0")]))
    text = row.partition("&nbsp;</span>")[2]
    assert text == (
        '<span class="removed"><span style="color: #f00">i</span><span class="changed" style="color: #f00">f</span>'
        '<span class="changed">&nbsp;</span><span class="changed" style="color: #0f0">o</span>'
        '<span style="color: #0f0">ne</span></span>'
    )


def test_a_color_that_goes_on_over_several_lines_is_that_of_each():
    inks = [(0, 3, "#f00"), (4, 11, "#0f0")]
    ((_, document),) = removed_blocks(analyse("abc d\nef\nghi\n", ""), 4, 16.0, 0, MarkStyle(), lambda *_: inks)
    assert [re.findall(r'color: (\S+)">([^<]*)<', row) for row in rows(document)] == [
        [("#f00", "abc"), ("#0f0", "d")],
        [("#0f0", "ef")],
        [("#0f0", "gh")],
    ]


def test_a_block_that_moved_has_an_outline_which_makes_it_no_higher():
    lines = [RemovedLine(7, "a\n"), RemovedLine(8, "b\n", moved="moved to line 3"), RemovedLine(9, "c\n", moved="")]
    document = removed_html(lines, 4, 16.0, MarkStyle(filled=True))
    assert document.count('<div class="moved">') == 1
    assert "a</span>" in document
    assert '<span class="removed">b' not in document
    assert '<span class="number">&nbsp; moved to line 3</span>' in document
    assert re.findall(r'<div class="line"([^>]*)>', document) == [
        "",
        ' style="line-height: 15px"',
        ' style="line-height: 15px"',
    ]


def test_an_empty_line_is_as_high_as_others():
    assert '<span class="removed">&nbsp;</span>' in removed("\n")


@pytest.mark.parametrize(
    ("lines", "shown", "more"), [(200, 200, ""), (201, 200, "and 1 more line<"), (1400, 200, "and 1,200 more lines<")]
)
def test_of_a_long_removal_the_beginning_is_shown_and_the_rest_counted(lines, shown, more):
    ((_, document),) = removed_blocks(analyse("x\n" * lines, ""), 4, 16.0, 0, MarkStyle(), lambda *_: ())
    assert document.count('<div class="line"') == shown
    assert ('class="more"' in document) is bool(more)
    assert more in document


def wrapped(text, wrapped_at, tab_size=4, colors=()):
    """The rows on the screen of a removed line, as markup."""
    ((_, document),) = removed_blocks(
        analyse(text + "\n", ""), tab_size, 16.0, wrapped_at, MarkStyle(), lambda *_: colors
    )
    return rows(document)


def words(markup):
    return unescape(re.sub("<[^>]+>", "", markup)).replace("\xa0", " ")


def test_a_wrapped_removed_line_has_its_number_before_its_first_row_only():
    found = [words(row) for row in wrapped("one two  three fourfourfour", 14)]
    assert found == ["1 \u2212 one two  ", "    three ", "    fourfour", "    four"]


def test_a_removed_line_that_just_fits_does_not_wrap():
    assert [words(row) for row in wrapped("one twox", 14)] == ["1 \u2212 one twox"]
    assert [words(row) for row in wrapped("one twox ", 14)] == ["1 \u2212 one twox "]


@pytest.mark.parametrize("text", ["\tlonglonglong", "\u6c49\u6c49\u6c49\u6c49\u6c49\u6c49", "x" * 100, ""])
def test_no_row_of_a_wrapped_removed_line_is_wider_than_its_view(text):
    found = [words(row)[4:] for row in wrapped(text, 14)]
    assert all(sum(2 if character > "\u3000" else 1 for character in row) <= 8 for row in found)
    assert "".join(found).replace(" ", "") == text.strip()


def test_colors_and_changed_characters_go_on_in_the_next_row():
    lines = RemovedLine(1, "one two three\n", [(5, 10)], [(4, 9, "#f00")])
    document = removed_html(list(_rows(lines, 8, 4)), 4, 16.0, MarkStyle(filled=True))
    first, second = rows(document)
    assert '<span class="changed" style="color: #f00">wo&nbsp;</span>' in first
    assert second == (
        "&nbsp;&nbsp;&nbsp;&nbsp;"
        '<span class="removed"><span class="changed" style="color: #f00">t</span>'
        '<span class="changed">h</span>ree</span>'
    )


def test_of_an_endless_line_that_wraps_a_few_rows_are_shown():
    found = [words(row) for row in wrapped("x" * 10000, 12)]
    assert len(found) == 20
    assert found[-1].endswith("\u2026")


def test_of_a_long_removal_that_wraps_no_more_rows_are_shown():
    ((_, document),) = removed_blocks(analyse("word word word\n" * 200, ""), 4, 16.0, 14, MarkStyle(), lambda *_: ())
    assert len(rows(document)) in range(200, 220)
    assert "and 133 more lines<" in document


@pytest.mark.parametrize("height", [1, 16, 17, 33, 80000])
def test_nothing_is_as_high_as_was_asked_for(height):
    (_, content) = filler_html(height, 16, 300).split("</style>")
    (row, padding, room) = map(int, re.findall(r"(\d+)px", content))
    assert row + padding == height
    assert row <= 16
    assert room == 300


def test_fillers_and_their_words_are_faint():
    (rule,) = re.findall(r"div.filler \{([^}]*)\}", filler_html(40, 20, 300, "4 lines added \u2192"))
    assert "background-color: color(var(--foreground) alpha(0.04))" in rule
    assert re.search(r"(?<!-)color: color\(var\(--foreground\) alpha\(0.4\)\)", rule)


@pytest.mark.parametrize("height", [16, 17, 80000])
def test_a_filler_with_a_caption_is_no_higher(height):
    (_, content) = filler_html(height + 32, 16, 300, "4 lines added \u2192", above=32).split("</style>")
    above, _, row, room, *padding = map(int, re.findall(r"(\d+)px", content))
    assert (above, row + sum(padding), room) == (32, height, 300)
    assert words(content) == "4 lines added \u2192"


@pytest.mark.parametrize(
    ("lines", "added", "removed"),
    [
        (0, "", ""),
        (1, "1 line added \u2192", "\u2190 1 line removed"),
        (4321, "4,321 lines added \u2192", "\u2190 4,321 lines removed"),
    ],
)
def test_fillers_say_what_they_stand_for(lines, added, removed):
    assert (added_caption(lines), removed_caption(lines)) == (added, removed)


def test_the_address_of_a_link_is_escaped_too():
    assert link('a"b', "caption", "accept") == '<a href="a&quot;b" class="accept">caption</a>'
