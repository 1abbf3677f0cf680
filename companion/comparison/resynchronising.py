"""The changed stretches of two very long texts: coarse, but at the speed of string search.

Method: walk along both texts while they are equal. Where they differ, look for the nearest place from which they are
equal again: a short probe of the left text, taken ever further on, is searched for in a window of the right one. The
window grows with the distance, for in texts that repeat themselves a place nearby is more likely to be the right one.

Rule: where no such place is found, or the budget is spent, the rest of both texts becomes one stretch.
"""

from __future__ import annotations

from typing import List, Tuple

from .budget import Budget
from .prefixes import common_run

PROBE = 32
_FURTHEST = 1 << 16
_WINDOW_PER_DISTANCE = 4

_CELLS_PER_CHARACTER = 20
"""What looking for a probe at one character is worth."""

Stretch = Tuple[int, int, int, int]


def changed_stretches(left: str, right: str, budget: Budget, probe: int = PROBE) -> List[Stretch]:
    """Start and end in the left text, start and end in the right text, of what differs. Raises `Cancelled`.

    Texts are taken to be equal again where `probe` characters in a row are.
    """
    stretches: List[Stretch] = []
    i = j = 0
    while True:
        equal = common_run(left, i, right, j, budget)
        i, j = i + equal, j + equal
        if i == len(left) and j == len(right):
            return stretches
        next_left, next_right = _next_equal(left, i, right, j, budget, probe)
        stretches.append((i, next_left, j, next_right))
        i, j = next_left, next_right


def _next_equal(left: str, i: int, right: str, j: int, budget: Budget, probe: int) -> Tuple[int, int]:
    """The places after `i` and `j` from which the texts are equal again; their ends if there are none."""
    distance = probe
    while distance <= _FURTHEST and i + distance + probe <= len(left) and budget.cells > 0:
        budget.poll()
        end = j + _WINDOW_PER_DISTANCE * distance
        found = right.find(left[i + distance : i + distance + probe], j, end)
        budget.spend(_CELLS_PER_CHARACTER * ((found if found >= 0 else end) - j + probe))
        if found >= 0:
            return i + distance, found
        distance *= 2
    return len(left), len(right)
