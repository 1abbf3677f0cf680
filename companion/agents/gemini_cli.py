"""Gemini CLI and a fork that differs by names alone, LLxprt Code: where and how they look for the editor.

Rule: all that is special to them stands here. A fork that looks for the editor by Gemini CLI's own names, as aioncli
does, needs nothing.
Implements the companion specification, section I.2 ("Discovery Mechanism: The Port File"), as release 0.61 reads it.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional, Pattern, Sequence, Tuple

from ..system.platform import Platform
from .agent import Agent, Announcement, ConnectionDetails, DiscoveryFile, LookupContext, Place, Profile, common_content
from .hook_proposals import WriteForm, WriteTool
from .hooks import Happening, HookDialect, HookEntry, HookEvent, Shell, Way
from .ide_companion import IDE_COMPANION
from .window import RESTORES_ALL


class GeminiHooks(HookDialect):
    """In a folder of an extension of ours. The agent tells neither a mode nor a call id, and nothing after Esc."""

    events = {
        "SessionStart": Happening.OTHER,
        "BeforeAgent": Happening.PROMPT,
        "BeforeTool": Happening.TOOL_BEGINS,
        "AfterTool": Happening.TOOL_ENDED,
        "Notification": Happening.WAITS,
        "AfterAgent": Happening.TURN_ENDED,
        "SessionEnd": Happening.SESSION_ENDED,
    }
    writes = WriteForm(
        {
            "write_file": WriteTool("file_path", whole="content"),
            "replace": WriteTool("file_path", old="old_string", new="new_string", every="allow_multiple"),
        },
        restores_line_ends=True,
        reads_crlf=True,
        restores_end=True,
    )
    shell_tools = ("run_shell_command",)
    units_per_second = 1000
    edits_by = ("BeforeTool",)
    may_be_gone_after_seconds = 60.0
    windows_shell = Shell.POWERSHELL
    below_home = ("extensions", "gemini-companion", "hooks", "hooks.json")
    is_own_file = True
    manifest_below_home = ("extensions", "gemini-companion", "gemini-extension.json")
    manifest = {"name": "gemini-companion", "version": "1.0.0"}

    text_events = ("BeforeAgent", "AfterTool")
    end_event = "AfterAgent"

    def way(self, event: HookEvent, connected: bool) -> Way:
        if event.happening is not Happening.TOOL_BEGINS:
            return Way.ALONE
        return Way.ASKS if connected else Way.WAITS

    def _decision(
        self, event: HookEvent, decision: str, reason: str, arguments: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        told: Dict[str, Any] = {"decision": decision}
        if reason:
            told["reason"] = reason
        if arguments is not None:
            told["hookSpecificOutput"] = {"hookEventName": event.name, "tool_input": dict(arguments)}
        return told

    def definition(self, entry: HookEntry, file: str, platform: Platform) -> Dict[str, Any]:
        definition = super().definition(entry, file, platform)
        definition["hooks"][0]["name"] = "Sublime Text"  # shown while it is held
        return definition


class GeminiCli(Agent):
    """Discovery files `<temporary directory>/FOLDER/ide/FOLDER-ide-server-PID-PORT.json`, FOLDER being "gemini"."""

    key = "gemini"
    title = "Gemini CLI"
    dialect = IDE_COMPANION
    has_own_token = True
    program = "gemini"
    npm_package = "@google/gemini-cli"
    node = 20
    profile = Profile(
        "`/ide enable` (first Escape, if it offers to connect)",
        works="context, diffs with your edits",
        shows_diffs="`/ide enable`",
        link="https://github.com/google-gemini/gemini-cli",
    )
    last_without_token = (0, 4, 999)
    hooks: Optional[HookDialect] = GeminiHooks()
    restored = RESTORES_ALL._replace(mark=False, encoding=False)  # a mark is in its proposals, and it writes UTF-8
    usual_folder = "gemini"
    variables = "GEMINI_CLI_IDE"
    """What the names of its environment variables begin with."""

    @property
    def own_folder(self) -> str:
        """Its folder in the directory for temporary files, whose name its discovery files have too."""
        return self.folder or self.usual_folder

    @property
    def file_names(self) -> Pattern[str]:
        return re.compile(rf"^{re.escape(self.own_folder)}-ide-server-(?P<pid>[0-9]{{1,10}})-[0-9]{{1,5}}\.json$")

    def configuration(self, platform: Platform) -> str:
        return platform.with_home("~/." + self.own_folder)

    def place(self, platform: Platform) -> Place:
        return Place(platform.temporary_directory(), (self.own_folder, "ide"), True)

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        name = f"{self.own_folder}-ide-server-{announcement.editor_pid}-{announcement.port}.json"
        return {name: common_content(self, announcement, platform)}

    def choose(self, entries: Sequence[DiscoveryFile], lookup: LookupContext) -> Optional[DiscoveryFile]:
        """The ancestor editor's files come first, then those of running editors. If several fit, the port in the
        environment decides (section I.2, "Tie-Breaking")."""

        def rank(entry: DiscoveryFile) -> Tuple[bool, bool, int]:
            pid = self.owner(entry.name, {}) or 0
            return (pid != lookup.editor_pid, not lookup.is_alive(pid), -pid)

        known = [entry for entry in entries if self.file_names.match(entry.name)]
        # Sorting is stable: equal ranks keep the order of Node.js's directory listing, by name on most systems.
        fitting = [entry for entry in sorted(known, key=rank) if _fits(entry, lookup)]
        named = [entry for entry in fitting if str((entry.content or {}).get("port")) == lookup.port]
        return next(iter(named or fitting), None)

    def terminal_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        return {
            f"{self.variables}_SERVER_PORT": str(connection.port),
            f"{self.variables}_WORKSPACE_PATH": connection.workspace,
        }

    def client_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        return {f"{self.variables}_PID": str(connection.editor_pid)}


def _fits(entry: DiscoveryFile, lookup: LookupContext) -> bool:
    workspace = (entry.content or {}).get("workspacePath")
    if not isinstance(workspace, str) or not workspace:
        return False
    # Relative entries, including empty ones, are resolved against the client's working directory.
    folders = workspace.split(lookup.platform.list_separator)
    return lookup.is_in([str(lookup.platform.path.join(lookup.folder, folder)) for folder in folders])


class LlxprtCode(GeminiCli):
    """Knows of no variable for the editor's process id."""

    key = "llxprt"
    title = "LLxprt Code"
    program = "llxprt"
    npm_package = "@vybestack/llxprt-code"
    node = 24
    profile = Profile("`/ide enable`", works="as Gemini CLI", shows_diffs="`/ide enable`")
    last_without_token = (0, 0, 0)
    usual_folder = "llxprt"
    variables = "LLXPRT_CODE_IDE"
    hooks = None
    restored = RESTORES_ALL

    def client_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        return {}


GEMINI_CLI = GeminiCli()
LLXPRT_CODE = LlxprtCode()
