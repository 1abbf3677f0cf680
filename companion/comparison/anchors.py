"""Anchors: elements that surely belong together, because they occur once on each side.

A line that is unique on both sides is the strongest hint that two places correspond (Bram Cohen's patience diff).
Texts of few distinct lines have none, but their runs of lines are unique: a run of two, four, eight… lines is numbered
like a line of its own, and the same search is made on these numbers.

Rule: anchors rise on both sides. Of those that cross, a longest rising row is kept.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import lt
from typing import Dict, List, Sequence, Tuple

from .budget import CELLS_PER_PIECE, Budget

_LONGEST_RUN = 64

Pair = Tuple[int, int]


def unique_anchors(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Pair]:
    """Pairs of positions, rising on both sides, of elements that occur once in `left` and once in `right`."""
    in_right = _unique_places(right, budget)
    in_left = _unique_places(left, budget)
    pairs: List[Pair] = []
    for _, part in budget.slices(list(in_left)):
        pairs.extend([(in_left[element], in_right[element]) for element in part if element in in_right])
    return _longest_rising(pairs, budget)


def run_anchors(left: Sequence[int], right: Sequence[int], budget: Budget) -> List[Pair]:
    """The same for runs of elements, of the length that gives most anchors, as far as half of the budget goes.

    A pair names the places where two equal runs start.
    """
    best: List[Pair] = []
    reserve = budget.cells // 2
    length = 1
    while length < _LONGEST_RUN and len(left) > length and len(right) > length and budget.cells > reserve:
        budget.spend(2 * CELLS_PER_PIECE * (len(left) + len(right)))
        numbers: Dict[Pair, int] = {}
        left = _numbered_runs(left, length, numbers, budget)
        right = _numbered_runs(right, length, numbers, budget)
        length *= 2
        anchors = unique_anchors(left, right, budget)
        if best and len(anchors) <= len(best):
            break
        best = anchors
    return best


def _numbered_runs(elements: Sequence[int], length: int, numbers: Dict[Pair, int], budget: Budget) -> List[int]:
    """From numbers of runs of `length` to numbers of runs twice as long, one for each place where one starts."""
    result: List[int] = []
    following = elements[length:]
    for start, part in budget.slices(following):
        firsts = elements[start : start + len(part)]
        result.extend([numbers.setdefault(pair, len(numbers)) for pair in zip(firsts, part)])
    return result


def _unique_places(elements: Sequence[int], budget: Budget) -> Dict[int, int]:
    """Where each element stands that occurs once, in order."""
    places: Dict[int, int] = {}
    repeated = set()
    for start, part in budget.slices(elements):
        for position, element in enumerate(part, start):
            if element in places:
                repeated.add(element)
            else:
                places[element] = position
    budget.poll()
    for element in repeated:
        del places[element]
    budget.poll()
    return places


def _rises(pairs: List[Pair], budget: Budget) -> bool:
    """Whether `pairs` rise on the right as they stand."""
    last = -1
    for _, part in budget.slices(pairs):
        places = [last]
        places.extend([place for _, place in part])
        if not all(map(lt, places, places[1:])):
            return False
        last = places[-1]
    return True


def _longest_rising(pairs: List[Pair], budget: Budget) -> List[Pair]:
    """A longest row of `pairs`, which rise on the left, that also rises on the right (patience sorting)."""
    if _rises(pairs, budget):
        return pairs
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
