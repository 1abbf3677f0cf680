"""Decodes large JSON texts in chunks, so that no single step holds the interpreter's lock for long.

Rules: the values of a message are counted before any of them is decoded, and only structure outside of strings counts.
A long string is decoded in chunks; other threads run between two chunks. The decoder that is passed in decides what is
valid.
Implements RFC 8259, 7, as far as it is needed to find the ends of strings.
"""

from __future__ import annotations

import secrets
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

PIECE = 512 * 1024
"""Bytes per step: about 20 ms where decoding is slowest."""
LONG = 64
"""Strings of at least this many bytes are decoded separately."""
_STRUCTURE = b"[{,"
_LONGEST_ESCAPE = 6  # bytes, as in \u0041


class TooManyValues(ValueError):
    """The JSON text holds more values than allowed."""


class Outline(NamedTuple):
    """The text with placeholders for its long strings, and the start and end of each string between its quotes."""

    text: bytes
    strings: Dict[str, Tuple[int, int]]


def outline(body: bytes, values: int) -> Outline:
    """Count the values and replace long strings by placeholders. Raises TooManyValues. Any thread."""
    marker = secrets.token_hex(16)
    strings: Dict[str, Tuple[int, int]] = {}
    kept: List[bytes] = []
    structure = quotes = 0
    most_quotes = 4 * values + 4  # each value has at most one key, each string two quotes
    copied = opened = 0  # the end of the text in `kept`; the start of the current string
    inside = False
    start = 0
    while start < len(body):
        piece = _without_escapes(body, start)
        quotes += piece.count(b'"')
        if quotes > most_quotes:
            raise TooManyValues
        segments = piece.split(b'"')
        outside = b"".join(segments[1 if inside else 0 :: 2])
        structure += len(outside) - len(outside.translate(None, _STRUCTURE))
        if structure > values:
            raise TooManyValues
        place = start
        for segment in segments[:-1]:
            place += len(segment)
            inside = not inside
            if inside:
                opened = place + 1
            elif place - opened >= LONG:
                name = f"{marker}{len(strings):x}"
                strings[name] = (opened, place)
                kept += (body[copied:opened], name.encode("ascii"))
                copied = place
            place += 1
        start += len(piece)
    if not kept:
        return Outline(body, strings)
    return Outline(b"".join(kept) + body[copied:], strings)


def _without_escapes(body: bytes, start: int) -> bytes:
    """The next chunk, with its length unchanged, but without backslashes and quotes that are escaped in strings."""
    piece = body[start : start + PIECE]
    if (len(piece) - len(piece.rstrip(b"\\"))) % 2:
        piece += body[start + len(piece) : start + len(piece) + 1]  # never between a backslash and what it escapes
    return piece.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def decode_string(body: bytes, start: int, end: int, decode: Callable[[bytes], Any]) -> str:
    """Decode the string between the quotes in chunks, each as a string of its own. Raises what `decode` does."""
    parts: List[str] = []
    while start < end:
        cut = min(start + PIECE, end)
        if cut < end:
            cut = _safe_cut(body, start, cut)
        parts.append(decode(b'"' + body[start:cut] + b'"'))
        start = cut
    return parts[0] if len(parts) == 1 else "".join(parts)


def _safe_cut(body: bytes, start: int, cut: int) -> int:
    """The nearest position before `cut` that splits neither an escape, nor a surrogate pair, nor a character."""
    piece = body[start:cut].replace(b"\\\\", b"__")  # what backslashes remain begin an escape
    last = piece.rfind(b"\\", len(piece) - 2 * _LONGEST_ESCAPE)
    if last >= 0:
        before = piece[last - _LONGEST_ESCAPE : last]
        if before[:2] == b"\\u" and before[2:3] in b"dD" and before[3:4] in b"89abAB":
            last -= _LONGEST_ESCAPE
        return start + last
    while 0x80 <= body[cut] < 0xC0:
        cut -= 1
        if cut <= start:  # no UTF-8 at all: the decoder will say so
            return start + len(piece)
    return cut


def put_back(value: Any, found: Dict[str, str]) -> Any:
    """The value with its placeholders replaced. `found`: the strings by placeholder. Nesting must have been checked."""
    if isinstance(value, str):
        return found.get(value, value)
    if isinstance(value, list):
        return [put_back(member, found) for member in value]
    if isinstance(value, dict):
        return {found.get(key, key): put_back(member, found) for key, member in value.items()}
    return value
