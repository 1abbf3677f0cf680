"""JSON-RPC 2.0: how decoded values are read as messages, and how answers are encoded.

Rules: a value is exactly one of request, notification, response or fault. Only a request is answered, and with exactly
the `id` that it has. A fault names what is wrong and never quotes content.
Implements JSON-RPC 2.0 as restricted by MCP: `id` is a string or a number, `params` is an object.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Union

from .json_text import NotJson, TooDeep, TooManyValues, decode, encode, encode_id
from .limits import Limits

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
