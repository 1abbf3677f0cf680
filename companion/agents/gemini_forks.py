"""Forks of Gemini CLI that differ from it by names alone: a table, one row for each.

Rule: no code for a single fork. One that looks for the editor by Gemini CLI's own names, as aioncli does, needs no row.
"""

from __future__ import annotations

import re
from typing import Any, Dict, NamedTuple, Tuple

from ..system.platform import Platform
from .agent import Announcement, Connection, Place, common_content
from .gemini_cli import GeminiCli


class Fork(NamedTuple):
    """What a fork calls itself. `folder` stands in the paths of its discovery files, `prefix` before its variables: ""
    if they are not known."""

    key: str
    title: str
    program: str
    npm_package: str
    node: int
    folder: str
    prefix: str
    connect: str


_FORKS = (
    Fork(
        "llxprt",
        "LLxprt Code",
        "llxprt",
        "@vybestack/llxprt-code",
        24,
        "llxprt",
        "LLXPRT_CODE_IDE",
        "In LLxprt Code, type /ide enable to connect to this editor.",
    ),
)


class GeminiFork(GeminiCli):
    """Discovery files `<temporary directory>/FOLDER/ide/FOLDER-ide-server-PID-PORT.json`."""

    last_without_token = (0, 0, 0)

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self.key, self.title, self.program = fork.key, fork.title, fork.program
        self.npm_package, self.node, self.how_to_connect = fork.npm_package, fork.node, fork.connect
        self.file_names = re.compile(
            rf"^{re.escape(fork.folder)}-ide-server-(?P<pid>[0-9]{{1,10}})-[0-9]{{1,5}}\.json$"
        )

    def place(self, platform: Platform) -> Place:
        return Place(platform.temporary_directory(), (self._fork.folder, "ide"), True)

    def files(self, announcement: Announcement, platform: Platform) -> Dict[str, Dict[str, Any]]:
        name = f"{self._fork.folder}-ide-server-{announcement.editor_pid}-{announcement.port}.json"
        return {name: common_content(self, announcement, platform)}

    def terminal_variables(self, connection: Connection) -> Dict[str, str]:
        if not self._fork.prefix:
            return {}
        return {
            f"{self._fork.prefix}_SERVER_PORT": str(connection.port),
            f"{self._fork.prefix}_WORKSPACE_PATH": connection.workspace,
        }

    def client_variables(self, connection: Connection) -> Dict[str, str]:
        return {}


FORKS: Tuple[GeminiFork, ...] = tuple(GeminiFork(fork) for fork in _FORKS)
