"""What the editor's events of tabs and windows mean for unreviewed changes: what a tab saves is the user's.

Rule: where nothing is tracked a tab's text is not asked for. Main thread, except where noted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial

import sublime

from ..review.document import encodings
from ..system.files import opened, read_all
from .looking import COPIED_BYTES
from .tracking import Tracking
from .workspace import says
from .workspaces import Workspaces


class Tabs:
    """The tabs of all windows."""

    def __init__(self, tracking: Tracking) -> None:
        self._tracking = tracking

    def read(self, view: sublime.View) -> None:
        """A tab has read its file from the disk: what it holds is looked at before the user can save it."""
        path = view.file_name()
        if path is not None:
            if self._tracking.called(path):
                self._tracking.carry_out(partial(look_at, path), path=path)
            self._tracking.sign()

    def saving(self, view: sublime.View) -> None:
        """A tab is about to be saved."""
        path = view.file_name()
        for workspace, name in self._tracking.called(path) if path is not None else ():
            workspace.saving(name)

    def saved(self, view: sublime.View) -> None:
        """A tab was saved."""
        path = view.file_name()
        if path is not None and self._tracking.called(path):
            text = view.substr(sublime.Region(0, view.size()))
            do = partial(take_over, path, text, view.encoding(), view.line_endings())
            self._tracking.carry_out(do, path=path)

    def activated(self) -> None:
        """A view has the focus: the user may come from another application, and files have changed meanwhile."""
        self._tracking.sign()


def look_at(path: str, there: Workspaces) -> None:
    """A tab has read this file. Disk thread."""
    for workspace, name in there.holding(os.path.realpath(path)):
        workspace.look_at([name])


def take_over(path: str, text: str, encoding: str, line_endings: str, there: Workspaces) -> None:
    """A tab with this text was saved; encoding and line endings by the editor's names. Disk thread."""
    data = encodings.saved(text, encoding, line_endings)
    with suppress(OSError, ValueError), opened(path, os.O_RDONLY) as (descriptor, _):
        found = read_all(descriptor, COPIED_BYTES)
        if says(found, data):  # the editor knows best how lines end
            data = found
    for workspace, name in there.holding(os.path.realpath(path)):
        workspace.saved(name, data)
