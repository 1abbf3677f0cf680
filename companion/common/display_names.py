"""Makes names of files and clients safe to display: they cannot hide, reorder or break the text around them.

Rules: every name that is displayed, and every sentence with one, passes through `shown`. Names that are compared, sent
or opened are not changed. Widths are in columns of the editor's font and are rather over- than underestimated. Pure.
Any thread.
"""

from __future__ import annotations

import os
import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import List, Match

CLIENT_COLUMNS = 40  # of a client's name, which may say anything of itself
FILE_COLUMNS = 100  # of a file's name in a tab or a list
_MOST_CHARACTERS = 1000  # of a client's name that are looked at
ELLIPSIS = "\u2026"

# Control and format characters, line and paragraph separators, halves of surrogate pairs, and letters without a shape.
# Joiners stay where they stand between two letters or pictures: names in some scripts, and many pictures, need them.
_INVISIBLE_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
_JOINERS = "\u200c\u200d"
_HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs"}
_SUSPICIOUS = re.compile("[^ -~]")
_BLANKS = re.compile("[^\\S\u00a0]+")
_CONTROLLING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@lru_cache(maxsize=1024)  # the same names and captions are shown again and again
def shown(text: str, keep: str = "") -> str:
    """`text` with its hidden characters as `<U+202E>`, but for those in `keep`."""

    def replacement(found: Match[str]) -> str:
        character = found.group()
        if character in keep or not _is_hidden(character):
            return character
        if character in _JOINERS and _joins(text, found.start()):
            return character
        return f"<U+{ord(character):04X}>"

    return _SUSPICIOUS.sub(replacement, text)


def file_name(path: str) -> str:
    """The name of the file at `path`, or the whole of it if it ends without one, as a list or a tab shows it."""
    return cut_middle(shown(os.path.basename(path) or path), FILE_COLUMNS)


def client_name(text: str) -> str:
    """What a client calls itself, as it is shown; empty if it calls itself nothing that one could see."""
    text = text[:_MOST_CHARACTERS]
    return cut_middle(shown(text), CLIENT_COLUMNS) if text.strip() else ""


def has_control_characters(text: str) -> bool:
    """Whether `text` holds what a terminal would obey, or what ends a line."""
    return _CONTROLLING.search(text) is not None


def columns(text: str) -> int:
    """Return the most columns that `text` may take."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def cut_middle(text: str, width: int) -> str:
    """`text` without its middle if it takes more than `width` columns, of which there is at least one."""
    if columns(text) <= width:
        return text
    head = _beginning(text, width // 2)
    return head + ELLIPSIS + _beginning(text[::-1], width - 1 - columns(head))[::-1]


def wrapped(text: str, width: int) -> List[str]:
    """`text` in lines of at most `width` columns, broken at blanks where that can be; at least one line.

    A no-break space is none of them.
    """
    lines = [""]
    for word in _BLANKS.split(text):
        while word:
            joined = lines[-1] + " " + word if lines[-1] else word
            if columns(joined) <= width:
                lines[-1], word = joined, ""
            elif lines[-1]:
                lines.append("")
            else:
                lines[-1] = _beginning(word, width) or word[0]
                word = word[len(lines[-1]) :]
    return lines


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or character in _INVISIBLE_LETTERS


def _joins(text: str, index: int) -> bool:
    """Whether a joiner stands between two characters that can be joined."""
    snapshot = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
    return len(snapshot) == 2 and not any(each.isascii() or _is_hidden(each) for each in snapshot)


def _beginning(text: str, width: int) -> str:
    """Cut a text off after `width` columns."""
    return text[: bisect_right(list(accumulate(map(columns, text))), width)]
