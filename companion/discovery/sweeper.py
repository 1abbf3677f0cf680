"""Removes discovery files that an earlier life of this package left behind.

Rule: a file goes only if it says that this package wrote it, belongs to the user, and its editor is dead, or is this
very editor, whose earlier package can no longer serve it. Clients try only the first file that fits, so a left-over of
our own process id would stand in the way of the right one. Everything else is somebody's.
"""

from __future__ import annotations

import logging
import os
from typing import Callable, Collection, List, Optional

from . import files
from .directory import is_safe
from .families import EDITOR_NAME, FAMILIES, Family
from .platform import Platform
from .processes import is_alive as process_is_alive

logger = logging.getLogger("gemini_companion.discovery")


def sweep(
    editor_pid: int,
    *,
    platform: Optional[Platform] = None,
    keep_ports: Collection[int] = (),
    is_alive: Callable[[int], bool] = process_is_alive,
) -> List[str]:
    """Remove what was left over and return the paths removed. Never raises.

    `editor_pid` is the running editor; `keep_ports` are ports that it serves now. To be called once at start, before
    anything is published. Blocks on the disk: not for the main thread.
    """
    if platform is None:
        platform = Platform.current()
    removed: List[str] = []
    for family in FAMILIES:
        place = family.place(platform)
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
            if _is_left_over(family, name, path, editor_pid, platform, keep_ports, is_alive) and files.remove(path):
                removed.append(path)
    if removed:
        logger.info("removed what an earlier run left behind: %s", ", ".join(removed))
    return removed


def _is_left_over(
    family: Family,
    name: str,
    path: str,
    editor_pid: int,
    platform: Platform,
    keep_ports: Collection[int],
    is_alive: Callable[[int], bool],
) -> bool:
    temporary = files.TEMPORARY_NAMES.match(name)
    if temporary is not None:
        pid = int(temporary.group("pid"))
        owned = files.read_bytes(path, platform) is not None
        return owned and (pid == editor_pid or not is_alive(pid))
    if family.file_names.match(name) is None:
        return False
    content = files.read(path, platform)
    if content is None:
        return False
    info = content.get("ideInfo")
    if not isinstance(info, dict) or info.get("name") != EDITOR_NAME:
        return False
    owner = family.owner(name, content)
    if owner is None:
        return False
    if owner == editor_pid:
        return content.get("port") not in keep_ports
    return not is_alive(owner)
