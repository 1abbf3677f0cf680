"""What lies inside the folders of a workspace, as the disk has it and not as a path spells it.

Rule: links are followed at the time of the question and nothing is remembered, because a link may lead elsewhere the
next time. Whatever cannot be made sure of is outside.

The editor is not known here. This blocks on the disk: worker thread.
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
            return False  # links that lead to each other have no end
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
    # The very same folder may be spelled otherwise: many disks do not tell upper from lower case.
    try:
        found = os.stat(folder)
    except OSError:
        return False  # not made yet
    return found.st_ino != 0 and any(os.path.samestat(found, each.status) for each in wanted)
