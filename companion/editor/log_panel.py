"""The log as the user sees it: an output panel that follows it while it is open.

Rule: lines are appended in batches, and only while the panel is shown, so that a busy log costs nothing otherwise.
What the panel holds is bounded. A reader who has scrolled up is not scrolled down again.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import Deque, Iterable, Optional

import sublime

from ..log import CAPACITY, LogBuffer, has_details, keep_details
from ..runtime import Runtime
from .edits import Edit, apply_edits, set_text

logger = logging.getLogger("gemini_companion.log")

PANEL = "gemini_companion_log"
BATCH_MILLISECONDS = 100
MOST_CHARACTERS = 1000000  # in the panel; beyond that the older half is removed


class LogPanel:
    """The log panel of all windows, shown in the window that asked last. Main thread, except for what the log calls."""

    def __init__(self, log: LogBuffer, runtime: Runtime) -> None:
        self._log = log
        self._runtime = runtime
        self._window: Optional[sublime.Window] = None
        self._view: Optional[sublime.View] = None
        self._lock = threading.Lock()
        self._waiting: Deque[str] = deque(maxlen=CAPACITY)
        self._scheduled = False

    def show(self, window: sublime.Window) -> None:
        """Open the panel in `window` with everything the log holds."""
        self.close()
        self._window = window
        self._view = window.create_output_panel(PANEL)
        self._view.settings().set("word_wrap", False)
        self._view.settings().set("scroll_past_end", False)
        self._view.set_read_only(True)
        set_text(self._view, _text(self._log.follow(self._line)))
        window.run_command("show_panel", {"panel": "output." + PANEL})
        self._view.show(self._view.size())

    def toggle_details(self, window: sublime.Window) -> None:
        """Log details from now on, or no longer, and show the log, which says so."""
        keep_details(not has_details())
        logger.info("details are logged from now on" if has_details() else "details are no longer logged")
        self.show(window)

    def close(self) -> None:
        """Close the panel."""
        self._log.follow(None)
        with self._lock:
            self._waiting.clear()
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
            text = _text(self._waiting)
            self._waiting.clear()
            self._scheduled = False
        view = self._view
        if view is None or not view.is_valid():
            self._log.follow(None)
            return
        end = view.size()
        at_end = view.visible_region().end() >= end
        edits = [Edit(end, end, text)]
        if end > MOST_CHARACTERS:
            edits.insert(0, Edit(0, view.full_line(end // 2).end(), ""))
        apply_edits(view, edits)
        view.clear_undo_stack()  # otherwise it would keep all that was ever shown
        if at_end:
            view.show(view.size())


def _text(lines: Iterable[str]) -> str:
    return "".join(line + "\n" for line in lines)
