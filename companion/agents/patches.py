"""The patches that Codex CLI's models write: what they say, what they make of a text, and one made of two texts.

    *** Begin Patch
    *** Update File: a.py          or  *** Add File: a.py, *** Delete File: a.py
    *** Move to: b.py              may be left out
    @@ def f():                    a line that comes before, or nothing
     context
    -old
    +new
    *** End of File                the lines above are the last ones
    *** End Patch

Rules, as measured with release 0.169. A mark may have blanks behind it; the line that begins a file also in front of
it, but not behind the lines of an update, where a blank means context. Tabs and carriage returns are left out of names.
A hunk is looked for behind the one before it, first letter by letter, then with less and less regard to blanks and to
kinds of dashes and quotes; lines of context stay as the file has them; a new line ends as the first one of the file
does; a file that is changed ends with a line end, and so does one that is added. What a text says otherwise no patch
can say. `end_to_end/programs/test_codex_patches.py` compares all of this with the agent.

Pure. Any thread.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from itertools import accumulate, groupby
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..common.searching import MOST_WORK, Needle
from .smallest import smallest_hunks

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE, MOVE = "*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "
PLACE, END_OF_FILE = "@@", "*** End of File"
MOST_LINES = 1 << 19
"""Each is an object or more: a patch of 10 MB could take a gigabyte."""
# Some models send a patch as a shell would take it.
_QUOTES = tuple(word + end for word in ("<<EOF", "<<'EOF'", '<<"EOF"') for end in ("", "\r"))

# What the agent takes for blanks: fewer characters than Python does.
_BLANKS = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
_BLANKS += "\u202f\u205f\u3000"
_ALIKE: Dict[int, str] = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"'),
    **dict.fromkeys(map(ord, "\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " "),
}
_ENDS = re.compile("\r{1,2}$")
_IN_NO_PATH = {ord("\t"): "", ord("\r"): ""}  # the agent leaves these out of a name
_LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class PatchHunk(NamedTuple):
    """Lines with what is done to them: " " stays, "-" goes, "+" comes. `behind` is a line that comes before."""

    behind: Optional[str]
    lines: Tuple[Tuple[str, str], ...]
    at_end: bool = False


class Operation(NamedTuple):
    """What a patch does to one file."""

    path: str
    moved_to: str = ""
    deletes: bool = False
    added: Optional[str] = None
    """The text of a file that is added."""
    hunks: Tuple[PatchHunk, ...] = ()

    @property
    def paths(self) -> Tuple[str, ...]:
        """The files that it names."""
        return (self.path, self.moved_to) if self.moved_to else (self.path,)

    @property
    def source(self) -> Iterator[str]:
        """The lines of a patch that do this."""
        if self.added is not None:
            yield ADD + self.path
            yield from ("+" + line for line in self.added.split("\n")[:-1])
            return
        yield (DELETE if self.deletes else UPDATE) + self.path
        if self.moved_to:
            yield MOVE + self.moved_to
        for hunk in self.hunks:
            yield PLACE if hunk.behind is None else f"{PLACE} {hunk.behind}"
            yield from (sign + line for sign, line in hunk.lines)
            if hunk.at_end:
                yield END_OF_FILE

    @property
    def lines(self) -> Set[str]:
        """The lines of the file that it names, old and new."""
        return {line for hunk in self.hunks for _, line in hunk.lines}.union((self.added or "").split("\n"))

    @classmethod
    def of(cls, path: str, moved_to: str, before: Optional[str], text: str) -> Operation:
        """The one that makes `text` of `before`, as far as a patch can say it. `before` is None for a new file."""
        new = [_bare(line) for line in _lines(text)]
        old = None if before is None else [_bare(line) for line in _lines(before)]
        if not old and (before is None or not (new or moved_to)):
            return cls(path, added="".join(line + "\n" for line in new))
        hunks = [PatchHunk(None, lines) for lines in smallest_hunks(old or [], new)]
        hunks = hunks or [PatchHunk(None, ((" ", line),)) for line in (old or [])[:1]]  # none would be no patch
        return cls(path, moved_to, hunks=tuple(hunks))


def patch_of(steps: Sequence[Operation]) -> str:
    """The patch that does these."""
    lines = (line + "\r\r" if line.endswith("\r") else line for step in steps for line in step.source)
    return "\n".join([BEGIN, *lines, END]) + "\n"


def is_plain_patch(patch: str) -> bool:
    """Whether a patch is as `patch_of` writes it, but that an empty line may lack its blank: such a patch is read alike
    by agents whose parsers are lenient in other ways than this one."""
    steps = operations(patch)
    lines = [line or " " for line in patch.strip("\n").split("\n")]
    return steps is not None and lines == patch_of(steps)[:-1].split("\n")


# -- what a patch says -------------------------------------------------------------------------------------------------


def operations(patch: str) -> Optional[Tuple[Operation, ...]]:
    """What a patch does, file by file. None if it is refused, has more than `MOST_LINES`, or names an environment: its
    files may be elsewhere."""
    if patch.count("\n") > MOST_LINES:
        return None
    lines = patch.strip(_BLANKS).split("\n")
    if len(lines) > 2 and lines[0] in _QUOTES and lines[-1].endswith("EOF"):
        lines = lines[1:-1]
    if len(lines) < 2 or lines[0].strip(_BLANKS) != BEGIN or lines[-1].strip(_BLANKS) != END:
        return None
    rest = _Rest([_ENDS.sub("", line) for line in lines[1:-1]])
    steps: List[Operation] = []
    while rest:
        if rest.next.strip(_BLANKS) == END:
            if any(line.strip(_BLANKS) for line in rest.lines[rest.at + 1 :]):
                return None
            break
        step = _operation(rest)
        if step is None:
            return None
        steps.append(step)
    return tuple(steps) or None


class _Rest:
    """The lines that have not been read yet."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.lines)

    @property
    def next(self) -> str:
        return self.lines[self.at] if self else ""

    def take(self) -> str:
        self.at += 1
        return self.lines[self.at - 1]


def _operation(rest: _Rest) -> Optional[Operation]:
    head = rest.take().strip(_BLANKS)
    if head.startswith(ADD):
        added: List[str] = []
        while rest.next.startswith("+"):
            added.append(rest.take()[1:] + "\n")
        return Operation(_path(head, ADD), added="".join(added))
    if head.startswith(DELETE):
        return Operation(_path(head, DELETE), deletes=True)
    return _update(rest, _path(head, UPDATE)) if head.startswith(UPDATE) else None


def _path(head: str, mark: str) -> str:
    """The file that a line names, in the shortest way: for the agent `a/../b` is `b`, whatever `a` is."""
    return os.path.normpath(head[len(mark) :].translate(_IN_NO_PATH))


def _update(rest: _Rest, path: str) -> Optional[Operation]:
    """Among the lines of an update only what stands behind a mark may be blanks: those in front mean context."""
    moved_to = ""
    hunks: List[PatchHunk] = []
    while rest:
        mark = rest.next.rstrip(_BLANKS)
        if mark == END or mark.startswith((ADD, DELETE, UPDATE)):
            break
        if not hunks and mark == END_OF_FILE:  # it says nothing there
            rest.take()
        elif not hunks and not moved_to and mark.startswith(MOVE):
            rest.take()
            moved_to = _path(mark, MOVE)
        else:
            hunk = _hunk(rest, not hunks)
            if hunk is None:
                return None
            hunks.append(hunk)
    return Operation(path, moved_to, hunks=tuple(hunks)) if hunks else None


def _hunk(rest: _Rest, is_first: bool) -> Optional[PatchHunk]:
    mark, behind = rest.next.rstrip(_BLANKS), None
    if mark == PLACE or mark.startswith(PLACE + " "):
        rest.take()
        behind = mark[len(PLACE) + 1 :] or None
    elif not is_first:
        return None
    lines: List[Tuple[str, str]] = []
    while rest:
        if rest.next[:1] in ("", " ", "-", "+"):
            line = rest.take()
            lines.append((line[:1] or " ", line[1:]))
        elif rest.next.rstrip(_BLANKS) == END_OF_FILE:
            rest.take()
            while rest and not rest.next.strip(_BLANKS):
                rest.take()
            return PatchHunk(behind, tuple(lines), True) if lines else None
        else:
            break
    return PatchHunk(behind, tuple(lines)) if lines else None


# -- what it makes of a text -------------------------------------------------------------------------------------------


def apply(step: Operation, before: Optional[str]) -> Optional[str]:
    """The text that a file has then, "" if it goes. None if that does not apply. `before` is None for no file."""
    if step.added is not None:
        return step.added
    if before is None:
        return None
    if step.deletes:
        return ""
    lines = list(_lines(before))
    ending = next((line[len(_bare(line)) :] for line in lines[:1]), "") or "\n"
    if lines and lines[-1] == _bare(lines[-1]):
        lines[-1] += ending
    bare = _Searched([_bare(line) for line in lines])
    changes: List[Tuple[int, int, List[str]]] = []  # where, how many lines go, and which come
    at = 0
    for hunk in step.hunks:
        if hunk.behind is not None:
            found = bare.find([hunk.behind], at)
            if found is None:
                return None
            at = found + 1
        place = _place(hunk, bare, at)
        if place is None:
            return None
        start, signed = place
        changes += _runs(start, signed, ending)
        length = sum(sign != "+" for sign, _line in signed)
        at = start + length if length else at
    made: List[str] = []
    at = 0
    for start, length, new in sorted(changes, key=lambda change: change[0]):
        made += lines[at:start] + new
        at = start + length
    return "".join(made + lines[at:])


def _place(hunk: PatchHunk, bare: _Searched, at: int) -> Optional[Tuple[int, Sequence[Tuple[str, str]]]]:
    """Where the hunk belongs, and its lines as they fit there."""
    old = [line for sign, line in hunk.lines if sign != "+"]
    if not old:
        return len(bare.lines), hunk.lines
    start = bare.find(old, at, hunk.at_end)
    if start is None and not old[-1]:  # models write an empty line at the end that the file does not have
        start = bare.find(old[:-1], at, hunk.at_end)
        return None if start is None else (start, _without_last_line(hunk.lines))
    return None if start is None else (start, hunk.lines)


def _runs(start: int, signed: Sequence[Tuple[str, str]], ending: str) -> Iterator[Tuple[int, int, List[str]]]:
    """The changes between lines that stay."""
    for stays, run in groupby(signed, lambda each: each[0] == " "):
        lines = list(run)
        length = sum(sign != "+" for sign, _line in lines)
        if not stays:
            yield start, length, [line + ending for sign, line in lines if sign == "+"]
        start += length


def _without_last_line(signed: Sequence[Tuple[str, str]]) -> List[Tuple[str, str]]:
    """The last old line goes, and the last new one if it is empty as well."""
    last_old = max(at for at, (sign, _line) in enumerate(signed) if sign != "+")
    last_new = max((at for at, (sign, _line) in enumerate(signed) if sign != "-"), default=-1)
    new_goes = last_new >= 0 and not signed[last_new][1]
    kept: List[Tuple[str, str]] = []
    for at, (sign, line) in enumerate(signed):
        is_old, is_new = sign != "+" and at != last_old, sign != "-" and not (new_goes and at == last_new)
        if is_old or is_new:
            kept.append((" " if is_old and is_new else "-" if is_old else "+", line))
    return kept


class _Searched:
    """Lines in which others are looked for. Each form of them is made once, as a text between line feeds: no line holds
    one, and texts are searched much faster than lists. After `MOST_WORK` nothing is found any more."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._work = 0
        self._made: Dict[int, Tuple[str, Sequence[int]]] = {}

    def find(self, wanted: Sequence[str], at: int, at_end: bool = False) -> Optional[int]:
        """The first place from `at` on where these stand; `at_end`, the last one that there can be."""
        if not wanted:
            return at
        last = len(self.lines) - len(wanted)
        start = max(at, last) if at_end else at
        if start > last:
            return None
        for number, form in enumerate(_FORMS):
            if number not in self._made:
                self._made[number] = _joined(self.lines, form)
            text, starts = self._made[number]
            if self._work > MOST_WORK:
                return None
            needle = Needle(_joined(wanted, form)[0])
            place = needle.find(text, starts[start])
            self._work += needle.work
            if place >= 0:
                return bisect_left(starts, place)
        return None


def _joined(lines: Sequence[str], form: Callable[[str], str]) -> Tuple[str, Sequence[int]]:
    """The lines between line feeds, and where each begins with the one before it."""
    formed = [form(line) + "\n" for line in lines]
    return "\n" + "".join(formed), list(accumulate(map(len, formed), initial=0))


_FORMS: Tuple[Callable[[str], str], ...] = (
    lambda line: line,
    lambda line: line.rstrip(_BLANKS),
    lambda line: line.strip(_BLANKS),
    lambda line: line.strip(_BLANKS).translate(_ALIKE),
)


def _lines(text: str) -> Iterator[str]:
    """With their ends."""
    return (match.group() for match in _LINE.finditer(text))


def _bare(line: str) -> str:
    return line.rstrip("\r\n")
