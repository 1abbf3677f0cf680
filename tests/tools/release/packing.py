"""Reads the packing list: which files of the project are the package.

Rule: selecting is pure (patterns and names in, names out), so that the working tree, a commit and an archive can be
asked the same question.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Iterable, List, Sequence

PACKING_LIST = "Gemini Companion.sublime-package-src"

#: Folders that hold no source: tools make them and nothing in them is ever packed.
_NOT_SOURCE = {".git", "__pycache__", "node_modules", "dist", ".cache"}


class PackingError(Exception):
    """The packing list and the files do not fit. The message says where."""


def patterns(text: str) -> List[str]:
    """The patterns of a packing list, in its order."""
    lines = (line.split("#", 1)[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def select(wanted: Sequence[str], names: Iterable[str]) -> List[str]:
    """The names that the patterns pick, sorted by code point. Names are relative and use "/".

    Raises `PackingError` for a pattern that picks nothing.
    """
    available = list(names)
    chosen = set()
    for pattern in wanted:
        expression = _expression(pattern)
        found = [name for name in available if expression.match(name)]
        if not found:
            raise PackingError(f"The packing list names {pattern!r}, and no file is called that.")
        chosen.update(found)
    return sorted(chosen)


def working_tree(root: Path) -> List[str]:
    """The names of all files under a folder, without what tools leave behind."""
    names: List[str] = []
    for folder, folders, files in os.walk(str(root)):
        folders[:] = [name for name in folders if name not in _NOT_SOURCE]
        names.extend((Path(folder) / name).relative_to(root).as_posix() for name in files)
    return names


def packed(root: Path) -> List[str]:
    """The files of the package in the project folder `root`. Raises `PackingError`, OSError."""
    text = (root / PACKING_LIST).read_text(encoding="utf-8")
    return select(patterns(text), working_tree(root))


def _expression(pattern: str) -> re.Pattern[str]:
    pieces = {"**/": "(?:[^/]+/)*", "*": "[^/]*"}
    parts = re.split(r"(\*\*/|\*)", pattern)
    return re.compile("".join(pieces.get(part, re.escape(part)) for part in parts) + r"\Z")
