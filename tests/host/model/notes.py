"""Changes of text and selection that have happened and still have to be told to listeners.

Rule kept here: a command is told once, when it has ended; what is changed outside of a command is told in the
next turn of the main loop. Listeners run on the main thread.
"""

from __future__ import annotations

from typing import Any, Dict

from .. import errors

MAXIMUM_ROUNDS = 50


class Notes:
    """Collects views; `flush` tells. Collecting may be done from any thread."""

    def __init__(self, host: Any):
        self._host = host
        self._modified: Dict[int, Any] = {}
        self._selection: Dict[int, Any] = {}
        self._scheduled = False
        self.depth = 0

    def modified(self, view: Any) -> None:
        with self._host.lock:
            self._modified[view.id] = view
        self._schedule()

    def selection(self, view: Any) -> None:
        with self._host.lock:
            self._selection[view.id] = view
        self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._host.scheduler.set_timeout(self._turn)

    def _turn(self) -> None:
        self._scheduled = False
        if self.depth == 0:
            self.flush()

    def flush(self) -> None:
        """Tell everything collected, and what the listeners change meanwhile. Main thread."""
        for _ in range(MAXIMUM_ROUNDS):
            if not self._modified and not self._selection:
                return
            with self._host.lock:
                modified, self._modified = self._modified, {}
                selection, self._selection = self._selection, {}
            for view in modified.values():
                if view.valid:
                    if view.sheet is not None and view.buffer.dirty:
                        view.sheet.promote()
                    self._host.events.view("on_modified", view)
                    panel = view.window.panels if view.window is not None else None
                    if panel is not None and panel.input is not None and panel.input.view is view:
                        panel.input_changed()
            for view in selection.values():
                if view.valid:
                    self._host.events.view("on_selection_modified", view)
        errors.record("listeners", "listeners keep changing the views they are told of")
