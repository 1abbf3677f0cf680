"""Carries out the tools that clients call, for one window.

Rule: whoever asked gets a clear sentence, and a call that fails has changed nothing in the window. Paths are looked at
on a worker thread, because a network drive may hang; the review itself is the main thread's. On a client's word alone
nothing is written outside the workspace folders; what the user accepts may lie anywhere.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Sequence

from .display_names import client_name
from .protocol.tools import EMPTY, ClientSession, ToolCall, ToolResult, error_result, text_result
from .review.review import Owner, ReviewError
from .workspace_boundary import inside_workspace

if TYPE_CHECKING:
    from .review.desk import Desk
    from .review.disk import Original
    from .runtime import Runtime

logger = logging.getLogger("gemini_companion.tools")

OUTSIDE = (
    "The file is outside the workspace folders of the editor's window, where a client's acceptDiff writes nothing. "
    "The diff stays open: the user can accept it in the editor."
)

# The MCP SDK inside the CLIs introduces itself by what it is, not by whose it is: then the token's name tells.
ANONYMOUS_CLIENTS = {"streamable-http-client": "CLI", "": "client"}


def display_name(session: ClientSession) -> str:
    """The client's name as the user reads it: of a bounded length, and without hidden characters."""
    name = client_name(session.client_name)
    if name in ANONYMOUS_CLIENTS:
        return session.token_name or ANONYMOUS_CLIENTS[name]
    return name


def path_problem(path: str) -> Optional[str]:
    """Say in a sentence why no diff can be shown for `path`, or return None. Blocks on the disk: worker thread."""
    if "\0" in path:
        return "filePath contains a NUL character."
    if any("\ud800" <= character <= "\udfff" for character in path):
        return "filePath contains half of a surrogate pair."
    if not os.path.isabs(path):
        return "filePath must be an absolute path, but a relative one came."
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return None if os.path.basename(path) else "filePath ends like a folder, not like a file."  # else a new file
    except NotADirectoryError:
        return "filePath leads through a file as if it were a folder."
    except (OSError, ValueError) as error:
        # What cannot even be looked at can still be reviewed as far as the client's text goes.
        logger.info("could not look at a file that a diff is asked for: %s", type(error).__name__)
        return None
    if stat.S_ISDIR(mode):
        return "filePath is a folder, not a file."
    if not stat.S_ISREG(mode):
        return "filePath is not a regular file."
    return None


def owner_of(call: ToolCall) -> Owner:
    """Who asked, by the name that the user reads."""
    return Owner(call.session.id, display_name(call.session))


class ToolCalls:
    """`await tool_calls(call)` carries one call out. Loop thread; the call's arguments have passed its schema.

    `folders` are the window's workspace folders now; it is called on the loop thread.
    """

    def __init__(self, desk: Desk, runtime: Runtime, folders: Callable[[], Sequence[str]]) -> None:
        self._desk = desk
        self._runtime = runtime
        self._folders = folders
        self._handlers: Dict[str, Callable[[Owner, Dict[str, Any]], ToolResult]] = {
            "openDiff": self._open_diff,
            "closeDiff": self._close_diff,
            "acceptDiff": self._accept_diff,
            "rejectDiff": self._reject_diff,
        }

    async def __call__(self, call: ToolCall) -> ToolResult:
        handler = self._handlers[call.name]
        if call.name == "openDiff":
            problem = await self._runtime.in_worker(path_problem, call.arguments["filePath"])
            if problem is not None:
                return error_result(problem)
            # Read before the views are made, so that they appear with all they have to show.
            original = await self._runtime.in_worker(self._desk.read, call.arguments["filePath"])
            handler = partial(self._open_diff, original=original)
        try:
            if call.name == "acceptDiff":
                # What is looked at is the path that would be written, however this call spells it.
                path = await self._runtime.call_main(self._desk.path_of, owner_of(call), call.arguments["filePath"])
                if not await self._runtime.in_worker(inside_workspace, path, self._folders()):
                    return error_result(OUTSIDE)
                handler = partial(self._accept_diff, checked=path)
            return await self._runtime.call_main(handler, owner_of(call), call.arguments)
        except ReviewError as error:
            return error_result(str(error))

    # Each of these runs on the main thread.

    def _open_diff(
        self, owner: Owner, arguments: Dict[str, Any], original: Optional[Original] = None
    ) -> ToolResult:
        self._desk.open_diff(owner, arguments["filePath"], arguments["newContent"], original)
        return EMPTY

    def _close_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        final_text = self._desk.close_diff(
            owner,
            arguments["filePath"],
            suppress_notification=bool(arguments.get("suppressNotification")),
        )
        # The specification says plain text, but the published clients parse JSON and drop anything else.
        return text_result(json.dumps({"content": final_text}))

    def _accept_diff(self, owner: Owner, arguments: Dict[str, Any], checked: str = "") -> ToolResult:
        if self._desk.path_of(owner, arguments["filePath"]) != checked:
            raise ReviewError("The diff was opened anew under another path meanwhile.")
        self._desk.accept_by_client(owner, arguments["filePath"])
        return EMPTY

    def _reject_diff(self, owner: Owner, arguments: Dict[str, Any]) -> ToolResult:
        self._desk.reject_by_client(owner, arguments["filePath"])
        return EMPTY
