"""Which files are left out of the context altogether, by the patterns of the setting `context_exclude`.

Rule: a pattern without a slash is held against the name of the file and of every folder above it; one with a slash
against the path, from its beginning if the pattern is absolute or starts with `~`, else from any folder on, and takes
everything below a folder with it. Patterns are those of `fnmatch`. Neither case nor the way an accent is encoded
matters: to leave out too much costs little, to leave out too little may cost a secret.

A stranger's project may add patterns, and this is asked on the main thread: so nothing here raises, looks at the disk
or takes longer than the path is long.
"""

from __future__ import annotations

import functools
import os
import re
import unicodedata
from typing import Callable, List, Tuple

from ..globs import Globs

Excluded = Callable[[str], bool]  # path to whether it is left out


@functools.lru_cache(maxsize=32)
def exclusion(patterns: Tuple[str, ...]) -> Excluded:
    """A function that tells of an absolute path whether one of `patterns` leaves it out. It remembers its answers."""
    names: List[str] = []
    paths: List[str] = []
    for pattern in patterns:
        pattern = _canonical(pattern.strip())
        if pattern == "~" or pattern.startswith("~/"):  # not "~name/": who that is may have to be asked of a network
            pattern = _canonical(os.path.expanduser(pattern))
        if not pattern.strip("/"):
            continue  # an empty pattern leaves nothing out, and neither does the top of the disk
        if "/" not in pattern:
            names.append(pattern)
            continue
        anchored = pattern.startswith("/") or re.match(r"[A-Za-z]:/", pattern) is not None
        stem = pattern.rstrip("/") if anchored else "*/" + pattern.strip("/")
        # To be held against a path with a slash behind it: then "/*" takes the very thing and what is below it.
        paths.append(stem + ("/?*" if pattern.endswith("/") else "/*"))
    name_globs, path_globs = Globs(names), Globs(paths)

    @functools.lru_cache(maxsize=1024)
    def excluded(path: str) -> bool:
        path = _canonical(path)
        return path_globs.match(path + "/") or any(name_globs.match(part) for part in path.split("/") if part)

    return excluded


def _canonical(path: str) -> str:
    # Disks of macOS may give back an accent as a character of its own.
    return unicodedata.normalize("NFC", path.replace("\\", "/"))
