"""minihtml: text of files stays text, blanks stay blanks, and rows can be counted on."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from companion.review.display.markup import filler, link, link_html, parse_link, removed_html, unstamped


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


def test_nothing_of_a_file_becomes_markup():
    document = removed_html(['<b>&\t"x"  y\n'], [()], 4, 16.0)
    assert "&lt;b&gt;&amp;" + "&nbsp;" * 4 in document
    assert "&nbsp;&nbsp;y" in document
    assert "<b>" not in document


def test_changed_characters_are_marked_and_the_rest_is_not():
    document = removed_html(["one two three\n"], [((4, 7),)], 4, 16.0)
    assert '<div class="line">one&nbsp;<span>two</span>&nbsp;three</div>' in document


def test_an_empty_line_is_as_high_as_others():
    assert '<div class="line">&nbsp;</div>' in removed_html(["\n"], [()], 4, 16.0)


@pytest.mark.parametrize(("lines", "shown", "more"), [(200, 200, ""), (201, 200, "and 1 more lines")])
def test_of_a_long_removal_the_beginning_is_shown_and_the_rest_counted(lines, shown, more):
    document = removed_html(["x\n"] * lines, [()] * lines, 4, 16.0)
    assert document.count('<div class="line">') == shown
    assert ('class="more"' in document) is bool(more)
    assert more in document


@pytest.mark.parametrize("height", [1, 16, 17, 33, 80000])
def test_nothing_is_as_high_as_was_asked_for(height):
    (row, padding, room) = map(int, re.findall(r"(\d+)px", filler(height, 16, 300)))
    assert row + padding == height
    assert row <= 16
    assert room == 300


def test_removed_lines_are_as_wide_as_their_view():
    document = removed_html(["four\n", "\tx\n", "x" * 100 + "\n"], [(), (), ()], 4, 16.0, 400.0, 8.0)
    assert re.findall(r'<div class="line"([^>]*)>', document) == [
        ' style="padding-right: 360px"',
        ' style="padding-right: 352px"',
        "",
    ]


def test_the_address_of_a_link_is_escaped_too():
    assert link('a"b', "caption", "accept") == '<a href="a&quot;b" class="accept">caption</a>'
