"""The log as the user sees it: an output panel that follows it while it is open.

Rule: lines are appended in batches, and only while the panel is shown, so that a talkative log costs nothing otherwise.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, List, Optional

import sublime

from .review.edit import Edit, apply_edits, set_text

if TYPE_CHECKING:
    from .log import LogBuffer
    from .runtime import Runtime

PANEL = "gemini_companion_log"
BATCH_MILLISECONDS = 100
MOST_CHARACTERS = 1000000  # shown at once; the oldest go


class LogPanel:
    """One for all windows: the last one that asked shows it. Main thread, except for what the log calls."""

    def __init__(self, log: LogBuffer, runtime: Runtime) -> None:
        self._log = log
        self._runtime = runtime
        self._window: Optional[sublime.Window] = None
        self._view: Optional[sublime.View] = None
        self._lock = threading.Lock()
        self._waiting: List[str] = []
        self._scheduled = False

    def show(self, window: sublime.Window) -> None:
        """Open the panel in `window` with everything the log holds."""
        self.close()
        self._window = window
        self._view = window.create_output_panel(PANEL)
        self._view.settings().set("word_wrap", False)
        self._view.settings().set("scroll_past_end", False)
        self._log.follower = self._line
        set_text(self._view, "\n".join(self._log.lines()) + "\n")
        window.run_command("show_panel", {"panel": "output." + PANEL})
        self._to_end()

    def close(self) -> None:
        """Take the panel away."""
        self._log.follower = None
        if self._window is not None and self._window.is_valid():
            self._window.destroy_output_panel(PANEL)
        self._window = self._view = None

    def _line(self, line: str) -> None:
        """Any thread."""
        with self._lock:
            self._waiting.append(line)
            if self._scheduled:
                return
            self._scheduled = True
        self._runtime.later_on_main(BATCH_MILLISECONDS, self._flush)

    def _flush(self) -> None:
        with self._lock:
            lines, self._waiting, self._scheduled = self._waiting, [], False
        if self._window is None or self._view is None or not self._view.is_valid():
            self._log.follower = None
            return
        if self._view.size() > MOST_CHARACTERS:
            set_text(self._view, "\n".join(self._log.lines()) + "\n")
        else:
            end = self._view.size()
            apply_edits(self._view, [Edit(end, end, "\n".join(lines) + "\n")])
        self._to_end()

    def _to_end(self) -> None:
        if self._view is not None:
            self._view.show(self._view.size())
