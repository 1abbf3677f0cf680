"""Which files are in a folder, found by one walk after another.

Theory of operation: the time stamp of a folder changes when something in it comes or goes. So a folder that has the
same one as at the last walk, and had not just got it then, is not listed again. Not every disk keeps such a stamp, and
the clock of one on the network may be another: so each folder is listed again once in a while, some at each walk.

Rule: a link is followed nowhere, and a folder that is a repository is only named.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import heapq
import os
from typing import Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple

from ..common.clock import clock
from ..system.files import Stamp, stamp_fields
from .reading import NO_FILE, is_real_folder

RELISTED_SECONDS = 60.0
RELISTED_FOLDERS = 100  # at most at one walk, so that none takes long


class Walked(NamedTuple):
    """The files, the repositories among the folders, both relative and with `/`; and whether these are all."""

    files: List[str]
    repositories: Tuple[str, ...]
    whole: bool


class _Listed(NamedTuple):
    stamp: Stamp
    since: float  # by the monotonic clock, in seconds
    files: List[str]
    folders: List[str]
    is_repository: bool


class Walks:
    """The walks through one folder. One thread at a time.

    `left_out` is asked about each path, relative and with `/`, and whether it is a folder. A walk ends at `most` files.
    """

    def __init__(self, folder: str, left_out: Callable[[str, bool], bool], most: int) -> None:
        self._folder = folder
        self._left_out = left_out
        self._most = most
        self._listed: Dict[str, _Listed] = {}
        self._walked = Walked([], (), whole=False)
        self._now = 0.0
        self._due: FrozenSet[str] = frozenset()  # folders that this walk lists again, whatever their time stamps say

    def walk(self) -> Walked:
        """What is there now: the very same object as at the last walk, if nothing has come or gone."""
        files: List[str] = []
        repositories: List[str] = []
        waiting, before, self._listed = [""], self._listed, {}
        self._now = clock.now()
        self._due = self._longest_unlisted(before)
        same = True
        while waiting:
            here = waiting.pop()
            listed = self._list(here, before)
            if listed is None:
                continue
            self._listed[here] = listed
            same = same and here in before and before[here][2:] == listed[2:]
            if here and listed.is_repository:
                repositories.append(here)
                continue
            files += listed.files
            waiting += listed.folders
            if len(files) > self._most:
                self._walked = Walked(files[: self._most], tuple(repositories), whole=False)
                return self._walked
        if not (same and self._walked.whole and len(before) == len(self._listed)):
            self._walked = Walked(files, tuple(repositories), whole=True)
        return self._walked

    def _list(self, here: str, before: Dict[str, _Listed]) -> Optional[_Listed]:
        path = os.path.join(self._folder, here)
        try:
            status = os.lstat(path)
            if here and not is_real_folder(status):
                return None
            stamp = Stamp._make(stamp_fields(status))
            known = before.get(here)
            if known is not None and known.stamp == stamp and here not in self._due:
                return known
            with os.scandir(path) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            return before.get(here)
        prefix = here + "/" if here else ""
        files: List[str] = []
        folders: List[str] = []
        for entry in found:
            name = prefix + entry.name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                is_ours = (is_folder or entry.is_file(follow_symlinks=False)) and entry.name != ".git"
            except OSError:
                continue  # the others are there all the same
            if is_ours and not self._left_out(name, is_folder):
                (folders if is_folder else files).append(name)
        is_repository = any(entry.name == ".git" for entry in found)
        return _Listed(stamp if stamp.settled else NO_FILE, self._now, files, folders, is_repository)

    def _longest_unlisted(self, listed: Dict[str, _Listed]) -> FrozenSet[str]:
        """Of the folders that were not listed for a while, those for which that is longest ago."""
        limit = self._now - RELISTED_SECONDS
        due = [(known.since, name) for name, known in listed.items() if known.since < limit]
        return frozenset(name for _, name in heapq.nsmallest(RELISTED_FOLDERS, due))
