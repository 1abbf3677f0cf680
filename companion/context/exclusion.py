"""Which files are left out of the context altogether, by the patterns of the setting `context_exclude`.

Rule: a pattern without a slash is held against the name of the file and of every folder above it; one with a slash
against the path, from its beginning if the pattern is absolute or starts with `~`, else from any folder on, and takes
everything below a folder with it. Patterns are those of `fnmatch`. Case does not matter: to leave out too much costs
little, to leave out too little may cost a secret.
"""

from __future__ import annotations

import fnmatch
import functools
import os
import re
from typing import Callable, List, Optional, Pattern, Tuple

Excluded = Callable[[str], bool]  # path to whether it is left out


@functools.lru_cache(maxsize=32)
def exclusion(patterns: Tuple[str, ...]) -> Excluded:
    """A function that tells of an absolute path whether one of `patterns` leaves it out. It remembers its answers."""
    names: List[str] = []
    paths: List[str] = []
    for pattern in patterns:
        pattern = pattern.strip().replace("\\", "/")
        if pattern.startswith("~"):
            pattern = os.path.expanduser(pattern).replace("\\", "/")
        if not pattern.strip("/"):
            continue  # an empty pattern leaves nothing out, and neither does the top of the disk
        if "/" not in pattern:
            names.append(pattern)
            continue
        anchored = pattern.startswith("/") or re.match(r"[A-Za-z]:/", pattern) is not None
        stem = pattern.rstrip("/") if anchored else "*/" + pattern.strip("/")
        paths.append(stem + "/*")
        if not pattern.endswith("/"):
            paths.append(stem)
    name_pattern, path_pattern = _compile(names), _compile(paths)

    @functools.lru_cache(maxsize=1024)
    def excluded(path: str) -> bool:
        path = path.replace("\\", "/")
        if path_pattern is not None and path_pattern.match(path):
            return True
        return name_pattern is not None and any(name_pattern.match(part) for part in path.split("/") if part)

    return excluded


def _compile(patterns: List[str]) -> Optional[Pattern[str]]:
    if not patterns:
        return None
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns), re.IGNORECASE)
