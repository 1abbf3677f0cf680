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

from ..protocol.tools import EMPTY, ToolCall, ToolResult, error_result, text_result
from ..review.decision import ReviewError
from ..review.document.disk import DiskError
from ..review.document.preparation import PathError
from .proposals import prepared
from .workspace_boundary import inside_workspace

if TYPE_CHECKING:
    from ..protocol.tools import ClientSession
    from ..review.decision import Owner
    from ..review.document.apply import Guard
    from ..review.manager import ReviewManager
    from ..runtime import Runtime

LONG_TEXT = 1 << 20  # characters; from here on a disk thread makes the JSON

OUTSIDE = (
    "The file is outside the workspace folders of the editor's window, where a client's acceptDiff writes nothing. "
    "The diff stays open: the user can accept it in the editor."
)


class ToolCalls:
    """`await tool_calls(call)` carries one call out. Loop thread; the call's arguments have passed its schema.

    `folders` returns the window's workspace folders as they are now, `owner_of` names a client as the user reads it.
    Both are called on the loop thread.
    """

    def __init__(
        self,
        reviews: ReviewManager,
        runtime: Runtime,
        folders: Callable[[], Sequence[str]],
        owner_of: Callable[[ClientSession], Owner],
    ) -> None:
        self._reviews = reviews
        self._runtime = runtime
        self._folders = folders
        self._owner_of = owner_of
        self._handlers: Dict[str, Callable[[Owner, Dict[str, Any]], Awaitable[ToolResult]]] = {
            "openDiff": self._open_diff,
            "closeDiff": self._close_diff,
            "acceptDiff": self._accept_diff,
            "rejectDiff": self._reject_diff,
        }

    async def __call__(self, call: ToolCall) -> ToolResult:
        self._runtime.assert_loop_thread()
        try:
            return await self._handlers[call.name](self._owner_of(call.session), call.arguments)
        except (ReviewError, PathError) as error:
            return error_result(str(error))

    async def _open_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        path = arguments["filePath"]
        found = await prepared(self._runtime, self._reviews, path, arguments["newContent"])
        await self._runtime.call_main(self._reviews.open_diff, owner, path, found.proposal, found)
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
