"""From what happens in the model to the plugins' listeners.

Rule kept here: the plain handler runs at once on the main thread, the `_async` one on the worker.
"""

from __future__ import annotations

from typing import Any, List

ASYNC = frozenset(
    (
        "on_new",
        "on_clone",
        "on_load",
        "on_revert",
        "on_reload",
        "on_pre_save",
        "on_post_save",
        "on_post_move",
        "on_modified",
        "on_selection_modified",
        "on_activated",
        "on_deactivated",
        "on_new_window",
        "on_new_project",
        "on_load_project",
        "on_post_save_project",
    )
)


UNCERTAIN = frozenset(
    (
        "on_new",
        "on_load",
        "on_modified",
        "on_selection_modified",
        "on_activated",
        "on_deactivated",
        "on_post_move",
    )
)
OF_PROJECTS = frozenset(("on_pre_close_project", "on_load_project"))
OF_WINDOWS = frozenset(("on_new_window", "on_pre_close_window"))


class Events:
    """`log` holds every event told, as (name, id), for the driver."""

    def __init__(self, host: Any):
        self._host = host
        self.log: List[tuple] = []

    def view(self, name: str, view: Any) -> None:
        self._tell(name, view.id)

    def window(self, name: str, window: Any) -> None:
        self._tell(name, window.id)

    def _tell(self, name: str, number: int) -> None:
        self.log.append((name, number))
        plugins = self._host.plugins
        if plugins is None or not plugins.api_ready:
            return
        quirks = self._host.quirks
        if name in OF_WINDOWS and "silent_windows" in quirks:
            return
        if name in OF_PROJECTS and "silent_projects" in quirks:
            return
        for _ in range(2 if name in UNCERTAIN and "repeated_events" in quirks else 1):
            if name in UNCERTAIN and "late_events" in quirks:
                self._host.scheduler.set_timeout(lambda: getattr(plugins, name)(number))
            else:
                getattr(plugins, name)(number)
        if name in ASYNC:
            handler = getattr(plugins, name + "_async")
            self._host.scheduler.set_timeout_async(lambda: handler(number))
