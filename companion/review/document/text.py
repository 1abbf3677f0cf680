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
from typing import Dict, Iterator, List, Sequence

from ...comparison import compare_lines, split_lines
from .formats import format_of_text

BYTE_ORDER_MARK = "\ufeff"
PORTION = 1 << 18  # characters
_ENDING = re.compile("\r\n|\r|\n")
_UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")
_NUL_PICTURE = "\u2400"
_PRIVATE = range(0xF0000, 0x10FFFE)  # characters of the two private planes, far more than there are surrogates


class ProposedText:
    """A proposed text in its exact form and in the form that a view can hold.

    `exact` is the text as it came. `shown` is the content of the view: lines end with "\\n", and there is no
    character that the editor refuses.
    """

    def __init__(self, exact: str) -> None:
        self.exact = exact
        self._mark = BYTE_ORDER_MARK if exact.startswith(BYTE_ORDER_MARK) else ""
        text = plain(exact)
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
        text = with_endings_of(self.exact, self.shown, current)
        if self._stand_ins:
            text = _substitute(text, {stand_in: exact for exact, stand_in in self._stand_ins.items()})
        return self._mark + text


def plain(text: str) -> str:
    """`text` with every line ending as "\\n" and without a byte order mark."""
    text = text[1:] if text.startswith(BYTE_ORDER_MARK) else text
    if "\r" not in text:
        return text
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


def usual_ending(text: str) -> str:
    """The most frequent line ending of `text`; "\\n" if there is none."""
    counts = _count_endings(text)
    return max(counts, key=lambda ending: counts[ending], default="\n")


def _count_endings(text: str) -> Dict[str, int]:
    """How often each line ending stands in `text`; those that do not are left out."""
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for part in portions(text):
        pairs = part.count("\r\n")
        counts["\r\n"] += pairs
        counts["\n"] += part.count("\n") - pairs
        counts["\r"] += part.count("\r") - pairs
    return {ending: number for ending, number in counts.items() if number}


def with_endings_of(exact: str, before: str, after: str) -> str:
    """The text `after` with the line endings of `exact`; `before` is the same as that, but with line feeds.

    Where it mixes them, a line that was changed keeps the ending of the one in its place; a new one gets the usual one.
    """
    usual = usual_ending(exact)
    if len(_count_endings(exact)) > 1:
        return _carry_endings(exact, usual, split_lines(before), split_lines(after))
    return after if usual == "\n" else "".join([part.replace("\n", usual) for part in portions(after)])


def _carry_endings(exact: str, usual: str, before: Sequence[str], after: Sequence[str]) -> str:
    endings = [ending for part in portions(exact) for ending in _ENDING.findall(part)]
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
    """A visible character for each one in `text` that the editor cannot take: absent from it if any is."""
    used: set[str] = set()
    for part in portions(text):
        used.update(part)
    free = (chr(code) for code in _PRIVATE if chr(code) not in used)
    return {
        character: _NUL_PICTURE if character == "\x00" and _NUL_PICTURE not in used else next(free, chr(_PRIVATE[-1]))
        for character in sorted(used)
        if _UNSHOWABLE.match(character)
    }


def _substitute(text: str, table: Dict[str, str]) -> str:
    numbers = {ord(character): stand_in for character, stand_in in table.items()}
    return "".join([part.translate(numbers) for part in portions(text)])
