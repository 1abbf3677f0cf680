"""How far two sequences are equal: two texts, or two lists of elements.

Rule: slices are compared, which the interpreter does fast, and none is so long that it would be noticed.
"""

from __future__ import annotations

from typing import Sequence

from .budget import Budget

_COMPARED_AT_ONCE = 1024
_SHORTEST_SLICE, _LONGEST_SLICE = 16, 1 << 17


def common_prefix(left: Sequence[object], right: Sequence[object]) -> int:
    """How many elements (or characters) are equal from the start on."""
    size = min(len(left), len(right))
    for start in range(0, size, _COMPARED_AT_ONCE):
        if left[start] != right[start]:
            return start
        end = min(start + _COMPARED_AT_ONCE, size)
        if left[start:end] != right[start:end]:
            return next(place for place in range(start, end) if left[place] != right[place])
    return size


def common_suffix(left: Sequence[object], right: Sequence[object]) -> int:
    """How many elements (or characters) are equal at the end."""
    size = min(len(left), len(right))
    after_left, after_right = len(left), len(right)
    for start in range(0, size, _COMPARED_AT_ONCE):
        if left[after_left - start - 1] != right[after_right - start - 1]:
            return start
        end = min(start + _COMPARED_AT_ONCE, size)
        if left[after_left - end : after_left - start] != right[after_right - end : after_right - start]:
            return next(
                place for place in range(start, end) if left[after_left - place - 1] != right[after_right - place - 1]
            )
    return size


def common_run(left: Sequence[object], i: int, right: Sequence[object], j: int, budget: Budget) -> int:
    """How many elements (or characters) are equal from `i` and `j` on. Raises `Cancelled`.

    A slice of all the rest would copy megabytes for a few equal ones: slices grow as long as they are equal.
    """
    length, size = 0, _SHORTEST_SLICE
    while True:
        budget.poll()
        start, other = i + length, j + length
        equal = common_prefix(left[start : start + size], right[other : other + size])
        length += equal
        if equal < size:
            return length
        size = min(2 * size, _LONGEST_SLICE)
