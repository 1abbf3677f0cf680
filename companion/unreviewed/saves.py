"""Knows which tabs the editor is saving at this moment.

Rule: between the two events of a save, what a look finds in the file may be the user's, and is left to the save.

Any thread, except where noted.
"""

from __future__ import annotations

import os
from collections import deque
from contextlib import suppress
from typing import Deque, FrozenSet, Tuple

from ..common.clock import clock

SAVING_SECONDS = 10.0  # that the editor may take to save a tab
_MOST = 1000  # saves at a time


class Saves:
    """The saves under way in all windows."""

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
