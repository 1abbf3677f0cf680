"""Patches: what they say, what they make of a text, and one made of two texts.

The table was measured with the real program, release 0.169; `end_to_end/programs/test_codex_patches.py` asks it again.
"""

from __future__ import annotations

import random
import re

import pytest

from companion.agents import patches
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.patches import Operation, apply, operations, patch_of

HEAD = "*** Update File: a\n"


def patch(*parts: str) -> str:
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch"


def applied(text: str, said: str):
    steps = operations(said)
    return None if steps is None else apply(steps[0], text)


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [
        pytest.param("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", "a\nB\nc\n", id="a line in its place"),
        pytest.param("a\nb\n", "-a\n+A\n", "A\nb\n", id="the first hunk without its mark"),
        pytest.param("x\nx\n", "@@\n-x\n+z\n*** End of File\n", "x\nz\n", id="at the end"),
        pytest.param("x\ny\n", "@@\n-x\n+z\n*** End of File\n", None, id="not at the end"),
        pytest.param("f\n x\ng\n x\n", "@@ g\n- x\n+ y\n", "f\n x\ng\n y\n", id="behind a line"),
        pytest.param("x\n", "@@ x\n-x\n+y\n", None, id="the line behind which it is does not count"),
        pytest.param(
            "  def f\n  x\n", "@@ def f\n-x\n+  y\n", "  def f\n  y\n", id="blanks do not matter if they differ"
        ),
        pytest.param("a  \n  b\nc\n", "@@\n a\n b\n-c\n+C\n", "a  \n  b\nC\n", id="context stays as the file has it"),
        pytest.param("a \u2013 b\n", "@@\n-a - b\n+c\n", "c\n", id="nor do kinds of dashes"),
        pytest.param("a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A\n", None, id="hunks in the wrong order"),
        pytest.param("x\ny\n", "@@\n+z\n", "x\ny\nz\n", id="nothing old: at the end"),
        pytest.param("x\ny\nw\n", "@@ x\n+z\n", "x\ny\nw\nz\n", id="at the end, whatever line is named"),
        pytest.param("c\nq\n", "@@\n+a\n@@\n q\n+z\n", "c\nq\na\nz\n", id="twice at the end, in order"),
        pytest.param("x\n\ny\n", "@@\n-x\n\n-y\n+Y\n", "\nY\n", id="an empty line is context"),
        pytest.param("a\nb\n", "@@\n a\n-b\n-\n+c\n+\n", "a\nc\n", id="an empty last line too many, here and there"),
        pytest.param("x\n", "@@\n-x\n \n+z\n", "\nz\n", id="an empty last line too many, here"),
        pytest.param("", "@@\n+x\n", "x\n", id="into an empty file"),
        pytest.param("x\ny\n", "@@\n-x\n-y\n", "", id="to an empty file"),
        pytest.param("q\nw\ne", "@@\n-q\n+Q\n", "Q\nw\ne\n", id="a file ends with a line end then"),
        pytest.param("a\r\nb\r\n", "@@\n-b\n+B\n", "a\r\nB\r\n", id="new lines end as the first one: CR LF"),
        pytest.param("a\nb\r\n", "@@\n-b\n+B\n", "a\nB\n", id="new lines end as the first one: LF"),
        pytest.param("a\rb\r", "@@\n-b\n+B\n", "a\rB\r", id="new lines end as the first one: CR"),
        pytest.param("x\ny\n", "@@\r\n-x\r\n+z\r\n y\r\n", "z\ny\n", id="the patch's own line ends do not matter"),
        pytest.param("\ufeffx\n", "@@\n-x\n+z\n", None, id="a byte order mark is a character"),
        pytest.param("x\u2028y\x0c\n", "@@\n-x\u2028y\x0c\n+\x85\n", "\x85\n", id="nothing else ends a line"),
        pytest.param(
            "* a\nb\n", "@@\n * a\n-b\n+*** End Patch\n", "* a\n*** End Patch\n", id="what looks like the end"
        ),
        pytest.param("a\n", "@@\n a\n", "a\n", id="no change"),
        pytest.param("x\ny\n", "@@\n-y\n+z\n*** End of File \n", "x\nz\n", id="blanks behind the end of the file"),
        pytest.param("x\ny\n", "@@\n-y\n+z\n *** End of File\n", None, id="a blank in front of it is context"),
        pytest.param("x\ny\n", "@@\n-y\n+z\n*** End of File\n \n\t\n", "x\nz\n", id="blank lines behind it"),
        pytest.param("x\ny\n", "@@\n-y\n+z\n*** End of File\n y\n", None, id="lines behind it"),
        pytest.param("x\ny\n", "*** End of File\n@@\n-x\n+z\n", "z\ny\n", id="the end of the file at the beginning"),
        pytest.param("x\ny\n", "@@\t\n-y\n+z\n", "x\nz\n", id="a tab behind the mark of a hunk"),
        pytest.param("x\ny\n", "@@\u3000\n-y\n+z\n", "x\nz\n", id="a wide blank behind it"),
        pytest.param("x\ny\n", "@@ x \t\n-y\n+z\n", "x\nz\n", id="blanks behind the line before it"),
        pytest.param("x\ny\n", "@@\tx\n-y\n+z\n", None, id="a tab in front of the line before it"),
        pytest.param("x\ny\n", " @@\n-y\n+z\n", None, id="a blank in front of it is context"),
        pytest.param("x\ny\n", "@@\n-x\n+z\n*** End Patch\n\n \n", "z\ny\n", id="the end twice"),
        pytest.param("x\ny\n", "@@\n-x\n+z\n*** End Patch\n*** Delete File: a\n", None, id="a file behind the end"),
        pytest.param("x\n\n", "@@\n-x\r\r\n+z\r\n \r\r\n", "z\n\n", id="two carriage returns end a line"),
        pytest.param("x\n", "@@\n-x\n+z\n-\r\r\r\n", None, id="and not three"),
    ],
)
def test_a_patch_of_one_file(before, said, after):
    assert applied(before, patch(HEAD, said)) == after


UPDATE_B = "*** Update File: b\n@@\n-y\n+z\n"


@pytest.mark.parametrize(
    ("said", "paths"),
    [
        pytest.param("*** Update File: a\n*** Move to: b \n@@\n-x\n+z\n", {"a", "b"}, id="a blank behind a target"),
        pytest.param("*** Update File: a\n *** Move to: b\n@@\n-x\n+z\n", None, id="a blank in front of its mark"),
        pytest.param("*** Update File: a\n*** Move to: \n@@\n-x\n+z\n", None, id="no target"),
        pytest.param("*** Update File: a\n*** Move to: c\n*** Move to: d\n-x\n+z\n", None, id="two targets"),
        pytest.param("*** Update File: a\n-x\n+z\n*** Move to: c\n", None, id="a target behind the lines"),
        pytest.param(" *** Delete File: a\xa0\t\n\t" + UPDATE_B, {"a", "b"}, id="marks with blanks around them"),
        pytest.param("*** Update File: a\n-x\n *** Delete File: b\n", None, id="a blank means context in an update"),
        pytest.param("*** Update File: a\n-x\n*** Delete File: b \n", {"a", "b"}, id="not behind the mark"),
        pytest.param("*** Add File:  c\n", {" c"}, id="a blank that begins a name"),
        pytest.param("*** Add File: .e\tn\rv\n", {".env"}, id="tabs and carriage returns in a name"),
        pytest.param("*** Update File: \rb\n-y\n", {"b"}, id="a carriage return that begins a name"),
        pytest.param("*** Update File: a\n*** Move to: c\td\n-x\n", {"a", "cd"}, id="tabs in the name of a target"),
        pytest.param("*** Delete File: a/../b\n", {"b"}, id="a name by its letters alone"),
        pytest.param("*** Add File: c\ufeff\n", {"c\ufeff"}, id="what is no blank"),
        pytest.param("*** Add File: c\n+x\n\n", None, id="an empty line behind an added file"),
        pytest.param("\n" + UPDATE_B, None, id="an empty line before the first file"),
    ],
)
def test_the_files_of_a_patch(said, paths):
    steps = operations(patch(said))
    # One that can be parsed may still not apply.
    refused = steps is None or any(apply(step, {"a": "x\n", "b": "y\n"}.get(step.path)) is None for step in steps)
    assert paths == (None if refused else {path for step in steps for path in step.paths})


@pytest.mark.parametrize(
    "said",
    [
        "",
        "*** Begin Patch",
        "*** Begin Patch\n" + HEAD + "@@\n-x\n+y\n",
        patch(HEAD),
        patch(HEAD, "*** Move to: b\n"),
        patch(HEAD, "@@\n-x\n+y\n?z\n"),
        patch(HEAD, "@@\n"),
        patch(HEAD, "@@\n*** End of File\n"),
        patch("*** Rename File: a\n"),
        patch("*** Delete File: a\n", "\n"),
        patch(),
        patch("*** End Patch\n"),
        patch("*** Environment ID: elsewhere\n", HEAD, "@@\n-x\n+y\n"),
        "<<EOF \n" + patch(HEAD, "@@\n-x\n+y\n") + "\nEOF",
        "<<EOF\n" + patch(HEAD, "@@\n-x\n+y\n") + "\nEND",
    ],
)
def test_what_is_no_patch(said):
    assert operations(said) is None


def test_steps_with_several_files_and_what_stands_around_them():
    said = patch(
        "*** Add File: new.txt\n+x\n+\n",
        "*** Update File: a\n*** Move to: d/b\n@@\n-x\n+y\n",
        "*** Delete File: c\n",
    )
    for form in (said, f"  {said}  \n", f"<<'EOF'\n{said}\nEOF", f"<<EOF\r\n{said}\nxEOF"):
        new, moved, gone = operations(form) or ()
        assert (new.path, new.added) == ("new.txt", "x\n\n")
        assert (moved.path, moved.moved_to, apply(moved, "x\n")) == ("a", "d/b", "y\n")
        assert (gone.path, gone.deletes, apply(gone, "x\n"), apply(gone, None)) == ("c", True, "", None)
    again = operations(patch_of([new, moved, gone]))
    assert again == (new, moved, gone)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("*** Add File: b\n+x\n" + HEAD + "*** Move to: c\n@@ f\n x\n\n-x\n+y\n*** End of File\n", True),
        ("*** Delete File: b\n", True),
        (HEAD + "-x\n+y\n", False),
        (HEAD + "@@ \n-x\n+y\n", False),
        (HEAD + "@@\n-x\n+y\n*** End of File \n", False),
        (HEAD + "\n@@\n-x\n+y\n", False),
        (HEAD + "*** Move to: b \n@@\n-x\n+y\n", False),
        (" " + HEAD + "@@\n-x\n+y\n", False),
        ("*** Delete File: .e\tnv\n", False),
        ("*** Delete File: a/../b\n", False),
        ("*** Delete File: b\r\n", False),
        (HEAD, False),
    ],
)
def test_what_says_all_in_the_plainest_way(said, plain):
    assert patches.is_plain_patch(patch(said)) == plain
    assert not patches.is_plain_patch("<<EOF\n" + patch(said) + "\nEOF")
    assert (COPILOT_CLI.hooks.writes.paths("apply_patch", {"patch": patch(said)}) != ()) == plain


ENDS = (["\n"], ["\r\n"], ["\n", "\r\n"], ["\r"])
LINES = ["a", "b", "", " a", "a ", "\u2013x", "-x", "* q", "@@", "+", "\ta", "*** End Patch", "\ufeff", "\u2028"]


def text_of(random_, ends):
    text = "".join(random_.choice(LINES) + random_.choice(ends) for _ in range(random_.randrange(8)))
    return text.rstrip("\r\n") if random_.random() < 0.3 else text


@pytest.mark.parametrize("seed", range(20))
def test_a_patch_made_of_two_texts_makes_the_second_of_the_first(seed):
    random_ = random.Random(seed)
    for _ in range(50):
        ends = random_.choice(ENDS)
        before, after = text_of(random_, ends), text_of(random_, ends)
        step = Operation.of("a", "", before, after)
        read = operations(patch_of([step]))
        assert read == (step,)
        made = apply(step, before)
        if made == after:
            continue
        # What no patch can say: line ends that are not those of the first line, and a last line without one.
        first = re.search("\r\n|\r|\n", before)
        ending = first.group() if first else "\n"
        assert lines_of(made) == lines_of(after), (before, after)
        assert not after.endswith(("\n", "\r")) or set(ends) != {ending}, (before, after)


def lines_of(text):
    lines = re.split("\r\n|\r|\n", text)
    return lines if lines[-1] else lines[:-1]


def test_the_lines_of_a_file_are_prepared_once_for_all_hunks(monkeypatch):
    formed = []
    monkeypatch.setattr(patches, "_FORMS", (lambda line: formed.append(line) or line,))
    hunks = "".join(f"@@\n-{number}\n+x\n" for number in range(0, 100, 2))
    (step,) = operations(f"*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch\n")
    apply(step, "".join(f"{number}\n" for number in range(100)))
    assert len(formed) == 100 + 50
