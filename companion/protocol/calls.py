"""The tool calls under way, and what happens to a call when its client no longer waits for the result.

Rule: a call ends once, by its result or by its cancellation, whichever comes first; what comes later is dropped. Only
calls whose tool supports cancellation are cancelled; the others run to completion and are answered.
Implements MCP basic/utilities/cancellation: a cancelled request is not answered.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Optional, Tuple

from .effects import Answer, CallCancelled, Event
from .exchanges import Exchange
from .jsonrpc import RequestId
from .sessions import Session
from .streams import Stream
from .tools import Cancellation, ToolCall


class Calls:
    """The calls of one endpoint that are under way."""

    def __init__(self) -> None:
        self._pending: Dict[ToolCall, Exchange] = {}

    def __len__(self) -> int:
        return len(self._pending)

    def begin(self, call: ToolCall, exchange: Exchange, request_id: RequestId) -> None:
        """Add a call, whose tool is about to run."""
        self._pending[call] = exchange
        exchange.begin_call(call, request_id)

    def find(self, call: ToolCall) -> Optional[Exchange]:
        """The exchange that a pending call belongs to, or None if the call has ended."""
        return self._pending.get(call)

    def end(self, call: ToolCall, now: float) -> Optional[Tuple[Exchange, RequestId]]:
        """Remove a call that has a result. Returns its exchange and the id of its request, or None if it had ended
        already."""
        exchange = self._pending.pop(call, None)
        if exchange is None:
            return None
        return exchange, exchange.end_call(call, now)

    def cancel_request(self, client_id: str, request_id: object, now: float) -> List[Event]:
        """Handle `notifications/cancelled` for the request with this id."""
        wanted = [
            call
            for call, exchange in self._pending.items()
            if exchange.client.id == client_id
            and type(exchange.calls[call]) is type(request_id)
            and exchange.calls[call] == request_id
        ]
        return self._cancel(wanted, Cancellation.BY_CLIENT, now)

    def connection_lost(self, calls: Iterable[ToolCall], now: float) -> List[Event]:
        """The connection that waited for these calls was lost, and their results cannot be fetched later."""
        lost = list(calls)
        events = self._cancel(lost, Cancellation.CONNECTION_LOST, now)
        for call in lost:
            exchange = self._pending.get(call)
            if exchange is not None:
                exchange.connection_lost()
        return events

    def stream_lost(self, stream: Stream, now: float) -> List[Event]:
        """A stream with the answers to some calls lost its connection. Only within a session can it be resumed."""
        waiting = [(call, exchange) for call, exchange in self._pending.items() if exchange.stream is stream]
        for _, exchange in waiting:
            exchange.connection_lost()
        unclaimed = [call for call, exchange in waiting if exchange.session is None]
        return self._cancel(unclaimed, Cancellation.CONNECTION_LOST, now)

    def session_closed(self, session: Session, now: float) -> List[Event]:
        """The session ended while its calls were under way."""
        left = [call for call, exchange in self._pending.items() if exchange.session is session]
        return self._cancel(left, Cancellation.SESSION_CLOSED, now)

    def _cancel(self, calls: Iterable[ToolCall], reason: Cancellation, now: float) -> List[Event]:
        events: List[Event] = []
        for call in calls:
            exchange = self._pending.get(call)
            if exchange is None or not call.cancellable:
                continue
            del self._pending[call]
            exchange.end_call(call, now)
            reaction = exchange.settle()
            events.extend(reaction.events)
            answer = reaction.reply if isinstance(reaction.reply, Answer) else None
            events.append(CallCancelled(call, reason, answer))
        return events
