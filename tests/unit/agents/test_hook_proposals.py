"""What a program's write tool is about to make of its files, and a text of the user on its way back to it."""

from __future__ import annotations

import random

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.codex_cli import CODEX_CLI
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.hook_proposals import FileProposal
from companion.agents.qwen_code import QWEN_CODE

HOOKED = (CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, COPILOT_CLI, CODEX_CLI)
BOM = "\ufeff"


def forms():
    for agent in HOOKED:
        for tool, form in agent.hooks.writes.tools.items():
            if form.whole or form.old or form.patch:
                yield pytest.param(agent.hooks.writes, tool, id=f"{agent.key}-{tool}")


def arguments_of(writes, tool, before, old, new, every=False):
    """What a program sends that wants `old` to be `new`."""
    form = writes.tools[tool]
    if form.whole:
        return {form.path: "/w/a", form.whole: (before or "").replace(old, new) if old else new}
    if form.patch:
        if before is None:
            lines = "".join(f"+{line}\n" for line in new.split("\n")[:-1])
            return {form.patch: f"*** Begin Patch\n*** Add File: /w/a\n{lines}*** End Patch"}
        said = "".join(f"-{line}\n" for line in old.split("\n")) + "".join(f"+{line}\n" for line in new.split("\n"))
        return {form.patch: f"*** Begin Patch\n*** Update File: /w/a\n@@\n{said}*** End Patch"}
    edit = {form.old: old, form.new: new, **({form.every: True} if every else {})}
    return {form.path: "/w/a", **({form.edits: [edit]} if form.edits else edit)}


def proposed(writes, tool, before, arguments):
    found = writes.proposals(tool, arguments, {"/w/a": before})
    assert found is None or len(found) == 1
    return None if found is None else found[0].text


# -- to the proposal ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("writes", "tool"), list(forms()))
@pytest.mark.parametrize("mark", ["", BOM])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_change_keeps_what_the_file_is_like(writes, tool, ending, mark):
    """Line ends and byte order mark; and what a program normalises, where it is told a whole text with line feeds."""
    before = mark + f"one{ending}two{ending}\u00e4 \U0001f600{ending}"
    wanted = before.replace("two", f"2{ending}zwei")
    if writes.tools[tool].whole:
        arguments = arguments_of(writes, tool, "one\ntwo\n\u00e4 \U0001f600\n", "two", "2\nzwei")
        if not writes.restores_line_ends:
            wanted = wanted.replace("\r\n", "\n")
        if not writes.restores_mark:
            wanted = wanted.lstrip(BOM)
    else:
        arguments = arguments_of(writes, tool, before, "two", "2\nzwei")
    assert writes.paths(tool, arguments) == ("/w/a",)
    assert proposed(writes, tool, before, arguments) == wanted


@pytest.mark.parametrize(("writes", "tool"), list(forms()))
def test_a_new_file(writes, tool):
    arguments = arguments_of(writes, tool, None, "", "one\n")
    if writes.tools[tool].old and not writes.makes_files:
        assert writes.proposals(tool, arguments, {"/w/a": None}) is None
        return
    (found,) = writes.proposals(tool, arguments, {"/w/a": None})
    assert found == FileProposal("/w/a", None, "one\n")


@pytest.mark.parametrize(("writes", "tool"), [each for each in forms() if each.values[0].tools[each.values[1]].old])
@pytest.mark.parametrize(
    ("before", "old", "new"),
    [("one\n", "two", "2"), (None, "two", "2"), ("two\n", "", "2"), ("two two\n", "two\ntwo", "2")],
    ids=["not there", "no file", "nothing to replace", "other lines"],
)
def test_what_does_not_apply(writes, tool, before, old, new):
    assert proposed(writes, tool, before, arguments_of(writes, tool, before, old, new)) is None


@pytest.mark.parametrize(("writes", "tool"), [each for each in forms() if each.values[0].tools[each.values[1]].old])
def test_a_text_that_stands_twice(writes, tool):
    one = arguments_of(writes, tool, "", "two", "2")
    assert proposed(writes, tool, "two two\n", one) is None
    if writes.tools[tool].every:
        every = arguments_of(writes, tool, "", "two", "2", every=True)
        assert proposed(writes, tool, "two two\n", every) == "2 2\n"
        assert proposed(writes, tool, "one\n", every) is None
    assert proposed(writes, tool, "two\n", arguments_of(writes, tool, "", "two", "two")) is None


@pytest.mark.parametrize(
    ("agent", "before", "old", "new", "after"),
    [
        (GEMINI_CLI, "a\nb", "b", "c\n", "a\nc"),
        (GEMINI_CLI, "a\nb\n", "b\n", "c", "a\nc\n"),
        (GEMINI_CLI, "a\r\nb\n", "b", "c", "a\r\nc\r\n"),
        (GEMINI_CLI, "", "", "c", None),
        (QWEN_CODE, "a\nb\nc\n", "b", "", "a\nc\n"),
        (QWEN_CODE, "a\nb", "b", "", "a\n"),
        (COPILOT_CLI, "a\nb\nc\n", "b", "", "a\nc\n"),
        (CLAUDE_CODE, "", "", "c", "c"),
        (CLAUDE_CODE, "a", "", "c", None),
        (CLAUDE_CODE, "a\nb\nc\n", "b", "", "a\nc\n"),
        (CLAUDE_CODE, "\ufeffa\r\nb\r\n", "b", "", "\ufeffa\r\n"),
    ],
)
def test_what_a_program_makes_of_edits(agent, before, old, new, after):
    writes = agent.hooks.writes
    tool = next(name for name, form in writes.tools.items() if form.old)
    assert proposed(writes, tool, before, arguments_of(writes, tool, before, old, new)) == after


def test_several_edits_of_one_call_follow_each_other():
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c", "replace_all": True}]
    arguments = {"file_path": "/w/a", "edits": edits}
    writes = CLAUDE_CODE.hooks.writes
    assert proposed(writes, "MultiEdit", "a b\r\n", arguments) == "c c\r\n"
    assert proposed(writes, "MultiEdit", "b\n", arguments) is None


def test_a_patch_of_several_files():
    said = (
        "*** Begin Patch\n*** Add File: new\n+n\n*** Update File: a\n@@\n-a\n+A\n*** Update File: b\n*** Move to: c\n"
        "@@\n-b\n+B\n*** Delete File: d\n*** End Patch\n"
    )
    writes, texts = CODEX_CLI.hooks.writes, {"new": None, "a": "a\n", "b": "b\n", "c": None, "d": "d\n"}
    assert writes.paths("apply_patch", {"command": said}) == ("new", "a", "b", "c", "d")
    found = writes.proposals("apply_patch", {"command": said}, texts)
    assert found == (
        FileProposal("new", None, "n\n"),
        FileProposal("a", "a\n", "A\n"),
        FileProposal("c", "b\n", "B\n", moved_from="b"),
        FileProposal("d", "d\n", "", deletes=True),
    )
    accepted = ["n\n", "A2\n", "B2\n", "d2\n"]
    back = writes.handed_back("apply_patch", {"command": said}, found, accepted)
    assert back.is_complete
    again = writes.proposals("apply_patch", back.arguments, texts)
    assert [(each.path, each.text, each.deletes) for each in again] == [
        ("new", "n\n", False),
        ("a", "A2\n", False),
        ("c", "B2\n", False),
        ("d", "d2\n", False),
    ]
    assert "+n\n*** Update File: a\n" in back.arguments["command"], "what was accepted as it is, is said as it was"
    twice = said.replace("File: d", "File: a")
    assert writes.proposals("apply_patch", {"command": twice}, texts) is None


@pytest.mark.parametrize("agent", HOOKED, ids=lambda agent: agent.key)
@pytest.mark.parametrize("value", [None, 7, "", "text", [], ["x"], {}, {"file_path": 7}, True], ids=repr)
def test_arguments_that_make_no_sense(agent, value):
    writes = agent.hooks.writes
    for tool, form in writes.tools.items():
        names = [name for name in form if name]
        for broken in names:
            arguments = {**dict.fromkeys(names, "x"), broken: value}
            paths = writes.paths(tool, arguments)
            assert all(isinstance(path, str) and path for path in paths)
            found = writes.proposals(tool, arguments, dict.fromkeys(["x", *paths], "y"))
            assert not found or isinstance(found[0].text, str)
            assert writes.proposals(tool, {}, {"x": "y"}) is None
    assert writes.proposals("Bash", {"command": "x"}, {}) is None
    assert writes.paths("Bash", {"command": "x"}) == ()


# -- and back ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("writes", "tool"), list(forms()))
def test_what_is_accepted_as_proposed_changes_no_arguments(writes, tool):
    arguments = arguments_of(writes, tool, "one\r\ntwo\r\n", "two", "2")
    found = writes.proposals(tool, arguments, {"/w/a": "one\r\ntwo\r\n"})
    back = writes.handed_back(tool, arguments, found, [found[0].text])
    assert back.arguments is None
    assert back.is_complete


@pytest.mark.parametrize(("writes", "tool"), list(forms()))
@pytest.mark.parametrize("seed", range(10))
def test_a_text_of_the_user_on_its_way_back(writes, tool, seed):
    """What the program writes with the arguments that it gets is what is foretold, and the text, if it can be said."""
    random_ = random.Random(seed)
    for _ in range(20):
        ending, mark = random_.choice(["\n", "\r\n"]), random_.choice(["", BOM])
        lines = [random_.choice(["a", "", " b\u00e4", "\U0001f600$&", "-", "\\n"]) for _ in range(random_.randrange(6))]
        before = mark + "".join(line + ending for line in ["two", *lines])
        if random_.random() < 0.3:
            before = before[: -len(ending)]
        arguments = arguments_of(writes, tool, before, "two", "2\n2")
        found = writes.proposals(tool, arguments, {"/w/a": before})
        if found is None:  # a mark at the start is a part of the first line of a patch
            assert mark
            assert writes.tools[tool].patch
            continue
        ending = "\r\n" if "\r\n" in found[0].text else "\n"
        kept = BOM if found[0].text.startswith(BOM) else ""
        some = [random_.choice(["x", "", "\u00fc", *lines]) + ending for _ in range(random_.randrange(5))]
        accepted = kept + "".join(some) + random_.choice(["", "end"])
        back = writes.handed_back(tool, arguments, found, [accepted])
        assert len(back.written) == len(back.wanted) == 1
        assert back.wanted[0].replace("\r\n", "\n").lstrip(BOM) == accepted.replace("\r\n", "\n").lstrip(BOM)
        assert back.wanted[0].startswith(BOM) == bool(mark)
        if back.arguments is not None:
            assert set(back.arguments) <= set(arguments)
            assert proposed(writes, tool, before, back.arguments) == back.written[0]
        if not back.is_complete:  # what a program cannot be told
            no_end = not accepted.endswith("\n") or (writes.restores_end and accepted.endswith("\n"))
            nothing = back.wanted[0] in (before, BOM)
            if writes.plain_patches and writes.tools[tool].patch:  # see test_written_texts.py
                continue
            assert nothing or (no_end and (writes.tools[tool].patch or writes.restores_end)), (before, accepted, back)


def test_a_whole_text_over_other_line_ends_is_written_as_it_is_shown():
    """Claude Code sends line feeds, whatever the file has. The review says that its line ends change, so they do."""
    writes, arguments = CLAUDE_CODE.hooks.writes, {"file_path": "/w/a", "content": "one\ntwo\n"}
    found = writes.proposals("Write", arguments, {"/w/a": BOM + "one\r\n"})
    assert found[0].text == BOM + "one\ntwo\n"
    back = writes.handed_back("Write", arguments, found, [BOM + "one\n2\n"])
    assert back.arguments == {"file_path": "/w/a", "content": BOM + "one\n2\n"}
    assert back.is_complete


def test_an_edit_of_a_user_replaces_the_whole_text():
    arguments = {"file_path": "/w/a", "old_string": "a", "new_string": "b", "replace_all": True}
    writes = CLAUDE_CODE.hooks.writes
    found = writes.proposals("Edit", arguments, {"/w/a": BOM + "a\r\na\r\n"})
    back = writes.handed_back("Edit", arguments, found, [BOM + "b\r\nc\r\n"])
    assert back.arguments == {"file_path": "/w/a", "old_string": "a\na\n", "new_string": "b\nc\n"}
    assert back.written == back.wanted == (BOM + "b\r\nc\r\n",)


SECRETS = "TOKEN=abc\nPORT=1\nHOST=x\nMODE=y\n"


@pytest.mark.parametrize(
    ("agent", "tool", "arguments"),
    [
        (COPILOT_CLI, "edit", {"path": "/w/a", "old_str": "PORT=1\n", "new_str": "PORT=2\nHOSTS=\n"}),
        (CLAUDE_CODE, "Edit", {"file_path": "/w/a", "old_string": "PORT=1\n", "new_string": "PORT=2\nHOSTS=\n"}),
        (QWEN_CODE, "edit", {"file_path": "/w/a", "old_string": "PORT=1\n", "new_string": "PORT=2\nHOSTS=\n"}),
        (GEMINI_CLI, "replace", {"file_path": "/w/a", "old_string": "PORT=1\n", "new_string": "PORT=2\nHOSTS=\n"}),
        (CLAUDE_CODE, "Write", {"file_path": "/w/a", "content": SECRETS.replace("PORT=1\n", "PORT=2\nHOSTS=\n")}),
        (
            CODEX_CLI,
            "apply_patch",
            {"command": "*** Begin Patch\n*** Update File: /w/a\n@@\n-PORT=1\n+PORT=2\n+HOSTS=\n*** End Patch\n"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_of_a_withheld_file_a_program_hears_no_line_that_it_has_not_said(agent, tool, arguments):
    writes = agent.hooks.writes
    found = writes.proposals(tool, arguments, {"/w/a": SECRETS})
    own = str(arguments)
    for accepted in (
        SECRETS.replace("PORT=1\n", "PORT=2\n"),  # a part is taken back
        SECRETS.replace("PORT=1\n", "PORT=7\nHOSTS=\n"),  # typed
        SECRETS.replace("abc", "def").replace("PORT=1\n", "PORT=2\nHOSTS=\n"),  # elsewhere
    ):
        shared = writes.handed_back(tool, arguments, found, [accepted])
        assert shared.is_complete
        back = writes.handed_back(tool, arguments, found, [accepted], withheld={"/w/a"})
        assert back.wanted == (accepted,)
        said = str(back.arguments or "")
        assert "PORT=7" not in said
        assert "def" not in said
        assert ("TOKEN" in said) <= ("TOKEN" in own)
        assert back.written == (accepted,) if "PORT=2\nHOST=x" in accepted else (found[0].text,)
    assert "MODE" not in str(shared.arguments) or "MODE" in own, "nor does it hear of others more than they need"
