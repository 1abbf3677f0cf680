"""The tool calls under way, and what happens to a call when its client no longer waits for the result.

Rule: a call ends once, by its result or by its cancellation, whichever comes first; what comes later is dropped. Only
calls whose tool supports cancellation are cancelled; the others run to completion and are answered.
Implements MCP basic/utilities/cancellation: a cancelled request is not answered.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple, Optional

from .effects import Answer, CallCancelled, Event
from .exchanges import Exchange
from .jsonrpc import RequestId
from .sessions import Session
from .streams import Stream
from .tools import Cancellation, ToolCall


class PendingCall(NamedTuple):
    """A call that has not been answered yet."""

    call: ToolCall
    exchange: Exchange
    request_id: RequestId


class Calls:
    """The calls of one endpoint that are under way."""

    def __init__(self) -> None:
        self._pending: Dict[ToolCall, PendingCall] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def begin(self, call: ToolCall, exchange: Exchange, request_id: RequestId) -> None:
        """Add a call, whose tool is about to run."""
        self._pending[call] = PendingCall(call, exchange, request_id)
        exchange.begin_call(call)

    def find(self, call: ToolCall) -> Optional[PendingCall]:
        """The pending call, or None if it has ended."""
        return self._pending.get(call)

    def end(self, call: ToolCall, now: float) -> Optional[PendingCall]:
        """Remove a call that has a result. None if it had ended already."""
        pending = self._pending.pop(call, None)
        if pending is not None:
            pending.exchange.end_call(now)
        return pending

    def cancel_request(self, client_id: str, request_id: object, now: float) -> List[Event]:
        """Handle `notifications/cancelled` for the request with this id."""
        wanted = [
            pending.call
            for pending in self._pending.values()
            if pending.exchange.client.id == client_id
            and type(pending.request_id) is type(request_id)
            and pending.request_id == request_id
        ]
        return self._cancel(wanted, Cancellation.BY_CLIENT, now)

    def connection_lost(self, calls: Iterable[ToolCall], now: float) -> List[Event]:
        """The connection that waited for these calls was lost, and their results cannot be fetched later."""
        lost = list(calls)
        events = self._cancel(lost, Cancellation.CONNECTION_LOST, now)
        for call in lost:
            pending = self._pending.get(call)
            if pending is not None:
                pending.exchange.connection_lost()
        return events

    def stream_lost(self, stream: Stream, now: float) -> List[Event]:
        """A stream with the answers to some calls lost its connection. Only within a session can it be resumed."""
        waiting = [pending for pending in self._pending.values() if pending.exchange.stream is stream]
        for pending in waiting:
            pending.exchange.connection_lost()
        unclaimed = [pending.call for pending in waiting if pending.exchange.session is None]
        return self._cancel(unclaimed, Cancellation.CONNECTION_LOST, now)

    def session_closed(self, session: Session, now: float) -> List[Event]:
        """The session ended while its calls were under way."""
        left = [pending.call for pending in self._pending.values() if pending.exchange.session is session]
        return self._cancel(left, Cancellation.SESSION_CLOSED, now)

    def _cancel(self, calls: Iterable[ToolCall], reason: Cancellation, now: float) -> List[Event]:
        events: List[Event] = []
        for call in calls:
            pending = self._pending.get(call)
            if pending is None or not call.cancellable:
                continue
            del self._pending[call]
            pending.exchange.end_call(now)
            reaction = pending.exchange.settle()
            events.extend(reaction.events)
            answer = reaction.reply if isinstance(reaction.reply, Answer) else None
            events.append(CallCancelled(call, reason, answer))
        return events
