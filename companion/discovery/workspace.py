"""The workspace folders of a window: what its discovery files say as `workspacePath`, and which files lie inside.

Rule: only absolute folders that agents can split again. An agent connects only if its working directory is inside one
of them, so a window without folders falls back to the project or working copy of its active file.
Implements the companion specifications, section I.2 ("File Content & Workspace Validation").

The disk says whether a file lies inside, however its path is spelled. Links are followed anew for each question,
because a link may lead elsewhere the next time. What cannot be determined counts as outside. The editor is not known
here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..system.platform import HERE, Platform
from ..system.programs import is_full

# Entries in the root directory of a working copy.
VERSION_CONTROL_MARKS = (".git", ".hg", ".jj", ".svn", ".bzr", "_darcs", ".fslckout", ".pijul")

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
        if platform.list_separator in folder or not is_full(folder, platform):
            continue
        if "\0" in folder:
            continue  # no folder is called so, but a project's file may say anything
        plain = platform.path.normpath(folder)
        key = platform.path.normcase(plain)
        if key not in seen:
            seen.add(key)
            chosen.append(plain)
    return tuple(chosen)


# -- what lies inside --------------------------------------------------------------------------------------------------


class _Folder(NamedTuple):
    path: str
    key: str
    status: os.stat_result


def inside_workspace(path: str, folders: Sequence[str]) -> bool:
    """Whether the file at `path`, which need not exist yet, lies in one of `folders` or below. Never raises.
    Disk thread."""
    return place_inside(path, folders) is not None


def place_inside(path: str, folders: Sequence[str]) -> Optional[str]:
    """The path of the file below one of `folders`, spelled as that is, with no link on the way; None if it lies in
    none. Never raises. Disk thread.
    """
    if not os.path.isabs(path):
        return None
    try:
        real = os.path.realpath(path)
        if os.path.islink(real):
            return None  # links that lead to each other
        wanted = _found(folders)
        for parent in map(str, Path(real).parents):
            folder = _same_folder(parent, wanted)
            if folder is not None:
                return os.path.join(folder, os.path.relpath(real, parent))
    except (OSError, ValueError):
        return None
    return None


def _found(folders: Sequence[str]) -> List[_Folder]:
    found: List[_Folder] = []
    for folder in folders:
        try:
            found.append(_Folder(folder, os.path.normcase(os.path.realpath(folder)), os.stat(folder)))
        except OSError:
            continue  # nothing can be inside a folder that is not there
    return found


def _same_folder(folder: str, wanted: Sequence[_Folder]) -> Optional[str]:
    key = os.path.normcase(folder)
    spelled_so = [each.path for each in wanted if each.key == key]
    if spelled_so:
        return spelled_so[0]
    # The same folder may be spelled differently: many disks ignore case.
    try:
        found = os.stat(folder)
    except OSError:
        return None  # it does not exist yet
    same = [each.path for each in wanted if found.st_ino != 0 and os.path.samestat(found, each.status)]
    return same[0] if same else None
