"""Whitespace that is ignored is not marked, but nothing is lost: what is hidden is known, line by line."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from companion.comparison import (
    Cancelled,
    CharacterChange,
    Hunk,
    Whitespace,
    compare_lines,
    hidden_changes,
    hides,
    split_lines,
)
from tests.support.applying import apply_hunks
from tests.support.work import steps

NONE, TRAILING, ALL = Whitespace.NONE, Whitespace.TRAILING, Whitespace.ALL
LINES = some.lists(
    some.sampled_from(["a\n", "b\n", "\n", " a\n", "a \n", "\ta\n", "  \n", "a b\n", "ab\n", "a\r\n", "b\u00a0\n"]),
    max_size=14,
).map("".join)
TEXTS = some.builds(lambda text, cut: text[: len(text) - cut], LINES, some.integers(0, 1))


def both(left, right, ignored):
    lefts, rights = split_lines(left), split_lines(right)
    hunks = compare_lines(lefts, rights, ignored=ignored)
    return lefts, rights, hunks, hidden_changes(lefts, rights, hunks)


@pytest.mark.parametrize(
    ("left", "right", "equal_for"),
    [
        ("a\n", "a  \n", {TRAILING, ALL}),
        ("a\t\n", "a\n", {TRAILING, ALL}),
        ("a\n", "a\r\n", {TRAILING, ALL}),
        ("a\n", "a", {TRAILING, ALL}),
        ("\n", "   \n", {TRAILING, ALL}),
        ("a\n", "  a\n", {ALL}),
        ("\ta\n", "    a\n", {ALL}),
        ("a b\n", "ab\n", {ALL}),
        ("a b\n", "a   b\n", {ALL}),
        ("a\n", "a\n\n", set()),
        ("a\n\nb\n", "a\nb\n", set()),
        ("a b\n", "a\nb\n", set()),
        ("a b\n", "a\u00a0b\n", set()),
        ("a\n", "a\u00a0\n", set()),
        ("a\n", "a\f\n", set()),
        ("a\n", "b\n", set()),
    ],
)
def test_what_counts_as_equal(left, right, equal_for):
    for ignored in Whitespace:
        _, _, hunks, hidden = both(left, right, ignored)
        assert (not hunks) == (ignored in equal_for), ignored
        assert bool(hidden) == (ignored in equal_for), ignored


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@pytest.mark.parametrize(("ignored", "option"), [(TRAILING, "--ignore-space-at-eol"), (ALL, "-w")])
def test_git_says_the_same_of_single_lines(tmp_path, ignored, option):
    for one in ["a", "a ", " a", "a\t", "a\r", "a\u00a0", "a\f", "a b", "ab", "a  b", "", " ", "\t"]:
        for other in ("a\n", "a", " a\n", "\n", "a b\n"):
            left, right = f"first\n{one}\n", f"first\n{other}"
            (tmp_path / "one").write_bytes(left.encode())
            (tmp_path / "two").write_bytes(right.encode())
            command = ["git", "diff", "--no-index", "--quiet", option, "one", "two"]
            same = subprocess.run(command, cwd=str(tmp_path), check=False).returncode == 0
            assert (not both(left, right, ignored)[2]) == same, (one, other)


def test_a_body_that_was_indented_is_not_marked():
    left = "def f():\n    one()\n    two()\n"
    right = "def f():\n    if x:\n        one()\n        two()\n"
    _, _, hunks, hidden = both(left, right, ALL)
    assert hunks == [Hunk(1, 1, 1, 2)]
    assert hidden == [Hunk(1, 3, 2, 4)]
    assert len(both(left, right, TRAILING)[2]) == 1


def test_neighbours_are_one_change_and_others_are_not():
    left = "a\nb\nc\nd\ne\nf\n"
    right = "a \nb \nc\nd \nnew\ne\nf \n"
    _, _, hunks, hidden = both(left, right, TRAILING)
    assert hunks == [Hunk(4, 4, 4, 5)]
    assert hidden == [Hunk(0, 2, 0, 2), Hunk(3, 4, 3, 4), Hunk(5, 6, 6, 7)]


@settings(max_examples=150)
@given(TEXTS, TEXTS, some.sampled_from(list(Whitespace)))
def test_hunks_and_what_is_hidden_give_the_right_text(left, right, ignored):
    lefts, rights, hunks, hidden = both(left, right, ignored)
    assert apply_hunks(lefts, sorted([*hunks, *hidden]), rights) == rights
    assert ignored is not NONE or hidden == []
    assert all(hunk.left_count == hunk.right_count for hunk in hidden)


@settings(max_examples=150)
@given(TEXTS, TEXTS, some.sampled_from(list(Whitespace)), some.data())
def test_reverting_some_hunks_never_joins_lines(left, right, ignored, data):
    lefts, rights, hunks, hidden = both(left, right, ignored)
    lines = list(rights)
    for hunk in sorted([*hunks, *hidden], reverse=True):
        if (hunk in hunks and data.draw(some.booleans())) or (hunk in hidden and data.draw(some.booleans())):
            lines[hunk.right_start : hunk.right_end] = lefts[hunk.left_start : hunk.left_end]
    assert all(line.endswith("\n") for line in lines[:-1])


@settings(max_examples=100)
@given(TEXTS, TEXTS, some.sampled_from([TRAILING, ALL]))
def test_outside_the_hunks_lines_differ_only_in_what_is_ignored(left, right, ignored):
    lefts, rights, hunks, hidden = both(left, right, ignored)
    assert sum(hunk.right_count - hunk.left_count for hunk in hunks) == len(rights) - len(lefts)
    place, shift = 0, 0
    inside = {row for hunk in hidden for row in range(hunk.left_start, hunk.left_end)}
    for hunk in [*hunks, Hunk(len(lefts), len(lefts), len(rights), len(rights))]:
        for row in range(place, hunk.left_start):
            line, other = lefts[row], rights[row + shift]
            assert bare(line, ignored) == bare(other, ignored)
            assert (line != other) == (row in inside)
        place, shift = hunk.left_end, hunk.right_end - hunk.left_end


def bare(line, ignored):
    kept = line.rstrip(" \t\r\n")
    return kept if ignored is TRAILING else "".join(sign for sign in kept if sign not in " \t\r")


@pytest.mark.parametrize(
    ("left", "right", "at", "trailing", "everything"),
    [
        ("x  y\n", "x y\n", (1, 3, 1, 2), False, True),
        ("x  \n", "x\n", (1, 3, 1, 1), True, True),
        ("x  ", "x", (1, 3, 1, 1), True, True),
        ("x\n", "x \n", (1, 1, 1, 2), True, True),
        ("  x\n", "\tx\n", (0, 2, 0, 1), False, True),
        ("a b\n", "ab\n", (0, 3, 0, 2), False, True),
        ("x\n", "y\n", (0, 1, 0, 1), False, False),
        ("x\ny\n", "x y\n", (1, 2, 1, 2), False, False),
        ("x \ny", "x\ny", (1, 3, 1, 2), False, False),
        ("x y\n", "x\n", (1, 3, 1, 1), False, False),
        ("x \n", "xy\n", (1, 2, 1, 1), False, True),
        ("xy\n", "x \n", (1, 1, 1, 2), False, True),
    ],
)
def test_changed_characters_that_are_hidden(left, right, at, trailing, everything):
    change = CharacterChange(*at)
    assert not hides(NONE, change, left, right)
    assert hides(TRAILING, change, left, right) is trailing
    assert hides(ALL, change, left, right) is everything


def test_the_search_for_hidden_changes_can_be_stopped():
    lines = ["a \n"] * 20_000
    with pytest.raises(Cancelled):
        compare_lines(lines, ["a\n"] * 20_000, ignored=ALL, cancelled=lambda: True)
    with pytest.raises(Cancelled):
        hidden_changes(lines, ["a\n"] * 20_000, [], cancelled=lambda: True)


def test_what_is_ignored_takes_little_more_work_for_each_line():
    left = [f"    line {number}\n" for number in range(20_000)]
    right = [line.replace("    ", "\t") + "x" * (number % 50 == 0) for number, line in enumerate(left)]
    bare_left, bare_right = [[line.strip() for line in lines] for lines in (left, right)]
    plain = steps(lambda: compare_lines(bare_left, bare_right))
    hiding = steps(lambda: hidden_changes(left, right, compare_lines(left, right, ignored=ALL)))
    assert plain < hiding < plain + 20 * (len(left) + len(right))
