"""Tools: what can be called, the calls and their results, the check of arguments, and the catalogue for clients.

Rules: tools, calls and results are plain values that the application and the protocol share; only a call does more: it
reports its cancellation to the tool. jsonschema decides about arguments, in version 2.6.0 (draft 4) as well as in
current ones (2020-12); only those that clearly match a simple schema skip it, because it takes longer than the rest of
a call. Validators are built once, on first use or by `prepare`. A refusal names the field and the expected type and
never quotes a value, which may be file content. The catalogue is encoded once, in the order in which the tools were
declared. Nothing in it depends on the client, so clients may cache the answers of the stateless revision. A capability
is declared only if it is implemented.
Implements MCP server/tools of every revision ("Calling Tools", "Error Handling"), lifecycle (`initialize`),
server/discover, and server/utilities/caching.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import AbstractSet, Any, Callable, Dict, Iterable, NamedTuple, Optional, Sequence, Tuple

from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError, encode, kind_of
from .metadata import PREFIX, REVISIONS, SUPPORTED, Revision


class Implementation(NamedTuple):
    """The identity of this server: a name for programs, a title for people, a version."""

    name: str
    title: str
    version: str


class Tool(NamedTuple):
    """One tool. The schema must mean the same in JSON Schema draft 4 and 2020-12, because either may be in use."""

    name: str
    title: str
    description: str
    input_schema: Dict[str, Any]
    annotations: Optional[Dict[str, Any]] = None

    def listing(self) -> Dict[str, Any]:
        """The entry in `tools/list`."""
        named = {"name": self.name, "title": self.title, "description": self.description}
        noted = {"annotations": self.annotations} if self.annotations is not None else {}
        return {**named, "inputSchema": self.input_schema, **noted}


class ClientSession(NamedTuple):
    """A client as the application sees it."""

    id: str
    """Unique and never logged. That of a client without a session is made of a secret of its server, the name of its
    token and its own."""
    client_name: str
    client_version: str
    protocol_version: str
    opened_at: float
    """Seconds since the epoch."""
    token_name: str = ""
    """The name of the token that it sent, see `CompanionServer`."""


class Cancellation(Enum):
    """Why the result of a call is no longer wanted."""

    BY_CLIENT = "the client has cancelled the call"
    CONNECTION_LOST = "the connection that waited for the result was lost"
    SESSION_CLOSED = "the client has disconnected"


class ToolCall:
    """One `tools/call` with validated arguments. Loop thread only."""

    __slots__ = ("name", "arguments", "session", "_cancelled", "_over")

    def __init__(self, name: str, arguments: Dict[str, Any], session: ClientSession) -> None:
        self.name = name
        self.arguments = arguments
        self.session = session
        self._cancelled: Optional[Callable[[Cancellation], None]] = None
        self._over: Optional[Cancellation] = None

    @property
    def cancellable(self) -> bool:
        """Does the tool support cancellation of this call? If not, the call runs to completion."""
        return self._cancelled is not None

    def on_cancelled(self, callback: Callable[[Cancellation], None]) -> None:
        """Let `callback` be called, at most once, when the call is cancelled. A result that comes later is dropped.

        Use it for calls that wait for the user. A call that takes only a moment should rather be completed. A call may
        have been cancelled before the tool began: then `callback` is called at once.
        """
        if self._over is None:
            self._cancelled = callback
        else:
            callback(self._over)

    def cancel(self, reason: Cancellation) -> None:
        """Tell the tool that the call is cancelled. The server calls this for `CallCancelled`."""
        callback, self._cancelled = self._cancelled, None
        self._over = self._over or reason
        if callback is not None:
            callback(reason)


class ToolResult(NamedTuple):
    """The result of a call: content blocks, and whether they describe a failure."""

    content: Sequence[Dict[str, Any]] = ()
    is_error: bool = False

    def fields(self) -> Dict[str, Any]:
        """The object in the result of `tools/call`."""
        content = list(self.content)
        return {"content": content, "isError": True} if self.is_error else {"content": content}


EMPTY = ToolResult()


def text_result(text: str) -> ToolResult:
    """A result with one text block."""
    return ToolResult(({"type": "text", "text": text},))


def error_result(sentence: str) -> ToolResult:
    """A result that describes a failure to the agent in one clear sentence."""
    return ToolResult(({"type": "text", "text": sentence},), is_error=True)


# -- arguments ---------------------------------------------------------------------------------------------------------

LONGEST_NAME = 64


class ArgumentChecker:
    """Validates arguments against the schemas of a fixed set of tools."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._schemas = {tool.name: tool.input_schema for tool in tools}
        self._plain = {name: _plain(schema) for name, schema in self._schemas.items()}
        self._validators: Dict[str, Any] = {}

    def prepare(self) -> None:
        """Import jsonschema and build the validators. Takes up to a few hundred milliseconds. Any thread, once.

        Raises ImportError if jsonschema is missing. That the schemas are right is tested, not checked here.
        """
        import jsonschema

        validator_class = getattr(jsonschema, "Draft202012Validator", None) or jsonschema.Draft4Validator
        for name, schema in self._schemas.items():
            self._validators[name] = validator_class(schema)

    def complaint(self, tool_name: str, arguments: Any) -> Optional[str]:
        """None if the arguments are valid, or else a sentence that names the field."""
        plain = self._plain[tool_name]
        if plain is not None and plain.fits(arguments):
            return None
        if not self._validators:
            self.prepare()
        for error in self._validators[tool_name].iter_errors(arguments):
            return _sentence(error)
        return None


class _Plain(NamedTuple):
    """The rules of a schema for an object of strings and booleans, if it has no others."""

    required: AbstractSet[str]
    properties: Dict[str, Tuple[type, int]]
    """Their types, and the least lengths of strings."""

    def fits(self, arguments: Dict[str, Any]) -> bool:
        """True if the arguments certainly match the schema."""
        if not self.required <= arguments.keys():
            return False
        for name, value in arguments.items():
            kind, least = self.properties.get(name, (None, 0))
            if (kind is not None and type(value) is not kind) or (least and len(value) < least):
                return False
        return True


def _plain(schema: Dict[str, Any]) -> Optional[_Plain]:
    """The schema in its simple form, or None if it has any other keyword."""
    properties: Dict[str, Tuple[type, int]] = {}
    for name, part in schema.get("properties", {}).items():
        if part.get("type") == "string" and part.keys() <= {"type", "minLength", "description"}:
            properties[name] = str, part.get("minLength", 0)
        elif part.get("type") == "boolean" and part.keys() <= {"type", "description"}:
            properties[name] = bool, 0
        else:
            return None
    is_plain = schema.get("type") == "object" and schema.keys() <= {"type", "properties", "required"}
    return _Plain(frozenset(schema.get("required", ())), properties) if is_plain else None


def _sentence(error: Any) -> str:
    """Describe an error: in a sentence for the keywords that our tools use, by the keyword itself for others."""
    names = ".".join(str(part)[:LONGEST_NAME] for part in error.absolute_path)
    where = f'The argument "{names}"' if names else "The arguments object"
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return f'The argument "{missing}" is missing{f" in {where}" if names else ""}.'
    if error.validator == "type":
        wanted = error.validator_value
        kinds = " or ".join(wanted if isinstance(wanted, list) else [wanted])
        return f"{where} must be of type {kinds}, not {kind_of(error.instance)}."
    if error.validator == "minLength":
        return f"{where} is too short: at least {error.validator_value} character(s)."
    return f'{where} does not satisfy "{error.validator}".'


# -- the catalogue -----------------------------------------------------------------------------------------------------

logger = logging.getLogger("gemini_companion.protocol")

CAPABILITIES: Dict[str, Any] = {"tools": {"listChanged": False}, "logging": {}}
CACHE = {"ttlMs": 3600000, "cacheScope": "private"}
"""Tools change only with a new version of the package, which starts a new server on another port."""


class CallRequest(NamedTuple):
    """What a `tools/call` asks for. `complaint` is a sentence for a result with `isError`, or None if the arguments
    fit."""

    name: str
    arguments: Dict[str, Any]
    complaint: Optional[str]


class Catalogue:
    """The parts of answers that never change, encoded."""

    def __init__(self, tools: Sequence[Tool], identity: Implementation) -> None:
        self.tools: Dict[str, Tool] = {tool.name: tool for tool in tools}
        if len(self.tools) != len(tools):
            raise ValueError("two tools have the same name")
        self.arguments = ArgumentChecker(tools)
        described = identity._asdict()
        self._server_meta = {PREFIX + "serverInfo": described}
        self._stateless = {"resultType": "complete", "_meta": self._server_meta}
        listing = {"tools": [tool.listing() for tool in tools]}
        self.tools_list = encode(listing)
        self.stateless_tools_list = encode({**listing, **self._stateless, **CACHE})
        self.initialize: Dict[str, bytes] = {
            name: encode({"protocolVersion": name, "capabilities": CAPABILITIES, "serverInfo": described})
            for name, revision in REVISIONS.items()
            if revision.handshake
        }
        self.discover = encode(
            {"supportedVersions": list(SUPPORTED), "capabilities": CAPABILITIES, **self._stateless, **CACHE}
        )
        # The usual result: to encode it each time is an eighth of what the protocol does for a small call.
        self._empty = {stateless: self._encoded(EMPTY, stateless) for stateless in (False, True)}

    def read_call(self, revision: Revision, params: Dict[str, Any]) -> CallRequest:
        """Read the params of a `tools/call`. Raises `RpcError` for what the revision wants answered with an error."""
        name = params.get("name")
        if type(name) is not str:
            raise RpcError(INVALID_PARAMS, '"name" must be the name of a tool.')
        if name not in self.tools:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name:.100}")
        arguments = params.get("arguments", {})
        if type(arguments) is not dict:
            raise RpcError(INVALID_PARAMS, '"arguments" must be an object.')
        complaint = self.arguments.complaint(name, arguments)
        if complaint is not None:
            complaint = f"Invalid arguments for the tool {name}: {complaint}"
            if not revision.argument_errors_are_results:
                raise RpcError(INVALID_PARAMS, complaint)
        return CallRequest(name, arguments, complaint)

    def _encoded(self, result: ToolResult, stateless: bool) -> bytes:
        return encode({**result.fields(), **self._stateless} if stateless else result.fields())

    def outcome(self, tool_name: str, result: Optional[ToolResult], stateless: bool) -> bytes:
        """Encode what came of a call. `result` is None if the tool failed for a reason that is only in the log.

        Raises `RpcError` for what is to be answered with an error: a tool that failed, or a result that is not JSON.
        """
        if result is None:
            raise RpcError(INTERNAL_ERROR, f"The tool {tool_name} failed; the editor's log says why.")
        try:
            return self._empty[stateless] if result is EMPTY else self._encoded(result, stateless)
        except (TypeError, ValueError) as error:
            logger.warning("the tool %s gave a result that JSON cannot say: %s", tool_name, type(error).__name__)
            raise RpcError(INTERNAL_ERROR, "The tool gave a result that JSON cannot say.") from None

    def subscription_end(self, request_id: RequestId) -> bytes:
        """The result that ends a subscription (2026-07-28, "Graceful Closure")."""
        meta = {**self._server_meta, PREFIX + "subscriptionId": request_id}
        return encode({"resultType": "complete", "_meta": meta})
