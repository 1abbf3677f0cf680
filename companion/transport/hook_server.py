"""The HTTP server of programs' hooks: one in the process, on a port of the loopback address. `POST /hook/PROGRAM`.

Rules: nobody gets an answer from which a program could read anything but "go on", unless the handler has given it.
Strangers and web pages are refused as at every server of ours; whoever shows the secret gets 200 and JSON, whatever
goes wrong, as programs take anything else for a hook that has failed, and some then block. What is sent is bounded,
held against the program's schema, and never logged. A handler is cancelled as soon as its client has gone. Loop thread.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Awaitable, Callable, Dict, Mapping, NamedTuple, Optional, Set, cast

from aiohttp import web

from ..protocol.exchanges import JSON_TYPE
from ..protocol.jsonrpc import RpcError, encode
from ..protocol.limits import Limits
from ..protocol.serving import HOOK_EVENT, HOOK_PROCESS, HOOK_SECRET, Address
from ..protocol.tools import ArgumentChecker, Tool
from .base import ADDRESS
from .connections import Connection
from .gate import Bodies, Gate, InWorker, body_complaint, in_default_executor
from .listening import ListeningSocket, listen_on_port
from .responses import WholeResponse

logger = logging.getLogger("gemini_companion.transport")
PATH = "/hook/"
LONGEST_HEADER = 100
NOTHING = b"{}"
"""The answer that lets any program go on."""


class HookCall(NamedTuple):
    """What a hook has sent. `event` is "" and `process` None if its command does not say it."""

    program: str
    event: str
    process: Optional[int]
    payload: Dict[str, Any]


Handler = Callable[[HookCall], Awaitable[Dict[str, Any]]]


class HookServer:
    """Does not listen yet when it is made."""

    def __init__(
        self, secret: str, handler: Handler, *, limits: Limits = Limits(), in_worker: InWorker = in_default_executor
    ) -> None:
        self.limits = limits
        self._handler = handler
        self._gate = Gate({"": secret}, HOOK_SECRET)
        self._bodies = Bodies(in_worker)
        self._schemas = ArgumentChecker(())
        self._known: Mapping[str, Any] = {}
        self._running: Set[asyncio.Future[Dict[str, Any]]] = set()
        self._listener: Optional[ListeningSocket] = None
        self._manager: web.Server

    async def start(self) -> Address:
        """Listen. Raises OSError."""
        self._manager = web.Server(self._handle)
        make_connection = functools.partial(Connection, self._manager, limits=self.limits)
        self._listener = await listen_on_port(make_connection, ADDRESS, 0)
        self._gate.port = self._listener.address.port
        return self._listener.address

    def serve(self, schemas: Mapping[str, Any]) -> None:
        """Hand on what these programs send, each with the schema of it; of others nothing."""
        self._known = schemas
        self._schemas = ArgumentChecker(Tool(key, "", "", schema) for key, schema in schemas.items())
        self._schemas.prepare()

    async def stop(self, seconds: float) -> None:
        """Take no connections any more. What is under way gets so many `seconds`."""
        if self._listener is None:
            return
        self._listener.close()
        self._listener = None
        self._manager.pre_shutdown()
        if self._running:
            await asyncio.wait(set(self._running), timeout=seconds)
        for task in self._running:
            task.cancel()
        await self._manager.shutdown(seconds / 2)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        response = self._gate.turned_away(request)
        if response is None:
            admitted = self._gate.admit(request, asyncio.get_running_loop().time())
            if not isinstance(admitted, WholeResponse):
                response = await self._answered(request)
            elif admitted.status != 503:
                response = admitted
            else:
                response = _going_on(admitted)
        if response.status != 200:
            response.body = NOTHING
        return cast(web.StreamResponse, response)

    async def _answered(self, request: web.BaseRequest) -> WholeResponse:
        program = request.path[len(PATH) :]
        if request.method != "POST" or not request.path.startswith(PATH) or program not in self._known:
            return WholeResponse(200, NOTHING, JSON_TYPE)
        complaint, payload = body_complaint(request.headers), {}
        if complaint is None:
            body = await self._bodies.read(request, self.limits)
            if isinstance(body, WholeResponse):
                return _going_on(body)
            try:
                payload = await self._bodies.decode(body, self.limits)
                complaint = self._schemas.complaint(program, payload)
            except RpcError as error:
                complaint = str(error)
        if complaint is not None:
            logger.warning("a hook of %s sent what is not understood: %s", program, complaint)
            return WholeResponse(200, NOTHING, JSON_TYPE)
        event, process = (request.headers.get(name, "")[:LONGEST_HEADER] for name in (HOOK_EVENT, HOOK_PROCESS))
        call = HookCall(program, event, int(process) if process.isascii() and process.isdecimal() else None, payload)
        return WholeResponse(200, await self._answer(request, call), JSON_TYPE)

    async def _answer(self, request: web.BaseRequest, call: HookCall) -> bytes:
        task = asyncio.ensure_future(self._handler(call))
        connection = cast(Connection, request.protocol)

        def lost(was_reset: bool) -> None:
            task.cancel()

        connection.on_lost = lost
        if request.transport is None:
            task.cancel()
        self._running.add(task)
        try:
            await asyncio.wait({task})
        finally:
            connection.on_lost = None
            self._running.discard(task)
            task.cancel()
        if task.cancelled():
            return NOTHING
        try:
            return encode(task.result())
        except Exception:
            logger.exception("a hook of %s could not be answered", call.program)
            return NOTHING


def _going_on(refused: WholeResponse) -> WholeResponse:
    """The refusal as who shows the secret gets it."""
    refused.status, refused.body = 200, NOTHING
    return refused
