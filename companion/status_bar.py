"""The package's words in one window's status bar.

The editor keeps status texts with views, not with windows. Rule: only the view in front carries ours, and none does
once it is cleared. What is said for a moment begins with the package's name, because all packages share the place. It is
painted at most ten times a second, however often what it says changes.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

import sublime

KEY = "gemini_companion"
SPEAKER = "Gemini Companion: "
PAUSE_SECONDS = 0.1


def say(window: Optional[sublime.Window], sentence: str) -> None:
    """Show a sentence for a few seconds, in this window or, without one, in the one in front. Main thread."""
    (window if window is not None else sublime).status_message(SPEAKER + sentence)


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


class Paced:
    """Calls `function` at once if it was not called just now, else once when the pause is over. Main thread only."""

    def __init__(
        self,
        function: Callable[[], Any],
        later: Callable[[int, Callable[[], Any]], Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`later` calls a function in so many milliseconds."""
        self._function = function
        self._later = later
        self._clock = clock
        self._next = float("-inf")
        self._waiting = False

    def call(self) -> None:
        """Call the function, now or at the end of the pause."""
        if self._waiting:
            return
        left = self._next - self._clock()
        if left <= 0:
            self._run()
        else:
            self._waiting = True
            self._later(int(left * 1000) + 1, self._run)

    def _run(self) -> None:
        self._waiting = False
        self._next = self._clock() + PAUSE_SECONDS
        self._function()
