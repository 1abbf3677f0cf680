"""Claude Code: its protocol, which opencode listens to as well, and where and how it looks for the editor.

Measured with Claude Code 2.1.330; the protocol has no published specification. Tools that this release never calls are
offered as its companions for other editors offer them, without `executeCode`: no agent runs code in the editor.

Rules that the agent relies on: an answer to `openDiff` that it does not know leaves its own question in the terminal
standing, so whatever cannot be shown is an error; `TAB_CLOSED` as an answer to `openDiff` would accept, so it is never
given; `FILE_SAVED` counts only with the final text behind it.

It looks into `~/.claude/ide` always, and into `$CLAUDE_CONFIG_DIR/ide` as well. The file is put into the former alone:
there it is found whatever the terminal's variables are, by opencode too, and is one editor, not two with one port.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any, Dict, FrozenSet, Mapping, Optional, Sequence, Tuple

from ..protocol.tools import Tool, ToolCall, ToolResult, text_result
from ..system.paths import is_below
from ..system.platform import WINDOWS, Platform
from .agent import (
    EDITOR_DISPLAY_NAME,
    EDITOR_INFO,
    Agent,
    Announcement,
    ConnectionDetails,
    DiscoveryFile,
    LookupContext,
    Profile,
    folders_of,
    process_id,
)
from .dialect import (
    TEXT,
    ClientNotice,
    Mention,
    SelectionDialect,
    Transport,
    diagnostic_fields,
    file_url,
    json_result,
    selection_fields,
    tool,
)
from .hook_proposals import LineEnds, WriteForm, WriteTool
from .hooks import Happening, HookDialect, HookEvent, Way
from .window import RESTORES_ALL, AgentWindow, Severity

_SWITCH: Dict[str, Any] = {"type": "boolean"}
_SEVERITIES: Mapping[Severity, str] = {
    Severity.ERROR: "Error",
    Severity.WARNING: "Warning",
    Severity.INFORMATION: "Info",
    Severity.HINT: "Hint",
}

_TOOLS: Tuple[Tool, ...] = (
    tool(
        "openDiff",
        "Open Diff",
        "Show a proposed text of a file for review. Answers when the user has decided: FILE_SAVED with the final text, "
        "or DIFF_REJECTED.",
        ("new_file_path", "new_file_contents", "tab_name"),
        old_file_path=TEXT,
        new_file_path=TEXT,
        new_file_contents=TEXT,
        tab_name=TEXT,
    ),
    tool("close_tab", "Close Tab", "Close the review of this name.", ("tab_name",), tab_name=TEXT),
    tool("closeAllDiffTabs", "Close All Diffs", "Close all reviews of this connection."),
    tool(
        "getDiagnostics",
        "Get Diagnostics",
        "What the user's language servers and linters say: of one file, or of all open ones.",
        uri=TEXT,
    ),
    tool(
        "openFile",
        "Open File",
        "Open a file of the workspace in the editor.",
        ("filePath",),
        filePath=TEXT,
        makeFrontmost=_SWITCH,
        preview=_SWITCH,
    ),
    tool("getOpenEditors", "Get Open Editors", "The tabs that show files."),
    tool("getCurrentSelection", "Get Current Selection", "The file in front and the text that is selected in it."),
    tool("getLatestSelection", "Get Latest Selection", "The same, also while the focus is elsewhere."),
    tool("getWorkspaceFolders", "Get Workspace Folders", "The folders of the window."),
    tool(
        "checkDocumentDirty",
        "Check Document Dirty",
        "Whether an open file has edits that are not saved.",
        ("filePath",),
        filePath=TEXT,
    ),
    tool("saveDocument", "Save Document", "Save an open file of the workspace.", ("filePath",), filePath=TEXT),
)


class ClaudeDialect(SelectionDialect):
    """MCP over a WebSocket on a port of its own."""

    key = "claude"
    transport = Transport.WEBSOCKET
    tools = _TOOLS
    secret_header = "X-Claude-Code-Ide-Authorization"
    takes_mentions = True
    turn_begins = "closeAllDiffTabs"
    # Notifications get lost in the agent until it has started: 0.2 s on a quick machine, over a second on a busy one.
    attentive_after_seconds = (0.5, 3.0)

    def mention(self, mention: Mention) -> Optional[ClientNotice]:
        params: Dict[str, Any] = {"filePath": mention.path}
        if mention.lines is not None:
            params["lineStart"], params["lineEnd"] = mention.lines
        return ClientNotice("at_mentioned", params)

    def process_id(self, method: str, params: Mapping[str, Any]) -> Optional[int]:
        pid = params.get("pid") if method == "ide_connected" else None
        return pid if type(pid) is int and pid > 0 else None

    async def _open_diff(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        accepted = await self.reviewed(call, window, "new_file_path")
        if accepted is None:
            return _texts("DIFF_REJECTED", call.arguments["tab_name"])
        return _texts("FILE_SAVED", accepted)

    async def _close_tab(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        await window.withdraw_review(call.session.id, call.arguments["tab_name"])
        return text_result("TAB_CLOSED")

    async def _close_all(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        return text_result(f"CLOSED_{await window.withdraw_reviews(call.session.id)}_DIFF_TABS")

    async def _diagnostics(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        return json_result(
            [
                {
                    "uri": file_url(file.path),
                    "diagnostics": [diagnostic_fields(each, _SEVERITIES) for each in file.diagnostics],
                }
                for file in await self.diagnosed(call, window)
            ]
        )

    async def _open_file(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        path = call.arguments["filePath"]
        in_front = call.arguments.get("makeFrontmost") is not False
        await window.open_file(path, in_front=in_front, preview=call.arguments.get("preview") is True)
        return text_result(f"Opened file: {path}")

    async def _open_editors(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        tabs = [
            {
                "uri": file_url(editor.path),
                "isActive": editor.is_active,
                "label": posixpath.basename(editor.path.replace("\\", "/")),
                "languageId": editor.language,
                "isDirty": editor.is_dirty,
            }
            for editor in await window.open_editors()
        ]
        return json_result({"tabs": tabs})

    async def _selection(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        active = await window.selection()
        if active is None:
            return json_result({"success": False, "message": "No file is active in the editor."})
        return json_result({"success": True, **selection_fields(active)})

    async def _folders(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        paths = list(window.folders())
        folders = [
            {"name": posixpath.basename(path.replace("\\", "/")), "uri": file_url(path), "path": path} for path in paths
        ]
        return json_result({"success": True, "folders": folders, "rootPath": paths[0] if paths else None})

    async def _is_dirty(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        path = call.arguments["filePath"]
        dirty = await window.is_dirty(path)
        if dirty is None:
            return _not_open(path)
        return json_result({"success": True, "filePath": path, "isDirty": dirty, "isUntitled": False})

    async def _save(self, call: ToolCall, window: AgentWindow) -> ToolResult:
        path = call.arguments["filePath"]
        if not await window.save(path):
            return _not_open(path)
        return json_result({"success": True, "filePath": path, "saved": True, "message": "The file is saved."})

    handlers = {
        "openDiff": _open_diff,
        "close_tab": _close_tab,
        "closeAllDiffTabs": _close_all,
        "getDiagnostics": _diagnostics,
        "openFile": _open_file,
        "getOpenEditors": _open_editors,
        "getCurrentSelection": _selection,
        "getLatestSelection": _selection,
        "getWorkspaceFolders": _folders,
        "checkDocumentDirty": _is_dirty,
        "saveDocument": _save,
    }


def _texts(*texts: str) -> ToolResult:
    return ToolResult(tuple({"type": "text", "text": text} for text in texts))


def _not_open(path: str) -> ToolResult:
    return json_result({"success": False, "message": f"The file is not open in the editor: {path}"})


CLAUDE = ClaudeDialect()


# -- where it looks for the editor -------------------------------------------------------------------------------------

PORT = re.compile(r"^([0-9]{1,5})\.lock$")


class ClaudeLockFiles(Agent):
    """Lock files `~/.claude/ide/PORT.lock`, by which more than one agent finds the editor."""

    dialect = CLAUDE
    usual_home = ".claude"
    file_names = PORT

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        return {
            f"{announcement.port}.lock": {
                "pid": announcement.editor_pid,  # a file of a dead one is deleted by the agent
                "workspaceFolders": list(announcement.real_folders or announcement.folders),
                "ideName": EDITOR_DISPLAY_NAME,
                "transport": "ws",
                "authToken": announcement.token_for(self),
                "runningInWindows": platform.name == WINDOWS,
                # No agent reads these: by them we know a file of ours.
                "port": announcement.port,
                "ideInfo": dict(EDITOR_INFO),
            }
        }

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        return process_id(content.get("pid"))


NOTICES = "<task-notification>", "<system-reminder>"
"""How the prompts begin that the agent gives itself, as when a subagent has ended."""


class ClaudeHooks(HookDialect):
    """Read again while it runs. After Esc, and after a question that was answered with no, no event tells of the end of
    the turn. A `PermissionRequest` has no call id."""

    events = {
        "SessionStart": Happening.OTHER,
        "UserPromptSubmit": Happening.PROMPT,
        "PreToolUse": Happening.TOOL_BEGINS,
        "PermissionRequest": Happening.WAITS,
        "PostToolUse": Happening.TOOL_ENDED,
        "PostToolUseFailure": Happening.TOOL_ENDED,
        "Notification": Happening.WAITS,
        "Stop": Happening.TURN_ENDED,
        "SessionEnd": Happening.SESSION_ENDED,
        "SubagentStart": Happening.SUBAGENT_BEGINS,
        "SubagentStop": Happening.SUBAGENT_ENDED,
    }
    permission_event = "PermissionRequest"
    shell_tools: Tuple[str, ...] = ("Bash",)
    reads_while_running = True

    def way(self, event: HookEvent, connected: bool) -> Way:
        if event.name == self.permission_event:
            return Way.BESIDE if connected else Way.ALONE
        if connected:
            return Way.ALONE if event.mode in self.asking_modes else Way.ASKS
        return Way.ALONE if event.mode == "plan" else Way.WAITS  # there it would ask once more

    def read(self, payload: Any, event: str = "", process: Optional[int] = None) -> Optional[HookEvent]:
        read = super().read(payload, event, process)
        if read is not None and read.happening is Happening.PROMPT and read.prompt.lstrip().startswith(NOTICES):
            return read._replace(happening=Happening.GOES_ON, prompt="")
        return read

    def _going_on(self, text: str) -> Dict[str, Any]:
        # "block" would give its model the text twice, and the command line of the hook.
        return {"hookSpecificOutput": {"hookEventName": self.end_event, "additionalContext": text}}

    def _background(self, payload: Mapping[str, Any]) -> Optional[FrozenSet[str]]:
        tasks = payload.get("background_tasks")
        if not isinstance(tasks, list):
            return None
        named = [each for each in tasks if isinstance(each, dict) and each.get("status") == "running"]
        return frozenset(str(each.get("id")) for each in named if "agent_type" in each)  # others are commands

    writes = WriteForm(
        {
            "Write": WriteTool("file_path", whole="content"),
            "Edit": WriteTool("file_path", old="old_string", new="new_string", every="replace_all"),
            "MultiEdit": WriteTool("file_path", old="old_string", new="new_string", every="replace_all", edits="edits"),
            "NotebookEdit": WriteTool("notebook_path"),
        },
        restores_mark=True,
        line_ends=LineEnds.MOST,
        takes_line_end=True,
        fills_empty=True,
    )


class ClaudeCode(ClaudeLockFiles):
    """Connects by itself if its user has set that, and only if exactly one editor fits."""

    key = "claude"
    title = "Claude Code"
    client_names = ("claude-code",)
    program = "claude"
    npm_package = "@anthropic-ai/claude-code"
    node = 22
    takes_the_only_one = True
    restored = RESTORES_ALL._replace(mark=False)  # it is in its proposals
    hooks = ClaudeHooks()
    profile = Profile(
        "`/ide` and choose Sublime Text",
        works="context, mentions, diffs with your edits, diagnostics",
        cannot="connect unasked: use `/ide`, or start it in a terminal of the editor. If two windows have the same "
        "folder it connects to neither, unless **Run Agent…** starts it",
        shows_diffs='`"permissions": {"defaultMode": "manual"}` in `~/.claude/settings.json`, or Shift+Tab until it '
        "says that it asks before edits; by default it writes without asking",
        link="https://github.com/anthropics/claude-code",
    )

    def configuration(self, platform: Platform) -> str:
        return (not self.folder and platform.variable("CLAUDE_CONFIG_DIR")) or self.home(platform)

    def choose(self, entries: Sequence[DiscoveryFile], lookup: LookupContext) -> Optional[DiscoveryFile]:
        """The one with the inherited port, else the only one that fits: of two it takes none."""
        usable = [entry for entry in entries if PORT.match(entry.name) and _is_usable(entry, lookup)]
        for entry in usable:
            if entry.name == f"{lookup.port}.lock":
                return entry
        fitting = [entry for entry in usable if _holds_folder(entry, lookup)]
        return fitting[0] if len(fitting) == 1 else None

    def terminal_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        # Naming the port would be surer, but keep opencode from showing its token.
        return {"CLAUDE_CODE_AUTO_CONNECT_IDE": "true"}

    def run_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        port = connection.ports.get(CLAUDE.key)
        return {"CLAUDE_CODE_SSE_PORT": str(port)} if port else {}


def _is_usable(entry: DiscoveryFile, lookup: LookupContext) -> bool:
    if entry.content is None or entry.content.get("transport") != "ws":
        return False
    pid = entry.content.get("pid")
    return not isinstance(pid, int) or lookup.is_alive(pid)


def _holds_folder(entry: DiscoveryFile, lookup: LookupContext) -> bool:
    """As the agent does, letter by letter. Links are resolved in the agent's own folder, and not in the file."""
    here = lookup.real(lookup.folder)
    folders = folders_of(entry.content)
    return any(is_below(folder, here, lookup.platform, exact=True) for folder in folders)


CLAUDE_CODE = ClaudeCode()
