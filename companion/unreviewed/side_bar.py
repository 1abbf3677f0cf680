"""Attributes to the user what is renamed and deleted in the side bar of one folder.

Rule: a command comes before the file has gone, and before the user has typed the new name or has confirmed. So the user
has some time; a file that goes within it was renamed or deleted by the user, unless a program has certainly done that.

Disk threads; one at a time.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Mapping, NamedTuple

from ..common.clock import clock
from .calls import Evidence
from .looking import FileReading
from .model import NOTHING, Event, Model, full_path

RENAMING_SECONDS = 600.0  # that the user may take to type another name
DELETING_SECONDS = 60.0  # that the user may take to confirm


class _Leaving(NamedTuple):
    """A file or folder that the user is renaming, else deleting; `until` on the package's clock."""

    is_renamed: bool
    until: float


class SideBar:
    """The renames and deletions under way in one folder."""

    def __init__(self, folder: str, model: Model) -> None:
        self.folder = folder
        self._model = model
        self._leaving: Dict[str, _Leaving] = {}  # by name

    def renames(self, name: str) -> None:
        """The user is about to type another name for this file or folder."""
        self._leaving[name] = _Leaving(True, clock.now() + RENAMING_SECONDS)

    def removes(self, name: str) -> None:
        """The user is being asked whether this file or folder is to be deleted."""
        self._leaving[name] = _Leaving(False, clock.now() + DELETING_SECONDS)

    def follow(self, found: Mapping[str, FileReading], evidence: Callable[[str], Evidence]) -> None:
        """Move what the user has renamed, and count as the user's what has gone while its deletion was confirmed,
        unless a program has certainly deleted it. `found` is what a look has found."""
        now = clock.now()
        self._leaving = {name: each for name, each in self._leaving.items() if each.until > now}
        gone: Dict[str, List[str]] = {}
        for path, reading in found.items():
            names = [] if reading.content.there else [name for name in self._leaving if lies_in(path, name)]
            if any(self._leaving[name].is_renamed for name in names):
                gone.setdefault(self._model.now(path).identity, []).append(path)
            elif names and not evidence(full_path(self.folder, path)).is_certain:
                self._model.happened(Event.SAVED, path, NOTHING)
        for path, reading in found.items() if gone else ():
            old = gone.get(reading.content.identity)
            if old and reading.content.there and not self._model.knows(path):
                self._model.move(old.pop(0), path)


def lies_in(path: str, name: str) -> bool:
    """Whether a path is that of a file, or of one in a folder of this name."""
    return path == name or path.startswith(name + "/")
