"""Texts as lines, the hunks between two of them, and which whitespace counts.

Method: lines are compared without the ignored whitespace. Then the lines that count as equal although they differ are
looked for, so that a reader can be told of them and take them back.

Rules: a line ends with "\\n" and nothing else, as in the editor's buffers; a form feed or a lone "\\r" is text. A last
line without "\\n" differs from the same line with it. Ignored whitespace is what git means by it with `-w`: blanks,
tabs, carriage returns, and whether the last line has an end. Everything else that is invisible (a no-break space, a
form feed) is text. Lines are never ignored as a whole, so a blank line that was added or removed is a change. Hunks and
hidden changes together turn the left text into the right.
"""

from __future__ import annotations

from enum import Enum
from typing import Callable, Iterator, List, Sequence, Tuple

from .budget import CELLS, CELLS_PER_PIECE, Budget, never, number_pieces
from .characters import CharacterChange
from .hunks import Hunk, slide
from .matching import common_prefix, common_suffix, differences

_BLANKS = " \t\r"
_AT_LINE_END = _BLANKS + "\n"


class Whitespace(Enum):
    """The whitespace that a comparison ignores."""

    NONE = "none"
    TRAILING = "trailing"
    """Whitespace at the ends of lines."""
    ALL = "all"
    """All of it inside lines, indentation included."""


def remains(lines: Sequence[str], ignored: Whitespace, budget: Budget) -> Sequence[str]:
    """Each line without the ignored whitespace. Raises `Cancelled`."""
    if ignored is Whitespace.NONE:
        return lines
    if ignored is Whitespace.TRAILING:
        return [line.rstrip(_AT_LINE_END) for _, part in budget.slices(lines) for line in part]
    return [_without_blanks(line).rstrip("\n") for _, part in budget.slices(lines) for line in part]


def hidden_changes(
    left: Sequence[str], right: Sequence[str], hunks: Sequence[Hunk], *, cancelled: Callable[[], bool] = never
) -> List[Hunk]:
    """The lines outside `hunks` that differ, in order; each has as many on both sides. Raises `Cancelled`."""
    budget = Budget(cancelled)
    found: List[Hunk] = []
    for left_start, left_end, right_start in _between(hunks, len(left)):
        for start, part in budget.slices(left[left_start:left_end]):
            i, j = left_start + start, right_start + start
            for line, other in zip(part, right[j : j + len(part)]):
                if line != other and found and (found[-1].left_end, found[-1].right_end) == (i, j):
                    found[-1] = found[-1]._replace(left_end=i + 1, right_end=j + 1)
                elif line != other:
                    found.append(Hunk(i, i + 1, j, j + 1))
                i, j = i + 1, j + 1
    return found


def with_line_ends(hunks: List[Hunk], left: Sequence[str], right: Sequence[str]) -> List[Hunk]:
    """`hunks` so that each can be taken back alone.

    A last line without an end may count as equal to one that others follow. Taking back the hunk behind it
    alone would join two lines, so the pair becomes part of that hunk.
    """
    if not hunks:
        return hunks
    last = hunks[-1]
    grows = not last.left_count and last.left_end == len(left) and _lacks_end(left)
    shrinks = not last.right_count and last.right_end == len(right) and _lacks_end(right)
    if not (grows or shrinks):
        return hunks
    last = last._replace(left_start=last.left_start - 1, right_start=last.right_start - 1)
    before = hunks[-2] if len(hunks) > 1 else None
    if before is not None and (before.left_end, before.right_end) == (last.left_start, last.right_start):
        last = last._replace(left_start=before.left_start, right_start=before.right_start)
        return [*hunks[:-2], last]
    return [*hunks[:-1], last]


def _lacks_end(lines: Sequence[str]) -> bool:
    return bool(lines) and not lines[-1].endswith("\n")


def hides(ignored: Whitespace, change: CharacterChange, left: str, right: str) -> bool:
    """Whether a change of characters in `left` and `right` is ignored whitespace only. A changed line end never is."""
    before, after = left[change.left_start : change.left_end], right[change.right_start : change.right_end]
    if "\n" in before or "\n" in after:
        return False
    if ignored is Whitespace.ALL:
        return _without_blanks(before) == _without_blanks(after)
    at_line_ends = left[change.left_end : change.left_end + 1] in ("", "\n") and (
        right[change.right_end : change.right_end + 1] in ("", "\n")
    )
    return ignored is Whitespace.TRAILING and at_line_ends and not (before + after).strip(_BLANKS)


def _without_blanks(text: str) -> str:
    for blank in _BLANKS:
        text = text.replace(blank, "")
    return text


def _between(hunks: Sequence[Hunk], left_count: int) -> Iterator[Tuple[int, int, int]]:
    """The stretches outside `hunks`: their start and end on the left, and their start on the right."""
    i = j = 0
    for hunk in hunks:
        yield i, hunk.left_start, j
        i, j = hunk.left_end, hunk.right_end
    yield i, left_count, j


# -- lines -------------------------------------------------------------------------------------------------------------

_CELLS_PER_LINE = 3 * CELLS_PER_PIECE
"""What long texts may spend in addition, so that they get their anchors like others."""


def split_lines(text: str) -> List[str]:
    """The lines of `text` with their ends. Joined they give the text again; an empty text has no lines."""
    lines = text.split("\n")
    last = lines.pop()
    result = [line + "\n" for line in lines]
    if last:
        result.append(last)
    return result


def compare_lines(
    left: Sequence[str],
    right: Sequence[str],
    *,
    ignored: Whitespace = Whitespace.NONE,
    cancelled: Callable[[], bool] = never,
) -> List[Hunk]:
    """The hunks that turn the lines `left` into the lines `right`; none if they are equal.

    Lines that differ only in whitespace that is `ignored` count as equal: `hidden_changes` finds them.

    Few lines change, and hunks lie where a reader expects them. Ordinary texts take time in proportion to their length;
    for others the work is bounded and the result coarser, down to one hunk over all that differs.

    `cancelled` is called every few milliseconds, on the calling thread; if it is true, `Cancelled` is raised. May be
    called from any thread.
    """
    budget = Budget(cancelled, CELLS + _CELLS_PER_LINE * (len(left) + len(right)))
    shown = (left, right)
    left, right = remains(left, ignored, budget), remains(right, ignored, budget)
    start = common_prefix(left, right)
    end = common_suffix(left[start:], right[start:])
    numbered = number_pieces(left[start : len(left) - end], right[start : len(right) - end], budget)
    found = differences(numbered[0], numbered[1], budget)
    hunks = [Hunk(*[place + start for place in places]) for _, part in budget.slices(found) for places in part]
    return with_line_ends(slide(hunks, left, right, budget, shown), *shown)
