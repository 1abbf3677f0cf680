"""Whether a file lies inside the folders of a workspace on disk, however its path is spelled.

Rules: links are followed anew for each question, because a link may lead elsewhere the next time. What cannot be
determined counts as outside.

The editor is not known here. This blocks on the disk: disk thread.
"""

from __future__ import annotations

import os
from typing import List, NamedTuple, Sequence


class _Folder(NamedTuple):
    key: str
    status: os.stat_result


def inside_workspace(path: str, folders: Sequence[str]) -> bool:
    """Whether the file at `path`, which need not exist yet, lies in one of `folders` or below. Never raises."""
    if not os.path.isabs(path):
        return False
    try:
        real = os.path.realpath(path)
        if os.path.islink(real):
            return False  # links that lead to each other
        wanted = _found(folders)
        return any(_is_one_of(parent, wanted) for parent in _parents(real))
    except (OSError, ValueError):
        return False


def _found(folders: Sequence[str]) -> List[_Folder]:
    found: List[_Folder] = []
    for folder in folders:
        try:
            found.append(_Folder(os.path.normcase(os.path.realpath(folder)), os.stat(folder)))
        except OSError:
            continue  # nothing can be inside a folder that is not there
    return found


def _parents(path: str) -> List[str]:
    """Every folder above `path`, the nearest first."""
    parents: List[str] = []
    parent = os.path.dirname(path)
    while parent not in parents:
        parents.append(parent)
        parent = os.path.dirname(parent)
    return parents


def _is_one_of(folder: str, wanted: Sequence[_Folder]) -> bool:
    if os.path.normcase(folder) in [each.key for each in wanted]:
        return True
    # The same folder may be spelled differently: many disks ignore case.
    try:
        found = os.stat(folder)
    except OSError:
        return False  # it does not exist yet
    return found.st_ino != 0 and any(os.path.samestat(found, each.status) for each in wanted)
