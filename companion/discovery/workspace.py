"""The workspace folders of a window, which become `workspacePath` in its discovery files.

Rule: only absolute folders that agents can split again. An agent connects only if its working directory is inside one
of them, so a window without folders falls back to the project or working copy of its active file.
Implements the companion specifications, section I.2 ("File Content & Workspace Validation").
"""

from __future__ import annotations

import os
from typing import Callable, List, Optional, Sequence, Set, Tuple

from ..system.platform import WINDOWS, Platform

# Entries in the root directory of a working copy.
VERSION_CONTROL_MARKS = (".git", ".hg", ".jj", ".svn", ".bzr", "_darcs", ".fslckout", ".pijul")

HERE = Platform.current()
VERSION_CONTROL = "version_control"
NONE = "none"


def workspace_folders(
    folders: Sequence[str],
    *,
    project_file: Optional[str] = None,
    active_file: Optional[str] = None,
    fallback: str = VERSION_CONTROL,
    platform: Platform = HERE,
    exists: Callable[[str], bool] = os.path.exists,
) -> Tuple[str, ...]:
    """The workspace folders to announce. Empty if there are none.

    `folders` are the window's. If there are none, the setting `workspace_fallback` decides: "version_control" uses the
    project file's folder, or else the root of the active file's working copy, or else that file's directory;
    "directory" skips the working copy; "none" announces nothing. `exists` accesses the disk: if `folders` is empty,
    never call this on the main thread.
    """
    chosen = _announceable(folders, platform)
    if folders or fallback == NONE:
        return chosen
    for candidate in _fallbacks(project_file, active_file, fallback, platform, exists):
        chosen = _announceable([candidate], platform)
        if chosen:
            return chosen
    return ()


def resolved_folders(
    folders: Sequence[str], platform: Platform = HERE, real: Callable[[str], str] = os.path.realpath
) -> Tuple[str, ...]:
    """The folders with all links resolved, for programs that compare text. Blocks on the disk.

    On Windows a drive may stand for a share or a folder, and is resolved too, which some programs do and some do not:
    such a folder is named both ways.
    """
    drive_of = platform.path.splitdrive
    resolved: List[str] = []
    for folder in folders:
        found = real(folder)
        resolved.append(found)
        if drive_of(found)[0].lower() != drive_of(folder)[0].lower():
            resolved.append(folder)
    return tuple(dict.fromkeys(resolved))


def unusable_folders(folders: Sequence[str], platform: Platform = HERE) -> List[str]:
    """The folders that cannot be announced, because their names contain the path list separator."""
    return [folder for folder in folders if platform.list_separator in folder]


def version_control_root(directory: str, platform: Platform, exists: Callable[[str], bool]) -> Optional[str]:
    """The nearest directory at or above `directory` that is the root of a working copy; None if there is none."""
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
        if fallback == VERSION_CONTROL:
            root = version_control_root(directory, platform, exists)
            if root is not None:
                found.append(root)
        found.append(directory)
    return found


def _announceable(folders: Sequence[str], platform: Platform) -> Tuple[str, ...]:
    chosen: List[str] = []
    seen: Set[str] = set()
    for folder in folders:
        # Agents would split a folder with the separator in its name into two others, perhaps a parent directory.
        if platform.list_separator in folder or not _is_absolute(folder, platform):
            continue
        if "\0" in folder:
            continue  # no folder is called so, but a project's file may say anything
        plain = platform.path.normpath(folder)
        key = platform.path.normcase(plain)
        if key not in seen:
            seen.add(key)
            chosen.append(plain)
    return tuple(chosen)


def _is_absolute(folder: str, platform: Platform) -> bool:
    if platform.name == WINDOWS:
        # Python before 3.13 counts "\\folder" as absolute, although it depends on the current drive.
        return bool(platform.path.splitdrive(folder)[0]) and platform.path.isabs(folder)
    return bool(platform.path.isabs(folder))
