"""One client on a connection that carries whole messages both ways, such as a WebSocket: messages in, effects out.

Rules: the connection is the session; nothing a client sends raises; every request is answered once, except a call that
was taken back; what waits to be written is bounded, and a newer notification takes the place of an older one with the
same collapse key. Time and sockets are the transport's.
Implements MCP 2025-11-25, lifecycle, server/tools, utilities/ping and utilities/cancellation, over a transport of its
own ("Custom Transports").
"""

from __future__ import annotations

import logging
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Union

from .call_requests import read_call
from .catalogue import Catalogue
from .handshake import read_handshake
from .json_text import NotJson, TooDeep, TooManyValues, decode
from .jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Fault,
    Notification,
    Request,
    RequestId,
    RpcError,
    error_message,
    notification_message,
    read_message,
    result_message,
)
from .limits import Limits
from .outbox import Message, Outbox
from .revisions import NEWEST_HANDSHAKE, Revision
from .tools import Cancellation, ClientSession, ToolCall, ToolResult, error_result
from .transitions import IdentityHashed, after, picture

logger = logging.getLogger("gemini_companion.protocol")

MOST_CALLS = 64
"""Calls of one client that may wait for their results."""
AT_ONCE_BYTES = 64 * 1024
"""How much is taken for one turn of writing."""


class State(IdentityHashed):
    """How far the client has come."""

    NEW = "connected, and nothing said"
    GREETED = "initialize was answered"
    OPEN = "the client has said that it is ready"
    ENDED = "the connection is gone"


class Event(IdentityHashed):
    """What happens to a conversation."""

    INITIALIZE = "initialize came and was answered"
    INITIALIZED = "notifications/initialized came"
    LOST = "the connection is gone"


TRANSITIONS: Dict[State, Dict[Event, State]] = {
    State.NEW: {Event.INITIALIZE: State.GREETED, Event.LOST: State.ENDED},
    State.GREETED: {Event.INITIALIZED: State.OPEN, Event.LOST: State.ENDED},
    State.OPEN: {Event.LOST: State.ENDED},
}
__doc__ = f"{__doc__}{picture('A conversation', TRANSITIONS)}"


class Opened(NamedTuple):
    """The client is ready: notifications may go to it."""

    client: ClientSession


class ToolsListed(NamedTuple):
    """The client was told the tools. Some programs take no notification before that."""


class RunCall(NamedTuple):
    """Run the tool, and tell its result with `finish`."""

    call: ToolCall


class CallCancelled(NamedTuple):
    """Nobody waits for the call's result any more."""

    call: ToolCall
    reason: Cancellation


class Notified(NamedTuple):
    """The client sent a notification that the protocol itself gives no meaning to."""

    method: str
    params: Dict[str, Any]


class GiveUp(NamedTuple):
    """End the connection: the client does not read. `reason` is for the log."""

    reason: str


Effect = Union[Opened, ToolsListed, RunCall, CallCancelled, Notified, GiveUp]


class Conversation:
    """One connection. Not safe for threads: use it from one. After each call here, write what `take` gives."""

    def __init__(
        self,
        catalogue: Catalogue,
        client_id: str,
        *,
        limits: Limits,
        token_name: str = "",
        wall_clock: Callable[[], float],
    ) -> None:
        """`client_id`: unique, and in no log. `wall_clock`: seconds since the epoch."""
        self.state = State.NEW
        self.client = ClientSession(client_id, "", "", NEWEST_HANDSHAKE.name, wall_clock(), token_name)
        self._catalogue = catalogue
        self._limits = limits
        self._revision: Revision = NEWEST_HANDSHAKE
        self._outbox = Outbox(limits)
        self._sequence = 0
        self._calls: Dict[ToolCall, RequestId] = {}

    # -- from the client ----------------------------------------------------------------------------------------------

    def receive(self, text: bytes, decoded: Optional[Callable[[], Any]] = None) -> List[Effect]:
        """Read one message, as UTF-8. `decoded` gives its value, or raises, if somebody has decoded it before."""
        if self.state is State.ENDED:
            return []
        try:
            value = decoded() if decoded is not None else decode(text, self._limits.nesting, self._limits.values)
            message = read_message(value)
        except NotJson as error:
            return self._refuse(None, RpcError(PARSE_ERROR, f"Parse error: {error}."))
        except TooDeep:
            sentence = f"The message is nested deeper than {self._limits.nesting} levels."
            return self._refuse(None, RpcError(INVALID_REQUEST, sentence))
        except TooManyValues:
            sentence = f"The message holds more than {self._limits.values} values."
            return self._refuse(None, RpcError(INVALID_REQUEST, sentence))
        if isinstance(message, Request):
            return self._serve(message)
        if isinstance(message, Notification):
            return self._take_note(message)
        if isinstance(message, Fault):
            return self._refuse(message.id, message.error)
        return []

    def lost(self) -> List[Effect]:
        """The connection is gone, and with it the session."""
        if self.state is State.ENDED:
            return []
        self.state = after(TRANSITIONS, self.state, Event.LOST)
        calls, self._calls = list(self._calls), {}
        return [CallCancelled(call, Cancellation.CONNECTION_LOST) for call in calls]

    # -- to the client ------------------------------------------------------------------------------------------------

    def finish(self, call: ToolCall, result: Optional[ToolResult]) -> List[Effect]:
        """Answer a call; `result` is None if the tool failed for a reason that is only in the log."""
        request_id = self._calls.pop(call, None)
        if request_id is None:
            return []  # taken back, or the connection is gone
        try:
            encoded = self._catalogue.outcome(call.name, result, stateless=False)
        except RpcError as error:
            return self._refuse(request_id, error)
        return self._send(result_message(request_id, encoded))

    def notify(self, method: str, params: Mapping[str, Any], collapse: Optional[str] = None) -> List[Effect]:
        """Send a notification, if the client is ready for any."""
        if self.state is not State.OPEN:
            return []
        return self._send(notification_message(method, params), collapse)

    @property
    def has_output(self) -> bool:
        """Whether there is anything to write."""
        return len(self._outbox) > 0

    def take(self) -> List[bytes]:
        """The messages to write next, oldest first; empty when all is written."""
        return [message.payload for message in self._outbox.take(AT_ONCE_BYTES)] if len(self._outbox) else []

    # -- inside -------------------------------------------------------------------------------------------------------

    def _serve(self, request: Request) -> List[Effect]:
        logger.debug("received request %.60r from %.80r", request.method, self.client.client_name or "a client")
        method = self._METHODS.get(request.method)
        try:
            if method is None:
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {request.method:.100}")
            return method(self, request)
        except RpcError as error:
            return self._refuse(request.id, error)

    def _take_note(self, notification: Notification) -> List[Effect]:
        if notification.method == "notifications/initialized":
            if self.state is not State.GREETED:
                return []
            self.state = after(TRANSITIONS, self.state, Event.INITIALIZED)
            return [Opened(self.client)]
        if notification.method == "notifications/cancelled":
            return self._cancel(notification.params.get("requestId"))
        if self.state is not State.OPEN:
            return []  # of whom nobody has heard, nothing is known
        return [Notified(notification.method, notification.params)]

    def _initialize(self, request: Request) -> List[Effect]:
        if self.state is not State.NEW:
            raise RpcError(INVALID_REQUEST, "This connection is initialized already.")
        self._revision, name, version = read_handshake(request.params)
        self.client = self.client._replace(
            client_name=name, client_version=version, protocol_version=self._revision.name
        )
        self.state = after(TRANSITIONS, self.state, Event.INITIALIZE)
        return self._answer(request, self._catalogue.initialize[self._revision.name])

    def _ping(self, request: Request) -> List[Effect]:
        return self._answer(request, b"{}")

    def _list_tools(self, request: Request) -> List[Effect]:
        if request.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Unknown cursor: all tools fit on one page.")
        return [*self._answer(request, self._catalogue.tools_list), ToolsListed()]

    def _call_tool(self, request: Request) -> List[Effect]:
        if self.state is State.NEW:
            raise RpcError(INVALID_REQUEST, "Initialize first.")
        asked = read_call(self._catalogue, self._revision, request.params)
        if asked.complaint is not None:
            return self._answer(request, self._catalogue.call_result(error_result(asked.complaint), stateless=False))
        if len(self._calls) >= MOST_CALLS:
            raise RpcError(INVALID_REQUEST, "Too many calls wait for their results.")
        call = ToolCall(asked.name, asked.arguments, self.client, asked.progress_token)
        self._calls[call] = request.id
        return [RunCall(call)]

    _METHODS: Dict[str, Callable[[Conversation, Request], List[Effect]]] = {
        "initialize": _initialize,
        "ping": _ping,
        "tools/list": _list_tools,
        "tools/call": _call_tool,
    }

    def _cancel(self, request_id: object) -> List[Effect]:
        wanted = [
            call for call, own in self._calls.items() if type(own) is type(request_id) and own == request_id
        ]  # fmt: skip
        for call in wanted:
            del self._calls[call]
        return [CallCancelled(call, Cancellation.BY_CLIENT) for call in wanted]

    def _answer(self, request: Request, result: bytes) -> List[Effect]:
        return self._send(result_message(request.id, result))

    def _refuse(self, request_id: Optional[RequestId], error: RpcError) -> List[Effect]:
        return self._send(error_message(request_id, error))

    def _send(self, payload: bytes, collapse: Optional[str] = None) -> List[Effect]:
        self._sequence += 1
        if self._outbox.add(Message(self._sequence, payload, collapse)):
            return []
        return [GiveUp("it does not read what is sent")]
