"""The protocol of GitHub Copilot CLI: the tools, their answers, the notifications.

Measured with release 1.0.102; the protocol has no published specification. Every result is one text block with JSON.

Rules that the program relies on: an answer to `open_diff` that lacks one of its four fields is ignored, and its own
question in the terminal goes on, so whatever cannot be shown is an error. It writes its own proposal whatever the
answer says: the user's edits cannot be handed back.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from ..protocol.tools import Tool, ToolCall, ToolResult
from .dialect import Transport, file_url, json_result, tool
from .selection_dialect import TEXT, SelectionDialect, diagnostic_fields, selection_fields
from .window import AgentWindow, Diagnostic, Severity

_SEVERITIES: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "information",
    Severity.HINT: "hint",
}

_TOOLS: Tuple[Tool, ...] = (
    tool(
        "open_diff",
        "Open Diff",
        "Show a proposed text of a file for review. Answers when the user has decided.",
        ("original_file_path", "new_file_contents", "tab_name"),
        original_file_path=TEXT,
        new_file_contents=TEXT,
        tab_name=TEXT,
    ),
    tool("close_diff", "Close Diff", "Close the review of this name.", ("tab_name",), tab_name=TEXT),
    tool("get_selection", "Get Selection", "The file in front and the text that is selected in it, or null."),
    tool(
        "get_diagnostics",
        "Get Diagnostics",
        "What the user's language servers and linters say: of one file, or of all open ones.",
        uri=TEXT,
    ),
    tool(
        "update_session_name",
        "Update Session Name",
        "Tell the editor what this session is called.",
        ("name",),
        name=TEXT,
    ),
)


class CopilotDialect(SelectionDialect):
    """MCP over HTTP on a socket in the file system."""

    key = "copilot"
    transport = Transport.HTTP_ON_SOCKET
    on_socket = True
    tools = _TOOLS
    secret_header = "X-Gemini-Companion-Secret"  # the program sends what headers the lock file names
    handshake_only = True  # it asks for a newer revision first, and is to come back
    deleted_status = 200  # 204 is an error to it
    process_id_header = "X-Copilot-PID"
    edits_return = False

    async def _open_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        name = call.arguments["tab_name"]
        accepted = await self.reviewed(call, window, "original_file_path")
        if accepted is None:
            return _decided(name, "REJECTED", "rejected_via_button", "The user rejected the proposal.")
        return _decided(name, "SAVED", "accepted_via_button", "The user accepted the proposal.")

    async def _close_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        name = call.arguments["tab_name"]
        closed = await window.withdraw_review(call.session.id, name)
        return json_result({"success": True, "already_closed": not closed, "tab_name": name, "message": ""})

    async def _selection(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        active = await window.selection()
        return json_result(None if active is None else {**selection_fields(active), "current": True})

    async def _diagnostics(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        return json_result(
            [
                {
                    "uri": file_url(file.path),
                    "filePath": file.path,
                    "diagnostics": [_diagnostic(each) for each in file.diagnostics],
                }
                for file in await self.diagnosed(call, window)
            ]
        )

    async def _rename(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        window.rename_client(call.session.id, call.arguments["name"])
        return json_result({"success": True})

    handlers = {
        "open_diff": _open_diff,
        "close_diff": _close_diff,
        "get_selection": _selection,
        "get_diagnostics": _diagnostics,
        "update_session_name": _rename,
    }


def _diagnostic(diagnostic: Diagnostic) -> Dict[str, Any]:
    fields = diagnostic_fields(diagnostic, _SEVERITIES)
    return {**fields, "code": diagnostic.code} if diagnostic.code else fields


def _decided(name: str, result: str, trigger: str, message: str) -> ToolResult:
    return json_result({"success": True, "result": result, "trigger": trigger, "tab_name": name, "message": message})


COPILOT = CopilotDialect()
