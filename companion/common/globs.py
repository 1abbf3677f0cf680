"""Matches many glob patterns at once, in time that depends only on the length of the name.

Theory of operation: a pattern is a sequence of tokens for one character each, with stars between them. All patterns
together are a nondeterministic automaton. Its states are the bits of an integer: "this many tokens of this pattern have
matched". A character advances every state whose token matches it, and keeps the states at a star. There is no
backtracking, so no choice of pattern and name is slow, unlike with regular expressions.

Rule: this is pure. The patterns are those of `fnmatch`: `*` is any text, `?` any character, `[a-z]` one of these,
`[!a-z]` none of these; a bracket that is not closed stands for itself. Case does not matter. Any thread.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

Range = Tuple[int, int]  # the first and the last code point


class PatternError(ValueError):
    """The pattern is invalid. The message gives the reason as the end of a sentence."""


class _Token(NamedTuple):
    """The characters that match. `negated`: all others; so `?` has no ranges and is negated."""

    ranges: Tuple[Range, ...]
    negated: bool = False


_ANY = _Token((), negated=True)


@lru_cache(maxsize=256)
def problem(pattern: str) -> Optional[str]:
    """Why the pattern is invalid, as the end of a sentence, or None if it is valid.

    Remembered: the settings are read on the main thread, all of them whenever one changes.
    """
    try:
        _parse(pattern)
    except PatternError as error:
        return str(error)
    return None


class Globs:
    """`match(text)` tells whether one of the patterns matches the whole text. Invalid patterns match nothing."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._starts = self._stays = self._ends = self._negated = 0
        self._masks: Dict[str, int] = {}  # character to the places whose token takes it, as far as asked for
        toggles: Dict[int, int] = {}  # code point to the places whose ranges begin or end there
        bit = 1
        for pattern in patterns:
            try:
                segments = _parse(pattern)
            except PatternError:
                continue
            self._starts |= bit
            for number, tokens in enumerate(segments):
                if number:
                    self._stays |= bit
                for token in tokens:
                    for first, last in _merged(token.ranges):
                        toggles[first] = toggles.get(first, 0) ^ bit
                        toggles[last + 1] = toggles.get(last + 1, 0) ^ bit
                    if token.negated:
                        self._negated |= bit
                    bit <<= 1
            self._ends |= bit
            bit <<= 1
        self._borders = sorted(toggles)
        self._between: List[int] = [0]  # the places whose ranges hold what lies before, between and behind the borders
        for border in self._borders:
            self._between.append(self._between[-1] ^ toggles[border])

    def match(self, text: str) -> bool:
        """Whether one of the patterns matches the whole of `text`."""
        places, masks, stays = self._starts, self._masks, self._stays
        for character in text:
            mask = masks.get(character)
            if mask is None:
                mask = self._mask(character)
            places = (places & mask) << 1 | places & stays
            if not places:
                return False
        return bool(places & self._ends)

    def _mask(self, character: str) -> int:
        mask = 0
        upper, lower = character.upper(), character.lower()
        for variant in {character, upper, lower, upper.lower(), lower.upper()}:
            if len(variant) == 1:  # case makes several characters of some
                mask |= self._between[bisect_right(self._borders, ord(variant))]
        mask ^= self._negated
        if len(self._masks) < 1000:  # more than the letters of any language that file names are written in
            self._masks[character] = mask
        return mask


def _parse(pattern: str) -> List[List[_Token]]:
    """The tokens between the stars, so one list more than there are stars. Raises `PatternError`."""
    segments: List[List[_Token]] = [[]]
    position = 0
    while position < len(pattern):
        character = pattern[position]
        position += 1
        if character == "*":
            if segments[-1] or len(segments) == 1:
                segments.append([])  # several stars are as good as one
        elif character == "?":
            segments[-1].append(_ANY)
        else:
            # A closing bracket that comes first is one of the characters.
            begin = position + 1 if pattern[position : position + 1] == "!" else position
            end = pattern.find("]", begin + 1) if character == "[" else -1
            if end < 0:
                segments[-1].append(_Token(((ord(character), ord(character)),)))
            else:
                segments[-1].append(_Token(_ranges(pattern[begin:end]), negated=begin > position))
                position = end + 1
    return segments


def _ranges(inside: str) -> Tuple[Range, ...]:
    ranges: List[Range] = []
    position = 0
    while position < len(inside):
        first = last = inside[position]
        # A hyphen that comes first or last is one of the characters.
        if inside[position + 1 : position + 2] == "-" and position + 2 < len(inside):
            last = inside[position + 2]
            position += 2
        position += 1
        if first > last:
            raise PatternError(f'its range "{first}-{last}" runs backwards')
        ranges.append((ord(first), ord(last)))
    return tuple(ranges)


def _merged(ranges: Sequence[Range]) -> List[Range]:
    """Join ranges that overlap or touch each other."""
    result: List[Range] = []
    for first, last in sorted(ranges):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(last, result[-1][1]))
        else:
            result.append((first, last))
    return result
