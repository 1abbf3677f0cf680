"""What a group without tabs shows: an untitled view without a tab, which goes when a tab comes.

Evidence: sublimehq/sublime_text 2720 and 3356 (`views()` is empty in a new window, `active_view()` is not, and `on_new`
is told), 2919 (every new group has one), 1723 (closing it is without effect).
Rule kept here: after everything that adds, moves or closes tabs `settle` runs; nothing else makes or drops these views.
"""

from __future__ import annotations

from typing import Any

from .sheet import SheetModel
from .syntaxes import PLAIN
from .view import ViewModel


def settle(window: Any) -> None:
    """Give every group without a sheet its untitled view, and take it from every group that has a tab. Main thread."""
    if window.unsettled or not window.valid:
        return
    window.unsettled += 1
    try:
        while True in [_settle_group(window, group) for group in list(window.groups)]:
            pass  # listeners that were told of it may have opened or closed tabs meanwhile
    finally:
        window.unsettled -= 1


def _settle_group(window: Any, group: Any) -> bool:
    """Put one group right. Whether there was something to do."""
    held = group.transient
    if held is not None and held.placeholder and group.sheets:
        window.host.files.close_sheet(held, ask=False)
    elif not group.all() and group in window.groups:
        _add(window, group)
    else:
        return False
    return True


def is_empty(window: Any) -> bool:
    """Whether the window shows nothing but such views."""
    return all(not group.sheets and (group.transient is None or group.transient.placeholder) for group in window.groups)


def close_if_empty(window: Any) -> bool:
    """What `close_windows_when_empty` asks for, as by default on macOS: a window with folders stays."""
    host = window.host
    wanted = host.preferences().get("close_windows_when_empty") or "closing_windows" in host.quirks
    if window.unsettled or not window.valid or not wanted or window.folders() or not is_empty(window):
        return False
    return bool(host.close_window(window))


def _add(window: Any, group: Any) -> None:
    host = window.host
    buffer = host.files.new_buffer()
    view = ViewModel(host, buffer, window)
    view.settings.own["syntax"] = PLAIN
    sheet = SheetModel(host, window, view)
    sheet.transient = sheet.placeholder = True
    host.views[view.id] = view
    group.transient = sheet
    group.show(sheet)
    host.events.view("on_new", view)
