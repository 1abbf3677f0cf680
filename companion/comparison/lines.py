"""Texts as lines, and the hunks between two of them.

Rule: a line ends with "\\n" and nothing else, as in the editor's buffers; a form feed or a lone "\\r" is text. A last
line without "\\n" differs from the same line with it.
"""

from __future__ import annotations

from typing import Callable, List, Sequence

from .budget import CELLS, CELLS_PER_PIECE, Budget, never, number_pieces
from .hunks import Hunk
from .matching import differences
from .prefixes import common_prefix, common_suffix
from .sliding import slide
from .whitespace import Whitespace, remains, with_line_ends

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
