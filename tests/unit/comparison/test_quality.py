"""On edits of real source files, hardly ever does a line more change than by difflib's exact comparison.

The files are Python's own library, which every machine has. The edits are such as people and models make: words, blocks
added, removed, copied, moved, indented, wrapped. They come from a seed, so that a failure can be looked at again.
"""

from __future__ import annotations

import difflib
import random
import sysconfig
from pathlib import Path
from typing import List

import pytest

from companion.comparison import compare_lines, split_lines
from tests.support.applying import apply_hunks

MODULES = (
    "textwrap.py", "shlex.py", "queue.py", "bisect.py", "heapq.py", "fnmatch.py", "json/decoder.py", "json/encoder.py",
    "csv.py", "gettext.py", "sched.py", "pprint.py", "tempfile.py", "glob.py", "cmd.py", "getopt.py",
)  # fmt: skip


def source(module: str) -> List[str]:
    """The lines of a module of the standard library."""
    path = Path(sysconfig.get_paths()["stdlib"]) / module
    return split_lines(path.read_text(encoding="utf-8"))


def edit(lines: List[str], seed: int) -> List[str]:
    """A copy of `lines` with one to eight edits."""
    choose = random.Random(seed)
    result = list(lines)
    for _ in range(choose.randint(1, 8)):
        start = choose.randrange(len(result))
        end = min(len(result), start + choose.randint(1, 12))
        choose.choice((_reword, _remove, _insert, _copy, _move, _indent, _wrap))(result, start, end, choose)
    return result


def _reword(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    lines[start] = lines[start].replace("self", "this").replace("e", "a", choose.randint(1, 3))


def _remove(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    if end - start < len(lines):
        del lines[start:end]


def _insert(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    margin = " " * (len(lines[start]) - len(lines[start].lstrip()))
    added = ["%sif value == %d:\n" % (margin, choose.randrange(99)), margin + "    return None\n", "\n"]
    lines[start:start] = added[: choose.randint(1, 3)]


def _copy(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    lines[end:end] = [line.replace("def ", "def new_") for line in lines[start:end]]


def _move(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    taken = lines[start:end]
    del lines[start:end]
    place = choose.randint(0, len(lines))
    lines[place:place] = taken


def _indent(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    lines[start:end] = ["    " + line if line.strip() else line for line in lines[start:end]]


def _wrap(lines: List[str], start: int, end: int, choose: random.Random) -> None:
    _indent(lines, start, end, choose)
    lines[start:start] = ["try:\n"]
    lines[end + 1 : end + 1] = ["except ValueError:\n", "    pass\n"]


def changed_by_difflib(left, right, autojunk: bool) -> int:
    matcher = difflib.SequenceMatcher(None, left, right, autojunk)
    return len(left) + len(right) - 2 * sum(block.size for block in matcher.get_matching_blocks())


def changed(hunks) -> int:
    return sum(hunk.left_count + hunk.right_count for hunk in hunks)


@pytest.mark.parametrize("module", MODULES)
def test_no_more_lines_change_than_by_exact_difflib_by_over_five_percent(module):
    left = source(module)[:700]
    for seed in range(6):
        right = edit(left, seed)
        hunks = compare_lines(left, right)
        assert apply_hunks(left, hunks, right) == right
        exact = changed_by_difflib(left, right, autojunk=False)
        assert changed(hunks) <= 1.05 * exact, "%s, seed %d" % (module, seed)


def test_two_unrelated_files_share_as_much_as_they_can():
    left, right = source("textwrap.py"), source("shlex.py")
    assert changed(compare_lines(left, right)) <= 1.05 * changed_by_difflib(left, right, autojunk=False)


def test_no_whole_file_change_where_the_default_of_difflib_makes_one():
    row = ["    <td></td>\n", "    <td>0</td>\n", "  </tr>\n", "  <tr>\n"]
    left = (row * 3 + row[1:3]) * 60
    right = left[:200] + left[205:600] + left[200:205] + left[600:]
    assert changed_by_difflib(left, right, autojunk=True) > len(left)
    assert changed(compare_lines(left, right)) <= 10
