"""A large JSON text, read in pieces, so that no single step holds the interpreter's lock for long.

Rules: the values of a message are counted before any of them is made; what is counted is what stands outside of
strings, however much of it a string holds; a string of any length is decoded a piece at a time. Between two pieces
other threads get their turn. What the text means is decided by the decoder that is given, here as elsewhere.
Implements RFC 8259, 7, as far as finding the ends of strings needs it.
"""

from __future__ import annotations

import secrets
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

PIECE = 512 * 1024
"""Bytes looked at in one step: about 20 ms where decoding is slowest."""
LONG = 64
"""Bytes of a string from which on it is decoded by itself."""
_STRUCTURE = b"[{,"
_LONGEST_ESCAPE = 6  # bytes, as in \u0041


class TooManyValues(ValueError):
    """The JSON text holds more values than allowed."""


class Outline(NamedTuple):
    """The text with other texts for its long strings, and where those stand in it: start and end between the quotes."""

    text: bytes
    strings: Dict[str, Tuple[int, int]]


def count_at_once(body: bytes, values: int) -> None:
    """Count the values of a text that is small enough to be looked at in one step. Raises TooManyValues; any thread."""
    if len(body) <= values or body.count(b",") + body.count(b"[") + body.count(b"{") <= values:
        return  # even if none of it stands in a string
    without_escapes = body.replace(b"\\\\", b"__").replace(b'\\"', b"__")  # quicker than to shorten it
    if without_escapes.count(b'"') > _most_quotes(values):
        raise TooManyValues
    if _structure(without_escapes.split(b'"')[::2]) > values:
        raise TooManyValues


def _most_quotes(values: int) -> int:
    return 4 * values + 4  # each value has at most one key, each string two quotes


def _structure(outside: List[bytes]) -> int:
    joined = b"".join(outside)
    return len(joined) - len(joined.translate(None, _STRUCTURE))


def outline(body: bytes, values: int) -> Outline:
    """Count the values and set long strings aside. Raises TooManyValues; any thread."""
    marker = secrets.token_hex(16)
    strings: Dict[str, Tuple[int, int]] = {}
    kept: List[bytes] = []
    structure = quotes = 0
    copied = opened = 0  # up to where the text is in `kept`; where the string under way begins
    inside = False
    start = 0
    while start < len(body):
        piece = _without_escapes(body, start)
        quotes += piece.count(b'"')
        if quotes > _most_quotes(values):
            raise TooManyValues
        segments = piece.split(b'"')
        structure += _structure(segments[1 if inside else 0 :: 2])
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
    """The next piece, as long as it was, with other bytes for what could be mistaken for the end of a string."""
    piece = body[start : start + PIECE]
    if (len(piece) - len(piece.rstrip(b"\\"))) % 2:
        piece += body[start + len(piece) : start + len(piece) + 1]  # never between a backslash and what it escapes
    return piece.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def decode_string(body: bytes, start: int, end: int, decode: Callable[[bytes], Any]) -> str:
    """The string between the quotes, by decoding pieces of it with quotes of their own. Raises what `decode` does."""
    parts: List[str] = []
    while start < end:
        cut = min(start + PIECE, end)
        if cut < end:
            cut = _safe_cut(body, start, cut)
        parts.append(decode(b'"' + body[start:cut] + b'"'))
        start = cut
    return parts[0] if len(parts) == 1 else "".join(parts)


def _safe_cut(body: bytes, start: int, cut: int) -> int:
    """The nearest place before `cut` that divides neither an escape, nor a pair of surrogates, nor a character."""
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
    """The value with every string of the outline in its place. `found`: the strings by what stands for them."""
    if isinstance(value, str):
        return found.get(value, value)
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        deeper: List[Any] = []
        for container in level:
            if isinstance(container, dict):
                if not found.keys().isdisjoint(container):
                    items = [(found.get(key, key), member) for key, member in container.items()]
                    container.clear()
                    container.update(items)
                for key, member in container.items():
                    if isinstance(member, str):
                        container[key] = found.get(member, member)
                    elif isinstance(member, (dict, list)):
                        deeper.append(member)
            else:
                for place, member in enumerate(container):
                    if isinstance(member, str):
                        container[place] = found.get(member, member)
                    elif isinstance(member, (dict, list)):
                        deeper.append(member)
        level = deeper
    return value
