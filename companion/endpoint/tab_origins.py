"""What the disk held of a file when a tab was last the same as it.

A program may ask for a tab to be saved, and what another one has written meanwhile must not be lost by that. The editor
says when it reads or writes a tab's file, and not which state of the file it was: that is looked up at once.

Rule: a file of which this is not known has no origin. Main thread only; the disk is asked on a disk thread.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, Optional, Sequence, Tuple

from ..editor.file_views import same_key

if TYPE_CHECKING:
    import sublime

    from ..runtime import Runtime

MOST = 2000  # files; of more, the latest


FileStamp = Tuple[int, ...]
"""What tells one state of a file from another."""


class TabOrigins:
    """Of all windows: a file that is open in several of them is one buffer."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._origins: OrderedDict[str, FileStamp] = OrderedDict()

    def note(self, *views: sublime.View) -> None:
        """These tabs were just read from the disk or written to it, or are there. Tabs with edits are passed over."""
        paths = [path for path in (view.file_name() for view in views if not view.is_dirty()) if path]
        for path in paths:
            self._origins.pop(same_key(path), None)
        if paths:
            self._runtime.use_disk(partial(_stamps, paths), then=self._noted)

    def _noted(self, found: Dict[str, FileStamp]) -> None:
        self._origins.update((same_key(path), stamp) for path, stamp in found.items())
        while len(self._origins) > MOST:
            self._origins.popitem(last=False)

    def of(self, path: str) -> Optional[FileStamp]:
        """The state of the file that the tab has, or had before it was edited; None if that is not known."""
        return self._origins.get(same_key(path))


def stamp(path: str) -> Optional[FileStamp]:
    """The state of the file now, or None if it is not there or cannot be looked at. Disk thread."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _stamps(paths: Sequence[str], cancelled: Callable[[], bool]) -> Dict[str, FileStamp]:
    found = {path: stamp(path) for path in paths if not cancelled()}
    return {path: state for path, state in found.items() if state is not None}
