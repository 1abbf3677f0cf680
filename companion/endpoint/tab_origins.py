"""Which state of its file each tab was read from, or written as.

An agent may ask the editor to save a tab. That must not overwrite what another program has written to the file
meanwhile. The editor reports when it reads or writes a tab's file, but not which state the file has: a disk thread
looks it up at once.

Rule: a file whose state is unknown has no origin. Main thread only.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from contextlib import suppress
from functools import partial
from typing import Callable, Dict, Optional, Sequence

import sublime

from ..editor.file_views import same_key
from ..runtime import Runtime
from ..system.files import Stamp

MOST = 2000  # files; of more, the latest


class TabOrigins:
    """The origins of the tabs of all windows: a file that is open in several of them is one buffer."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._origins: OrderedDict[str, Stamp] = OrderedDict()

    def note(self, *views: sublime.View) -> None:
        """Look up the files of these tabs, which the editor has just opened, read or saved. Tabs with edits are left
        out."""
        paths = [path for path in (view.file_name() for view in views if not view.is_dirty()) if path]
        for path in paths:
            self._origins.pop(same_key(path), None)
        if paths:
            self._runtime.use_disk(partial(_stamps, paths), then=self._noted)

    def _noted(self, found: Dict[str, Stamp]) -> None:
        self._origins.update((same_key(path), stamp) for path, stamp in found.items())
        while len(self._origins) > MOST:
            self._origins.popitem(last=False)

    def of(self, path: str) -> Optional[Stamp]:
        """The state of the file that the tab's text comes from; None if it is unknown."""
        return self._origins.get(same_key(path))


def stamp(path: str) -> Optional[Stamp]:
    """The state of the file now, or None if it is not there or cannot be looked at. Disk thread."""
    with suppress(OSError, ValueError):
        return Stamp.of(os.stat(path))
    return None


def _stamps(paths: Sequence[str], cancelled: Callable[[], bool]) -> Dict[str, Stamp]:
    found = {path: stamp(path) for path in paths if not cancelled()}
    return {path: state for path, state in found.items() if state is not None}
