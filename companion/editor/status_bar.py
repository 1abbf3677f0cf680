"""What the package shows in the status bar of one window.

The editor keeps status texts with views, not with windows. Rules: only the view in front has ours, and none has it once
it is cleared. All that it says begins with the package's short name, because all packages share the place. Hidden
characters of names are made visible.
"""

from __future__ import annotations

from typing import Optional

import sublime

from ..common.display_names import shown

KEY = "gemini_companion"
PREFIX = "Companion: "


def say(window: Optional[sublime.Window], sentence: str) -> None:
    """Show a sentence for a few seconds, in `window` or, without one, in the window in front. Main thread."""
    (window if window is not None else sublime).status_message(PREFIX + shown(sentence))


class StatusBar:
    """Main thread only."""

    def __init__(self, window: sublime.Window) -> None:
        self._window = window
        self._view: Optional[sublime.View] = None

    def show(self, text: str) -> None:
        """Show `text` with the view in front; nothing if it is empty."""
        if not text:
            self.clear()
            return
        text = PREFIX + shown(text)
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
