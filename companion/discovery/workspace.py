"""The folders that a window stands for: what becomes `workspacePath` in its discovery files.

Rule: only absolute folders that clients can take apart again. A client refuses to connect unless its working directory
is inside one of them, so a window without folders falls back to the nearest thing that is a project.
"""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Sequence, Set, Tuple

from ..system.platform import WINDOWS, Platform

# What marks the top directory of a working copy.
VERSION_CONTROL_MARKS = (".git", ".hg", ".jj", ".svn", ".bzr", "_darcs", ".fslckout", ".pijul")

VERSION_CONTROL = "version_control"
NONE = "none"


def workspace_folders(
    folders: Sequence[str],
    *,
    project_file: Optional[str] = None,
    active_file: Optional[str] = None,
    fallback: str = VERSION_CONTROL,
    platform: Optional[Platform] = None,
    exists: Callable[[str], bool] = os.path.exists,
) -> Tuple[str, ...]:
    """The workspace folders to announce; empty if the window stands for none.

    `folders` are the window's. With none, by the setting `workspace_fallback`: "version_control" takes the project
    file's folder, else the root of the working copy that holds the active file, else that file's directory;
    "directory" does without the look for a root; "none" announces nothing. `exists` asks the disk, so this is not for
    the main thread when `folders` is empty.
    """
    if platform is None:
        platform = Platform.current()
    chosen = _announceable(folders, platform)
    if chosen or fallback == NONE or folders:
        return chosen
    for candidate in _fallbacks(project_file, active_file, fallback, platform, exists):
        chosen = _announceable([candidate], platform)
        if chosen:
            return chosen
    return ()


def unusable_folders(folders: Sequence[str], platform: Optional[Platform] = None) -> List[str]:
    """Those of the window's folders that no client could find, because their names hold the list separator."""
    if platform is None:
        platform = Platform.current()
    return [folder for folder in folders if platform.list_separator in folder]


def version_control_root(directory: str, platform: Platform, exists: Callable[[str], bool]) -> Optional[str]:
    """The nearest directory at or above `directory` that is the top of a working copy."""
    path = platform.path
    while True:
        if any(exists(path.join(directory, mark)) for mark in VERSION_CONTROL_MARKS):
            return directory
        parent = path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def _fallbacks(
    project_file: Optional[str],
    active_file: Optional[str],
    fallback: str,
    platform: Platform,
    exists: Callable[[str], bool],
) -> List[str]:
    found: List[str] = []
    if project_file:
        found.append(platform.path.dirname(project_file))
    if active_file:
        directory = platform.path.dirname(active_file)
        if fallback == VERSION_CONTROL and not found:
            root = version_control_root(directory, platform, exists)
            if root is not None:
                found.append(root)
        found.append(directory)
    return found


def _announceable(folders: Sequence[str], platform: Platform) -> Tuple[str, ...]:
    chosen: List[str] = []
    seen: Set[str] = set()
    for folder in folders:
        # One with the separator in its name would be read as two others, one of which may be too wide.
        if not folder or platform.list_separator in folder or not _is_absolute(folder, platform):
            continue
        plain = platform.path.normpath(folder)
        key = platform.path.normcase(plain)
        if key not in seen:
            seen.add(key)
            chosen.append(plain)
    return tuple(chosen)


def _is_absolute(folder: str, platform: Platform) -> bool:
    if platform.name == WINDOWS:
        # Python before 3.13 takes "\\folder" for absolute, which has no drive and so means many places.
        return bool(platform.path.splitdrive(folder)[0]) and platform.path.isabs(folder)
    return bool(platform.path.isabs(folder))
