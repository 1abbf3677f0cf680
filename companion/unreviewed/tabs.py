"""What the editor's events of tabs and windows mean for unreviewed changes: what a tab saves is the user's.

Rule: where nothing is tracked a tab's text is not asked for. Main thread only.
"""

from __future__ import annotations

import sublime

from .tracking import Tracking


class Tabs:
    """The tabs of all windows."""

    def __init__(self, tracking: Tracking) -> None:
        self._tracking = tracking
        self._window = 0

    def read(self, view: sublime.View) -> None:
        """A tab has read its file from the disk."""
        path = view.file_name()
        if path is not None:
            self._tracking.read(path)
            self._tracking.sign()

    def saving(self, view: sublime.View) -> None:
        """A tab is about to be saved."""
        path = view.file_name()
        if path is not None:
            self._tracking.saving(path)

    def saved(self, view: sublime.View) -> None:
        """A tab was saved."""
        path = view.file_name()
        if path is not None and self._tracking.knows(path):
            text = view.substr(sublime.Region(0, view.size()))
            self._tracking.saved(path, text, view.encoding(), view.line_endings())

    def activated(self, window: sublime.Window) -> None:
        """A view of this window has the focus: if another window had it before, files may have changed meanwhile."""
        if window.id() != self._window:
            self._window = window.id()
            self._tracking.sign()
