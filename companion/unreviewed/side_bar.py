"""What the user renames and deletes in the side bar of one folder, which is his own.

Rule: a command tells of it before it is done, or before the user has said that he means it. So he has some time, and
what has gone meanwhile is his, unless a program has surely done that.

Disk threads; one at a time.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Mapping, NamedTuple

from ..common.clock import clock
from .calls import Evidence
from .looking import FileReading
from .model import NOTHING, Event, Model, full_path

RENAMING_SECONDS = 600.0  # that the user may take to type another name
DELETING_SECONDS = 60.0  # that he may take to say that he means it


class _Leaving(NamedTuple):
    is_renamed: bool
    until: float


class SideBar:
    """That of one folder."""

    def __init__(self, folder: str, model: Model) -> None:
        self.folder = folder
        self._model = model
        self._leaving: Dict[str, _Leaving] = {}  # what the user is renaming or deleting, by the steady clock

    def renames(self, name: str) -> None:
        """The user is about to type another name for this file or folder."""
        self._leaving[name] = _Leaving(True, clock.now() + RENAMING_SECONDS)

    def removes(self, name: str) -> None:
        """The user is being asked whether this file or folder is to be deleted."""
        self._leaving[name] = _Leaving(False, clock.now() + DELETING_SECONDS)

    def follow(self, found: Mapping[str, FileReading], evidence: Callable[[str], Evidence]) -> None:
        """What has gone where the user has typed another name, and is elsewhere as it was, has moved there. What he
        was about to delete, and has gone, he has deleted, unless a program has surely done that."""
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
