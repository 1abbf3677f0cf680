"""What the dialects of Claude Code and Copilot CLI share: a call is answered with the user's decision.

Both programs were made for VS Code first, so they are sent the same `selection_changed` and read the same diagnostics.

Rule: what the window cannot do is a result with `isError`, because the programs take any other for a decision.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, ClassVar, Dict, Mapping, Optional, Sequence

from ..protocol.tools import ToolCall, ToolResult, error_result
from .dialect import AnsweredBy, Dialect, Message, file_url, json_result, path_of_url
from .shared_context import ActiveFile, Position, SharedContext
from .window import AgentWindow, Answer, CannotDo, FileDiagnostics, ReviewRequest

TEXT: Dict[str, Any] = {"type": "string"}
"""The schema of an argument that is a text."""

SELECTION_CHANGED = "selection_changed"
ANSWERED_ELSEWHERE = "The diff was closed, as the question was answered elsewhere."

Handler = Callable[[Any, ToolCall, AgentWindow], Awaitable[ToolResult]]
"""A method of a dialect that carries out the calls of one tool."""


class ResultDialect(Dialect):
    """A dialect whose tools are methods, found in `handlers` by the tool's name."""

    answered_by = AnsweredBy.RESULT
    handlers: ClassVar[Mapping[str, Handler]]

    def messages(self, context: SharedContext) -> Sequence[Message]:
        return (selection_message(context),)

    async def call(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        try:
            return await self.handlers[call.name](self, call, window)
        except CannotDo as refusal:
            return error_result(str(refusal))

    async def review(self, call: ToolCall, window: AgentWindow, path_argument: str) -> Answer:
        """Show the proposal of a call, for the file that this argument names, and wait for the decision."""
        arguments = call.arguments
        return await window.review(
            ReviewRequest(
                call, arguments[path_argument], arguments["new_file_contents"], arguments["tab_name"], self.edits_return
            )
        )

    async def diagnostics(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        """Carry out a call for the diagnostics of the file that `uri` names, or of all open files."""
        address = call.arguments.get("uri")
        path = path_of_url(address) if isinstance(address, str) and address else None
        return json_result(diagnostics_value(await window.diagnostics(path)))


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


def selection_message(context: SharedContext) -> Message:
    """`selection_changed`."""
    return Message(SELECTION_CHANGED, selection_fields(context.active), SELECTION_CHANGED)


def diagnostics_value(files: Sequence[FileDiagnostics]) -> Any:
    """What language servers and linters say, file by file."""
    return [
        {
            "uri": file_url(file.path),
            "diagnostics": [
                {
                    "message": each.message,
                    "severity": _SEVERITIES[each.severity.value],
                    "range": {"start": position(each.start), "end": position(each.end)},
                    "source": each.source,
                }
                for each in file.diagnostics
            ],
        }
        for file in files
    ]


_SEVERITIES: Mapping[int, str] = {1: "Error", 2: "Warning", 3: "Info", 4: "Hint"}
