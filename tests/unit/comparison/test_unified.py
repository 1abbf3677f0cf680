"""Unified diffs: programs that apply patches take them, and each line knows what it stands for."""

from __future__ import annotations

import random
import subprocess

import pytest

from companion.comparison import compare_lines, split_lines
from companion.comparison.unified import ADDED, END, EQUAL, HEADER, REMOVED, unified

LEFT = "".join(f"{number}\n" for number in range(20))


def patch(left, right, name="file"):
    """The patch of a file."""
    before, after = split_lines(left), split_lines(right)
    body = "".join(line.text + "\n" for line in unified(before, after, compare_lines(before, after)))
    return f"--- a/{name}\n+++ b/{name}\n{body}"


@pytest.mark.parametrize(
    ("left", "right", "lines"),
    [
        ("a\n", "a\n", []),
        ("", "a\n", ["@@ -0,0 +1,1 @@", "+a"]),
        ("a\n", "", ["@@ -1,1 +0,0 @@", "-a"]),
        ("a", "a\n", ["@@ -1,1 +1,1 @@", "-a", "\\ No newline at end of file", "+a"]),
        ("a\nb", "A\nb", ["@@ -1,2 +1,2 @@", "-a", "+A", " b", "\\ No newline at end of file"]),
        (
            LEFT,
            LEFT.replace("5\n", "five\n", 1),
            ["@@ -3,7 +3,7 @@", " 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"],
        ),
    ],
)
def test_what_it_looks_like(left, right, lines):
    assert patch(left, right).split("\n")[2:-1] == lines


def test_neighbours_share_a_header_if_their_surroundings_meet():
    near = LEFT.replace("3\n", "three\n", 1).replace("\n10\n", "\nten\n")
    assert sum(line.startswith("@@") for line in patch(LEFT, near).split("\n")) == 1
    far = LEFT.replace("3\n", "three\n", 1).replace("\n11\n", "\neleven\n")
    assert sum(line.startswith("@@") for line in patch(LEFT, far).split("\n")) == 2


def test_git_makes_the_new_text_of_the_old_one(tmp_path):
    chance, pieces = (
        random.Random(34),
        ["a\n", "b\n", "-- a/c\n", "++ b/c\n", "@@ -1 +1 @@\n", "\n", "\\ No\n", "x\r\n"],
    )
    for number in range(40):
        left = "".join(chance.choices(pieces, k=chance.randrange(1, 30)))
        lines = split_lines(left)
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(lines) + 1)
            lines[at : at + chance.randrange(3)] = chance.choices(pieces, k=chance.randrange(3))
        right = "".join(lines) or "a\n"
        right = right[:-1] if number % 4 == 0 and len(right) > 1 else right
        if left == right:
            continue
        file = tmp_path / "file"
        file.write_bytes(left.encode())
        made = subprocess.run(
            ["git", "apply", "--whitespace=nowarn", "-"],
            cwd=str(tmp_path),
            input=patch(left, right).encode(),
            capture_output=True,
            check=False,
        )
        assert (made.stderr, made.returncode) == (b"", 0), patch(left, right)
        assert file.read_bytes().decode() == right


def test_each_line_knows_its_hunk_and_its_row():
    left, right = split_lines(LEFT), split_lines(LEFT.replace("5\n", "five\n6\n", 1).replace("18\n19\n", "18"))
    lines = list(unified(left, right, compare_lines(left, right)))
    texts = {REMOVED: left, ADDED: right, EQUAL: right}
    for line in lines:
        if line.sign in texts:
            assert line.text == line.sign + texts[line.sign][line.row].rstrip("\n")
    assert [line.hunk for line in lines if line.sign == HEADER] == [0, 1]
    assert [(line.hunk, line.row) for line in lines if line.sign == REMOVED] == [(0, 5), (1, 18), (1, 19)]
    assert [line.hunk for line in lines if line.sign == EQUAL] == [0] * 6 + [1] * 3
    assert lines[-1][1:3] == (END, 1)


def test_an_equal_line_between_two_hunks_belongs_to_the_upper_one():
    left, right = ["a\n", "b\n", "c\n"], ["A\n", "b\n", "C\n"]
    lines = list(unified(left, right, compare_lines(left, right)))
    assert [(line.text, line.hunk) for line in lines if line.sign == EQUAL] == [(" b", 0)]
