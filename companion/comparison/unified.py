"""Two texts as a unified diff, line by line, with what each line stands for.

The format is that of POSIX.1-2017, diff, "Diff -u or -U Output Format": three equal lines around each place that
differs, and a line that says so where the last one has no end. Hunks whose equal lines meet share a header.
"""

from __future__ import annotations

from typing import Iterator, List, NamedTuple, Sequence

from .hunks import Hunk

SURROUNDINGS = 3  # lines
NO_END = "\\ No newline at end of file"
HEADER, EQUAL, REMOVED, ADDED, END = "@", " ", "-", "+", "\\"


class DiffLine(NamedTuple):
    """A line of a diff, without its end, and the sign that it begins with.

    `hunk` is the index of the hunk that the line belongs to. An equal line belongs to the hunk above it, or else to the
    one below. `row` is the line's own: of the left text where it was removed, else of the right one.
    """

    text: str
    sign: str
    hunk: int
    row: int


def unified(left: Sequence[str], right: Sequence[str], hunks: Sequence[Hunk]) -> Iterator[DiffLine]:
    """The lines of the diff. `hunks` are those between the lines `left` and `right`."""
    number = 0
    for group in _groups(hunks):
        before, after = min(SURROUNDINGS, group[0].left_start), min(SURROUNDINGS, len(left) - group[-1].left_end)
        start, end = group[0].left_start - before, group[-1].left_end + after
        row = group[0].right_start - before
        header = f"@@ -{_span(start, end)} +{_span(row, group[-1].right_end + after)} @@"
        yield DiffLine(header, HEADER, number, row)
        for hunk in group:
            yield from _lines(EQUAL, left[start : hunk.left_start], number - (hunk is not group[0]), row)
            yield from _lines(REMOVED, left[hunk.left_start : hunk.left_end], number, hunk.left_start)
            yield from _lines(ADDED, right[hunk.right_start : hunk.right_end], number, hunk.right_start)
            start, row, number = hunk.left_end, hunk.right_end, number + 1
        yield from _lines(EQUAL, left[start:end], number - 1, row)


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


def _lines(sign: str, lines: Sequence[str], hunk: int, row: int) -> Iterator[DiffLine]:
    for at, line in enumerate(lines, row):
        yield DiffLine(sign + line.rstrip("\n"), sign, hunk, at)
        if not line.endswith("\n"):
            yield DiffLine(NO_END, END, hunk, at)
