"""GitHub Copilot CLI: where and how it looks for the editor.

Rule: all that is special to it stands here; what it says once it is connected stands in `copilot_dialect`. Measured
with release 1.0.102. The lock file never says `isTrusted`: true would make the program skip its own question.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from ..system.platform import WINDOWS, Platform
from .agent import (
    EDITOR_DISPLAY_NAME,
    EDITOR_INFO,
    Agent,
    Announcement,
    Entry,
    LookupContext,
    folders_of,
)
from .copilot_dialect import COPILOT

_REQUIRED = ("socketPath", "scheme", "headers", "pid", "ideName", "timestamp", "workspaceFolders")


class CopilotCli(Agent):
    """Lock files `~/.copilot/ide/NAME.lock`. It connects by itself, in a workspace folder itself and not below one."""

    key = "copilot"
    title = "Copilot CLI"
    dialect = COPILOT
    client_names = ("copilot-cli",)
    program = "copilot"
    npm_package = "@github/copilot"
    node = 22
    can_be_told_which = False
    how_to_connect = (
        "In a workspace folder Copilot CLI connects by itself; elsewhere, type /ide and choose Sublime Text."
    )
    home_variable, usual_home = "COPILOT_HOME", ".copilot"
    file_names = re.compile(r"^sublime-text-(?P<pid>[0-9]{1,10})-[0-9a-f]{16}\.lock$")

    def why_no_diffs(self) -> str:
        return (
            "Copilot CLI shows no diffs when it may write without asking (--allow-all-tools, --allow-tool write), and "
            "when ide.openDiffOnEdit is false in its settings."
        )

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
                "ideInfo": dict(EDITOR_INFO),  # the program does not read it: by it we know a file of ours
            }
        }

    def identity(self, content: Mapping[str, Any]) -> Tuple[object, ...]:
        headers = content.get("headers")
        return content.get("socketPath"), headers.get(COPILOT.secret_header) if isinstance(headers, dict) else None

    def choose(self, entries: Sequence[Entry], lookup: LookupContext) -> Optional[Entry]:
        """Of the files that name the very folder it runs in, the one whose name sorts first."""
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.name.endswith(".lock") and _fits(entry, lookup):
                return entry
        return None


def _fits(entry: Entry, lookup: LookupContext) -> bool:
    content = entry.content
    if content is None or any(name not in content for name in _REQUIRED):
        return False
    pid = content["pid"]
    if not isinstance(pid, int) or not lookup.is_alive(pid):
        return False
    here = lookup.platform.path.normpath(lookup.real(lookup.folder))
    return here in [lookup.platform.path.normpath(folder) for folder in folders_of(content)]


COPILOT_CLI = CopilotCli()
