"""The changed characters inside the changed lines of one hunk, as marks that read well.

Method: what is equal at the ends is set aside, the rest is cut into words and compared like lines. A changed word is
marked as a whole; scripts without spaces between words are cut into characters. Of very long texts the changed
stretches are found first, and only these are cut into words. Three steps make the changes readable:

* A change that adds or removes whole lines is moved to begin where a line begins.
* Changes with next to nothing between them become one: a row of small marks says less than one mark.
* A change gives up what is equal at its two ends, but a word is cut only where more than a half of it stays.

Rules: changes are in order and do not touch, and no line end is marked that could be left out. Replacing each one's
characters in the left text by those of the right one gives the right text. What is beyond the limits gets coarser
changes: a stretch instead of words, or all that differs. No step takes longer than a few milliseconds at a time.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Callable, List, NamedTuple

from .budget import Budget, never, number_pieces
from .matching import changed_stretches, common_prefix, common_suffix, differences

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


# -- readable marks ----------------------------------------------------------------------------------------------------

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
    """Move a change that has a line end on one side only to whole lines; `room` equal characters follow it.

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


# -- comparing ---------------------------------------------------------------------------------------------------------

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
