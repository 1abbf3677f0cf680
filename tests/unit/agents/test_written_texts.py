"""What the real programs leave of a file, as it was recorded, and that we say so before.

Measured with the releases that `tests/clients/` pins; `end_to_end/programs/test_written_texts.py` measures it again.
"""

from __future__ import annotations

import random
from typing import Any, Mapping, NamedTuple, Optional, Tuple

import pytest

from companion.agents.claude_code import CLAUDE_CODE
from companion.agents.copilot_cli import COPILOT_CLI
from companion.agents.gemini_cli import GEMINI_CLI
from companion.agents.patches import Operation, patch_of
from companion.agents.qwen_code import QWEN_CODE
from tests.clients.programs.model_stub import CallTool
from tests.support.changes import Change

AGENTS = (CLAUDE_CODE, GEMINI_CLI, QWEN_CODE, COPILOT_CLI)
LF = "one\ntwo\nthree\n"
CRLF = "one\r\ntwo\r\nthree\r\n"
MIXED = "one\r\ntwo\nthree\r\n"
ONE_CRLF = "one\ntwo\nthree\r\n"
DOUBLE = "one\r\r\ntwo\r\r\n"
CR = "one\rtwo\rthree\r"
MARKED = "\ufeffone\ntwo\n"
MARKED_CRLF = "\ufeffone\r\ntwo\r\n"
NO_END = "one\ntwo"
NO_END_CRLF = "one\r\ntwo"
SIX = "a\r\nb\r\nc\r\nd\ne\nf\ng\n"
TWICE = "two two\ntwo\n"


class Row(NamedTuple):
    """A change, and what the programs leave, by the keys of their agents."""

    change: Change
    then: Optional[str]
    others: Mapping[str, Optional[str]]
    asked: Tuple[str, ...]
    """Those that write something similar to what they are told, which is not foreseen: they are asked about."""

    def left(self, key: str) -> Optional[str]:
        return self.others.get(key, self.then)


def row(change: Change, asked: Tuple[str, ...] = (), **then: Any) -> Row:
    """Where nothing else is said, a program refuses the change."""
    return Row(change, then.pop("then", change.before), then, asked)


RECORDED = [
    row(Change(LF, "two", "2"), then="one\n2\nthree\n"),
    row(Change(CRLF, "two", "2"), then="one\r\n2\r\nthree\r\n"),
    row(Change(MIXED, "two", "2"), then="one\r\n2\r\nthree\r\n", copilot="one\r\n2\nthree\r\n"),
    row(
        Change(ONE_CRLF, "two", "2"),
        then="one\r\n2\r\nthree\r\n",
        copilot="one\n2\nthree\r\n",
        claude="one\n2\nthree\n",
    ),
    row(Change(DOUBLE, "two", "2"), then="one\r\n2\r\n", copilot="one\r\r\n2\r\r\n"),
    row(Change(CR, "two", "2"), then="one\r2\rthree\r"),
    row(Change(MARKED, "two", "2"), then="\ufeffone\n2\n"),
    row(Change(MARKED_CRLF, "two", "2"), then="\ufeffone\r\n2\r\n"),
    row(Change(NO_END, "two", "2"), then="one\n2"),
    row(Change(LF, "wo", ""), then="one\ntthree\n", gemini="one\nt\nthree\n", copilot="one\nt\nthree\n"),
    row(Change(CRLF, "wo", ""), then="one\r\nt\r\nthree\r\n", qwen="one\r\ntthree\r\n", claude="one\r\ntthree\r\n"),
    row(Change("\tone\n\ttwo\n", "two", ""), then="\tone\n\t\n", qwen="\tone\n\t", claude="\tone\n\t"),
    row(Change(LF, "two", ""), then="one\nthree\n", gemini="one\n\nthree\n"),
    row(Change(CRLF, "two", ""), then="one\r\nthree\r\n", gemini="one\r\n\r\nthree\r\n"),
    row(Change(MIXED, "two", ""), then="one\r\nthree\r\n", gemini="one\r\n\r\nthree\r\n"),
    row(Change(NO_END, "two", ""), then="one\n", gemini="one"),
    row(Change(LF, "two\n", ""), then="one\nthree\n"),
    row(Change(CRLF, "two\n", ""), then="one\r\nthree\r\n"),
    row(Change("one\n\ntwo\n\n\n", "one\n", ""), then="\ntwo\n\n\n"),
    row(Change(LF, "one\ntwo\nthree\n", ""), then="", gemini="\n"),
    row(Change(LF, "two", "2\nzwei"), then="one\n2\nzwei\nthree\n"),
    row(Change(CRLF, "two", "2\nzwei"), then="one\r\n2\r\nzwei\r\nthree\r\n"),
    row(Change(MIXED, "two", "2\nzwei"), then="one\r\n2\r\nzwei\r\nthree\r\n", copilot="one\r\n2\r\nzwei\nthree\r\n"),
    row(
        Change(ONE_CRLF, "two", "2\nzwei"),
        then="one\r\n2\r\nzwei\r\nthree\r\n",
        copilot="one\n2\nzwei\nthree\r\n",
        claude="one\n2\nzwei\nthree\n",
    ),
    row(Change(DOUBLE, "two", "2\nzwei"), then="one\r\n2\r\nzwei\r\n", copilot="one\r\r\n2\r\nzwei\r\r\n"),
    row(
        Change(LF, "two", "2\r\nzwei"),
        then="one\n2\r\nzwei\nthree\n",
        gemini="one\n2\nzwei\nthree\n",
        copilot="one\n2\nzwei\nthree\n",
    ),
    row(Change(CRLF, "two", "2\r\nzwei"), then="one\r\n2\r\nzwei\r\nthree\r\n"),
    row(Change(MIXED, "two", "2\r\nzwei"), then="one\r\n2\r\nzwei\r\nthree\r\n", copilot="one\r\n2\r\nzwei\nthree\r\n"),
    row(
        Change(ONE_CRLF, "two", "2\r\nzwei"),
        then="one\r\n2\r\nzwei\r\nthree\r\n",
        copilot="one\n2\nzwei\nthree\r\n",
        claude="one\n2\r\nzwei\nthree\n",
    ),
    row(
        Change(CR, "two", "2\r\nzwei"),
        then="one\r2\r\nzwei\rthree\r",
        gemini="one\r2\nzwei\rthree\r",
        copilot="one\r2\nzwei\rthree\r",
    ),
    row(
        Change(SIX, "g", "x\ny"),
        then="a\r\nb\r\nc\r\nd\r\ne\r\nf\r\nx\r\ny\r\n",
        copilot="a\r\nb\r\nc\r\nd\ne\nf\nx\r\ny\n",
        claude="a\nb\nc\nd\ne\nf\nx\ny\n",
    ),
    row(
        Change(CRLF, "two", "2\r"), then="one\r\n2\r\nthree\r\n", copilot="one\r\n2\r\r\nthree\r\n", asked=("copilot",)
    ),
    row(Change(CRLF, "two\n", "2"), then="one\r\n2three\r\n"),
    row(Change(LF, "one\ntwo", "1\n2"), then="1\n2\nthree\n"),
    row(Change(CRLF, "one\ntwo", "1\n2"), then="1\r\n2\r\nthree\r\n"),
    row(Change(LF, "one\r\ntwo", "1\r\n2"), then="1\n2\nthree\n", qwen="1\r\n2\nthree\n", claude=LF, asked=("qwen",)),
    row(Change(CRLF, "one\r\ntwo", "1\r\n2"), then="1\r\n2\r\nthree\r\n", claude=CRLF, asked=("qwen",)),
    row(Change(MIXED, "one\ntwo\nthree\n", "1\n2\n"), then="1\r\n2\r\n"),
    row(Change("a b\r\nb\r\n", " b\n", "c\n"), then="ac\r\nb\r\n", copilot="a b\r\nc\r\n", asked=("copilot",)),
    row(Change("  a\r\nb\r\n", "a\nb", "c"), then="  c\r\n", asked=("copilot",)),
    row(Change(NO_END, "two", "2\n"), then="one\n2\n", gemini="one\n2"),
    row(Change(LF, "three\n", "3"), then="one\ntwo\n3", gemini="one\ntwo\n3\n"),
    row(Change(NO_END_CRLF, "two", "2\r\n"), then="one\r\n2\r\n", gemini="one\r\n2"),
    row(Change(MARKED, "\ufeffone", "1"), gemini="1\ntwo\n", copilot="1\ntwo\n"),
    row(Change(MARKED, "one", "\ufeffone"), then="\ufeff\ufeffone\ntwo\n", qwen=MARKED, asked=("claude",)),
    row(Change(MARKED_CRLF, "one\ntwo", "1\n2"), then="\ufeff1\r\n2\r\n", copilot="1\r\n2\r\n", asked=("copilot",)),
    row(Change(TWICE, "two", "2")),
    row(Change(TWICE, "two", "2", True), then="2 2\n2\n", copilot=TWICE),
    row(Change(LF, "four", "4")),
    row(Change(LF, "two", "two")),
    row(Change("a$1\\n two\n", "two", "$&\\n\t\U0001f600"), then="a$1\\n $&\\n\t\U0001f600\n"),
    row(
        Change("\u201cone\u201d\n", '"one"', '"1"'),
        then='"1"\n',
        gemini="\u201cone\u201d\n",
        claude="\u201c1\u201d\n",
        asked=("qwen", "copilot", "claude"),
    ),
    row(
        Change("one  \ntwo\n", "one\ntwo", "1"), then="1\n", claude="one  \ntwo\n", asked=("gemini", "qwen", "copilot")
    ),
    row(Change(None, "", "x\r\ny\n"), then="x\r\ny\n", copilot=None),
    row(Change("", "", "x\n"), copilot="x\n", claude="x\n"),
    row(Change(LF, "", "x\n")),
    row(Change("\n", "", "x\n"), claude="x\n", asked=("claude",)),
    row(Change(None, "two", "2")),
    row(Change(None, None, "x\r\ny\n"), then="x\r\ny\n"),
    row(Change(None, None, "\ufeffx"), then="\ufeffx"),
    row(Change("", None, "x\n"), then="x\n", copilot=""),
    row(Change(LF, None, "x\r\ny\n"), then="x\r\ny\n", copilot=LF),
    row(Change(CRLF, None, "x\ny\n"), then="x\r\ny\r\n", copilot=CRLF, claude="x\ny\n"),
    row(Change(ONE_CRLF, None, "x\ny"), then="x\r\ny", copilot=ONE_CRLF, claude="x\ny"),
    row(Change(MARKED, None, "x\n"), then="\ufeffx\n", gemini="x\n", copilot=MARKED),
    row(Change(MARKED_CRLF, None, "\ufeffx\n"), then="\ufeffx\r\n", copilot=MARKED_CRLF, claude="\ufeffx\n"),
    row(Change(MARKED, None, ""), then="", qwen="\ufeff", copilot=MARKED, asked=("qwen", "claude")),
    row(Change(LF, None, "x\r\r\n\r"), then="x\r\r\n\r", copilot=LF),
    row(Change(CR, None, "x\n"), then="x\n", copilot=CR),
]


def proposed(writes, call, before):
    """What we say the call leaves; None: we do not know."""
    (path,) = writes.paths(call.name, call.arguments)
    found = writes.proposals(call.name, call.arguments, {path: before})
    return None if found is None else found[0].text


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.key)
@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: repr(tuple(recorded.change)))
def test_what_a_program_writes_is_known_before(agent, recorded):
    change, writes, key = recorded.change, agent.hooks.writes, agent.key
    call = change.call(writes, "/w/a")
    text, left = proposed(writes, call, change.before), recorded.left(key)
    if key in recorded.asked:
        assert text is None
        assert left != change.before
    elif left != change.before:
        assert text == left
    elif change.old is not None:
        assert text is None, "it refuses that"


#: What Copilot CLI's patches make of a file, and whether that is known before. Otherwise it is asked about.
PATCHED = [
    ("one\ntwo\nthree\n", "*** Update File: {}\n@@\n one\n-two\n+2\n", "one\n2\nthree\n", True),
    ("one\r\ntwo\r\n", "*** Update File: {}\n@@\n-two\n+2\n", "one\r\n2\r\n", True),
    ("a\r\nb\r\nc\n", "*** Update File: {}\n@@\n-b\n+2\n", "a\r\n2\r\nc\r\n", True),
    ("a\nb\nc\r\n", "*** Update File: {}\n@@\n-b\n+2\n", "a\n2\nc\n", True),
    ("one\ntwo", "*** Update File: {}\n@@\n-two\n+2\n+3\n", "one\n2\n3", True),
    ("one\ntwo", "*** Update File: {}\n@@\n one\n-two\n", "one", True),
    ("one\ntwo\n\n", "*** Update File: {}\n@@\n-one\n+1\n", "1\ntwo\n", True),
    ("one\n", "*** Update File: {}\n@@\n-one\n", "", True),
    ("one\ntwo\n", "*** Update File: {}\n@@ one\n-two\n+2\n", "one\n2\n", True),
    ("a\nb\nc\nd\n", "*** Update File: {}\n@@\n-a\n+1\n@@\n-d\n+4\n", "1\nb\nc\n4\n", True),
    ("one\ntwo\n", "*** Update File: {}\n@@\n+new\n", "one\ntwo\nnew\n", False),
    ("one\ntwo\n", "*** Update File: {}\n@@ one\n+new\n", "one\nnew\ntwo\n", False),
    ("", "*** Update File: {}\n@@\n+new\n", "new", False),
    ("one\ntwo\n", "*** Update File: {}\n@@\n-two\n+2\n*** End of File\n", "one\n2\n", False),
    ("  a\nb\na\n", "*** Update File: {}\n@@\n-a\n+c\n", "  c\nb\na\n", False),
    ("a\nb\na\n", "*** Update File: {}\n@@\n-a\n+c\n", "c\nb\na\n", False),
    ("\ufeffone\ntwo\n", "*** Update File: {}\n@@\n-two\n+2\n", "\ufeffone\n2\n", True),
    ("\none\n", "*** Update File: {}\n@@\n-one\n+1\n", "\n1\n", True),
    ("one\rtwo\n", "*** Update File: {}\n@@\n-one\rtwo\n+1\n", "one\rtwo\n", False),
    (None, "*** Add File: {}\n+x\n+\n", "x\n\n", True),
    (None, "*** Add File: {}\n+\n", "", True),
    ("one\n", "*** Add File: {}\n+x\n", "one\n", False),
    ("one\n", "*** Delete File: {}\n", None, True),
]


def patched(said, before):
    """What we say that this patch of a file leaves, and whether we know."""
    call = CallTool("apply_patch", {"patch": said})
    found = COPILOT_CLI.hooks.writes.proposals(call.name, call.arguments, {"/w/a": before})
    return (None, False) if found is None else (None if found[0].deletes else found[0].text, True)


def patch(body, path="/w/a"):
    return "*** Begin Patch\n" + body.format(path) + "*** End Patch\n"


@pytest.mark.parametrize(("before", "body", "after", "is_known"), PATCHED)
def test_what_a_patch_of_copilot_cli_writes_is_known_before(before, body, after, is_known):
    text, known = patched(patch(body), before)
    assert known == is_known
    assert text == after or not known


def patches_at_random(seed, count):
    """Files and what is to be changed in them, as Copilot CLI is handed it back."""
    source = random.Random(seed)
    for _ in range(count):
        ends = source.choice([["\n"], ["\n"], ["\r\n"], ["\n", "\r\n"]])
        lines = [source.choice(["a", "b", "", "  a", "a b", "\t\xe9", f"line {number}"]) for number in range(9)]
        lines = [line + source.choice(ends) for line in lines[source.randrange(9) :]]
        before = "".join(lines).rstrip("\r\n") if source.random() < 0.3 else "".join(lines)
        for _ in range(source.randrange(1, 3)):
            at = source.randrange(len(lines) + 1)
            lines[at : at + source.randrange(3)] = ["new\n"] * source.randrange(3)
        step = Operation.of("/w/a", "", before, "".join(lines))
        yield before, patch_of([step]).partition("\n")[2].rpartition("*** End")[0].replace("/w/a", "{}")
