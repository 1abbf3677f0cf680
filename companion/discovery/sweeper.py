"""Removes discovery files that an earlier life of this package left behind.

Rule: a file goes only if it says that this package wrote it, belongs to the user, and its editor is dead, or is this
very editor, whose earlier package can no longer serve it. Clients try only the first file that fits, so a left-over of
our own process id would stand in the way of the right one. Everything else is somebody's.

An editor whose process id now belongs to a process that began after the file was written is dead, too; because clocks
may be set, its port must be silent as well before it is taken for dead.
"""

from __future__ import annotations

import logging
import os
from typing import Callable, List, NamedTuple, Optional

from ..agents.agent import EDITOR_NAME, Agent
from ..agents.registry import AGENTS
from ..system.platform import Platform
from ..system.processes import began as process_began
from ..system.processes import is_alive as process_is_alive
from ..transport import local_sockets
from . import files
from .directory import is_safe

logger = logging.getLogger("gemini_companion.discovery")

CLOCK_SECONDS = 10  # file systems and process tables do not count time alike
CONNECT_SECONDS = 1


def sweep(
    editor_pid: int,
    *,
    platform: Optional[Platform] = None,
    is_alive: Callable[[int], bool] = process_is_alive,
    began: Callable[[int], Optional[float]] = process_began,
) -> List[str]:
    """Remove what was left over and return the paths removed. Never raises.

    `editor_pid` is the running editor. To be called once at start, before anything is published.
    Blocks on the disk: not for the main thread.
    """
    if platform is None:
        platform = Platform.current()
    judge = _Judge(editor_pid, platform, is_alive, began)
    removed: List[str] = []
    for agent in AGENTS:
        place = agent.place(platform)
        if not is_safe(place.root, place.below, platform, root_is_shared=place.root_is_shared):
            continue  # not there, or not ours to tidy up
        directory = platform.path.join(place.root, *place.below)
        try:
            names = sorted(os.listdir(directory))
        except OSError as error:
            logger.info("cannot list %s: %s", directory, error)
            continue
        for name in names:
            path = platform.path.join(directory, name)
            if judge.is_left_over(agent, name, path):
                socket = (files.read(path, platform) or {}).get("socketPath")
                if files.remove(path):
                    removed.append(path)
                    _remove_socket(socket)
    if removed:
        logger.info("removed what an earlier run left behind: %s", ", ".join(removed))
    return removed


def _remove_socket(path: object) -> None:
    """Remove the socket that a left-over file names, if it is one of ours and dead."""
    if isinstance(path, str) and local_sockets.is_left_over(path):
        local_sockets.remove(os.path.dirname(path))


class _Judge(NamedTuple):
    """Decides about one file at a time."""

    editor_pid: int
    platform: Platform
    is_alive: Callable[[int], bool]
    began: Callable[[int], Optional[float]]

    def is_left_over(self, agent: Agent, name: str, path: str) -> bool:
        temporary = files.TEMPORARY_NAMES.match(name)
        if temporary is not None:
            pid = int(temporary.group("pid"))
            owned = files.read_bytes(path, self.platform) is not None
            return owned and (pid == self.editor_pid or not self.is_alive(pid))
        if agent.file_names.match(name) is None:
            return False
        content = files.read(path, self.platform)
        if content is None:
            return False
        info = content.get("ideInfo")
        if not isinstance(info, dict) or info.get("name") != EDITOR_NAME:
            return False
        owner = agent.owner(name, content)
        if owner is None:
            return False
        if owner == self.editor_pid:
            return True
        return not self.is_alive(owner) or self._is_of_a_predecessor(owner, path, content.get("port"))

    def _is_of_a_predecessor(self, pid: int, path: str, port: object) -> bool:
        """Whether the living process with this id only inherited the number from the editor that wrote the file."""
        began = self.began(pid)
        written = files.written_at(path)
        if began is None or written is None or written > began - CLOCK_SECONDS:
            return False
        return not _answers(port)


def _answers(port: object) -> bool:
    if not isinstance(port, int) or not 0 < port < 65536:
        return False
    import socket

    try:
        socket.create_connection(("127.0.0.1", port), timeout=CONNECT_SECONDS).close()
    except ConnectionRefusedError:
        return False
    except OSError:
        return True  # not known, so nothing is taken away
    return True
