"""What a window holds for a project: tabs, layout and settings, kept in the `.sublime-workspace` beside the project.

Switching replaces all of it inside one window. Scratch views are kept, too (timbrel/GitSavvy 1363, 1508), and closing
events do come (sublimehq/sublime_text 5969). Rule kept here: `on_pre_close_project` is told while all is still there,
`on_load_project` when all has come.
"""

from __future__ import annotations

import json
import os
from typing import Any

from . import session
from .layout import SINGLE
from .quirks import LATE_MILLISECONDS


def open_project(window: Any, path: str) -> None:
    """Put a project in the place of what the window holds. Main thread. Raises OSError or ValueError for a bad file."""
    if path.endswith(".sublime-workspace"):
        path = os.path.splitext(path)[0] + ".sublime-project"
    _leave(window)
    late = "late_projects" in window.host.quirks
    workspace, saved = os.path.splitext(os.path.abspath(path))[0] + ".sublime-workspace", None
    if os.path.exists(workspace):
        with open(workspace, encoding="utf-8") as file:
            saved = json.load(file)
    settings = saved["settings"] if saved is not None else {}
    if not late:
        window.settings.own = settings
        window.project.load(path)
    if saved is not None:
        session.restore_workspace(window.host, window, saved)
    window.settle()
    if late:
        window.host.scheduler.set_timeout(lambda: _load_late(window, path, settings), LATE_MILLISECONDS)
    else:
        window.host.events.window("on_load_project", window)
    window.host.focus.update()


def _load_late(window: Any, path: str, settings: Any) -> None:
    if window.valid:
        window.settings.own = settings
        window.project.load(path)
        window.host.events.window("on_load_project", window)


def close_project(window: Any) -> None:
    """Close the project with its tabs; the window stays, empty. Main thread."""
    _leave(window)
    window.settings.own = {}
    window.project.close()
    window.settle()
    window.host.focus.update()


def _leave(window: Any) -> None:
    host, project = window.host, window.project
    if project.data is not None:
        host.events.window("on_pre_close_project", window)
    kept = bool(project.file_name)
    if kept:
        with open(project.workspace_file_name(), "w", encoding="utf-8") as file:
            json.dump(session.save_workspace(window), file)
    window.unsettled += 1
    for group in list(window.groups):
        for sheet in list(group.all()):
            host.files.close_sheet(sheet, ask=not kept)
    window.set_layout(SINGLE)
    window.unsettled -= 1
