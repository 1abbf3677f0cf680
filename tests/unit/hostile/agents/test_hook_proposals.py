"""What a model may send as a write: patches and edits made to take long, names made to lead astray, and plain noise."""

from __future__ import annotations

import ast
import inspect
import os
import random
import re
import sys

import pytest

from companion.agents import hook_proposals, patches, smallest
from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.patches import apply, operations
from companion.agents.qwen_code import QWEN_CODE
from tests.support.work import Work

HEAD = "*** Begin Patch\n*** Update File: a\n"
MARKS = [
    "*** Begin Patch",
    "*** End Patch",
    "*** Update File: a",
    "*** Add File: a",
    "*** Delete File: a",
    "@@",
    "@@ x",
]
MARKS += [
    "*** Move to: b",
    "*** End of File",
    "+",
    "-",
    " ",
    "",
    "+x",
    "-x",
    " x",
    "\r",
    "<<'EOF'",
    "EOF",
    "\x00",
    "\ud800",
]


def work(count, patch_lines, text_lines):
    said = HEAD + "".join(patch_lines(count)) + "*** End Patch\n"
    text = "".join(text_lines(count))
    counted = Work("find", "count", "split", "strip", "translate")
    with counted.counted():
        (step,) = operations(said)
        apply(step, text)
    return counted.calls


@pytest.mark.parametrize(
    ("patch_lines", "text_lines"),
    [
        (lambda count: ["@@\n", *["-a\n"] * (count // 2), "-b\n"], lambda count: ["a\n"] * count),
        (lambda count: ["@@\n", *[" a \n"] * (count // 2), "+b\n"], lambda count: ["a\n"] * count),
        (lambda count: ["@@\n", *["+a\n"] * count], lambda count: ["a\n"] * count),
        (lambda count: ["\n"] * count + ["@@\n-a\n"], lambda count: ["a\n"] * count),
    ],
    ids=["almost there", "there but for blanks", "many new lines", "empty lines"],
)
def test_the_work_grows_with_the_length_and_no_faster(patch_lines, text_lines):
    few, many = (work(count, patch_lines, text_lines) for count in (500, 5000))
    assert many < 15 * few


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_no_patch_or_one_and_nothing_else(seed):
    random_ = random.Random(seed)
    for _ in range(100):
        said = "\n".join(random_.choice(MARKS) for _ in range(random_.randrange(14)))
        for form in (said, HEAD + said + "\n*** End Patch"):
            steps = operations(form)
            assert steps is None or all(step.path for step in steps)
            found = CODEX_CLI.hooks.writes.proposals("apply_patch", {"command": form}, {"a": "x\n", "b": None})
            assert found is None or all(isinstance(each.text, str) for each in found)


@pytest.mark.parametrize("path", ["/etc/passwd", "a/./b", "a b", "\u202eyp.a", "a" * 5000])
def test_a_path_is_told_as_it_is_named(path):
    """Where it leads is judged by who shows it."""
    assert CLAUDE_CODE.hooks.writes.paths("Write", {"file_path": path, "content": ""}) == (path,)


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "a/../../b", "a\x00b", "\u202eyp.a", "a" * 5000])
def test_a_patch_names_files_by_their_letters_alone(path):
    said = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"
    assert CODEX_CLI.hooks.writes.paths("apply_patch", {"command": said}) == (os.path.normpath(path),)


ODD = ["", " a", "a ", "a\n", "\u3000a", "~", "~/a", "~user/a", "a\\ b", "../a", "a/../b", "a/..", "a\x00b", "a\tb"]


COMPOSED = ["a\u0308"] if sys.platform != "darwin" else []


@pytest.mark.parametrize("path", [*ODD, *COMPOSED, 7, None, ["a"]])
@pytest.mark.parametrize("agent", [CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, COPILOT_CLI], ids=lambda agent: agent.key)
def test_a_name_that_programs_read_in_their_own_ways_is_not_understood(agent, path):
    for tool, form in agent.hooks.writes.tools.items():
        if form.patch or (not form.whole and not form.old):
            continue
        edit = {form.old: "x", form.new: "y"}
        arguments = {form.path: path, **({form.edits: [edit]} if form.edits else edit)}
        if form.whole:
            arguments = {form.path: path, form.whole: "y"}
        assert agent.hooks.writes.paths(tool, arguments) == (), tool
        texts = {path: "x\n"} if isinstance(path, str) else {}
        assert agent.hooks.writes.proposals(tool, arguments, texts) is None, tool


def test_what_takes_too_much_work_is_not_understood(monkeypatch):
    """All hunks of a file together, and all edits of a call; before, they took hours."""
    hunks = "".join(f"@@\n-  {number}\n+x\n" for number in range(100))
    (step,) = operations(f"{HEAD}{hunks}*** End Patch\n")
    before = "".join(f"{number}\n" for number in range(100))
    edits = [{"old_string": f"{number}\n", "new_string": "x\n"} for number in range(10, 100)]
    arguments = {"file_path": "a", "edits": edits}
    writes = CLAUDE_CODE.hooks.writes
    assert apply(step, before) == "x\n" * 100
    assert writes.proposals("MultiEdit", arguments, {"a": before}) is not None
    for module in (patches, hook_proposals):
        monkeypatch.setattr(module, "MOST_WORK", 3000)
    assert apply(step, before) is None
    assert writes.proposals("MultiEdit", arguments, {"a": before}) is None


def test_a_patch_of_too_many_lines_is_not_understood(monkeypatch):
    monkeypatch.setattr(patches, "MOST_LINES", 20)
    most = HEAD + "@@\n-x\n" + "+\n" * 15 + "*** End Patch\n"
    assert operations(most) is not None
    assert operations(most.replace("+\n", "+\n+\n", 1)) is None


def test_a_text_that_would_become_huge_is_not_understood():
    everywhere = {"file_path": "a", "old_string": "a", "new_string": "b" * 10_000, "replace_all": True}
    assert CLAUDE_CODE.hooks.writes.proposals("Edit", everywhere, {"a": "a" * 10_000}) is None


SEARCHES = ("count", "find", "index", "partition", "replace", "rfind", "split")


@pytest.mark.parametrize("module", [hook_proposals, patches, smallest], ids=lambda module: module.__name__)
def test_texts_from_outside_are_looked_for_by_a_needle(module):
    """Python's own search may take minutes, in which nothing else runs."""
    tree = ast.parse(inspect.getsource(module))
    ours = {"Needle"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = list(zip(target.elts, value.elts))
            ours |= {
                name.id
                for name, made in pairs
                if isinstance(name, ast.Name) and re.search("[Nn]eedle|_Searched", ast.dump(made))
            }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in SEARCHES:
            names = {name.id for name in ast.walk(call.func.value) if isinstance(name, ast.Name)}
            wanted = call.args[0]
            is_short = isinstance(wanted, ast.Constant) or (isinstance(wanted, ast.Name) and wanted.id.isupper())
            assert is_short or names & ours, f"line {call.lineno}: look for it by a Needle"


def test_what_looks_like_a_pattern_is_text():
    arguments = {"file_path": "a", "old_string": "$1 \\1 (.*)", "new_string": "$& \\g<0> $$"}
    (found,) = GEMINI_CLI.hooks.writes.proposals("replace", arguments, {"a": "x $1 \\1 (.*)\n"})
    assert found.text == "x $& \\g<0> $$\n"
