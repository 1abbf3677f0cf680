"""minihtml: text of files stays text, blanks stay blanks, and rows can be counted on."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.display.markup import RemovedLine, filler, link, link_html, parse_link, removed_html, unstamped
from companion.review.display.removed_lines import removed_blocks
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
    return removed_html([RemovedLine(number, text, **more) for number, text in enumerate(texts, 1)], 4, 16.0)


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


def test_a_removed_line_has_its_number_behind_it():
    (first, second) = rows(removed("one\n", "two\n"))
    assert first == '<span class="removed">one</span><span class="number">&nbsp; 1</span>'
    assert second.endswith('<span class="number">&nbsp; 2</span>')


def test_a_removed_line_has_its_colors_inside_and_outside_of_what_changed():
    (row,) = rows(removed("if one\n", parts=[(1, 4)], colors=[(0, 2, "#f00"), (3, 6, "#0f0")]))
    text = row.partition('<span class="number">')[0]
    assert text == (
        '<span class="removed"><span style="color: #f00">i</span><span class="changed" style="color: #f00">f</span>'
        '<span class="changed">&nbsp;</span><span class="changed" style="color: #0f0">o</span>'
        '<span style="color: #0f0">ne</span></span>'
    )


def test_a_block_that_moved_has_an_outline_which_makes_it_no_higher():
    lines = [RemovedLine(7, "a\n"), RemovedLine(8, "b\n", moved="moved to line 3"), RemovedLine(9, "c\n", moved="")]
    document = removed_html(lines, 4, 16.0)
    assert document.count('<div class="moved">') == 1
    assert "a</span>" in document and '<span class="removed">b' not in document
    assert "8 \u00b7 moved to line 3" in document
    assert re.findall(r'<div class="line"([^>]*)>', document) == [
        "",
        ' style="line-height: 15px"',
        ' style="line-height: 15px"',
    ]


def test_an_empty_line_is_as_high_as_others():
    assert '<span class="removed">&nbsp;</span>' in removed("\n")


@pytest.mark.parametrize(("lines", "shown", "more"), [(200, 200, ""), (201, 200, "and 1 more lines")])
def test_of_a_long_removal_the_beginning_is_shown_and_the_rest_counted(lines, shown, more):
    ((_, document),) = removed_blocks(analyse("x\n" * lines, ""), 4, 16.0, lambda *_: ())
    assert document.count('<div class="line">') == shown
    assert ('class="more"' in document) is bool(more)
    assert more in document


@pytest.mark.parametrize("height", [1, 16, 17, 33, 80000])
def test_nothing_is_as_high_as_was_asked_for(height):
    (row, padding, room) = map(int, re.findall(r"(\d+)px", filler(height, 16, 300)))
    assert row + padding == height
    assert row <= 16
    assert room == 300


def test_the_address_of_a_link_is_escaped_too():
    assert link('a"b', "caption", "accept") == '<a href="a&quot;b" class="accept">caption</a>'
