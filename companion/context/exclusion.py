"""Which files are excluded from the context by the setting `context_exclude`.

Rule: a pattern without a slash is matched against the names of the file and of all folders above it. A pattern with a
slash is matched against the path, from its start if the pattern is absolute or begins with `~`, or else from any
folder; if it matches a folder, everything below is excluded. The patterns are those of `fnmatch`. Neither case nor the
encoding of accents matters: excluding too much costs little, excluding too little may give away a secret.

Callers ask for each name of a file: the one under which it is open, and the one without links.

An untrusted project may add patterns, and matching runs on the main thread. So nothing here raises or accesses the
disk, and the time is linear in the length of the path.
"""

from __future__ import annotations

import functools
import os
import re
import unicodedata
from typing import Callable, List, Tuple

from ..common.globs import Globs

Excluded = Callable[[str], bool]  # is this path excluded?


@functools.lru_cache(maxsize=32)
def exclusion(patterns: Tuple[str, ...]) -> Excluded:
    """A cached predicate: does one of `patterns` exclude this absolute path? Any thread."""
    names: List[str] = []
    paths: List[str] = []
    for pattern in patterns:
        pattern = _canonical(pattern.strip())
        if pattern == "~" or pattern.startswith("~/"):  # not "~name/", which may need a directory service
            pattern = _canonical(os.path.expanduser(pattern))
        if not pattern.strip("/"):
            continue  # an empty pattern excludes nothing, and neither does the root
        if "/" not in pattern:
            names.append(pattern)
            continue
        anchored = pattern.startswith("/") or re.match(r"[A-Za-z]:/", pattern) is not None
        stem = pattern.rstrip("/") if anchored else "*/" + pattern.strip("/")
        # It is matched against the path and a slash: so "/*" matches the path itself and everything below.
        paths.append(stem + ("/?*" if pattern.endswith("/") else "/*"))
    name_globs, path_globs = Globs(names), Globs(paths)

    @functools.lru_cache(maxsize=1024)
    def excluded(path: str) -> bool:
        path = _canonical(path)
        return path_globs.match(path + "/") or any(name_globs.match(part) for part in path.split("/") if part)

    return excluded


def _canonical(path: str) -> str:
    # File systems of macOS may return accents as combining characters.
    return unicodedata.normalize("NFC", path.replace("\\", "/"))
