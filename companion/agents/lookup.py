"""The input of an agent's lookup: the discovery files that exist, and the agent's own situation.

Rule: everything is pure, so that tests and the diagnosis can repeat what each release does. How an agent chooses is in
its own module.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

from ..system.platform import LINUX, Platform


class Entry(NamedTuple):
    """One discovery file: its name, its JSON object (None if unreadable), and its time in seconds since the epoch."""

    name: str
    content: Optional[Mapping[str, Any]]
    written: float = 0.0


class LookupContext(NamedTuple):
    """An agent that looks for its window, from the working directory `folder`.

    `editor_pid` is the editor that it finds among its ancestor processes. `port` is from its environment, "" outside of
    the editor's terminals. `is_alive` tells whether a process id is in use; `real` resolves symbolic links.
    """

    folder: str
    editor_pid: int
    port: str
    platform: Platform
    is_alive: Callable[[int], bool]
    real: Callable[[str], str]

    def is_in(self, folders: Sequence[str]) -> bool:
        """Whether the agent's working directory is one of these folders or below one."""
        return any(contains(folder, self.folder, self) for folder in folders)


def contains(folder: str, path: str, lookup: LookupContext) -> bool:
    """Whether `path` is `folder` or below it, with links resolved. Case matters only on Linux."""
    join = lookup.platform.path.join
    outer, inner = join(lookup.real(folder), ""), join(lookup.real(path), "")
    if lookup.platform.name != LINUX:
        outer, inner = outer.lower(), inner.lower()
    return inner.startswith(outer)
