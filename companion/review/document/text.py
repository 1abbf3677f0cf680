"""Texts: proposed ones, the bytes of files, and what is no text at all.

A view holds lines that end with "\\n", and the editor's programming interface cannot carry every character. So a text
is *shown* without three things: a byte order mark at its start, the kind of its line endings, and characters
that the editor cannot take. `restore` puts them back.

Rules:
* A text that was not edited comes back identical, whatever it holds.
* In a text that was edited, lines that were not touched come back identical, line ending included. New lines end as
  most lines of the proposal do.
* A byte order mark decides over everything else about an encoding, and it is no part of the text.
* Long texts are worked on in portions: while one call goes through all of a text, Python lets no other thread run.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import base64
import codecs
import re
from enum import Enum
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ...agents.window import RESTORES_ALL, Restored
from ...comparison import compare_lines, split_lines

# -- what is no text ---------------------------------------------------------------------------------------------------
# The content decides, never the name. A beginning that images, archives and the like have counts only where what
# follows is no text. Of a text only the beginning is looked at. It may be binary in itself (a program has put bytes
# into a string), or stand for something binary, as a data URL (RFC 2397) or in Base64 (RFC 4648, section 4). What is
# not known for sure is text, and compared.

HEAD = 1 << 16  # bytes of a file that decide
_SAMPLE = 8000  # characters, in which binary data shows itself
_UNREADABLE_SHARE, _FEWEST_UNREADABLE = 0.05, 8  # of them make a text unreadable
_SHORTEST_BASE64 = 64  # characters; shorter ones may be a word
_UNREADABLE = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f]")  # ESC and what moves the place stand in logs
_DATA_URL = re.compile(r"data:(?:[\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[^;,\s]*)*(;base64)?,")
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*\Z")
_LOST = "\ufffd"  # what a program makes of a byte that it cannot decode
_BEGINNING = re.compile(
    rb"[\x89\xff]PNG\r|\xff\xd8\xff|GIF8[79]a|RIFF.{4}(?:WEBP|WAVE)|.{4}ftyp|II\*\0|MM\0\*|BM.{4}\0{4}"  # images
    rb"|%PDF-|PK\x03\x04|\x1f[\x8b\xff]\x08|[\xfd\xff]7zXZ\0|7z[\xbc\xff][\xaf\xff]|SQLite format 3\0|wOF[F2]|OTTO\0"
    rb"|\x7fELF|\0asm|OggS\0|ID3|[\xca\xff][\xfe\xff][\xba\xff][\xbe\xff]\0",
    re.DOTALL,
)
"""How images, archives, fonts, sounds and programs begin; `\\xff` stands for a byte that was lost as well."""


class Format(Enum):
    """What something holds, in words."""

    TEXT = "text"
    BINARY = "binary data"

    @property
    def binary(self) -> bool:
        """Whether it is not compared."""
        return self is Format.BINARY

    def with_size(self, size: int) -> str:
        """Name the format and the size in bytes."""
        return f"{self.value}, 1\u00a0byte" if size == 1 else f"{self.value}, {size:,}\u00a0bytes"


TEXT, BINARY = Format


def format_of(data: bytes, encoding: str = "") -> Format:
    """What a file holds that begins with `data` and that the editor has opened with `encoding`, if it has."""
    if encoding.startswith("UTF-16") or without_mark(data)[0]:
        return TEXT
    if b"\x00" in data or encoding == HEXADECIMAL:
        return BINARY
    if _BEGINNING.match(data):
        try:
            codecs.getincrementaldecoder("utf-8")().decode(data)  # it may end in the middle of a character
        except UnicodeDecodeError:
            return BINARY
    return TEXT


def format_of_text(text: str) -> Format:
    """What a text holds, or stands for."""
    url = _DATA_URL.match(text)
    if url is not None:
        is_data = url.group(1) and not re.search(r"\s", text[url.end() : HEAD].rstrip())
        return BINARY if is_data else TEXT
    sample = text[:_SAMPLE]
    if len(sample) >= _SHORTEST_BASE64 and _BASE64.match(sample):
        head = re.sub(r"\s", "", sample)
        return BINARY if _BEGINNING.match(base64.b64decode(head[: len(head) // 4 * 4])) else TEXT
    unreadable = len(_UNREADABLE.findall(sample))
    if not unreadable and _LOST not in sample:
        return TEXT
    if _BEGINNING.match(sample.replace(_LOST, "\xff").encode("latin-1", "replace")):
        return BINARY
    enough = unreadable >= _FEWEST_UNREADABLE and unreadable > len(sample) * _UNREADABLE_SHARE
    return BINARY if enough else TEXT


# -- texts in views ----------------------------------------------------------------------------------------------------

BYTE_ORDER_MARK = "\ufeff"
PORTION = 1 << 18  # characters
_ENDING = re.compile("\r\n|\r|\n")
_UNSHOWABLE = re.compile("[\x00\ud800-\udfff]")
_NUL_PICTURE = "\u2400"
_PRIVATE = range(0xF0000, 0x10FFFE)  # characters of the two private planes, far more than there are surrogates


class ProposedText:
    """A proposed text in its exact form and in the form that a view can hold.

    `exact` is the text as it came. `shown` is the content of the view: lines end with "\\n", and there is no
    character that the editor refuses. `restored` says what of the file its writer restores.
    """

    def __init__(self, exact: str, restored: Restored = RESTORES_ALL) -> None:
        self.exact = exact
        self.restored = restored
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
    counts = count_endings(text)
    return max(counts, key=counts.__getitem__, default="\n")


def count_endings(text: str) -> Dict[str, int]:
    """How often each line ending stands in `text`; those that do not are left out."""
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for part in portions(text):
        pairs = part.count("\r\n")
        counts["\r\n"] += pairs
        counts["\n"] += part.count("\n") - pairs
        counts["\r"] += part.count("\r") - pairs
    return {ending: number for ending, number in counts.items() if number}


def endings_of(text: str) -> List[str]:
    """The line endings of `text`, one after the other."""
    return [ending for part in portions(text) for ending in _ENDING.findall(part)]


def with_endings_of(exact: str, before: str, after: str) -> str:
    """The text `after` with the line endings of `exact`; `before` is the same as that, but with line feeds.

    Where it mixes them, a line that was changed keeps the ending of the one in its place; a new one gets the usual one.
    """
    usual = usual_ending(exact)
    if len(count_endings(exact)) > 1:
        return _carry_endings(exact, usual, split_lines(before), split_lines(after))
    return after if usual == "\n" else "".join([part.replace("\n", usual) for part in portions(after)])


def _carry_endings(exact: str, usual: str, before: Sequence[str], after: Sequence[str]) -> str:
    endings = endings_of(exact)
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


# -- encodings, as the editor names them -------------------------------------------------------------------------------

UTF_8 = "UTF-8"
WITH_MARK = " with BOM"
UTF_8_WITH_BOM = UTF_8 + WITH_MARK
HEXADECIMAL = "Hexadecimal"
DEFAULT_FALLBACK = "Western (Windows 1252)"

_MARKS = (
    (codecs.BOM_UTF8, UTF_8_WITH_BOM),
    (codecs.BOM_UTF16_LE, "UTF-16 LE with BOM"),
    (codecs.BOM_UTF16_BE, "UTF-16 BE with BOM"),
)
# Python looks for a module of the name; and "base64", "idna" or "punycode" make no text of what they are given.
_NAME = re.compile(r"[a-z0-9][a-z0-9 _:-]{0,40}")
_CHARACTER_SET = re.compile("ascii|big5|cp|euc|gb|hp|hz|iso|johab|koi8|kz|mac|ptcp|shift|tis|utf")


def codec_of(encoding: str) -> Optional[str]:
    """Python's codec for one of the editor's encoding names, or None.

    The editor's names carry the standard's own name in brackets: "Western (Windows 1252)", "Greek (ISO 8859-7)".
    """
    bare = encoding[: -len(WITH_MARK)] if encoding.endswith(WITH_MARK) else encoding
    match = re.search(r"\(([^)]*)\)$", bare)
    bare = (match.group(1) if match else bare).lower()
    bare = re.sub(r"^(?:windows|cp) *(?=\d)", "cp", bare)
    if not _NAME.fullmatch(bare):
        return None  # a project's file may call it anything
    try:
        found = codecs.lookup(bare.replace(" ", "-")).name
    except LookupError:
        return None
    return found if _CHARACTER_SET.match(found) else None


def without_mark(data: bytes) -> Tuple[str, bytes]:
    """The encoding that the byte order mark of `data` stands for, and the rest; "" and `data` if there is no mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, data[len(mark) :]
    return "", data


def decode(data: bytes, codec: str, errors: str = "strict") -> str:
    """The text of `data`, which has no byte order mark. `codec` and `errors` are Python's names.

    Raises `UnicodeDecodeError` if `errors` is "strict".
    """
    decoder = codecs.getincrementaldecoder(codec)(errors)
    parts = [decoder.decode(data[start : start + PORTION]) for start in range(0, len(data), PORTION)]
    return "".join(parts) + decoder.decode(b"", True)


def encode(text: str, encoding: str) -> bytes:
    """The bytes of `text`, behind a byte order mark if `encoding`, an editor's name, has one.

    An unknown encoding counts as UTF-8. Raises `UnicodeEncodeError`.
    """
    mark = next((mark for mark, marked in _MARKS if marked == encoding), b"")
    encoder = codecs.getincrementalencoder(codec_of(encoding) or "utf-8")()
    return mark + b"".join([encoder.encode(part) for part in portions(text)]) + encoder.encode("", True)


def in_utf_8(text: str) -> bytes:
    """The bytes that programs write for a text, whatever it holds."""
    return b"".join([part.encode("utf-8", "surrogatepass") for part in portions(text)])


def saved(text: str, encoding: str, line_endings: str) -> bytes:
    """What the editor writes for a tab's text, whose lines end with line feeds. All names are the editor's."""
    ending = {"Windows": "\r\n", "CR": "\r"}.get(line_endings, "\n")
    parts = [part.replace("\n", ending) for part in portions(text)]
    try:
        return encode("".join(parts), encoding)
    except UnicodeEncodeError:
        return encode("".join(parts), UTF_8)
