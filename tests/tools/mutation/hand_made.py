"""Faults that no rule makes, listed by hand in `tests/mutants.txt`: a wrong permission, a lost clean-up, a wrong
resource file.

`[path]` begins a file's section. An entry is lines that begin with a blank (context), `-` (replaced) and `+` (put there
instead; without any, the line goes). Empty lines separate entries; `#` begins a remark.
Rule: an entry whose lines are not found exactly once is stale, and that is an error.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple

from .operators import Fault


class ListError(Exception):
    """The list is wrong. The message says where and how."""


class Entry(NamedTuple):
    """One entry. `lines` of the list, from line `number` on, are about the file at `path`."""

    number: int
    path: str
    lines: Tuple[str, ...]


def listed(text: str, read: Callable[[str], str]) -> List[Fault]:
    """The faults of the list; `read` gives the text of a file. Raises `ListError`."""
    return [_planted(entry, read(entry.path)) for entry in _entries(text)]


def _entries(text: str) -> Iterator[Entry]:
    path = ""
    for block in _blocks(text):
        if block[0][1].startswith("["):
            path = block.pop(0)[1].strip()[1:-1]
        if block:
            number = block[0][0]
            if not path or not any(line[0] == "-" for _, line in block):
                raise ListError(f"mutants.txt:{number}: an entry needs a file and a line to replace")
            yield Entry(number, path, tuple(line for _, line in block))


def _blocks(text: str) -> Iterator[List[Tuple[int, str]]]:
    block: List[Tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if not line.strip():
            if block:
                yield block
            block = []
        elif line[0] in " -+[":
            block.append((number, line))
        else:
            raise ListError(f"mutants.txt:{number}: what is this? {line}")


def _planted(entry: Entry, text: str) -> Fault:
    """The file's text with the fault in it; the indentation of its lines does not matter, that of new ones does."""
    parts: Dict[str, List[str]] = {" ": [], "-": [], "+": []}
    for line in entry.lines:
        parts[line[0]].append(line[1:].rstrip())
    lines = text.splitlines(keepends=True)
    sought = [line.strip() for line in parts[" "] + parts["-"]]
    found = [line.strip() for line in lines]
    places = [place for place in range(len(lines)) if found[place : place + len(sought)] == sought]
    if len(places) != 1:
        raise ListError(f"mutants.txt:{entry.number}: stale, found {len(places)} times in {entry.path}: {sought[-1]}")
    start = places[0] + len(parts[" "])
    indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
    margin = min((len(line) - len(line.lstrip()) for line in parts["+"]), default=0)
    new = [indent + line[margin:] + "\n" for line in parts["+"]]
    result = "".join(lines[:start] + new + lines[start + len(parts["-"]) :])
    old, new_one = (" / ".join(line.strip() for line in parts[sign]) for sign in "-+")
    return Fault(entry.path, start + 1, f"{old}  ->  {new_one}", result)
