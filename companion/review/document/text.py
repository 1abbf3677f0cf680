"""The proposed text: exactly as it came, as a view can show it, and as it is given to the client after edits.

A view holds lines that end with "\\n", and the editor's programming interface cannot carry every character. So a text
is *shown* without three things: a byte order mark at its start, the kind of its line endings, and characters
that the editor cannot take. `restore` puts them back.

Rules:
* A text that was not edited comes back identical, whatever it holds.
* In a text that was edited, lines that were not touched come back identical, line ending included. New lines end as
  most lines of the proposal do.
* Long texts are worked on in portions: while one call searches through all of it, Python lets no other thread run.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Dict, FrozenSet, Iterator, List, Sequence

from ...comparison import compare_lines, split_lines
from .formats import format_of_text

BYTE_ORDER_MARK = "\ufeff"
PORTION = 1 << 18  # characters
_ENDING = re.compile("\r\n|\r|\n")
_UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")
_NUL_PICTURE = "\u2400"
_SURROGATES = 0x800
_FIRST_SURROGATE = 0xD800
# Blocks of private characters, each big enough to stand for every surrogate, from the two private planes.
_PRIVATE_BLOCKS = range(0xF0000, 0x10F800, _SURROGATES)


class ProposedText:
    """A proposed text in its exact form and in the form that a view can hold.

    `exact` is the text as it came. `shown` is the content of the view: lines end with "\\n", and there is no
    character that the editor refuses.
    """

    def __init__(self, exact: str) -> None:
        self.exact = exact
        text = exact
        self._mark = ""
        if text.startswith(BYTE_ORDER_MARK):
            self._mark = BYTE_ORDER_MARK
            text = text[1:]
        # Most texts have none, and the test takes only a tenth of a millisecond per megabyte.
        self._endings: FrozenSet[str] = frozenset()  # the kinds, if they are not just "\n"
        self._ending = "\n"
        if "\r" in text:
            self._endings = frozenset(_count_endings(text))
            self._ending = usual_ending(text)
            text = _with_line_feeds(text)
        self._stand_ins: Dict[str, str] = {}
        if not _is_showable(text):
            self._stand_ins = _stand_ins(text)
            text = _substitute(text, self._stand_ins)
        self.shown = text
        self.format = format_of_text(exact)

    @property
    def size(self) -> int:
        """How many bytes the text has in UTF-8, in which clients write it."""
        return sum(len(part.encode("utf-8", "surrogatepass")) for part in portions(self.exact))

    def restore(self, current: str) -> str:
        """The exact text that `current`, the content of the view, stands for."""
        if current == self.shown:
            return self.exact
        text = current
        if self._endings:
            if len(self._endings) == 1:
                text = text.replace("\n", self._ending)
            else:
                text = self._with_endings(current)
        if self._stand_ins:
            text = _substitute(text, {stand_in: exact for exact, stand_in in self._stand_ins.items()})
        return self._mark + text

    def _with_endings(self, current: str) -> str:
        shown = split_lines(self.shown)
        return carry_endings(shown, line_endings(self.exact), split_lines(current))


def plain(text: str) -> str:
    """`text` with every line ending as "\\n" and without a byte order mark."""
    text = text[1:] if text.startswith(BYTE_ORDER_MARK) else text
    return _with_line_feeds(text) if "\r" in text else text


def _with_line_feeds(text: str) -> str:
    return "".join([part.replace("\r\n", "\n").replace("\r", "\n") for part in portions(text)])


def portions(text: str) -> Iterator[str]:
    """`text` in pieces, none of which ends in the middle of a line ending."""
    start = 0
    while start < len(text):
        end = start + PORTION
        if text[end - 1 : end + 1] == "\r\n":
            end += 1
        yield text[start:end]
        start = end


def line_endings(text: str) -> List[str]:
    """The line endings of `text`, one per line that has one."""
    found: List[str] = []
    for part in portions(text):
        found += _ENDING.findall(part)
    return found


def usual_ending(text: str) -> str:
    """The most frequent line ending of `text`, the first one of equals; "\\n" if there is none.

    The same as `dominant_ending(line_endings(text))`, but without a list of them all.
    """
    counts = _count_endings(text)
    most = max(counts.values(), default=0)
    equals = [ending for ending, number in counts.items() if number == most]
    if len(equals) < 2:
        return equals[0] if equals else "\n"
    return next(match.group() for match in _ENDING.finditer(text) if match.group() in equals)


def _count_endings(text: str) -> Dict[str, int]:
    """How often each line ending stands in `text`; those that do not are left out."""
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for part in portions(text):
        pairs = part.count("\r\n")
        counts["\r\n"] += pairs
        counts["\n"] += part.count("\n") - pairs
        counts["\r"] += part.count("\r") - pairs
    return {ending: number for ending, number in counts.items() if number}


def dominant_ending(endings: Sequence[str]) -> str:
    """The most frequent of `endings`, the earlier one of equals; "\\n" if there are none."""
    return Counter(endings).most_common(1)[0][0] if endings else "\n"


def carry_endings(before: Sequence[str], endings: Sequence[str], after: Sequence[str]) -> str:
    """The lines `after`, joined, with the endings that the lines `before` had.

    Both hold lines that end with "\\n", the last one perhaps without; `endings` are those that the lines of `before`
    really have. A line that was changed keeps the ending of the one in its place; a new one gets the dominant ending.
    """
    usual = dominant_ending(endings)
    result: List[str] = []

    def add(lines: Sequence[str], first: int, last: int) -> None:
        for index, line in enumerate(lines, first):
            if line.endswith("\n"):
                known = index < last and index < len(endings)
                result.append(line[:-1] + (endings[index] if known else usual))
            else:
                result.append(line)

    left = right = 0
    for hunk in compare_lines(before, after):
        add(after[right : hunk.right_start], left, len(before))
        add(after[hunk.right_start : hunk.right_end], hunk.left_start, hunk.left_end)
        left, right = hunk.left_end, hunk.right_end
    add(after[right:], left, len(before))
    return "".join(result)


def _is_showable(text: str) -> bool:
    """Whether the editor takes every character of `text`. Much faster than a search for those it does not take."""
    if "\x00" in text:
        return False
    try:
        for part in portions(text):
            part.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _stand_ins(text: str) -> Dict[str, str]:
    """A visible character, absent from `text`, for each one in it that the editor cannot take."""
    used: set[str] = set()
    for part in portions(text):
        used.update(part)
    wanted = sorted(character for character in used if _UNSHOWABLE.match(character))
    block = _PRIVATE_BLOCKS[0]
    for block in _PRIVATE_BLOCKS:
        if not any(block <= ord(character) < block + _SURROGATES for character in used):
            break
    result = {}
    for character in wanted:
        if character != "\x00":
            result[character] = chr(block + ord(character) - _FIRST_SURROGATE)
        elif _NUL_PICTURE not in used:
            result[character] = _NUL_PICTURE
        else:
            result[character] = _free_character(used)
    return result


def _free_character(used: set[str]) -> str:
    """A private character of the basic plane that is not in `used`."""
    return next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in used)


def _substitute(text: str, table: Dict[str, str]) -> str:
    numbers = {ord(character): stand_in for character, stand_in in table.items()}
    return "".join([part.translate(numbers) for part in portions(text)])
