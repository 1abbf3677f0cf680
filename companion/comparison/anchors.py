"""Anchors: elements that surely belong together, because they occur once on each side.

A line that is unique on both sides is the strongest hint that two places correspond (Bram Cohen's patience diff).

Rule: anchors rise on both sides. Of those that cross, a longest rising row is kept.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Dict, List, Sequence, Tuple

from .budget import Budget

Pair = Tuple[int, int]
_REPEATED = -1


def unique_anchors(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Pair]:
    """Pairs of positions, rising on both sides, of elements that occur once in `left` and once in `right`."""
    in_right = _places(right, budget)
    in_left = _places(left, budget)
    pairs: List[Pair] = []
    for _, part in budget.slices(list(in_left)):
        both = [(in_left[element], in_right[element]) for element in part if element in in_right]
        pairs.extend([pair for pair in both if _REPEATED not in pair])
    return _longest_rising(pairs, budget)


def _places(elements: Sequence[int], budget: Budget) -> Dict[int, int]:
    """Where each element stands, in order, or that it stands in several places."""
    places: Dict[int, int] = {}
    for start, part in budget.slices(elements):
        for position, element in enumerate(part, start):
            places[element] = _REPEATED if element in places else position
    return places


def _longest_rising(pairs: List[Pair], budget: Budget) -> List[Pair]:
    """A longest row of `pairs`, which rise on the left, that also rises on the right (patience sorting)."""
    tops: List[int] = []
    top_indexes: List[int] = []
    before: List[int] = []
    for start, part in budget.slices(pairs):
        for index, (_, place) in enumerate(part, start):
            if not tops or place > tops[-1]:
                before.append(top_indexes[-1] if tops else -1)
                tops.append(place)
                top_indexes.append(index)
            else:
                pile = bisect_left(tops, place)
                before.append(top_indexes[pile - 1] if pile else -1)
                tops[pile] = place
                top_indexes[pile] = index
    budget.poll()
    rising: List[Pair] = []
    index = top_indexes[-1] if top_indexes else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    rising.reverse()
    return rising
