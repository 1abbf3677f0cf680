"""Cuts texts into the elements that character changes are made of.

Words read well: a changed word is marked as a whole. Scripts without spaces between words are cut into characters.

Rule: the elements joined are the text, and no cut takes longer than a few milliseconds at a time.
"""

from __future__ import annotations

import re
from typing import List

from .budget import Budget

_FIRST, _LAST = "\u2e80", "\ud7ff"
"""Chinese, Japanese, Korean and their neighbours: scripts that are cut into characters."""

LONGEST_WORD = 80
_PIECE = re.compile(r"[^\W%s-%s]{1,%d}|\n|[^\S\n]{1,80}|." % (_FIRST, _LAST, LONGEST_WORD), re.DOTALL)
_CUT_AT_ONCE = 1 << 16


def cut(text: str, budget: Budget) -> List[str]:
    """The elements of `text`: words, runs of spaces, and single other characters. Raises `Cancelled`."""
    elements: List[str] = []
    start = 0
    while start < len(text):
        budget.poll()
        end = min(start + _CUT_AT_ONCE, len(text))
        found = _PIECE.findall(text, start, end)
        if end < len(text):
            # The last element may go on beyond the end: it is cut again, as a whole.
            end -= len(found.pop())
        elements.extend(found)
        start = end
    return elements


def inside_word(text: str, at: int) -> bool:
    """Whether `at` (an offset in code points) lies between two characters of one word."""
    return 0 < at < len(text) and joins(text[at - 1]) and joins(text[at])


def joins(character: str) -> bool:
    """Whether a character makes one word with others beside it."""
    return (character.isalnum() or character == "_") and not _FIRST <= character <= _LAST
