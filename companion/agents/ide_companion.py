"""The tools of the IDE companion protocol, as Gemini CLI and Qwen Code call them.

Rule: this is the wire contract. Schemas mean the same in JSON Schema draft 4 and 2020-12. Unknown arguments are
ignored, because a newer client may send more. `tool_calls` implements the tools.
Implements the companion specifications, section III, "The Diffing Interface".
"""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

from ..protocol.tools import Tool
from .dialect import AnsweredBy, Dialect, Message, Transport
from .shared_context import SharedContext

CONTEXT_UPDATE = "ide/contextUpdate"

_FILE_PATH: Dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "description": "The absolute path of the file.",
}


def _arguments(required: Tuple[str, ...], **properties: Dict[str, Any]) -> Dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


TOOLS = (
    Tool(
        name="openDiff",
        title="Open Diff",
        description=(
            "Show the user a proposed change to a file, side by side with the file as it is, for review and editing. "
            "Answers at once; when the user has decided, ide/diffAccepted (with the final text) or ide/diffRejected "
            "follows."
        ),
        input_schema=_arguments(
            ("filePath", "newContent"),
            filePath=_FILE_PATH,
            newContent={"type": "string", "description": "The whole proposed text of the file."},
        ),
        annotations={
            "title": "Open Diff",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    ),
    Tool(
        name="closeDiff",
        title="Close Diff",
        description=(
            "Close the review of a file and give back its final text, the user's edits included: one text block with "
            'the JSON object {"content": ...}, where null means that no review of the file is open.'
        ),
        input_schema=_arguments(
            ("filePath",),
            filePath=_FILE_PATH,
            suppressNotification={
                "type": "boolean",
                "description": "Send no notification about this; the user has answered elsewhere.",
            },
        ),
        annotations={
            "title": "Close Diff",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    ),
    Tool(
        name="acceptDiff",
        title="Accept Diff",
        description=(
            "Accept the review of a file in the workspace: write its final text to the file and send ide/diffAccepted."
        ),
        input_schema=_arguments(("filePath",), filePath=_FILE_PATH),
        annotations={
            "title": "Accept Diff",
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": False,
            "openWorldHint": False,
        },
    ),
    Tool(
        name="rejectDiff",
        title="Reject Diff",
        description="Reject the review of a file: close it, leave the file alone and send ide/diffRejected.",
        input_schema=_arguments(("filePath",), filePath=_FILE_PATH),
        annotations={
            "title": "Reject Diff",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": False,
        },
    ),
)


class IdeCompanion(Dialect):
    """MCP over HTTP on a port, with bearer tokens. What the tools do is `tool_calls`."""

    key = "ide_companion"
    transport = Transport.HTTP_ON_PORT
    answered_by = AnsweredBy.NOTIFICATION
    tools = TOOLS

    def messages(self, context: SharedContext) -> Sequence[Message]:
        return (Message(CONTEXT_UPDATE, dict(context.ide_context), CONTEXT_UPDATE),)


IDE_COMPANION = IdeCompanion()
