"""Whether a file lies inside the folders of a workspace on disk, however its path is spelled.

Rules: links are followed anew for each question, because a link may lead elsewhere the next time. What cannot be
determined counts as outside.

The editor is not known here. This blocks on the disk: disk thread.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence


class _Folder(NamedTuple):
    path: str
    key: str
    status: os.stat_result


def inside_workspace(path: str, folders: Sequence[str]) -> bool:
    """Whether the file at `path`, which need not exist yet, lies in one of `folders` or below. Never raises."""
    return place_inside(path, folders) is not None


def place_inside(path: str, folders: Sequence[str]) -> Optional[str]:
    """The same file's path below one of `folders`, as that is spelled, with no link on the way from it; None if it lies
    in none of them. Never raises.
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
