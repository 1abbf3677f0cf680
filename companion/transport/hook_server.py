"""The HTTP server of programs' hooks: one in the process, on a port of the loopback address. `POST /hook/PROGRAM`.

Rules: a hook that holds a write is answered by the handler or, whatever goes wrong with it, by `unread`: nothing that
exceeds a bound, is not understood, fails or is cut off lets a write pass unseen. Any other hook then gets "go on".
Strangers and web pages are refused as at every server of ours; a client that shows the secret always gets 200 and JSON,
as programs take anything else for a hook that has failed, and some then block. What is sent is bounded, held against
the program's schema, and never logged. A handler is cancelled as soon as its client has gone. Loop thread.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any, Awaitable, Callable, Dict, Mapping, NamedTuple, Optional, Set, cast

from aiohttp import web

from ..protocol.exchanges import JSON_TYPE
from ..protocol.jsonrpc import RpcError, decode, encode
from ..protocol.limits import Limits
from ..protocol.serving import HOOK_EVENT, HOOK_HELD, HOOK_PROCESS, HOOK_SECRET, HOOK_TERMINAL, Address
from ..protocol.tools import ArgumentChecker, Tool
from .base import ADDRESS
from .connections import Connection, closing
from .gate import Bodies, Gate, InWorker, body_complaint, in_default_executor
from .listening import ListeningSocket, listen_on_port
from .responses import WholeResponse

logger = logging.getLogger("gemini_companion.transport")
PATH = "/hook/"
LONGEST_HEADER = 100
SHORT_BYTES = 1 << 16
"""A body of so many bytes, each of them a line of a patch, is parsed within some hundredths of a second."""
NOTHING = b"{}"
"""The answer that lets any program go on."""
CUT_OFF, FAILED = "The editor stopped answering.", "The editor failed; its log says why."


class HookCall(NamedTuple):
    """What a hook has sent. `event` is "" and `process` None if its command does not say it."""

    program: str
    event: str
    process: Optional[int]
    payload: Dict[str, Any]
    is_held: bool = False
    """Whether the program waits for the answer before it writes."""
    is_long: bool = False
    """Whether reading what the payload says may take longer than the loop thread has."""
    terminal: str = ""
    """The tag of the editor's terminal in which the program runs; "" if it does not say one."""


Handler = Callable[[HookCall], Awaitable[Dict[str, Any]]]
Unread = Callable[[str, str, str], Dict[str, Any]]
"""Makes the answer to a hook that holds a write and could not be handled: program, event, and why, as a sentence."""


class HookServer:
    """Does not listen yet when it is made."""

    def __init__(
        self,
        secret: str,
        handler: Handler,
        unread: Unread,
        *,
        limits: Limits = Limits(),
        in_worker: InWorker = in_default_executor,
    ) -> None:
        self.limits = limits
        self._handler = handler
        self._unread = unread
        self._gate = Gate({"": secret}, HOOK_SECRET)
        self._bodies = Bodies(in_worker)
        self._schemas = ArgumentChecker(())
        self._known: Mapping[str, Any] = {}
        self._running: Set[asyncio.Future[bytes]] = set()
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
                response = WholeResponse(200, await self._answer(request), JSON_TYPE)
                if not request.content.is_eof():
                    closing(request, response)
            elif admitted.status != 503:
                response = admitted
            else:
                response, why = admitted, _sentence(admitted)
                response.status, response.body = 200, self._go_on(request, why)
        if response.status != 200:
            response.body = NOTHING
        return cast(web.StreamResponse, response)

    async def _answer(self, request: web.BaseRequest) -> bytes:
        """The answer, in whatever way handling the request ends."""
        task = asyncio.ensure_future(self._handled(request))
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
            return self._go_on(request, CUT_OFF)
        error = task.exception()
        if isinstance(error, _NotUnderstood):
            return self._go_on(request, str(error))
        if error is not None:
            logger.error("a hook of %.40r could not be answered", _program(request), exc_info=error)
            return self._go_on(request, FAILED)
        return task.result()

    async def _handled(self, request: web.BaseRequest) -> bytes:
        """The handler's answer. Raises `_NotUnderstood`, and what the handler raises."""
        program = _program(request)
        if request.method != "POST" or program not in self._known:
            return NOTHING
        complaint = body_complaint(request.headers)
        if complaint is not None:
            raise _NotUnderstood(complaint)
        body = await self._bodies.read(request, self.limits)
        if isinstance(body, WholeResponse):
            raise _NotUnderstood(_sentence(body))
        try:
            payload = await self._bodies.decode(body, self.limits)
        except RpcError as error:
            raise _NotUnderstood(str(error)) from None
        complaint = self._schemas.complaint(program, payload)
        if complaint is not None:
            raise _NotUnderstood(complaint)
        event, process, held, terminal = (
            request.headers.get(name, "")[:LONGEST_HEADER]
            for name in (HOOK_EVENT, HOOK_PROCESS, HOOK_HELD, HOOK_TERMINAL)
        )
        number = int(process) if process.isascii() and process.isdecimal() else None
        is_long = len(body) > SHORT_BYTES
        call = HookCall(program, held or event, number, payload, bool(held), is_long, terminal)
        return encode(await self._handler(call))

    def _go_on(self, request: web.BaseRequest, why: str) -> bytes:
        """The answer to what could not be handled: a program that holds a write does not go on unseen."""
        program, held = _program(request), request.headers.get(HOOK_HELD, "")[:LONGEST_HEADER]
        logger.warning("a hook of %.40r was not handled: %s", program, why)
        if not held or program not in self._known:
            return NOTHING
        try:
            return encode(self._unread(program, held, why))
        except Exception:
            logger.exception("a hook of %.40r could not be refused", program)
            return NOTHING


class _NotUnderstood(Exception):
    """A hook's request exceeds a bound or cannot be understood. The message is a sentence for the user."""


def _program(request: web.BaseRequest) -> str:
    """The key of the program that a request names; "" if it names none."""
    return request.path[len(PATH) :] if request.path.startswith(PATH) else ""


def _sentence(refused: WholeResponse) -> str:
    """Return the text of a refusal."""
    return str(decode(refused.body, Limits().nesting)["error"]["message"])
