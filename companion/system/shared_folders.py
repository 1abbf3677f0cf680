"""Folders of this machine to which another one writes, too: a link in one of them may have been made there.

Rule: what such a folder's name leads to is opened and made inside of it, or not at all. Disk threads, but for `share`.
"""

from __future__ import annotations

import errno
import os
from typing import Optional, Sequence, Set

from .paths import is_below

_shared: Set[str] = set()


def share(folder: str) -> None:
    """From now on another machine writes to this folder. Any thread."""
    _shared.add(os.path.abspath(folder))


def check(path: str, found: Optional[os.stat_result] = None) -> None:
    """Raise OSError if a path in a shared folder leads out of it, or if what was `found` by it does not lie there."""
    for folder in tuple(_shared):
        if any(is_below(name, os.path.abspath(path)) for name in (folder, os.path.realpath(folder))):
            moved = found is not None and not os.path.samestat(os.stat(os.path.realpath(path)), found)
            if moved or not lies_in(path, [folder]):
                raise OSError(errno.ELOOP, "a link leads out of a folder that another machine shares")


def lies_in(path: str, folders: Sequence[str]) -> bool:
    """Whether a path lies in one of these folders once all links are followed."""
    real = os.path.realpath(path)
    return any(is_below(os.path.realpath(folder), real) for folder in folders)
