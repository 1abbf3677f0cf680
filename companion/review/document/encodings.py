"""Encodings as the editor names them, and the way from bytes to text and back.

Rule: a byte order mark decides over everything else, and it is no part of the text. Long texts are converted in
portions, because Python lets no other thread run while one call converts all of it.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import codecs
import re
from typing import Optional, Tuple

from .text import PORTION, portions

UTF_8 = "UTF-8"
UTF_8_WITH_BOM = "UTF-8 with BOM"
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
    bare = encoding[: -len(" with BOM")] if encoding.endswith(" with BOM") else encoding
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


def saved(text: str, encoding: str, line_endings: str) -> bytes:
    """What the editor writes for a tab's text, whose lines end with line feeds. All names are the editor's."""
    ending = {"Windows": "\r\n", "CR": "\r"}.get(line_endings, "\n")
    parts = [part.replace("\n", ending) for part in portions(text)]
    try:
        return encode("".join(parts), encoding)
    except UnicodeEncodeError:
        return encode("".join(parts), UTF_8)
