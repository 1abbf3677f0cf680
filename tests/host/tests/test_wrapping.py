"""Long lines wrap as in the editor: which do, where, and what stands below them."""

from __future__ import annotations

import pytest

LONG = " ".join("word%03d" % number for number in range(60))  # 479 columns
SPLIT = {"cols": [0, 0.3, 1], "rows": [0, 1], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}


@pytest.fixture
def view(bench):
    view = bench.open("a.txt", ("first\n%s\nthird\n" % LONG).encode())
    view.settings().set("wrap_width", 80)
    return view


def top(view, row):
    return view.text_to_layout(view.text_point(row, 0))[1] / view.line_height()


def test_text_wraps_and_source_code_does_not(bench, view):
    code = bench.open("a.py", LONG.encode() + b"\nsecond\n")
    assert top(code, 1) == 1
    assert top(view, 2) == 1 + 6  # ten words and their blanks fill a row
    code.settings().set("word_wrap", True)
    assert top(code, 1) > 1
    view.run_command("toggle_setting", {"setting": "word_wrap"})
    view.settings().set("word_wrap", False)
    assert top(view, 2) == 2


def test_a_row_ends_behind_a_blank_or_inside_a_long_word(bench, view):
    point = view.text_point(1, 0)
    em, height = view.em_width(), view.line_height()
    assert view.text_to_layout(point + 79) == (79 * em, height)
    assert view.text_to_layout(point + 80) == (0, 2 * height)
    words = bench.open("b.txt", b"x" * 100)
    words.settings().set("wrap_width", 80)
    assert words.text_to_layout(80) == (0, height)


def test_rows_that_go_on_are_indented_like_their_line(bench):
    view = bench.open("b.txt", b"\t" + LONG.encode())
    view.settings().set("wrap_width", 80)
    em, height = view.em_width(), view.line_height()
    # Nine words fit beside the tab: six rows of them, and six words in the last one.
    assert view.text_to_layout(view.size()) == ((4 + 6 * 8 - 1) * em, 6 * height)
    view.settings().set("indent_subsequent_lines", False)
    assert view.text_to_layout(view.size()) == (7 * em, 6 * height)


def test_coordinates_round_trip(view):
    for point in range(view.size()):
        assert view.layout_to_text(view.text_to_layout(point)) == point


def test_without_a_column_lines_wrap_at_the_width_of_the_view(bench, view):
    view.settings().set("wrap_width", 0)
    before = top(view, 2)
    bench.window.set_layout(SPLIT)
    assert top(view, 2) > before
    assert view.layout_extent()[0] <= view.viewport_extent()[0]
    view.settings().set("wrap_width", 200)
    assert view.layout_extent()[0] > view.viewport_extent()[0]
    narrow = top(view, 2)
    view.settings().set("wrap_width_style", "min")
    assert top(view, 2) > narrow


def test_blocks_stand_below_all_rows_of_their_line(bench, view):
    before = top(view, 2)
    view.add_phantom("k", bench.sublime.Region(view.text_point(1, 0)), "<div>a</div>", bench.sublime.LAYOUT_BLOCK)
    assert view.text_to_layout(view.text_point(2, 0) - 1)[1] == (before - 1) * view.line_height()
    assert top(view, 2) == before + 1


def test_where_blocks_split_lines_they_stand_below_the_first_row(bench, view):
    bench.host.quirks = bench.host.quirks | {"split_lines"}
    point, height, before = view.text_point(1, 0), view.line_height(), top(view, 2)
    view.add_phantom("k", bench.sublime.Region(point), "<div>a</div>", bench.sublime.LAYOUT_BLOCK)
    assert view.text_to_layout(point + 79)[1] == height
    assert view.text_to_layout(point + 80)[1] == 3 * height
    assert view.text_to_layout(view.text_point(2, 0) - 1)[1] == before * height
    assert top(view, 2) == before + 1
    for each in range(view.size()):
        assert view.layout_to_text(view.text_to_layout(each)) == each
    assert view.layout_to_text((0, 2.5 * height)) == point, "the block belongs to the row above it"
    assert "top:%gpx;width:max-content" % (2 * height) in bench.gestures.render()
