"""Messages on the wire: bytes to JSON values and back without loss, and JSON-RPC 2.0 in those values.

Rules of JSON: exactly what RFC 8259 defines is accepted (no NaN, no UTF-16, no byte order mark). Values keep their
exact meaning: lone surrogates, integers beyond 64 bits, the digits of a fraction. Nesting and the number of values are
limited; the values are counted before any of them is decoded. A long string is decoded and encoded in chunks, so that
no single step holds the interpreter's lock for long. Output is ASCII, so that lone surrogates survive and no line of an
event stream is broken.

Rules of JSON-RPC: a value is exactly one of request, notification, response or fault. Only a request is answered, and
with exactly the `id` that it has. A fault names what is wrong and never quotes content.
Implements RFC 8259 (of 7, strings, by itself what is needed to find their ends) and JSON-RPC 2.0 as restricted by MCP:
`id` is a string or a number, `params` is an object.
"""

from __future__ import annotations

import json
import secrets
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from .limits import ENVELOPE, MEBIBYTE, Limits

AT_ONCE_BYTES = MEBIBYTE + ENVELOPE
"""A text up to this size is decoded in a few hundredths of a second at most."""
AT_ONCE_CHARACTERS = MEBIBYTE // 4
"""A string up to this size is encoded in one step."""
PIECE = 512 * 1024
"""Bytes per step: about 20 ms where decoding is slowest."""
LONG = 64
"""Strings of at least this many bytes are decoded separately."""
_STRUCTURE = b"[{,"
_LONGEST_ESCAPE = 6  # bytes, as in \u0041
_PLACEHOLDER = secrets.token_hex(16)  # secret, so no value holds it
MOST_VALUES = Limits().values
LONGEST_INTEGER = 4000
"""In digits. Python converts decimal text in quadratic time; newer versions refuse more than 4,300 digits."""
_CONTAINERS = frozenset((dict, list))


class NotJson(ValueError):
    """The bytes are not a JSON text. The message never quotes them."""


class TooManyValues(ValueError):
    """The JSON text holds more values than allowed."""


class TooDeep(ValueError):
    """The JSON text is nested deeper than allowed."""


class ExactFloat(float):
    """A fraction that keeps its digits, so that an `id` can be echoed exactly (JSON-RPC 2.0, 5)."""

    def __new__(cls, text: str) -> ExactFloat:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


class _Outline(NamedTuple):
    """The text with placeholders for its long strings, and the start and end of each string between its quotes."""

    text: bytes
    strings: Dict[str, Tuple[int, int]]


def _exact_integer(text: str) -> int:
    if len(text) > LONGEST_INTEGER:
        raise NotJson(f"a number has more than {LONGEST_INTEGER} digits")
    return int(text)


def _refuse_constant(name: str) -> Any:
    raise NotJson(f"{name} is not a JSON value")


_decoder = json.JSONDecoder(parse_float=ExactFloat, parse_int=_exact_integer, parse_constant=_refuse_constant)
_encoder = json.JSONEncoder(ensure_ascii=True, check_circular=False, allow_nan=False, separators=(",", ":"))


def decode(body: bytes, nesting: int, values: int = MOST_VALUES) -> Any:
    """Decode a UTF-8 JSON text. Raises `NotJson`, `TooDeep` or `TooManyValues`. Any thread.

    A text of more than `AT_ONCE_BYTES` takes long but does not block other threads.
    """
    # A value takes a byte at least, and none of what separates them may stand in a string.
    is_small = len(body) <= AT_ONCE_BYTES and (len(body) <= values or _structure(body) <= values)
    text, strings = _Outline(body, {}) if is_small else _outline(body, values)
    try:
        value = _decode_at_once(text)
        found = {name: _decode_string(body, *place) for name, place in strings.items()}
    except UnicodeDecodeError as error:
        raise NotJson("the body is not UTF-8" + ("" if strings else f" (byte {error.start})")) from None
    except json.JSONDecodeError as error:
        where = "" if strings else f" at character {error.pos}"
        raise NotJson(f"the body is not JSON: {error.msg.rstrip()}{where}") from None
    except RecursionError:
        raise TooDeep from None
    _check_nesting(value, nesting)
    return _put_back(value, found) if found else value


def _decode_at_once(text: bytes) -> Any:
    return _decoder.decode(text.decode("utf-8"))


def _outline(body: bytes, values: int) -> _Outline:
    """Count the values and replace long strings by placeholders. Raises TooManyValues. Any thread."""
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
        structure += _structure(outside)
        if structure > values:
            raise TooManyValues
        place = start
        for segment in segments[:-1]:
            place += len(segment)
            inside = not inside
            if inside:
                opened = place + 1
            elif place - opened >= LONG:
                name = f"{_PLACEHOLDER}{len(strings):x}"
                strings[name] = (opened, place)
                kept += (body[copied:opened], name.encode("ascii"))
                copied = place
            place += 1
        start += len(piece)
    if not kept:
        return _Outline(body, strings)
    return _Outline(b"".join(kept) + body[copied:], strings)


def _structure(text: bytes) -> int:
    """The number of bytes that begin a container or separate its members."""
    return len(text) - len(text.translate(None, _STRUCTURE))


def _without_escapes(body: bytes, start: int) -> bytes:
    """The next chunk, with its length unchanged, but without backslashes and quotes that are escaped in strings."""
    piece = body[start : start + PIECE]
    if (len(piece) - len(piece.rstrip(b"\\"))) % 2:
        piece += body[start + len(piece) : start + len(piece) + 1]  # never between a backslash and what it escapes
    return piece.replace(b"\\\\", b"__").replace(b'\\"', b"__")


def _decode_string(body: bytes, start: int, end: int) -> str:
    """Decode the string between the quotes in chunks, each as a string of its own. Raises what the decoder does."""
    parts: List[str] = []
    while start < end:
        cut = min(start + PIECE, end)
        if cut < end:
            cut = _safe_cut(body, start, cut)
        parts.append(_decode_at_once(b'"' + body[start:cut] + b'"'))
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


def _put_back(value: Any, found: Dict[str, str]) -> Any:
    """The value with its placeholders replaced. `found`: the strings by placeholder. Nesting must have been checked."""
    if isinstance(value, str):
        return found.get(value, value)
    if isinstance(value, list):
        return [_put_back(member, found) for member in value]
    if isinstance(value, dict):
        return {found.get(key, key): _put_back(member, found) for key, member in value.items()}
    return value


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
    apart: List[Union[str, ExactFloat]] = []
    before, *behind = _encode_at_once(_shortened(value, apart)).split(_PLACEHOLDER.encode("ascii"))
    parts = [before]
    for each, following in zip(apart, behind):
        if isinstance(each, ExactFloat):  # without the quotes of its placeholder
            parts[-1] = parts[-1][:-1] + each.text.encode("ascii") + following[1:]
            continue
        for start in range(0, len(each), AT_ONCE_CHARACTERS):
            parts.append(_encode_at_once(each[start : start + AT_ONCE_CHARACTERS])[1:-1])
        parts.append(following)
    return b"".join(parts)


def _encode_at_once(value: Any) -> bytes:
    return _encoder.encode(value).encode("ascii")


def _shortened(value: Any, apart: List[Union[str, ExactFloat]]) -> Any:
    """The value with a placeholder for each long string in it, and for each number that knows its own digits."""
    if type(value) is dict:
        return {key: _shortened(member, apart) for key, member in value.items()}
    if type(value) is list:
        return [_shortened(member, apart) for member in value]
    if (type(value) is str and len(value) > AT_ONCE_CHARACTERS) or type(value) is ExactFloat:
        apart.append(value)
        return _PLACEHOLDER
    return value


def encode_id(request_id: Any) -> bytes:
    """Encode a request's `id` exactly as it was received."""
    return b"%d" % request_id if type(request_id) is int else encode(request_id)


# -- JSON-RPC ----------------------------------------------------------------------------------------------------------

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# The two codes below are MCP's own (2026-07-28, basic, "Error Codes").
HEADER_MISMATCH = -32020
UNSUPPORTED_PROTOCOL_VERSION = -32022


RequestId = Union[str, int, float]
"""JSON-RPC 2.0, 4: a string or a number. MCP does not allow null."""


class RpcError(Exception):
    """A refusal: JSON-RPC code, a sentence for the client, optional data, and an HTTP status other than the default."""

    def __init__(self, code: int, sentence: str, data: Any = None, status: Optional[int] = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.data = data
        self.status = status


class Request(NamedTuple):
    """A request, which gets exactly one answer (JSON-RPC 2.0, 4)."""

    id: RequestId
    method: str
    params: Dict[str, Any]


class Notification(NamedTuple):
    """A notification, which gets no answer (JSON-RPC 2.0, 4.1)."""

    method: str
    params: Dict[str, Any]


class Response(NamedTuple):
    """The answer to a request. This server sends no requests, so responses are accepted and ignored."""


class Fault(NamedTuple):
    """Not a valid message. `id` is None if it could not be read (JSON-RPC 2.0, 5)."""

    id: Optional[RequestId]
    error: RpcError


Message = Union[Request, Notification, Response, Fault]
_EMPTY: Dict[str, Any] = {}


def read_value(body: bytes, limits: Limits) -> Any:
    """Decode what was received. Raises RpcError. Any thread: a large body takes long."""
    try:
        return decode(body, limits.nesting, limits.values)
    except NotJson as error:
        raise RpcError(PARSE_ERROR, f"Parse error: {error}.", status=400) from None
    except TooDeep:
        sentence = f"The message is nested deeper than {limits.nesting} levels."
    except TooManyValues:
        sentence = f"The message holds more than {limits.values} values."
    raise RpcError(INVALID_REQUEST, sentence, status=400)


def read_message(value: Any) -> Message:
    """Read a decoded value as a message. Never raises."""
    if type(value) is not dict:
        return _fault(None, f"A message must be a JSON object, not {kind_of(value)}.")
    request_id: Any = value.get("id")
    kind = type(request_id)
    good_id = kind is int or kind is str or isinstance(request_id, float)
    known_id = request_id if good_id else None
    if value.get("jsonrpc") != "2.0":
        return _fault(known_id, 'The member "jsonrpc" must be "2.0".')
    if "method" not in value:
        if good_id and ("result" in value) != ("error" in value):
            return Response()
        return _fault(known_id, 'A request must have a member "method".')
    if "id" in value and not good_id:
        return _fault(None, f'The member "id" must be a string or a number, not {kind_of(request_id)}.')
    method = value["method"]
    if type(method) is not str:
        return _fault(request_id, 'The member "method" must be a string.')
    params = value.get("params", _EMPTY)
    if type(params) is list:
        return _fault(request_id, 'The member "params" must be an object, not an array.', INVALID_PARAMS)
    if type(params) is not dict:
        return _fault(request_id, 'The member "params" must be an object.')
    if "id" in value:
        return Request(request_id, method, params)
    return Notification(method, params)


def _fault(request_id: Optional[RequestId], sentence: str, code: int = INVALID_REQUEST) -> Fault:
    return Fault(request_id, RpcError(code, sentence, status=400))


def kind_of(value: Any) -> str:
    """The JSON type of a value with its article, for sentences."""
    if value is None:
        return "null"
    if value is True or value is False:
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (int, float)):
        return "a number"
    return "an array" if isinstance(value, list) else "an object"


def result_message(request_id: RequestId, result: bytes) -> bytes:
    """Encode the answer to a request. `result` is encoded JSON."""
    return b'{"jsonrpc":"2.0","id":' + encode_id(request_id) + b',"result":' + result + b"}"


def error_message(request_id: Optional[RequestId], error: RpcError, *, null_id: bool = True) -> bytes:
    """Encode a refusal. `null_id`: write `"id":null` if the id is unknown (JSON-RPC 2.0, 5); stateless MCP omits it."""
    body: Dict[str, Any] = {"code": error.code, "message": error.sentence}
    if error.data is not None:
        body["data"] = error.data
    if request_id is None and not null_id:
        return b'{"jsonrpc":"2.0","error":' + encode(body) + b"}"
    return b'{"jsonrpc":"2.0","id":' + encode_id(request_id) + b',"error":' + encode(body) + b"}"


def notification_message(method: str, params: Mapping[str, Any]) -> bytes:
    """Encode a notification of this server."""
    return b'{"jsonrpc":"2.0","method":' + encode(method) + b',"params":' + encode(params) + b"}"
