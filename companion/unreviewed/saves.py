"""Knows which tabs the editor is saving at this moment.

Rule: between the two events of a save, what a look finds in the file may be the user's, and is left to the save.

Any thread, except where noted.
"""

from __future__ import annotations

import os
import threading
from typing import FrozenSet, List, Tuple

from ..common.clock import clock

SAVING_SECONDS = 10.0  # that the editor may take to save a tab


class Saves:
    """The saves under way in all windows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows
        self._since: List[Tuple[str, float]] = []  # path and time, one for each save

    def begin(self, path: str) -> None:
        """The editor is about to save a tab to this path, in which there may be links."""
        with self._lock:
            now = clock.now()
            self._since = [each for each in self._since if now - each[1] < SAVING_SECONDS] + [(path, now)]

    def ended(self, path: str) -> None:
        """The editor has saved a tab to this path."""
        with self._lock:
            found = next((each for each in self._since if each[0] == path), None)
            if found is not None:
                self._since.remove(found)

    def files(self) -> FrozenSet[str]:
        """The real paths of the files that are being saved. Disk thread."""
        with self._lock:
            now = clock.now()
            paths = [path for path, since in self._since if now - since < SAVING_SECONDS]
        return frozenset(map(os.path.realpath, paths))
