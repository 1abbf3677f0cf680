"""Unified diffs: programs that apply patches take them, and each line is found again in the new text."""

from __future__ import annotations

import random
import subprocess

import pytest

from companion.comparison import compare_lines, split_lines
from companion.comparison.unified import PatchLine, hunk_starts, place_at, unified

LEFT = "".join(f"{number}\n" for number in range(20))


def patch(left, right, name="file"):
    """The patch of a file."""
    before, after = split_lines(left), split_lines(right)
    body = "".join(unified(before, after, compare_lines(before, after)))
    return f"--- a/{name}\n+++ b/{name}\n{body}"


def places(text):
    return [place_at(text.split("\n"), row) for row in range(text.count("\n"))]


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


def test_each_line_leads_to_its_file_and_to_its_hunk():
    text = patch(LEFT, LEFT.replace("5\n", "five\n", 1).replace("18\n", ""), "one.py")
    two = patch("a\nb\nc\n", "a\n++ b/c\n", "two.py")
    found = places("# heading\n" + text + two)
    assert found[0] is None
    assert found[1:3] == [PatchLine("one.py", 0)] * 2
    assert found[3:12] == [PatchLine("one.py", 5)] * 9
    assert found[12:18] == [PatchLine("one.py", 18)] * 6
    assert found[18:20] == [PatchLine("two.py", 0)] * 2
    assert set(found[20:]) == {PatchLine("two.py", 1)}


def test_a_file_that_is_new_or_has_gone_is_called_by_its_only_name():
    for head in ("--- /dev/null\n+++ b/x\n", "--- a/x\n+++ /dev/null\n", "--- a/old\n+++ b/x\n# not shown\n"):
        assert set(places(head)) == {PatchLine("x", 0)}


def test_where_hunks_start():
    text = patch("a\n", "@@ -1,1 +1,1 @@\n")
    assert [text[start:].split("\n")[0] for start in hunk_starts(text)] == ["@@ -1,1 +1,1 @@"]
