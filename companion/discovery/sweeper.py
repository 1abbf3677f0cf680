"""Removes stale discovery files, and the folders of dead sockets, that an earlier run of this package left behind.

Rule: a file is removed only if this package wrote it, the user owns it, and its editor has exited or is this editor,
whose former package no longer serves it. Agents try only the first file that fits, so a stale file with this editor's
process id would hide the right one. All other files are kept.

An editor has also exited if its process id belongs to another process by now. Then nobody answers where the file leads
to, although its writer has had time enough to listen.
"""

from __future__ import annotations

import logging
import os
import time
from typing import Callable, List, Sequence

from ..agents.agent import EDITOR_NAME, Agent
from ..system import folders
from ..system.files import remove
from ..system.folders import YOUNG_SECONDS, is_answered
from ..system.platform import Platform
from ..system.processes import is_alive as process_is_alive
from . import files
from .files import is_safe

logger = logging.getLogger("gemini_companion.discovery")


def sweep(
    editor_pid: int,
    agents: Sequence[Agent],
    platform: Platform,
    *,
    is_alive: Callable[[int], bool] = process_is_alive,
) -> List[str]:
    """Remove stale files and folders, and return their paths. Never raises.

    `editor_pid` is the process id of the running editor. `agents` are those whose files are looked at. Call this once,
    before anything is published. Blocks on the disk and on connections: never call it on the main thread.
    """
    removed: List[str] = []
    for agent in agents:
        place = agent.place(platform)
        if not is_safe(place, platform):
            continue  # it does not exist or is not the user's
        directory = place.path(platform)
        try:
            names = sorted(os.listdir(directory))
        except OSError as error:
            logger.warning("cannot list %s: %s", directory, error)
            continue
        for name in names:
            path = platform.path.join(directory, name)
            if _is_stale(agent, name, path, editor_pid, platform, is_alive) and remove(path):
                removed.append(path)
    for folder in folders.left_over(platform.temporary_directory(), time.time()):
        folders.remove(folder)
        removed.append(folder)
    if removed:
        logger.info("removed what an earlier run left behind: %s", ", ".join(removed))
    return removed


def _is_stale(
    agent: Agent, name: str, path: str, editor_pid: int, platform: Platform, is_alive: Callable[[int], bool]
) -> bool:
    """Whether a file may be removed, as the module docstring says. Blocks; never raises."""
    temporary = files.TEMPORARY_NAMES.match(name)
    if temporary is not None:
        return not is_alive(int(temporary.group("pid")))
    content = files.read(path, platform) if agent.file_names.match(name) is not None else None
    info = content.get("ideInfo") if content is not None else None
    if content is None or not isinstance(info, dict) or info.get("name") != EDITOR_NAME:
        return False
    owner = agent.owner(name, content)
    if owner is None:
        return False
    if owner == editor_pid or not is_alive(owner):
        return True
    written = files.written_at(path)
    if written is None or time.time() - written < YOUNG_SECONDS:
        return False
    address = agent.identity(content)[0]
    if isinstance(address, int):
        return not is_answered(("127.0.0.1", address))
    return isinstance(address, str) and os.path.isabs(address) and not is_answered(address)
