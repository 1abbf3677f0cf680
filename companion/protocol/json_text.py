"""Decodes and encodes JSON without loss.

Rules: exactly what RFC 8259 defines is accepted (no NaN, no UTF-16, no byte order mark). Values keep their exact
meaning: lone surrogates, integers beyond 64 bits, the digits of a fraction. Nesting and the number of values are
limited without recursion. Output is ASCII, so that lone surrogates survive and no line of an event stream is broken.
orjson, which is optional, decodes where it is exact.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, List

from .json_pieces import TooManyValues, count_at_once, decode_string, outline, put_back
from .limits import ENVELOPE, MEBIBYTE, Limits

__all__ = [
    "AT_ONCE_BYTES", "ExactFloat", "NotJson", "TooDeep", "TooManyValues", "decode", "encode", "encode_id",
]  # fmt: skip

try:
    import orjson
except ImportError:
    orjson = None

AT_ONCE_BYTES = MEBIBYTE + ENVELOPE
"""A text up to this size is decoded in one step, which takes a few hundredths of a second at most."""
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


_exact_decoder = json.JSONDecoder(parse_float=_exact_float, parse_int=_exact_integer, parse_constant=_refuse_constant)
_encoder = json.JSONEncoder(ensure_ascii=True, check_circular=False, allow_nan=False, separators=(",", ":"))


def decode(body: bytes, nesting: int, values: int = MOST_VALUES) -> Any:
    """Decode a UTF-8 JSON text. Raises `NotJson`, `TooDeep` or `TooManyValues`. Any thread.

    A text of more than `AT_ONCE_BYTES` takes long but does not block other threads.
    """
    if len(body) > AT_ONCE_BYTES:
        value = _decode_in_pieces(body, values)
        _check_nesting(value, nesting)
        return value
    count_at_once(body, values)
    if orjson is not None:
        try:
            value = orjson.loads(body)
        except ValueError:
            pass  # orjson also refuses lone surrogates, so the exact decoder decides.
        else:
            _check_nesting(value, nesting)
            if not _has_fraction(value):
                return value
    value = _decode_exactly(body)
    _check_nesting(value, nesting)
    return value


def _decode_exactly(body: bytes) -> Any:
    try:
        return _exact_decoder.decode(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotJson(f"the body is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"the body is not JSON: {error.msg.rstrip()} at character {error.pos}") from None
    except RecursionError:
        raise TooDeep from None


def _decode_in_pieces(body: bytes, values: int) -> Any:
    text, strings = outline(body, values)
    try:
        value = _exact_decoder.decode(text.decode("utf-8"))
        if not strings:
            return value
        found = {name: decode_string(body, *place, decode=_decode_string) for name, place in strings.items()}
    except UnicodeDecodeError:
        raise NotJson("the body is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"the body is not JSON: {error.msg.rstrip()}") from None
    except RecursionError:
        raise TooDeep from None
    return put_back(value, found)


def _decode_string(literal: bytes) -> Any:
    return _exact_decoder.decode(literal.decode("utf-8"))


def _check_nesting(value: Any, nesting: int) -> None:
    """Raise `TooDeep` if arrays and objects are nested deeper. Iterates by level, so that deep input cannot exhaust the
    stack."""
    level = [value] if type(value) in _CONTAINERS else []
    depth = 0
    while level:
        depth += 1
        if depth > nesting:
            raise TooDeep
        deeper = []
        for container in level:
            for member in container.values() if type(container) is dict else container:
                if type(member) in _CONTAINERS:
                    deeper.append(member)
        level = deeper


def _has_fraction(value: Any) -> bool:
    """Is there a fraction in the value? No recursion here either."""
    waiting = [value]
    while waiting:
        member = waiting.pop()
        kind = type(member)
        if kind is float:
            return True
        if kind in _CONTAINERS:
            waiting += member.values() if kind is dict else member
    return False


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
