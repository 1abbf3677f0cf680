"""JSON-RPC 2.0: what a decoded value is, and how an answer is written.

Rules: a value is a request, a notification, a response or a fault, never two of them; only a request is ever answered,
and with exactly the `id` it carried; a fault names what is wrong and never quotes content.
Implements https://www.jsonrpc.org/specification with MCP's narrowing: `id` is a string or a number, `params` an object.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Optional, Union

from .json_text import encode, encode_id

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
# The two codes below are MCP's own (2026-07-28, basic, "Error Codes").
HEADER_MISMATCH = -32020
UNSUPPORTED_PROTOCOL_VERSION = -32022


RequestId = Union[str, int, float]
"""JSON-RPC 2.0, 4: a string or a number; MCP takes null for none."""


class RpcError(Exception):
    """A refusal: JSON-RPC code, a sentence for the client, optional data, and an HTTP status if the default will not
    do."""

    def __init__(self, code: int, sentence: str, data: Any = None, status: Optional[int] = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.data = data
        self.status = status


class Request(NamedTuple):
    """Wants exactly one answer."""

    id: RequestId
    method: str
    params: Dict[str, Any]


class Notification(NamedTuple):
    """Wants no answer."""

    method: str
    params: Dict[str, Any]


class Response(NamedTuple):
    """Answers a request of ours. This server sends none, so it is taken and ignored."""


class Fault(NamedTuple):
    """Not a message, or one that cannot be served; `id` is None where it could not be read."""

    id: Optional[RequestId]
    error: RpcError


Message = Union[Request, Notification, Response, Fault]
_EMPTY: Dict[str, Any] = {}


def read_message(value: Any) -> Message:
    """Say what a decoded value is. Never raises."""
    if type(value) is not dict:
        return Fault(None, RpcError(INVALID_REQUEST, f"A message must be a JSON object, not {kind_of(value)}."))
    request_id: Any = value.get("id")
    kind = type(request_id)
    good_id = kind is int or kind is str or isinstance(request_id, float)
    if value.get("jsonrpc") != "2.0":
        return Fault(request_id if good_id else None, RpcError(INVALID_REQUEST, 'The member "jsonrpc" must be "2.0".'))
    if "method" not in value:
        if good_id and ("result" in value) != ("error" in value):
            return Response()
        return Fault(
            request_id if good_id else None, RpcError(INVALID_REQUEST, 'A request must have a member "method".')
        )
    if "id" in value and not good_id:
        return Fault(
            None,
            RpcError(INVALID_REQUEST, f'The member "id" must be a string or a number, not {kind_of(request_id)}.'),
        )
    method = value["method"]
    if type(method) is not str:
        return Fault(request_id, RpcError(INVALID_REQUEST, 'The member "method" must be a string.'))
    params = value.get("params", _EMPTY)
    if type(params) is not dict:
        if type(params) is list:
            return Fault(request_id, RpcError(INVALID_PARAMS, 'The member "params" must be an object, not an array.'))
        return Fault(request_id, RpcError(INVALID_REQUEST, 'The member "params" must be an object.'))
    if "id" in value:
        return Request(request_id, method, params)
    return Notification(method, params)


def kind_of(value: Any) -> str:
    """The JSON name of a value's type, for sentences."""
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
    """The answer to a request; `result` is encoded JSON."""
    return b'{"jsonrpc":"2.0","id":' + encode_id(request_id) + b',"result":' + result + b"}"


def error_message(request_id: Optional[RequestId], error: RpcError, *, null_id: bool = True) -> bytes:
    """The refusal of a request. `null_id`: write `"id":null` where the id is unknown, as JSON-RPC asks."""
    body: Dict[str, Any] = {"code": error.code, "message": error.sentence}
    if error.data is not None:
        body["data"] = error.data
    if request_id is None and not null_id:
        return b'{"jsonrpc":"2.0","error":' + encode(body) + b"}"
    return b'{"jsonrpc":"2.0","id":' + encode_id(request_id) + b',"error":' + encode(body) + b"}"


def notification_message(method: str, params: Mapping[str, Any]) -> bytes:
    """A notification of ours."""
    return b'{"jsonrpc":"2.0","method":' + encode(method) + b',"params":' + encode(params) + b"}"
