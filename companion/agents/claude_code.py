"""Claude Code: where and how it looks for the editor.

Rule: all that is special to it stands here; what it says once it is connected stands in `claude_dialect`. Measured with
release 2.1.330.

It looks into `~/.claude/ide` always, and into `$CLAUDE_CONFIG_DIR/ide` as well. The file is put into the former alone:
there it is found whatever the terminal's variables are, by opencode too, and is one editor, not two with one port.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional, Sequence

from ..system.platform import WINDOWS, Platform
from .agent import (
    EDITOR_DISPLAY_NAME,
    EDITOR_INFO,
    Agent,
    Announcement,
    Connection,
    Entry,
    LookupContext,
    folders_of,
    process_id,
)
from .claude_dialect import CLAUDE

PORT = re.compile(r"^([0-9]{1,5})\.lock$")


class ClaudeLockFiles(Agent):
    """Lock files `~/.claude/ide/PORT.lock`, by which more than one program finds the editor."""

    dialect = CLAUDE
    usual_home = ".claude"
    file_names = PORT

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        return {
            f"{announcement.port}.lock": {
                "pid": announcement.editor_pid,  # a file of a dead one is deleted by the program
                "workspaceFolders": list(announcement.real_folders or announcement.folders),
                "ideName": EDITOR_DISPLAY_NAME,
                "transport": "ws",
                "authToken": announcement.token_for(self),
                "runningInWindows": platform.name == WINDOWS,
                # No program reads these: by them we know a file of ours.
                "port": announcement.port,
                "ideInfo": dict(EDITOR_INFO),
            }
        }

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        return process_id(content.get("pid"))


class ClaudeCode(ClaudeLockFiles):
    """Connects by itself where it was told to, and only if one editor alone fits."""

    key = "claude"
    title = "Claude Code"
    client_names = ("claude-code",)
    program = "claude"
    npm_package = "@anthropic-ai/claude-code"
    node = 22
    takes_the_only_one = True
    how_to_connect = "In Claude Code, type /ide and choose Sublime Text to connect to this editor."

    def why_no_diffs(self) -> str:
        return (
            "Claude Code writes without asking in its default mode. Put "
            '{"permissions": {"defaultMode": "manual"}} into ~/.claude/settings.json, or press shift+tab until it says '
            "that it asks before edits."
        )

    def choose(self, entries: Sequence[Entry], lookup: LookupContext) -> Optional[Entry]:
        """The one with the inherited port, else the only one that fits: of two it takes none."""
        usable = [entry for entry in entries if PORT.match(entry.name) and _is_usable(entry, lookup)]
        for entry in usable:
            if entry.name == f"{lookup.port}.lock":
                return entry
        fitting = [entry for entry in usable if _holds_folder(entry, lookup)]
        return fitting[0] if len(fitting) == 1 else None

    def terminal_variables(self, connection: Connection) -> Dict[str, str]:
        # Naming the port would be surer, but keep opencode from showing its token.
        return {"CLAUDE_CODE_AUTO_CONNECT_IDE": "true"}

    def run_variables(self, connection: Connection) -> Dict[str, str]:
        port = connection.ports.get(CLAUDE.key)
        return {"CLAUDE_CODE_SSE_PORT": str(port)} if port else {}


def _is_usable(entry: Entry, lookup: LookupContext) -> bool:
    if entry.content is None or entry.content.get("transport") != "ws":
        return False
    pid = entry.content.get("pid")
    return not isinstance(pid, int) or lookup.is_alive(pid)


def _holds_folder(entry: Entry, lookup: LookupContext) -> bool:
    """Links are resolved in the program's own folder, and not in the file."""
    join = lookup.platform.path.join
    here = join(lookup.real(lookup.folder), "")
    return any(here.startswith(join(folder, "")) for folder in folders_of(entry.content))


CLAUDE_CODE = ClaudeCode()
