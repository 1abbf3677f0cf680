"""Carries out the tools that clients call, for one window.

Rules: whoever asked gets a clear sentence, and a call that fails has changed nothing in the window. Files are looked at
on a disk thread, because a network drive may hang; the review belongs to the main thread. `acceptDiff` writes only
inside the workspace folders: that is checked before the review is touched, and again in the step that writes. What the
user accepts may lie anywhere.
"""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, Sequence

from ..display_names import client_name
from ..protocol.tools import EMPTY, ClientSession, ToolCall, ToolResult, error_result, text_result
from ..review.decision import Owner, ReviewError
from ..review.document.disk import DiskError
from ..review.document.preparation import PathError, prepare
from .workspace_boundary import inside_workspace

if TYPE_CHECKING:
    from ..review.document.apply import Guard
    from ..review.manager import ReviewManager
    from ..runtime import Runtime

PREPARE_SECONDS = 20.0  # a network drive that takes longer counts as dead
LONG_TEXT = 1 << 20  # characters; from here on a disk thread makes the JSON

OUTSIDE = (
    "The file is outside the workspace folders of the editor's window, where a client's acceptDiff writes nothing. "
    "The diff stays open: the user can accept it in the editor."
)

# The MCP SDK inside the CLIs gives its own name, not the name of the CLI. Then the token tells which CLI it is.
ANONYMOUS_CLIENTS = {"streamable-http-client": "CLI", "": "client"}


def display_name(session: ClientSession) -> str:
    """The client's name as the user reads it: short, and with hidden characters made visible."""
    name = client_name(session.client_name)
    if name in ANONYMOUS_CLIENTS:
        return session.token_name or ANONYMOUS_CLIENTS[name]
    return name


def owner_of(call: ToolCall) -> Owner:
    """The client that asked, with the name that the user reads."""
    return Owner(call.session.id, display_name(call.session))


class ToolCalls:
    """`await tool_calls(call)` carries one call out. Loop thread; the call's arguments have passed its schema.

    `folders` returns the window's workspace folders as they are now. It is called on the loop thread.
    """

    def __init__(self, reviews: ReviewManager, runtime: Runtime, folders: Callable[[], Sequence[str]]) -> None:
        self._reviews = reviews
        self._runtime = runtime
        self._folders = folders
        self._handlers: Dict[str, Callable[[Owner, Dict[str, Any]], Awaitable[ToolResult]]] = {
            "openDiff": self._open_diff,
            "closeDiff": self._close_diff,
            "acceptDiff": self._accept_diff,
            "rejectDiff": self._reject_diff,
        }

    async def __call__(self, call: ToolCall) -> ToolResult:
        self._runtime.assert_loop_thread()
        try:
            return await self._handlers[call.name](owner_of(call), call.arguments)
        except (ReviewError, PathError) as error:
            return error_result(str(error))

    async def _open_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        import asyncio

        path = arguments["filePath"]
        file_request = await self._runtime.call_main(self._reviews.file_request, path)
        # Everything is read before the views are made, so that they appear complete.
        preparing = self._runtime.in_worker(prepare, file_request, arguments["newContent"])
        try:
            prepared = await asyncio.wait_for(preparing, PREPARE_SECONDS)
        except asyncio.TimeoutError:
            return error_result("The disk does not answer: filePath could not be looked at.")
        await self._runtime.call_main(self._reviews.open_diff, owner, path, prepared.proposal, prepared)
        return EMPTY

    async def _close_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        silent = bool(arguments.get("suppressNotification"))
        text = await self._runtime.call_main(self._close, owner, arguments["filePath"], silent)
        # The specification says plain text, but the published clients parse JSON and drop anything else.
        answer = {"content": text}
        if text is not None and len(text) > LONG_TEXT:
            return text_result(await self._runtime.in_worker(json.dumps, answer))
        return text_result(json.dumps(answer))

    def _close(self, owner: Owner, path: str, silent: bool) -> Any:
        return self._reviews.close_diff(owner, path, suppress_notification=silent)

    async def _accept_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        import asyncio

        # What counts is the path that would be written, however this call spells it.
        checked = await self._runtime.call_main(self._reviews.path_of, owner, arguments["filePath"])
        folders = tuple(self._folders())
        if not await self._runtime.in_worker(inside_workspace, checked, folders):
            return error_result(OUTSIDE)

        def guard(path: str) -> None:
            if not inside_workspace(path, folders):  # a link may lead elsewhere by now
                raise DiskError(OUTSIDE)

        written: Future[str] = Future()  # what went wrong, or an empty text

        def done(problem: str) -> None:
            if written.set_running_or_notify_cancel():  # false if the call was cancelled
                written.set_result(problem)

        await self._runtime.call_main(self._accept, owner, arguments["filePath"], checked, done, guard)
        problem = await asyncio.wrap_future(written)
        return error_result(problem) if problem else EMPTY

    def _accept(self, owner: Owner, path: str, checked: str, done: Callable[[str], None], guard: Guard) -> None:
        if self._reviews.path_of(owner, path) != checked:
            raise ReviewError("The diff was opened again under another path meanwhile.")
        self._reviews.accept_by_client(owner, path, done, guard)

    async def _reject_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        await self._runtime.call_main(self._reviews.reject_by_client, owner, arguments["filePath"])
        return EMPTY
