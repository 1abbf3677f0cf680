"""The two families of clients: where each looks for discovery files, under which names, and what must stand in them.

Rule: everything here is computed, nothing is touched. Gemini CLI: companion specification, section I.2. Qwen Code:
companion specification (September 2025), section I.2, and the shorter lock file name that current releases read.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Pattern, Tuple

from .platform import Platform

EDITOR_NAME = "sublimetext"  # the name that Gemini CLI itself gives this editor
EDITOR_DISPLAY_NAME = "Sublime Text"
EDITOR_INFO = {"name": EDITOR_NAME, "displayName": EDITOR_DISPLAY_NAME}


class Announcement(NamedTuple):
    """What clients are told of one endpoint.

    `folders` are absolute; `editor_pid` is the editor's process id, not the plugin host's. `family_tokens` has the
    tokens of families, by the family's `client`, that get one of their own instead of `token`.
    """

    port: int
    token: str
    folders: Tuple[str, ...]
    editor_pid: int
    family_tokens: Mapping[str, str] = {}


class Place(NamedTuple):
    """A directory for discovery files: `below` are made and checked one by one, under `root`."""

    root: str
    below: Tuple[str, ...]
    root_is_shared: bool


class Family:
    """One family of clients. Subclasses say where and what."""

    client: str = ""  # as users call it
    file_names: Pattern[str]  # matches every name this family's files can have; group "pid" where the name has one

    def place(self, platform: Platform) -> Place:
        """Where this family's clients look."""
        raise NotImplementedError

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        """File name to content, for one endpoint."""
        raise NotImplementedError

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        """The id of the editor process that wrote this file, or None if it cannot be told."""
        match = self.file_names.match(name)
        return int(match.group("pid")) if match is not None and match.group("pid") else None


class GeminiFamily(Family):
    """Gemini CLI: `<temporary directory>/gemini/ide/gemini-ide-server-PID-PORT.json`."""

    client = "Gemini CLI"
    file_names = re.compile(r"^gemini-ide-server-(?P<pid>[0-9]{1,10})-[0-9]{1,5}\.json$")

    def place(self, platform: Platform) -> Place:
        return Place(platform.temporary_directory(), ("gemini", "ide"), True)

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        name = "gemini-ide-server-{}-{}.json".format(announcement.editor_pid, announcement.port)
        return {name: _common(announcement, self.client, platform)}


class QwenFamily(Family):
    """Qwen Code: `~/.qwen/ide/PORT.lock`, which releases read, and `PID-PORT.lock`, which the specification names."""

    client = "Qwen Code"
    file_names = re.compile(r"^(?:(?P<pid>[0-9]{1,10})-)?[0-9]{1,5}\.lock$")

    def place(self, platform: Platform) -> Place:
        return Place(platform.qwen_directory(), ("ide",), False)

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        content = _common(announcement, self.client, platform)
        # Without ppid, Qwen Code deletes the file as soon as it names several folders.
        content["ppid"] = announcement.editor_pid
        content["ideName"] = EDITOR_DISPLAY_NAME
        return {
            "{}.lock".format(announcement.port): content,
            "{}-{}.lock".format(announcement.editor_pid, announcement.port): content,
        }

    def owner(self, name: str, content: Mapping[str, Any]) -> Optional[int]:
        pid = super().owner(name, content)
        if pid is None:
            pid = content.get("ppid")
        return pid if isinstance(pid, int) and not isinstance(pid, bool) else None


GEMINI = GeminiFamily()
QWEN = QwenFamily()
FAMILIES: List[Family] = [GEMINI, QWEN]


def _common(announcement: Announcement, client: str, platform: Platform) -> Dict[str, Any]:
    return {
        "port": announcement.port,
        "workspacePath": platform.list_separator.join(announcement.folders),
        "authToken": announcement.family_tokens.get(client, announcement.token),
        "ideInfo": dict(EDITOR_INFO),
    }
