"""Attributes to the user what is renamed or deleted in the side bar of one folder, or is being saved in a tab.

Rule: a command comes before the file has gone, and before the user has typed the new name or has confirmed. So the user
has some time; a file that goes within it was renamed or deleted by the user, unless an agent has certainly done that.
Between the two events of a save, what a look finds in the file may be the user's, and is left to the save.

Disk threads, one at a time, except where noted.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from typing import Callable, Deque, Dict, FrozenSet, List, Mapping, NamedTuple, Tuple

from ..common.clock import clock
from ..system.paths import is_below
from .content import NOTHING, full_path, unread_identity
from .evidence import Evidence
from .model import Event, Model
from .reading import FileReading

RENAMING_SECONDS = 600.0  # that the user may take to type another name
DELETING_SECONDS = 60.0  # that the user may take to confirm


class _Leaving(NamedTuple):
    """A file or folder that the user is renaming, else deleting; `until` on the package's clock. `unread`: the paths of
    the files to be renamed, by the identities that they have while they are not read."""

    is_renamed: bool
    until: float
    unread: Mapping[str, str] = {}


class SideBar:
    """The renames and deletions under way in one folder."""

    def __init__(self, folder: str, model: Model) -> None:
        self.folder = folder
        self._model = model
        self._leaving: Dict[str, _Leaving] = {}  # by name

    def renames(self, name: str) -> None:
        """The user is about to type another name for this file or folder."""
        paths = [path for path in self._model.all_paths() if is_below(name, path)]
        unread = {self._unread_identity(path): path for path in paths}
        unread.pop("", None)
        self._leaving[name] = _Leaving(True, clock.now() + RENAMING_SECONDS, unread)

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
            names = [] if reading.content.there else [name for name in self._leaving if is_below(name, path)]
            if any(self._leaving[name].is_renamed for name in names):
                gone.setdefault(self._model.row(path).now.identity, []).append(path)
            elif names and not evidence(full_path(self.folder, path)).is_certain:
                self._model.happened(Event.SAVED, path, NOTHING)
        for path, reading in found.items() if gone else ():
            old = gone.get(reading.content.identity)
            if not reading.content.there or self._model.knows(path):
                continue
            if old:
                self._model.move(old.pop(0), path)
            else:
                self._follow_across(path, reading, gone)

    def _follow_across(self, path: str, reading: FileReading, gone: Mapping[str, List[str]]) -> None:
        """Take over what the user has renamed to this path, if one of the two names is excluded and the other is not.
        The same file has two identities then, and only that it was not read can be compared."""
        unread = self._unread_identity(path)
        former = next((each.unread[unread] for each in self._leaving.values() if unread in each.unread), "")
        row = self._model.row(former)
        held = row.now
        has_gone = former in gone.get(held.identity, ())
        if has_gone and held.readable is not reading.content.readable and not row.unreviewed:
            self._model.happened(Event.SAVED, former, NOTHING)
            self._model.learn(path, reading.content, reading.content)

    def _unread_identity(self, path: str) -> str:
        """ "" where there is no file."""
        with suppress(OSError):
            status = os.lstat(full_path(self.folder, path))
            return unread_identity(status.st_mtime_ns, status.st_size, status.st_ino)
        return ""


# -- saves -------------------------------------------------------------------------------------------------------------


SAVING_SECONDS = 10.0  # that the editor may take to save a tab
_MOST = 1000  # saves at a time


class Saves:
    """The saves under way in all windows. Any thread, except where noted."""

    def __init__(self) -> None:
        self._since: Deque[Tuple[str, float]] = deque(maxlen=_MOST)
        """Path and time of each; a deque may be changed on any thread."""

    def begin(self, path: str) -> None:
        """The editor is about to save a tab to this path, in which there may be links."""
        self._since.append((path, clock.now()))

    def ended(self, path: str) -> None:
        """The editor has saved a tab to this path."""
        for each in [each for each in self._since.copy() if each[0] == path][:1]:
            with suppress(ValueError):
                self._since.remove(each)

    def files(self) -> FrozenSet[str]:
        """The real paths of the files that are being saved. Disk thread."""
        limit = clock.now() - SAVING_SECONDS
        return frozenset(os.path.realpath(path) for path, since in self._since.copy() if since > limit)
