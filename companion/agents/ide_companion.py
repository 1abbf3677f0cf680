"""The IDE companion protocol, as Gemini CLI and Qwen Code speak it: the tools, their answers, the notifications.

Rules: schemas mean the same in JSON Schema draft 4 and 2020-12. Unknown arguments are ignored, because a newer client
may send more. A call is answered at once; a notification tells clients the user's decision.
Implements the companion specifications, section III, "The Diffing Interface"; for clients of `/events`, which were
written for the Neovim companion, exactly the names and shapes of its communication document, "Notification Events".
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..protocol.tools import EMPTY, Tool, ToolCall, ToolResult, text_result
from .dialect import ClientNotice, Dialect, Transport, tool
from .window import AgentWindow, SharedContext

CONTEXT_UPDATE, DIFF_ACCEPTED, DIFF_REJECTED = "ide/contextUpdate", "ide/diffAccepted", "ide/diffRejected"
LONG_TEXT = 1 << 20  # characters; from here on another thread makes the JSON

_FILE_PATH: Dict[str, Any] = {"type": "string", "minLength": 1, "description": "The absolute path of the file."}


def _hinted(made: Tool, *, read_only: bool, destructive: bool, idempotent: bool) -> Tool:
    """The tool with what it tells an agent of itself. Model Context Protocol, `ToolAnnotations`."""
    hints = {
        "title": made.title,
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": False,
    }
    return made._replace(annotations=hints)


_OPEN_DIFF = tool(
    "openDiff",
    "Open Diff",
    "Show the user a proposed change to a file, side by side with the file as it is, for review and editing. Answers "
    "at once; when the user has decided, ide/diffAccepted (with the final text) or ide/diffRejected follows.",
    ("filePath", "newContent"),
    filePath=_FILE_PATH,
    newContent={"type": "string", "description": "The whole proposed text of the file."},
)
_CLOSE_DIFF = tool(
    "closeDiff",
    "Close Diff",
    "Close the review of a file and give back its final text, the user's edits included: one text block with the JSON "
    'object {"content": ...}, where null means that no review of the file is open.',
    ("filePath",),
    filePath=_FILE_PATH,
    suppressNotification={
        "type": "boolean",
        "description": "Send no notification about this; the user has answered elsewhere.",
    },
)
_ACCEPT_DIFF = tool(
    "acceptDiff",
    "Accept Diff",
    "Accept the review of a file in the workspace: write its final text to the file and send ide/diffAccepted.",
    ("filePath",),
    filePath=_FILE_PATH,
)
_REJECT_DIFF = tool(
    "rejectDiff",
    "Reject Diff",
    "Reject the review of a file: close it, leave the file alone and send ide/diffRejected.",
    ("filePath",),
    filePath=_FILE_PATH,
)
TOOLS = (
    _hinted(_OPEN_DIFF, read_only=True, destructive=False, idempotent=True),
    _hinted(_CLOSE_DIFF, read_only=True, destructive=False, idempotent=True),
    _hinted(_ACCEPT_DIFF, read_only=False, destructive=True, idempotent=False),
    _hinted(_REJECT_DIFF, read_only=True, destructive=False, idempotent=False),
)


class IdeCompanion(Dialect):
    """MCP over HTTP on a port, with bearer tokens."""

    key = "ide_companion"
    transport = Transport.HTTP_ON_PORT
    tools: Tuple[Tool, ...] = TOOLS
    subscribable = (CONTEXT_UPDATE, DIFF_ACCEPTED, DIFF_REJECTED)

    def messages(self, context: SharedContext) -> Sequence[ClientNotice]:
        return (ClientNotice(CONTEXT_UPDATE, dict(context.ide_context), CONTEXT_UPDATE),)

    def decided(self, path: str, accepted: Optional[str]) -> ClientNotice:
        if accepted is None:
            return ClientNotice(DIFF_REJECTED, {"filePath": path})
        return ClientNotice(DIFF_ACCEPTED, {"filePath": path, "content": accepted})

    def plain_event(self, method: str, params: Dict[str, Any]) -> Tuple[str, Dict[str, Any]]:
        if method == CONTEXT_UPDATE:
            return "notifications/context-update", _plain_context(params)
        return "notifications/" + method, params

    async def _open_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        await window.propose(call.session, call.arguments["filePath"], call.arguments["newContent"])
        return EMPTY

    async def _close_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        silently = bool(call.arguments.get("suppressNotification"))
        text = await window.close_proposal(call.session, call.arguments["filePath"], silently=silently)
        # The specification says plain text, but the published clients parse JSON and drop anything else.
        answer = {"content": text}
        if text is not None and len(text) > LONG_TEXT:
            return text_result(await window.in_worker(json.dumps, answer))
        return text_result(json.dumps(answer))

    async def _accept_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        await window.accept_proposal(call.session, call.arguments["filePath"])
        return EMPTY

    async def _reject_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        await window.reject_proposal(call.session, call.arguments["filePath"])
        return EMPTY

    handlers = {
        "openDiff": _open_diff,
        "closeDiff": _close_diff,
        "acceptDiff": _accept_diff,
        "rejectDiff": _reject_diff,
    }


def _plain_context(params: Dict[str, Any]) -> Dict[str, Any]:
    files: List[Dict[str, Any]] = params.get("workspaceState", {}).get("openFiles", [])
    context: Dict[str, Any] = {"openFiles": [{"path": file["path"], "timestamp": file["timestamp"]} for file in files]}
    for file in files:
        if file.get("isActive"):
            active = context["activeFile"] = {"path": file["path"]}
            if "cursor" in file:
                active["cursorPosition"] = file["cursor"]
            if "selectedText" in file:
                active["selection"] = file["selectedText"]
            break
    return context


IDE_COMPANION = IdeCompanion()
