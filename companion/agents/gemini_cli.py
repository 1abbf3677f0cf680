"""Gemini CLI: where and how it looks for the editor.

Rule: all that is special to it stands here. Companion specification, section I.2, and release 0.61.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Optional, Sequence, Tuple

from ..discovery.platform import Platform
from .agent import Agent, Announcement, Connection, Place, common_content
from .ide_companion import IDE_COMPANION
from .lookup import Entry, Seeker


class GeminiCli(Agent):
    """Discovery files `<temporary directory>/gemini/ide/gemini-ide-server-PID-PORT.json`."""

    key = "gemini"
    title = "Gemini CLI"
    dialect = IDE_COMPANION
    program = "gemini"
    npm_package = "@google/gemini-cli"
    node = 20
    how_to_connect = "In Gemini CLI, type /ide enable to connect to this editor."
    last_without_token = (0, 4, 999)
    file_names = re.compile(r"^gemini-ide-server-(?P<pid>[0-9]{1,10})-[0-9]{1,5}\.json$")

    def place(self, platform: Platform) -> Place:
        return Place(platform.temporary_directory(), ("gemini", "ide"), True)

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        name = f"gemini-ide-server-{announcement.editor_pid}-{announcement.port}.json"
        return {name: common_content(self, announcement, platform)}

    def choice(self, entries: Sequence[Entry], seeker: Seeker) -> Optional[Entry]:
        """The editor it was started from first, then living ones; of several that fit, the inherited port's."""

        def rank(entry: Entry) -> Tuple[bool, bool, int]:
            pid = self.owner(entry.name, {}) or 0
            return (pid != seeker.editor_pid, not seeker.is_alive(pid), -pid)

        known = [entry for entry in entries if self.file_names.match(entry.name)]
        # Equal ranks keep the order of the directory, which Node.js gives by name on most systems.
        fitting = [entry for entry in sorted(known, key=rank) if _fits(entry, seeker)]
        if len(fitting) > 1 and seeker.port:
            for entry in fitting:
                if entry.content is not None and str(entry.content.get("port")) == seeker.port:
                    return entry
        return fitting[0] if fitting else None

    def terminal_variables(self, connection: Connection) -> Dict[str, str]:
        return {
            "GEMINI_CLI_IDE_SERVER_PORT": str(connection.port),
            "GEMINI_CLI_IDE_WORKSPACE_PATH": connection.workspace,
        }

    def client_variables(self, connection: Connection) -> Dict[str, str]:
        return {"GEMINI_CLI_IDE_PID": str(connection.editor_pid)}


def _fits(entry: Entry, seeker: Seeker) -> bool:
    workspace = (entry.content or {}).get("workspacePath")
    if not isinstance(workspace, str) or not workspace:
        return False
    # A relative entry, an empty one between two separators included, counts from where the client runs.
    folders = workspace.split(seeker.platform.list_separator)
    return seeker.is_in([str(seeker.platform.path.join(seeker.folder, folder)) for folder in folders])


GEMINI_CLI = GeminiCli()
