"""Makes character changes readable as marks in a text.

Three steps, each keeping that the changes turn the left text into the right one:

* A change that adds or removes whole lines is moved to begin where a line begins.
* Changes with next to nothing between them become one: a row of small marks says less than one mark.
* A change gives up what is equal at its two ends, but a word is cut only where more than a half of it stays.

Rule: changes that come out are in order and do not touch, and no line end is marked that could be left out.
"""

from __future__ import annotations

from typing import List, NamedTuple

from .budget import Budget
from .prefixes import common_prefix, common_suffix
from .words import LONGEST_WORD, inside_word, joins

_LONGEST_BRIDGE = 2
"""Signs that may lie between two changes made one. A sign with space after it ends something: it keeps them apart."""

_LONGEST_SPACE = 80
_CHANGES_PER_POLL = 500
_FURTHEST = 200
"""Characters a change is moved at most."""


class CharacterChange(NamedTuple):
    """Characters of the left text that became others in the right one. Code points from 0; the ends not included."""

    left_start: int
    left_end: int
    right_start: int
    right_end: int

    @property
    def size(self) -> int:
        """How many characters it has on both sides."""
        return self.left_end - self.left_start + self.right_end - self.right_start


def readable(changes: List[CharacterChange], left: str, right: str, budget: Budget) -> List[CharacterChange]:
    """The changes as they are best marked. `left` and `right` are the texts they belong to. Raises `Cancelled`."""
    joined: List[CharacterChange] = []
    for start, some in budget.slices(changes, _CHANGES_PER_POLL):
        for following, change in enumerate(some, start + 1):
            below = changes[following].left_start if following < len(changes) else len(left)
            for part in _at_lines(change, below - change.left_end, left, right):
                if joined and _belong_together(joined[-1], part, left):
                    last = joined.pop()
                    part = CharacterChange(last.left_start, part.left_end, last.right_start, part.right_end)
                joined.append(part)
    slices = budget.slices(joined, _CHANGES_PER_POLL)
    trimmed = [_trimmed(change, left, right) for _, some in slices for change in some]
    return [change for change in trimmed if change.size]


def _at_lines(change: CharacterChange, room: int, left: str, right: str) -> List[CharacterChange]:
    """The same change with whole lines, if it has a line end on one side only; `room` equal characters follow it.

    One with characters on both sides then becomes two: the rest of a line, and whole lines.
    """
    in_left = left.find("\n", change.left_start, change.left_end)
    in_right = right.find("\n", change.right_start, change.right_end)
    if (in_left < 0) == (in_right < 0):
        return [change]
    if change.left_start == change.left_end:
        return [_moved(change, _way_to_line(right, change.right_start, change.right_end, room))]
    if change.right_start == change.right_end:
        return [_moved(change, _way_to_line(left, change.left_start, change.left_end, room))]
    if left[change.left_end : change.left_end + 1] != "\n" or not room:
        return [change]
    line_left = in_left if in_left >= 0 else change.left_end
    line_right = in_right if in_right >= 0 else change.right_end
    return [
        CharacterChange(change.left_start, line_left, change.right_start, line_right),
        CharacterChange(line_left + 1, change.left_end + 1, line_right + 1, change.right_end + 1),
    ]


def _moved(change: CharacterChange, by: int) -> CharacterChange:
    return CharacterChange(*[place + by for place in change])


def _way_to_line(text: str, start: int, end: int, room: int) -> int:
    """How far characters `start` to `end`, added or removed, can be moved down to begin where a line begins."""
    for by in range(min(room, _FURTHEST) + 1):
        if start + by == 0 or text[start + by - 1] == "\n":
            return by
        if end + by >= len(text) or text[start + by] != text[end + by]:
            break
    return 0


def _belong_together(first: CharacterChange, second: CharacterChange, left: str) -> bool:
    """Whether what is equal between two changes is too little to be shown as equal."""
    start, end = first.left_end, second.left_start
    if start == end:
        return True
    if end - start > _LONGEST_SPACE + first.size + second.size:
        return False
    between = left[start:end]
    if "\n" in between:
        return False
    letters = sum([character.isalnum() for character in between])
    if not letters:
        return between.isspace() or (len(between) <= _LONGEST_BRIDGE and not between[-1].isspace())
    return 4 * letters <= min(first.size, second.size)


def _trimmed(change: CharacterChange, left: str, right: str) -> CharacterChange:
    left_text = left[change.left_start : change.left_end]
    right_text = right[change.right_start : change.right_end]
    before = common_prefix(left_text, right_text)
    before -= _too_little(left_text, right_text, before)
    left_text, right_text = left_text[before:], right_text[before:]
    after = common_suffix(left_text, right_text)
    if not inside_word(left, change.left_start + before) and not inside_word(right, change.right_start + before):
        after -= _too_little(left_text[::-1], right_text[::-1], after)
    return CharacterChange(
        change.left_start + before, change.left_end - after, change.right_start + before, change.right_end - after
    )


def _too_little(left: str, right: str, at: int) -> int:
    """How many characters before `at` belong to a word of which no more than a half is before `at`."""
    before = _letters(left[max(0, at - LONGEST_WORD) : at][::-1])
    left_word = before + _letters(left[at : at + LONGEST_WORD])
    right_word = before + _letters(right[at : at + LONGEST_WORD])
    return before if 2 * before <= min(left_word, right_word) else 0


def _letters(text: str) -> int:
    """How many characters at the start of `text` make one word."""
    if not text or not joins(text[0]):
        return 0
    return next((at for at in range(1, len(text)) if not joins(text[at])), len(text))
