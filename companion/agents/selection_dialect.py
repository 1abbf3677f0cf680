"""What the dialects of Claude Code, opencode and Copilot CLI share: all three were made for VS Code first.

Such a program is told the file in front and what is selected in it. It hears of the user's decision by the result of
the call that opened the review.

Rule: every answer to a call stands in the module of the program's own dialect.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from ..protocol.tools import ToolCall
from .dialect import Dialect, Message, file_url, path_of_url
from .shared_context import ActiveFile, Position, SharedContext
from .window import AgentWindow, Diagnostic, FileDiagnostics, ReviewRequest, Severity

SELECTION_CHANGED = "selection_changed"

TEXT: Dict[str, Any] = {"type": "string"}
"""The schema of an argument that is a text."""


class SelectionDialect(Dialect):
    """A dialect whose programs are told the file in front and what is selected in it, and nothing else.

    There is no message that says "no file". An empty one takes the place of what the program has been told and not yet
    shown to its model; opencode then says that the user opened the file "", which is better than what is not shared.
    """

    def messages(self, context: SharedContext) -> Sequence[Message]:
        return (Message(SELECTION_CHANGED, selection_fields(context.active), SELECTION_CHANGED),)

    def only_takes_back(self, context: SharedContext) -> bool:
        return context.active is None

    async def reviewed(self, call: ToolCall, window: AgentWindow, path_argument: str) -> Optional[str]:
        """Show the proposal of a call for the file that this argument names, and wait for the decision: the accepted
        text, or None."""
        arguments = call.arguments
        path, proposed = arguments[path_argument], arguments["new_file_contents"]
        return await window.review(ReviewRequest(call, path, proposed, arguments["tab_name"], self.edits_return))

    async def diagnosed(self, call: ToolCall, window: AgentWindow) -> Sequence[FileDiagnostics]:
        """The diagnostics of the file that the argument `uri` names; without it, of all files that are shared."""
        address = call.arguments.get("uri")
        return await window.diagnostics(path_of_url(address) if address else None)


def position(place: Position) -> Dict[str, int]:
    """A place on the wire."""
    return {"line": place.line, "character": place.character}


def selection_fields(active: Optional[ActiveFile]) -> Dict[str, Any]:
    """The file in front and what is selected in it. Without one the fields are empty: nothing is selected any more."""
    if active is None:
        active = ActiveFile("", Position(0, 0), Position(0, 0))
    return {
        "text": active.text,
        "filePath": active.path,
        "fileUrl": file_url(active.path) if active.path else "",
        "selection": {
            "start": position(active.start),
            "end": position(active.end),
            "isEmpty": active.start == active.end,
        },
    }


def diagnostic_fields(diagnostic: Diagnostic, severities: Mapping[Severity, str]) -> Dict[str, Any]:
    """One diagnostic, with the words of the program for how bad it is."""
    return {
        "message": diagnostic.message,
        "severity": severities[diagnostic.severity],
        "range": {"start": position(diagnostic.start), "end": position(diagnostic.end)},
        "source": diagnostic.source,
    }
