"""The tool calls under way on the loop thread: how they run, give the reply to their request, and end.

Rules: a request with one call runs it on its own task, a batch runs its calls side by side; every request gets its
reply once; a call whose result nobody waits for any more runs to its end in the background.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from typing import (
    Any,
    Awaitable,
    Callable,
    Coroutine,
    Dict,
    Iterable,
    NamedTuple,
    NoReturn,
    Optional,
    Sequence,
    Set,
    Union,
    cast,
)

from aiohttp import web

from ..protocol.core import Protocol
from ..protocol.effects import Answer, Event, OpenStream, Reaction, RunCalls
from ..protocol.tools import ToolCall, ToolResult, error_result
from .connections import Connection
from .responses import WholeResponse

logger = logging.getLogger("gemini_companion.transport")
_ENDING = "The companion is being restarted or has ended. Try again in a moment."


class BatchedCall(NamedTuple):
    """A call of a batch that is under way: the task that runs it, and what gives the reply to its request."""

    task: asyncio.Task[Any]
    hand_over: Callable[[Union[Answer, OpenStream]], None]


class SoleCall:
    """The only call of a request, under way on the request's own task, and the reply to that request."""

    __slots__ = ("_call", "_carry", "_lost", "_request", "answer", "carrying", "task")

    def __init__(
        self,
        task: asyncio.Task[Any],
        request: web.BaseRequest,
        call: ToolCall,
        carry: Callable[[web.BaseRequest, OpenStream], Coroutine[Any, Any, web.StreamResponse]],
        lost: Callable[[Sequence[ToolCall], bool], None],
    ) -> None:
        """`carry` carries a stream to the request's client. `lost` is told if that client has gone."""
        self.task = task
        self._request = request
        self._call = call
        self._carry = carry
        self._lost = lost
        self.answer: Optional[Answer] = None
        self.carrying: Optional[asyncio.Task[web.StreamResponse]] = None
        """Carries the stream that the call has opened, beside the call."""

    def hand_over(self, reply: Union[Answer, OpenStream]) -> None:
        """Keep the answer until the call has ended, or begin with the stream at once."""
        if isinstance(reply, OpenStream):
            self.carrying = asyncio.get_running_loop().create_task(self._carry(self._request, reply))
        else:
            self.answer = reply

    def caller_lost(self, was_reset: bool) -> None:
        """Nobody waits for the reply any more."""
        self._lost((self._call,), was_reset)


def answered(answer: Answer) -> WholeResponse:
    """The response that gives this answer."""
    logger.debug("sent answer %d, %d bytes", answer.status, len(answer.body))
    return WholeResponse(answer.status, answer.body, answer.headers)


def never(value: NoReturn) -> NoReturn:
    """Where nothing can come: the type checker complains if something can."""
    raise AssertionError(f"not interpreted: {type(value).__name__}")


class CallRunner:
    """The part of a server that runs calls; the server itself is made of it. Loop thread."""

    def __init__(self, protocol: Protocol, call_tool: Callable[[ToolCall], Awaitable[ToolResult]]) -> None:
        self._protocol = protocol
        self._call_tool = call_tool
        self._running: Dict[ToolCall, Union[BatchedCall, SoleCall]] = {}
        self._cancelled: Set[asyncio.Task[Any]] = set()
        self._last_call_over: Optional[asyncio.Future[None]] = None  # somebody waits for it
        self._expiry: Optional[asyncio.TimerHandle] = None

    _stopping: bool

    def _perform(self, events: Iterable[Event]) -> None:
        """Perform what the core wants done."""
        raise NotImplementedError

    async def _reply(self, request: web.BaseRequest, reply: Union[Answer, OpenStream]) -> web.StreamResponse:
        """Give a request its reply."""
        raise NotImplementedError

    def _schedule_expiry(self) -> None:
        """Look again at the time when the next session ends."""
        raise NotImplementedError

    _now = staticmethod(time.monotonic)
    """The clock of asyncio's loops (`BaseEventLoop.time`)."""

    def _run_calls(self, request: web.BaseRequest, calls: Sequence[ToolCall]) -> Awaitable[web.StreamResponse]:
        """Run the tools; the last one to end brings the request's reply, or any of them does before it has ended."""
        if len(calls) == 1:
            return self._run_on_this_task(request, calls[0])
        return self._run_side_by_side(request, calls)

    async def _run_on_this_task(self, request: web.BaseRequest, call: ToolCall) -> web.StreamResponse:
        """Run the only call of a request on the request's own task: another one would take a tenth of a small call.

        A stream that the call opens is carried beside it. An answer, even that of a call which was taken back, is
        given when the call has ended.
        """
        task = asyncio.current_task()
        assert task is not None
        running = self._running[call] = SoleCall(task, request, call, self._reply, self._caller_lost)
        connection: Connection = request.protocol
        connection.on_lost = running.caller_lost
        call.carrier = self._say
        await self._run(call)
        if running.carrying is not None:
            return await running.carrying
        connection.on_lost = None
        assert running.answer is not None
        return answered(running.answer)

    async def _run_side_by_side(self, request: web.BaseRequest, calls: Sequence[ToolCall]) -> web.StreamResponse:
        """Run the calls of a batch, each on a task of its own."""
        loop = asyncio.get_running_loop()
        first: asyncio.Future[Union[Answer, OpenStream]] = loop.create_future()

        def hand_over(reply: Union[Answer, OpenStream]) -> None:
            if not first.done():
                first.set_result(reply)

        connection = cast(Connection, request.protocol)
        connection.on_lost = functools.partial(self._caller_lost, calls)
        for call in calls:
            call.carrier = self._say
            self._running[call] = BatchedCall(loop.create_task(self._run(call)), hand_over)
        tasks = [self._running[call].task for call in calls]
        try:
            reply = await first
            connection.on_lost = None
            response = await self._reply(request, reply)
            # A call whose stream was lost still counts as a request in flight.
            left = [running.task for running in map(self._running.get, calls) if running is not None]
            if left:
                await asyncio.wait(left)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            raise
        finally:
            connection.on_lost = None
        return response

    async def _run(self, call: ToolCall) -> None:
        result: Optional[ToolResult] = None
        try:
            result = await self._call_tool(call) if not self._stopping else error_result(_ENDING)
        except asyncio.CancelledError:
            # If we are not stopping, what the tool waited for has ended: nobody may wait for the answer in vain.
            result = error_result(_ENDING) if self._stopping else None
        except Exception:
            logger.exception("the tool %s failed", call.name)
        self._continue(call, self._protocol.finish(call, result, self._now()))
        self._forget(call)
        if self._expiry is None and self._protocol.registry.is_expiring(call.session.id):
            self._schedule_expiry()

    def _say(self, call: ToolCall, method: str, params: Dict[str, Any]) -> None:
        self._continue(call, self._protocol.say(call, method, params))

    def _continue(self, call: ToolCall, reaction: Reaction) -> None:
        """Perform the reaction to a running call, including the reply to its request."""
        self._perform(reaction.events)
        assert not isinstance(reaction.reply, RunCalls)
        self._hand_over(call, reaction.reply)

    def _hand_over(self, call: ToolCall, reply: Union[Answer, OpenStream, None]) -> None:
        running = self._running.get(call)
        if reply is not None and running is not None:
            running.hand_over(reply)

    def _let_run_out(self, call: ToolCall) -> None:
        """Nobody waits any more for what the tool does until it has heard of the cancellation."""
        running = self._forget(call)
        if running is not None:
            self._cancelled.add(running.task)
            running.task.add_done_callback(self._cancelled.discard)

    def _forget(self, call: ToolCall) -> Union[BatchedCall, SoleCall, None]:
        running = self._running.pop(call, None)
        if not self._running and self._last_call_over is not None and not self._last_call_over.done():
            self._last_call_over.set_result(None)
        return running

    def _caller_lost(self, calls: Sequence[ToolCall], was_reset: bool) -> None:
        self._perform(self._protocol.connection_lost(calls, self._now()))
        self._schedule_expiry()

    async def _answer_calls(self, seconds: float) -> None:
        """Let the calls under way come to their end; those that do not are answered with an error."""
        await self._calls_over(seconds)
        for running in list(self._running.values()):
            running.task.cancel()
        await self._calls_over(seconds)

    async def _calls_over(self, seconds: float) -> None:
        """Wait until no call is under way, at most so long."""
        if self._running:
            self._last_call_over = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._last_call_over], timeout=seconds)
