"""The package's words in one window's status bar.

The editor keeps status texts with views, not with windows. Rule: only the view in front carries ours, and none does
once it is cleared.
"""

from __future__ import annotations

from typing import Optional

import sublime

KEY = "gemini_companion"


class StatusBar:
    """Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._view: Optional[sublime.View] = None

    def show(self, text: str) -> None:
        """Show `text` with the view in front."""
        view = self._window.active_view()
        if self._view is not None and self._view != view:
            self._view.erase_status(KEY)
        self._view = view
        if view is not None and view.get_status(KEY) != text:
            view.set_status(KEY, text)

    def clear(self) -> None:
        """Show nothing."""
        if self._view is not None:
            self._view.erase_status(KEY)
            self._view = None
