"""What a program that looks for its window finds, and what it knows of itself.

Rule: pure, so that every release's way of choosing can be done over again in a test and in a report. How a program
chooses stands in its own module.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

from ..system.platform import LINUX, Platform


class Entry(NamedTuple):
    """One discovery file: its name, the JSON object in it (None: unreadable), and when it was written."""

    name: str
    content: Optional[Mapping[str, Any]]
    written: float = 0.0


class LookupContext(NamedTuple):
    """A client that looks for its window. `port` is what it inherits from the editor's terminals, "" elsewhere.

    `real` resolves symbolic links; `is_alive` tells of a process id.
    """

    folder: str
    editor_pid: int
    port: str
    platform: Platform
    is_alive: Callable[[int], bool]
    real: Callable[[str], str]

    def is_in(self, folders: Sequence[str]) -> bool:
        """Whether the client's folder is one of these or below one."""
        return any(contains(folder, self.folder, self) for folder in folders)


def contains(folder: str, path: str, lookup: LookupContext) -> bool:
    """Whether `path` is `folder` or below it, once links are resolved. Only Linux tells upper from lower case."""
    join = lookup.platform.path.join
    outer, inner = join(lookup.real(folder), ""), join(lookup.real(path), "")
    if lookup.platform.name != LINUX:
        outer, inner = outer.lower(), inner.lower()
    return inner.startswith(outer)
