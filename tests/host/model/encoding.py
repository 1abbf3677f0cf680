"""Bytes to text and back: which encodings the editor knows, how it detects them, and the line endings.

Rule kept here: a loaded buffer holds "\\n" only; what was on disk is remembered by name and applied on save.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple, Optional

UTF8 = "UTF-8"
HEXADECIMAL = "Hexadecimal"
FALLBACK = "Western (Windows 1252)"

CODECS = {
    "UTF-8": "utf-8",
    "UTF-8 with BOM": "utf-8",
    "UTF-16 LE": "utf-16-le",
    "UTF-16 LE with BOM": "utf-16-le",
    "UTF-16 BE": "utf-16-be",
    "UTF-16 BE with BOM": "utf-16-be",
    "Western (Windows 1252)": "cp1252",
    "Western (ISO 8859-1)": "latin-1",
    "Western (ISO 8859-15)": "iso8859-15",
    "Western (Mac Roman)": "mac-roman",
    "Central European (Windows 1250)": "cp1250",
    "Central European (ISO 8859-2)": "iso8859-2",
    "Cyrillic (Windows 1251)": "cp1251",
    "Cyrillic (KOI8-R)": "koi8-r",
    "Greek (Windows 1253)": "cp1253",
    "Turkish (Windows 1254)": "cp1254",
    "Hebrew (Windows 1255)": "cp1255",
    "DOS (CP 437)": "cp437",
}
MARKS = {
    "UTF-8 with BOM": codecs.BOM_UTF8,
    "UTF-16 LE with BOM": codecs.BOM_UTF16_LE,
    "UTF-16 BE with BOM": codecs.BOM_UTF16_BE,
}
ENDINGS = {"Unix": "\n", "Windows": "\r\n", "CR": "\r"}


class Loaded(NamedTuple):
    """A decoded file: its text with "\\n" only, the encoding's name, and the name of its line endings."""

    text: str
    encoding: str
    line_endings: str


def decode(
    data: bytes,
    *,
    encoding: Optional[str] = None,
    fallback: str = FALLBACK,
    default_ending: str = "Unix",
    hexadecimal: bool = True,
) -> Loaded:
    """Decode a file as the editor does on load. `encoding` forces one; never raises for bad bytes."""
    if encoding is None:
        encoding = _detect(data, fallback, hexadecimal)
    if encoding == HEXADECIMAL:
        return Loaded(_dump(data), HEXADECIMAL, default_ending)
    mark = MARKS.get(encoding, b"")
    body = data[len(mark) :] if mark and data.startswith(mark) else data
    text = _lenient(body, CODECS[encoding])
    ending = _detect_ending(text, default_ending)
    return Loaded(text.replace("\r\n", "\n").replace("\r", "\n"), encoding, ending)


def encode(text: str, encoding: str, line_endings: str) -> bytes:
    """Encode a buffer for the disk. Raises UnicodeEncodeError when the encoding lacks a character.

    A carriage return that the API put into the buffer is written as it is.
    """
    if encoding == HEXADECIMAL:
        return bytes.fromhex("".join(text.split()))
    ending = ENDINGS[line_endings]
    if ending != "\n":
        text = text.replace("\n", ending)
    return MARKS.get(encoding, b"") + text.encode(CODECS[encoding])


def _detect(data: bytes, fallback: str, hexadecimal: bool) -> str:
    for name, mark in MARKS.items():
        if data.startswith(mark):
            return name
    if hexadecimal and b"\x00" in data:
        return HEXADECIMAL
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return fallback
    return UTF8


def _lenient(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        # Bytes that Windows 1252 leaves undefined are shown as the control characters of Latin-1.
        if codec == "cp1252":
            return "".join(_cp1252(byte) for byte in data)
        return data.decode(codec, "replace")


def _cp1252(byte: int) -> str:
    try:
        return bytes((byte,)).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def _detect_ending(text: str, default: str) -> str:
    """The first line end decides, as long as the file has one."""
    feed, carriage = text.find("\n"), text.find("\r")
    if carriage >= 0 and (feed < 0 or carriage < feed):
        return "Windows" if feed == carriage + 1 else "CR"
    if feed >= 0:
        return "Unix"
    return default


def _dump(data: bytes) -> str:
    rows = []
    for start in range(0, len(data), 16):
        digits = data[start : start + 16].hex()
        rows.append(" ".join(digits[i : i + 4] for i in range(0, len(digits), 4)))
    return "\n".join(rows) + ("\n" if rows else "")
