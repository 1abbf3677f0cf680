"""The changed characters inside the changed lines of one hunk.

Method: what is equal at the ends is set aside, the rest is cut into words and compared like lines. Of very long texts
the changed stretches are found first, and only these are cut into words. Then `marks` makes the changes readable.

Rules: changes are in order and do not touch. Replacing each one's characters in the left text by those of the right one
gives the right text. What is beyond the limits gets coarser changes: a stretch instead of words, or all that differs.
"""

from __future__ import annotations

from typing import Callable, List

from .budget import Budget, never, number_pieces
from .marks import CharacterChange, readable
from .matching import Block, common_prefix, common_suffix, matching_blocks
from .resynchronising import changed_stretches
from .words import LONGEST_WORD, cut, inside_word

_CHARACTERS_IN_WORDS = 200_000
_COST_OF_A_STRETCH = 200
"""Characters that could be cut into words in the time that one more stretch takes."""


def compare_characters(left: str, right: str, *, cancelled: Callable[[], bool] = never) -> List[CharacterChange]:
    """The changes that turn the text `left` into the text `right`; offsets count code points. None if they are equal.

    `left` and `right` are the lines of one hunk, joined. `cancelled` is called every few milliseconds, on the calling
    thread; if it is true, `Cancelled` is raised. May be called from any thread.
    """
    budget = Budget(cancelled)
    start = common_prefix(left, right)
    end = common_suffix(left[start:], right[start:])
    for _ in range(LONGEST_WORD):
        if inside_word(left, start) or inside_word(right, start):
            start -= 1
    for _ in range(LONGEST_WORD):
        if inside_word(left, len(left) - end) or inside_word(right, len(right) - end):
            end -= 1
    whole = CharacterChange(start, len(left) - end, start, len(right) - end)
    return readable(_divided(whole, left, right, budget), left, right, budget)


def _divided(whole: CharacterChange, left: str, right: str, budget: Budget) -> List[CharacterChange]:
    """The changes by words inside `whole`, as far as the limits allow."""
    if whole.size <= _CHARACTERS_IN_WORDS:
        return _by_words(whole, left, right, budget)
    allowed = _CHARACTERS_IN_WORDS
    changes: List[CharacterChange] = []
    left_text, right_text = left[whole.left_start : whole.left_end], right[whole.right_start : whole.right_end]
    for a, b, c, d in changed_stretches(left_text, right_text, budget):
        stretch = CharacterChange(
            a + whole.left_start, b + whole.left_start, c + whole.right_start, d + whole.right_start
        )
        allowed -= stretch.size + _COST_OF_A_STRETCH
        changes.extend(_by_words(stretch, left, right, budget) if allowed > 0 else [stretch])
    return changes


def _by_words(whole: CharacterChange, left: str, right: str, budget: Budget) -> List[CharacterChange]:
    """The changes inside `whole`, by words."""
    left_pieces = cut(left[whole.left_start : whole.left_end], budget)
    right_pieces = cut(right[whole.right_start : whole.right_end], budget)
    if not left_pieces or not right_pieces:
        return [whole] if left_pieces or right_pieces else []
    numbered = number_pieces(left_pieces, right_pieces, budget)
    left_places = _places(left_pieces, whole.left_start, budget)
    right_places = _places(right_pieces, whole.right_start, budget)
    changes: List[CharacterChange] = []
    i = j = 0
    end = Block(len(left_pieces), len(right_pieces), 0)
    for _, blocks in budget.slices(matching_blocks(numbered[0], numbered[1], budget) + [end]):
        for block in blocks:
            if block.left > i or block.right > j:
                changes.append(
                    CharacterChange(left_places[i], left_places[block.left], right_places[j], right_places[block.right])
                )
            i, j = block.left + block.length, block.right + block.length
    return changes


def _places(elements: List[str], start: int, budget: Budget) -> List[int]:
    """Where each element starts if the first one starts at `start`, and where the last one ends."""
    places = [start]
    for _, part in budget.slices(elements):
        for element in part:
            start += len(element)
            places.append(start)
    return places
