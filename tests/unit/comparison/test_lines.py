"""What a user sees of the lines: which are changed, and where the hunks begin and end."""

from __future__ import annotations

import pytest

from companion.comparison import Hunk, HunkKind, compare_lines, split_lines
from tests.support.applying import apply_hunks


def hunks(left: str, right: str):
    return compare_lines(split_lines(left), split_lines(right))


def changed(found) -> int:
    return sum(hunk.left_count + hunk.right_count for hunk in found)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", ["\n"]),
        ("one", ["one"]),
        ("one\ntwo\n", ["one\n", "two\n"]),
        ("one\n\ntwo", ["one\n", "\n", "two"]),
        ("a\r\nb\rc\n", ["a\r\n", "b\rc\n"]),
        ("form\x0cfeed\x1c\x85\u2028\x0b\n", ["form\x0cfeed\x1c\x85\u2028\x0b\n"]),
        ("\ud800\n\x00\n", ["\ud800\n", "\x00\n"]),
    ],
)
def test_lines_end_with_a_line_feed_only(text, lines):
    assert split_lines(text) == lines


@pytest.mark.parametrize(
    ("left", "right", "hunk", "kind"),
    [
        ("", "a\nb\n", Hunk(0, 0, 0, 2), "added"),
        ("a\nb\n", "", Hunk(0, 2, 0, 0), "removed"),
        ("a\nb\nc\n", "a\nB\nc\n", Hunk(1, 2, 1, 2), "changed"),
        ("a\nc\n", "a\nb\nc\n", Hunk(1, 1, 1, 2), "added"),
        ("a\nb\nc\n", "a\nc\n", Hunk(1, 2, 1, 1), "removed"),
        ("a\nb", "a\nb\n", Hunk(1, 2, 1, 2), "changed"),
        ("a\n", "a\r\n", Hunk(0, 1, 0, 1), "changed"),
    ],
)
def test_one_change_is_one_hunk(left, right, hunk, kind):
    assert hunks(left, right) == [hunk]
    assert hunk.kind is HunkKind(kind)


def test_a_removed_line_beside_an_added_one_is_a_changed_line():
    left = "a = 1\n\nold = 2\n\nb = 3\n"
    right = "a = 1\n\nnew = 2\n\nb = 3\n"
    assert hunks(left, right) == [Hunk(2, 3, 2, 3)]


def test_moved_lines_leave_the_rest_of_a_file_of_few_distinct_lines_equal():
    lines = ["    %s\n" % ("{", "}", "item,", "", "[", "]")[number * number % 11 % 6] for number in range(3000)]
    moved = lines[:500] + lines[510:2500] + lines[500:510] + lines[2500:]
    found = compare_lines(lines, moved)
    assert apply_hunks(lines, found, moved) == moved
    assert changed(found) <= 20


def test_moved_distinct_lines_leave_the_rest_equal():
    lines = ["line %d\n" % number for number in range(2000)]
    moved = lines[:100] + lines[120:1500] + lines[100:120] + lines[1500:]
    assert compare_lines(lines, moved) == [Hunk(100, 120, 100, 100), Hunk(1500, 1500, 1480, 1500)]


def test_anchors_that_cost_many_matches_are_given_up():
    # The only unique line moved over many equal ones: keeping it equal would change all of them.
    left = ["unique\n"] + ["a\n", "b\n"] * 50
    right = ["a\n", "b\n"] * 50 + ["unique\n"]
    assert changed(compare_lines(left, right)) == 2
