"""Qwen Code: where and how it looks for the editor.

Rule: everything that is specific to Qwen Code is in this module.
Implements the companion specification of September 2025, section I.2 ("Discovery Mechanism: The Lock File"), and the
shorter name of the lock file that releases up to 0.24 read.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ..system.platform import WINDOWS, Platform
from .agent import (
    EDITOR_DISPLAY_NAME,
    Agent,
    Announcement,
    ConnectionDetails,
    DiscoveryFile,
    LookupContext,
    Profile,
    common_content,
    process_id,
)
from .claude_code import ClaudeHooks
from .hook_proposals import WriteForm, WriteTool
from .hooks import Happening, HookEntry, HookEvent, Shell, Way
from .ide_companion import IDE_COMPANION

_SCANNED = re.compile(r"^[0-9]+\.lock$")


class QwenHooks(ClaudeHooks):
    """Claude Code's events, by other tools. Milliseconds; held for 60 s at most, whatever is set. Before each request
    to its model it tells of a prompt, which is the user's only if it says what was submitted."""

    writes = WriteForm(
        {
            "write_file": WriteTool("file_path", whole="content"),
            "edit": WriteTool("file_path", old="old_string", new="new_string", every="replace_all"),
            "notebook_edit": WriteTool("notebook_path"),
        },
        restores_line_ends=True,
        restores_mark=True,
        takes_line_end=True,
    )
    shell_tools = ("run_shell_command",)
    prompt_name = "submitted_prompt"
    call_names = ("tool_use_id", "tool_call_id")
    reads_while_running = False
    units_per_second = 1000
    patience_seconds = 50.0
    holds_end = False  # after those 60 s it shows an error
    asks_when_late = True
    edits_by = ("PermissionRequest",)
    windows_shell = Shell.POWERSHELL

    def way(self, event: HookEvent, connected: bool) -> Way:
        asking, is_question = event.mode in self.asking_modes, event.name == self.permission_event
        if asking != is_question:  # it comes before its question, and the other one behind it
            return Way.ALONE
        return Way.ALONE if asking and connected else Way.WAITS

    def _going_on(self, text: str) -> Dict[str, Any]:
        return {"decision": "block", "reason": text}  # other answers it does not take

    def definition(self, entry: HookEntry, file: str, platform: Platform) -> Dict[str, Any]:
        definition = super().definition(entry, file, platform)
        if platform.name == WINDOWS:
            definition["hooks"][0]["shell"] = self.windows_shell.value
        return definition

    def read(self, payload: Any, event: str = "", process: Optional[int] = None) -> Optional[HookEvent]:
        read = super().read(payload, event, process)
        if read is not None and read.happening is Happening.PROMPT and not read.prompt:
            return read._replace(happening=Happening.GOES_ON)
        return read


class QwenCode(Agent):
    """Lock files `~/.qwen/ide/PORT.lock`, which releases read, and `PID-PORT.lock`, as in the specification."""

    key = "qwen"
    title = "Qwen Code"
    dialect = IDE_COMPANION
    has_own_token = True
    program = "qwen"
    npm_package = "@qwen-code/qwen-code"
    node = 20
    profile = Profile(
        "`/ide enable`",
        works="context, diffs with your edits",
        shows_diffs='`/ide enable`, and `"tools": {"approvalMode": "default"}`',
        link="https://github.com/QwenLM/qwen-code",
    )
    last_without_token = (0, 0, 14)
    home_variable, usual_home = "QWEN_HOME", ".qwen"
    hooks = QwenHooks()
    file_names = re.compile(r"^(?:(?P<pid>[0-9]{1,10})-)?[0-9]{1,5}\.lock$")

    def home(self, platform: Platform) -> str:
        return platform.with_home(super().home(platform))

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        content = common_content(self, announcement, platform)
        # Qwen Code deletes a file with several folders that has no ppid.
        content["ppid"] = announcement.editor_pid
        content["ideName"] = EDITOR_DISPLAY_NAME
        return {
            f"{announcement.port}.lock": content,
            f"{announcement.editor_pid}-{announcement.port}.lock": content,
        }

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        pid = super().owner(name, content)
        return pid if pid is not None else process_id(content.get("ppid"))

    def choose(self, entries: Sequence[DiscoveryFile], lookup: LookupContext) -> Optional[DiscoveryFile]:
        """The lock file of the port in the environment, or else the newest one that fits and whose editor runs."""

        def fits(content: Mapping[str, Any]) -> bool:
            return lookup.is_in(_folders(content.get("workspacePath"), lookup.platform))

        named = next((entry for entry in entries if entry.name == f"{lookup.port}.lock"), None)
        if named is not None and named.content is not None:
            if "workspacePath" not in named.content or fits(named.content):
                return named
        scanned: List[DiscoveryFile] = [entry for entry in entries if _SCANNED.match(entry.name)]
        for entry in sorted(scanned, key=lambda each: -each.written):
            if entry.content is not None and not _is_stale(entry.content, lookup) and fits(entry.content):
                return entry
        return None

    def terminal_variables(self, connection: ConnectionDetails) -> Dict[str, str]:
        return {
            "QWEN_CODE_IDE_SERVER_PORT": str(connection.port),
            "QWEN_CODE_IDE_WORKSPACE_PATH": connection.workspace,
        }


def _folders(workspace: Any, platform: Platform) -> List[str]:
    """The absolute folders in a path list or a JSON array."""
    if not isinstance(workspace, str):
        return []
    folders = workspace.split(platform.list_separator)
    if workspace.lstrip().startswith("["):
        try:
            parsed = json.loads(workspace)
        except ValueError:
            parsed = None
        if isinstance(parsed, list) and all(isinstance(folder, str) for folder in parsed):
            folders = parsed
    return [folder for folder in folders if platform.path.isabs(folder)]


def _is_stale(content: Mapping[str, Any], lookup: LookupContext) -> bool:
    """Whether Qwen Code would delete the file instead of using it."""
    pid = process_id(content.get("ppid"))
    return pid is not None and not lookup.is_alive(pid)


QWEN_CODE = QwenCode()
