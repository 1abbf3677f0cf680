"""Two texts as a unified diff, and what a line of such a diff stands for.

The format is that of POSIX.1-2017, diff, "Diff -u or -U Output Format": three equal lines around each place that
differs, and a line that says so where the last one has no end. Rule: whoever reads a patch back counts the lines that a
hunk's header announces, because a removed line may look like the header of a file.
"""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Optional, Sequence

from .hunks import Hunk

SURROUNDINGS = 3  # lines
NO_END = "\\ No newline at end of file\n"
NO_FILE = "/dev/null"
_HUNK = re.compile(r"^@@ -\d+,(\d+) \+(\d+),(\d+) @@$", re.MULTILINE)


def unified(left: Sequence[str], right: Sequence[str], hunks: Sequence[Hunk]) -> Iterator[str]:
    """The lines of the diff, each with its end. `hunks` are those between the lines `left` and `right`."""
    for group in _groups(hunks):
        before, after = min(SURROUNDINGS, group[0].left_start), min(SURROUNDINGS, len(left) - group[-1].left_end)
        start, end = group[0].left_start - before, group[-1].left_end + after
        yield f"@@ -{_span(start, end)} +{_span(group[0].right_start - before, group[-1].right_end + after)} @@\n"
        for hunk in group:
            yield from _lines(" ", left[start : hunk.left_start])
            yield from _lines("-", left[hunk.left_start : hunk.left_end])
            yield from _lines("+", right[hunk.right_start : hunk.right_end])
            start = hunk.left_end
        yield from _lines(" ", left[start:end])


def _groups(hunks: Sequence[Hunk]) -> Iterator[List[Hunk]]:
    """The hunks, those together whose surroundings meet."""
    group: List[Hunk] = []
    for hunk in hunks:
        if group and hunk.left_start - group[-1].left_end > 2 * SURROUNDINGS:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _span(start: int, end: int) -> str:
    """Lines as a header counts them: from 1 on, and none are behind the line that is named."""
    return f"{start + 1 if end > start else start},{end - start}"


def _lines(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line
        if not line.endswith("\n"):
            yield "\n" + NO_END


# -- reading one back --------------------------------------------------------------------------------------------------


class PatchLine(NamedTuple):
    """What a line of a patch is about: the name of a file as its header has it, and a row of the new text that has
    changed, or before which lines have gone."""

    name: str
    row: int


def place_at(lines: Sequence[str], row: int) -> Optional[PatchLine]:
    """What the line `row` of a patch is about: for an equal line the change above it in its hunk, else the one below.

    None above the first file.
    """
    name, changed, new = "", 0, 0
    left = right = 0  # lines of the hunk that are still to come
    known = True  # whether what is to be known of the line is
    for number, line in enumerate(lines):
        if number > row and known:
            break
        if left > 0 or right > 0:
            sign = line[:1]
            if sign in ("-", "+"):
                changed, known = new, True
            left -= sign in ("-", " ")
            right -= sign in ("+", " ")
            new += sign in ("+", " ")
            continue
        hunk = _HUNK.match(line)
        if hunk is not None:
            left, right, known = int(hunk.group(1)), int(hunk.group(3)), False
            new = int(hunk.group(2)) - (right > 0)
        elif line.startswith(("--- ", "+++ ")):
            known = line.startswith("+++ ")
            if line[4:] != NO_FILE:
                name, changed = line[len("+++ b/") :], 0
    return PatchLine(name, changed) if name else None


def hunk_starts(text: str) -> List[int]:
    """Where the hunks of a patch begin."""
    return [found.start() for found in _HUNK.finditer(text)]
