"""Decodes and encodes JSON without loss.

Rules: exactly what RFC 8259 defines is accepted (no NaN, no UTF-16, no byte order mark). Values keep their exact
meaning: lone surrogates, integers beyond 64 bits, the digits of a fraction. Nesting and the number of values are
limited without recursion. Output is ASCII, so that lone surrogates survive and no line of an event stream is broken.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, List

from .json_pieces import Outline, TooManyValues, decode_string, outline, put_back
from .limits import ENVELOPE, MEBIBYTE, Limits

__all__ = [
    "AT_ONCE_BYTES", "ExactFloat", "NotJson", "TooDeep", "TooManyValues", "decode", "encode", "encode_id",
]  # fmt: skip

AT_ONCE_BYTES = MEBIBYTE + ENVELOPE
"""A text up to this size is decoded in a few hundredths of a second at most."""
AT_ONCE_CHARACTERS = MEBIBYTE // 4
"""A string up to this size is encoded in one step."""
_PLACEHOLDER = secrets.token_hex(16)  # which nobody else knows, and so no value holds
MOST_VALUES = Limits().values
LONGEST_INTEGER = 4000
"""In digits. Python converts decimal text in quadratic time; newer versions refuse more than 4,300 digits."""
_CONTAINERS = frozenset((dict, list))


class NotJson(ValueError):
    """The bytes are not a JSON text. The message never quotes them."""


class TooDeep(ValueError):
    """The JSON text is nested deeper than allowed."""


class ExactFloat(float):
    """A fraction that keeps its digits, so that an `id` can be echoed exactly (JSON-RPC 2.0, 5)."""

    def __new__(cls, text: str) -> ExactFloat:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


def _exact_integer(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise NotJson(f"a number has more than {LONGEST_INTEGER} digits")
    return int(text)


def _exact_float(text: str) -> ExactFloat:
    if len(text) > LONGEST_INTEGER:
        raise NotJson(f"a number has more than {LONGEST_INTEGER} digits")
    return ExactFloat(text)


def _refuse_constant(name: str) -> Any:
    raise NotJson(f"{name} is not a JSON value")


_decoder = json.JSONDecoder(parse_float=_exact_float, parse_int=_exact_integer, parse_constant=_refuse_constant)
_encoder = json.JSONEncoder(ensure_ascii=True, check_circular=False, allow_nan=False, separators=(",", ":"))


def decode(body: bytes, nesting: int, values: int = MOST_VALUES) -> Any:
    """Decode a UTF-8 JSON text. Raises `NotJson`, `TooDeep` or `TooManyValues`. Any thread.

    A text of more than `AT_ONCE_BYTES` takes long but does not block other threads.
    """
    is_small = len(body) <= min(values, AT_ONCE_BYTES)  # and a value takes a byte at least
    text, strings = Outline(body, {}) if is_small else outline(body, values)
    try:
        value = _decode_at_once(text)
        found = {name: decode_string(body, *place, decode=_decode_at_once) for name, place in strings.items()}
    except UnicodeDecodeError as error:
        raise NotJson("the body is not UTF-8" + ("" if strings else f" (byte {error.start})")) from None
    except json.JSONDecodeError as error:
        where = "" if strings else f" at character {error.pos}"
        raise NotJson(f"the body is not JSON: {error.msg.rstrip()}{where}") from None
    except RecursionError:
        raise TooDeep from None
    _check_nesting(value, nesting)
    return put_back(value, found) if found else value


def _decode_at_once(text: bytes) -> Any:
    return _decoder.decode(text.decode("utf-8"))


def _check_nesting(value: Any, nesting: int) -> None:
    """Raise `TooDeep` if arrays and objects are nested deeper. Goes no deeper itself, so that no input can exhaust the
    stack."""
    kind = type(value)
    if kind not in _CONTAINERS:
        return
    if nesting == 0:
        raise TooDeep
    for member in value.values() if kind is dict else value:
        if type(member) in _CONTAINERS:
            _check_nesting(member, nesting - 1)


def encode(value: Any) -> bytes:
    """Encode the value as one line of ASCII JSON. Raises TypeError or ValueError if that is impossible. Any thread.

    A value with a long string takes long but does not block other threads.
    """
    strings: List[str] = []
    before, *behind = _encode_at_once(_shortened(value, strings)).split(_PLACEHOLDER.encode("ascii"))
    parts = [before]
    for string, following in zip(strings, behind):
        for start in range(0, len(string), AT_ONCE_CHARACTERS):
            parts.append(_encode_at_once(string[start : start + AT_ONCE_CHARACTERS])[1:-1])
        parts.append(following)
    return b"".join(parts) if strings else before


def _encode_at_once(value: Any) -> bytes:
    return _encoder.encode(value).encode("ascii")


def _shortened(value: Any, strings: List[str]) -> Any:
    """The value with a placeholder for each long string in it, which is added to `strings`."""
    if type(value) is dict:
        return {key: _shortened(member, strings) for key, member in value.items()}
    if type(value) is list:
        return [_shortened(member, strings) for member in value]
    if type(value) is str and len(value) > AT_ONCE_CHARACTERS:
        strings.append(value)
        return _PLACEHOLDER
    return value


def encode_id(request_id: Any) -> bytes:
    """Encode a request's `id` exactly as it was received."""
    if type(request_id) is int:
        return b"%d" % request_id
    if type(request_id) is ExactFloat:
        return request_id.text.encode("ascii")
    return encode(request_id)
