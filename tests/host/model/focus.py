"""Which window is in front and which view the keyboard goes to; tells on_deactivated and on_activated.

That another application has come to the front shows only so: the view with the focus is deactivated, and one is
activated when the editor is back. On that `save_on_focus_lost` and the packages rest that do something then
(sublime_text 980, 2443).
"""

from __future__ import annotations

from typing import Any, List, Optional


class Focus:
    """`order` lists the windows, the front one last. `application` is False while another application has the focus."""

    def __init__(self, host: Any):
        self._host = host
        self.order: List[Any] = []
        self.application = True
        self.current: Optional[Any] = None

    def active_window(self) -> Optional[Any]:
        return self.order[-1] if self.order else None

    def bring_to_front(self, window: Any) -> None:
        if window in self.order:
            self.order.remove(window)
            self.order.append(window)
            self.update()

    def update(self) -> None:
        """Compare the focused view with the one told last. Main thread."""
        window = self.active_window()
        view = window.focused_view() if window is not None and self.application else None
        if view is self.current:
            return
        previous, self.current = self.current, view
        for drawn in (previous, view):
            if drawn is not None:
                drawn.redraw()
        if previous is not None and previous.valid:
            self._host.events.view("on_deactivated", previous)
        # A handler may have moved the focus on.
        if self.current is view and view is not None and view.valid:
            self._host.events.view("on_activated", view)

    def forget(self, view: Any) -> None:
        if self.current is view:
            self.current = None
