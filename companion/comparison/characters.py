"""The changed characters inside the changed lines of one hunk.

Method: what is equal at the ends is set aside, the rest is cut into words and compared like lines. Of very long texts
the changed stretches are found first, and only these are cut into words. Then `marks` makes the changes readable.

Rules: changes are in order and do not touch. Replacing each one's characters in the left text by those of the right one
gives the right text. What is beyond the limits gets coarser changes: a stretch instead of words, or all that differs.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Callable, List

from .budget import Budget, never, number_pieces
from .marks import CharacterChange, readable
from .matching import differences
from .prefixes import common_prefix, common_suffix
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
    numbered = number_pieces(left_pieces, right_pieces, budget)
    left_places = list(accumulate(map(len, left_pieces), initial=whole.left_start))
    right_places = list(accumulate(map(len, right_pieces), initial=whole.right_start))
    return [
        CharacterChange(left_places[i], left_places[left_end], right_places[j], right_places[right_end])
        for _, part in budget.slices(differences(numbered[0], numbered[1], budget))
        for i, left_end, j, right_end in part
    ]
