"""Finds the smallest edit between two texts, so that an agent learns no more of a file than it needs.

Theory of operation: the lines that differ are found, and lines around them are added until an agent that looks for
them finds that place and no other. An agent that replaces a text once takes one edit, whose old text must stand in the
file once. A patch takes a hunk for each place, and a hunk must be the first that fits behind the one before it.

Rule: none of the added lines can be left out at either end, because the agent's model may read them.

Pure. Any thread; a long text takes a while.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Callable, List, Sequence, Tuple

from ..common.searching import Needle
from ..comparison import common_prefix, common_suffix, compare_lines, split_lines

Fits = Callable[[int, int], bool]
"""Whether these lines, from the first to the one behind the last, are found where they stand. With more lines around
them they are as well."""
Signed = Tuple[Tuple[str, str], ...]
"""Lines with what is done to them: " " stays, "-" goes, "+" comes."""


def smallest_edit(before: str, after: str) -> Tuple[str, str]:
    """The text to replace, and its replacement. The first is whole lines that stand in `before` once, or all of it."""
    old, new = split_lines(before), split_lines(after)
    same = common_prefix(old, new)
    behind = min(common_suffix(old, new), len(old) - same, len(new) - same)
    starts = [0, *accumulate(map(len, old))]

    def stands_once(first: int, last: int) -> bool:
        start, piece = starts[first], before[starts[first] : starts[last]]
        if not piece:
            return False
        needle = Needle(piece)
        return needle.find(before) == start and needle.find(before, start + 1) < 0

    end = len(old) - behind
    first, last = _fewest(same, end, 0, len(old), stands_once)
    return "".join(old[first:last]), "".join([*old[first:same], *new[same : len(new) - behind], *old[end:last]])


def smallest_hunks(old: Sequence[str], new: Sequence[str]) -> List[Signed]:
    """The hunks of a patch that makes the `new` lines of the `old` ones, which are without their ends."""
    text = "\n" + "".join(line + "\n" for line in old)
    starts = [0, *accumulate(len(line) + 1 for line in old)]
    hunks = compare_lines(old, new)
    found: List[Signed] = []
    low = 0  # behind the hunk before
    for number, hunk in enumerate(hunks):
        high = hunks[number + 1].left_start if number + 1 < len(hunks) else len(old)

        def is_first(first: int, last: int, low: int = low) -> bool:
            if first == last:  # without any line a hunk belongs to the end
                return first == len(old)
            piece = text[starts[first] : starts[last] + 1]
            return Needle(piece).find(text, starts[low], starts[last] + 1) == starts[first]

        first, last = _fewest(hunk.left_start, hunk.left_end, low, high, is_first)
        found.append(
            (
                *((" ", line) for line in old[first : hunk.left_start]),
                *(("-", line) for line in old[hunk.left_start : hunk.left_end]),
                *(("+", line) for line in new[hunk.right_start : hunk.right_end]),
                *((" ", line) for line in old[hunk.left_end : last]),
            )
        )
        low = last
    return found


def _fewest(start: int, end: int, low: int, high: int, fits: Fits) -> Tuple[int, int]:
    """The lines from `start` to `end` with the fewest around them that fit; all from `low` to `high` if none do."""

    def around(more: int) -> Tuple[int, int]:
        return max(low, start - more), min(high, end + more)

    few, many = 0, 0
    while not fits(*around(many)) and around(many) != (low, high):
        few, many = many, max(1, 2 * many)
    many = _first(few, many, lambda more: fits(*around(more)))
    first, last = around(many)
    first = start - _first(0, start - first, lambda more: fits(start - more, last))
    return first, end + _first(0, last - end, lambda more: fits(first, end + more))


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number from `low` on for which that holds, `high` if it holds for none below; it then holds for all."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
