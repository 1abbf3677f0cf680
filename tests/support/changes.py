"""Makes changes of files as models want them: many are random, with line ends of all kinds, and some nearly right.

Rule: a seed makes the same changes on every machine.
"""

from __future__ import annotations

import random
from typing import List, NamedTuple, Optional, Sequence, Tuple

from companion.agents.hook_proposals import WriteForm
from tests.clients.programs.model_stub import CallTool

LINES = ["a", "b", "a", "  a", "\tb", "", "", "a b", "\xe9", "x  ", "a \u201cb\u201d", "c", "d", "e {", "}", "  f()"]
ENDS = [["\n"]] * 4 + [["\r\n"]] * 4 + [["\n", "\r\n"]] * 3
ENDS += [["\r\n", "\r\r\n"], ["\n", "\r\r\n"], ["\r"], ["\r", "\n", "\r\n"]]
MARK = "\ufeff"


class Change(NamedTuple):
    """What a model wants of a file that holds `before`; None: it is not there."""

    before: Optional[str]
    old: Optional[str]
    """None: the whole file is written."""
    new: str
    every: bool = False

    def call(self, writes: WriteForm, path: str) -> CallTool:
        """The call by which it says so."""
        is_whole = self.old is None
        name = next(name for name, form in writes.tools.items() if (form.whole if is_whole else form.old))
        form = writes.tools[name]
        if is_whole:
            return CallTool(name, {form.path: path, form.whole: self.new})
        every = {form.every: True} if self.every and form.every else {}
        return CallTool(name, {form.path: path, form.old: self.old, form.new: self.new, **every})


def made_changes(seed: int, count: int) -> List[Change]:
    """Make `count` changes."""
    source = random.Random(seed)
    return [_made(source) for _ in range(count)]


def _text(source: random.Random, ends: Sequence[str], most: int) -> str:
    text = "".join(source.choice(LINES) + source.choice(ends) for _ in range(source.randrange(most + 1)))
    return text.rstrip("\r\n") if source.random() < 0.25 else text


def _made(source: random.Random) -> Change:
    before: Optional[str] = source.choice(["", "", "", "", "", MARK]) + _text(source, source.choice(ENDS), 8)
    if source.random() < 0.03:
        before = None
    if source.random() < 0.15:
        return Change(before, None, source.choice(["", "", MARK]) + _text(source, source.choice(ENDS), 5))
    old, new = _edit(source, before or "")
    return Change(before, old, new, source.random() < 0.25)


def _edit(source: random.Random, before: str) -> Tuple[str, str]:
    how = source.random()
    if how < 0.6:
        lines = before.split("\n")
        start = source.randrange(len(lines) + 1)
        old = "".join(line + "\n" for line in lines[start : start + source.randrange(1, 4)])
        old = old.rstrip("\r\n") if source.random() < 0.5 else old
    elif how < 0.93:
        start = source.randrange(len(before) + 1)
        old = before[start : start + source.randrange(1, 6)]
    else:
        old = _text(source, ["\n"], 2)
    form = source.random()
    if form < 0.65:
        old = old.replace("\r\n", "\n")
    if 0.5 < form < 0.65:
        old = old.replace("\n", "\r\n")
    new = "" if source.random() < 0.2 else _text(source, source.choice([["\n"], ["\n"], ["\r\n"], ["\n", "\r\n"]]), 3)
    if source.random() < 0.05:
        new += source.choice(["\r", MARK, " "])
    return old, MARK + new if source.random() < 0.03 else new
