"""The package's words in one window's status bar.

The editor keeps status texts with views, not with windows. Rule: only the view in front carries ours, and none does
once it is cleared. What is said for a moment begins with the package's name, because all packages share the place.
Names in it hide nothing.
"""

from __future__ import annotations

from typing import Optional

import sublime

from ..display_names import shown

KEY = "gemini_companion"
SPEAKER = "Gemini Companion: "


def say(window: Optional[sublime.Window], sentence: str) -> None:
    """Show a sentence for a few seconds, in this window or, without one, in the one in front. Main thread."""
    (window if window is not None else sublime).status_message(SPEAKER + shown(sentence))


class StatusBar:
    """Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._view: Optional[sublime.View] = None

    def show(self, text: str) -> None:
        """Show `text` with the view in front."""
        text = shown(text)
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
