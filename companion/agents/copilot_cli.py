"""GitHub Copilot CLI: its protocol, and where and how it looks for the editor.

Measured with release 1.0.102; the protocol has no published specification. Every result is one text block with JSON.

Rules that the agent relies on: an answer to `open_diff` that lacks one of its four fields is ignored, and its own
question in the terminal goes on, so whatever cannot be shown is an error. It writes its own proposal whatever the
answer says: the user's edits cannot be handed back. The lock file never says `isTrusted`: true would make the agent
skip its own question.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from ..protocol.tools import Tool, ToolCall, ToolResult
from ..system.platform import WINDOWS, Platform
from .agent import (
    EDITOR_DISPLAY_NAME,
    EDITOR_INFO,
    Agent,
    Announcement,
    DiscoveryFile,
    LookupContext,
    Profile,
    folders_of,
)
from .dialect import TEXT, SelectionDialect, Transport, diagnostic_fields, file_url, json_result, selection_fields, tool
from .hook_proposals import LineEnds, WriteForm, WriteTool
from .hooks import Happening, HookDialect, HookEntry, HookEvent, Shell, Way
from .window import RESTORES_NOTHING, AgentWindow, Diagnostic, Severity

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
    secret_header = "X-Gemini-Companion-Secret"  # the agent sends what headers the lock file names
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


# -- where it looks for the editor -------------------------------------------------------------------------------------

_REQUIRED = ("socketPath", "scheme", "headers", "pid", "ideName", "timestamp", "workspaceFolders")


class CopilotHooks(HookDialect):
    """In a file of ours. What it sends does not say which event it is of; there is neither a mode nor a call id. It
    calls `permissionRequest` also where it asks nothing, and of a patch for each file. Some models write by patches."""

    events = {
        "userPromptSubmitted": Happening.PROMPT,
        "preToolUse": Happening.TOOL_BEGINS,
        "permissionRequest": Happening.WAITS,
        "postToolUse": Happening.TOOL_ENDED,
        "postToolUseFailure": Happening.TOOL_ENDED,
        "notification": Happening.WAITS,
        "agentStop": Happening.TURN_ENDED,
        "sessionEnd": Happening.SESSION_ENDED,
    }
    permission_event = "permissionRequest"
    writes = WriteForm(
        {
            "create": WriteTool("path", whole="file_text"),
            "edit": WriteTool("path", old="old_str", new="new_str"),
            "apply_patch": WriteTool(patch="patch"),
        },
        line_ends=LineEnds.KEPT,
        fills_empty=True,
        makes_files=False,
        plain_patches=True,
    )
    shell_tools = ("bash", "powershell")
    session_names = ("parentAgentId", "sessionId", "session_id")  # a subagent's own session is its user's
    subagent_name = "agentId"
    tool_names = ("toolName",)
    arguments_names = ("toolArgs", "toolInput")
    call_names = ()
    below_home = ("hooks", "gemini-companion.json")
    is_own_file = True
    other_members = {"version": 1}
    names_event = False
    edits_by = ("preToolUse",)
    may_be_gone_after_seconds = 60.0

    text_events = ("userPromptSubmitted", "postToolUse")
    end_event = "agentStop"

    def _adding(self, event: HookEvent, text: str) -> Dict[str, Any]:
        return {"additionalContext": text}

    def way(self, event: HookEvent, connected: bool) -> Way:
        if event.name == "notification":
            return Way.ALONE
        return Way.FOLLOWS if event.name == self.permission_event else Way.WAITS

    def _decision(
        self, event: HookEvent, decision: str, reason: str, arguments: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        if event.name == self.permission_event:
            if decision == "ask":
                return self.nothing()
            return {"behavior": decision, **({"message": reason} if reason else {})}
        told: Dict[str, Any] = {"permissionDecision": decision}
        if reason:
            told["permissionDecisionReason"] = reason
        if arguments is not None:
            told["modifiedArgs"] = arguments.get("patch", dict(arguments))
        return told

    def is_same(self, event: HookEvent, accepted: HookEvent) -> bool:
        """Its question names the file alone, and comes right after."""
        return bool(event.paths) and set(event.paths) <= set(accepted.paths)

    def definition(self, entry: HookEntry, file: str, platform: Platform) -> Dict[str, Any]:
        shells = {"bash": Shell.POSIX, "powershell": Shell.POWERSHELL}
        lines = {name: self._line(file, entry.event, entry.holds, platform, shell) for name, shell in shells.items()}
        matcher = {"matcher": entry.matcher} if entry.matcher else {}
        return {"type": "command", **matcher, **lines, "timeoutSec": self.seconds(entry)}

    def _arguments(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        patch = payload.get("toolArgs")
        if isinstance(patch, str):
            return {"patch": patch}
        found = super()._arguments(payload)
        named = [found[name] for name in ("path", "file_path") if name in found]
        if not named or any(name != named[0] for name in named):  # which of two it takes is not known
            return {name: value for name, value in found.items() if name not in ("path", "file_path")}
        return {**found, "path": named[0]}


class CopilotCli(Agent):
    """Lock files `~/.copilot/ide/NAME.lock`. It connects by itself, in a workspace folder itself and not below one."""

    key = "copilot"
    title = "Copilot CLI"
    dialect = COPILOT
    restored = RESTORES_NOTHING  # its proposals have the line ends and the mark that they are to have
    client_names = ("copilot-cli",)
    program = "copilot"
    npm_package = "@github/copilot"
    node = 22
    can_be_told_which = False
    profile = Profile(
        "",
        works="context, diffs, diagnostics; it connects by itself in an open folder, and below one when you use `/ide`",
        cannot="take your edits back",
        shows_diffs="its default mode; not with `--allow-all-tools` or `--allow-tool write`, nor with "
        "`ide.openDiffOnEdit: false`",
        link="https://github.com/github/copilot-cli",
        to_connect_below="`/ide` and choose Sublime Text",
    )
    home_variable, usual_home = "COPILOT_HOME", ".copilot"
    hooks = CopilotHooks()
    file_names = re.compile(r"^sublime-text-(?P<pid>[0-9]{1,10})-[0-9a-f]{16}\.lock$")

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        number = hashlib.sha256(announcement.socket.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return {
            f"sublime-text-{announcement.editor_pid}-{number}.lock": {
                "socketPath": announcement.socket,
                "scheme": "pipe" if platform.name == WINDOWS else "unix",
                "headers": {COPILOT.secret_header: announcement.token_for(self)},
                "pid": announcement.editor_pid,
                "ideName": EDITOR_DISPLAY_NAME,
                "timestamp": announcement.began,
                "workspaceFolders": list(announcement.real_folders or announcement.folders),
                "ideInfo": dict(EDITOR_INFO),  # the agent does not read it: by it we know a file of ours
            }
        }

    def identity(self, content: Mapping[str, Any]) -> Tuple[object, ...]:
        headers = content.get("headers")
        return content.get("socketPath"), headers.get(COPILOT.secret_header) if isinstance(headers, dict) else None

    def choose(self, entries: Sequence[DiscoveryFile], lookup: LookupContext) -> Optional[DiscoveryFile]:
        """Of the files that name the very folder it runs in, the one whose name sorts first."""
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.name.endswith(".lock") and _fits(entry, lookup):
                return entry
        return None


def _fits(entry: DiscoveryFile, lookup: LookupContext) -> bool:
    content = entry.content
    if content is None or any(name not in content for name in _REQUIRED):
        return False
    pid = content["pid"]
    if not isinstance(pid, int) or not lookup.is_alive(pid):
        return False
    here = lookup.platform.path.normpath(lookup.real(lookup.folder))
    return here in [lookup.platform.path.normpath(folder) for folder in folders_of(content)]


COPILOT_CLI = CopilotCli()
