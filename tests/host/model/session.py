"""What comes back after a restart: windows, layouts, folders, views with unsaved text, selections, view settings.

Rule kept here: the plugins' state is not restored: no regions, phantoms or status keys.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Optional

from .buffer import BufferModel
from .sheet import SheetModel
from .view import ViewModel


def save(host: Any) -> Dict[str, Any]:
    """The session as JSON."""
    return {"windows": [_save_window(window) for window in host.focus.order], "file_history": list(host.file_history)}


def _save_window(window: Any) -> Dict[str, Any]:
    return {
        "size": list(window.size),
        "elements": dict(window.elements),
        "project_file": window.project.file_name,
        "project_data": window.project.data,
        **save_workspace(window),
    }


def save_workspace(window: Any) -> Dict[str, Any]:
    """What of a window belongs to its project: layout, tabs and settings, as JSON."""
    return {
        "layout": window.layout,
        "active_group": window.active_group,
        "settings": window.settings.own,
        "groups": [
            {
                "sheets": [_save_view(sheet.view) for sheet in texts],
                "active": next((index for index, sheet in enumerate(texts) if sheet is group.active), None),
            }
            for group, texts in ((group, [each for each in group.sheets if each.view]) for group in window.groups)
        ],
    }


def _save_view(view: ViewModel) -> Dict[str, Any]:
    buffer = view.buffer
    saved: Dict[str, Any] = {
        "buffer": buffer.id,
        "file": buffer.file_name,
        "name": buffer.name,
        "scratch": buffer.scratch,
        "read_only": buffer.read_only,
        "encoding": buffer.encoding,
        "line_endings": buffer.line_endings,
        "settings": view.settings.own,
        "selection": view.selection.copy(),
        "viewport": list(view.viewport),
    }
    if not buffer.file_name or buffer.dirty or not os.path.exists(buffer.file_name):
        saved["text"] = buffer.text
        saved["dirty"] = not buffer.undo.is_at_saved()
    return saved


def restore(host: Any, session: Dict[str, Any]) -> None:
    """Bring a session back. Windows already open stay. Views are told on_activated only, as in the editor."""
    host.file_history = list(session.get("file_history", []))
    for saved in session["windows"]:
        _restore_window(host, saved)
    host.focus.update()


def _restore_window(host: Any, saved: Dict[str, Any]) -> None:
    window = host.make_window()
    window.size = (saved["size"][0], saved["size"][1])
    window.elements.update(saved["elements"])
    if saved["project_file"] and os.path.exists(saved["project_file"]):
        window.project.load(saved["project_file"])
    else:
        window.project.set_data(saved["project_data"])
    window.settings.own = saved["settings"]
    restore_workspace(host, window, saved)


def restore_workspace(host: Any, window: Any, saved: Dict[str, Any]) -> None:
    """Put what `save_workspace` kept into a window without tabs, but for the window's settings."""
    window.unsettled += 1
    window.set_layout(saved["layout"])
    buffers: Dict[int, BufferModel] = {}
    for number, group in enumerate(saved["groups"]):
        sheets = [_restore_view(host, window, number, view, buffers) for view in group["sheets"]]
        if group["active"] is not None:
            window.groups[number].show(sheets[group["active"]])
    window.active_group = saved["active_group"]
    window.unsettled -= 1
    window.settle()


def _restore_view(
    host: Any, window: Any, group: int, saved: Dict[str, Any], buffers: Dict[int, BufferModel]
) -> SheetModel:
    buffer: Optional[BufferModel] = buffers.get(saved["buffer"])
    if buffer is None:
        buffer = buffers[saved["buffer"]] = host.files.new_buffer()
        buffer.file_name, buffer.name = saved["file"], saved["name"]
        buffer.encoding, buffer.line_endings = saved["encoding"], saved["line_endings"]
        if "text" in saved:
            buffer.load(saved["text"])
            if saved["dirty"]:
                buffer.undo.mark_unsaved()
        else:
            host.files.fill(buffer)
        buffer.scratch, buffer.read_only = saved["scratch"], saved["read_only"]
    view = ViewModel(host, buffer, window)
    host.views[view.id] = view
    sheet = SheetModel(host, window, view)
    window.groups[group].insert(sheet)
    view.settings.own = saved["settings"]
    view.selection.set([(buffer.clamp(a), buffer.clamp(b)) for a, b in saved["selection"]])
    view.viewport = (saved["viewport"][0], saved["viewport"][1])
    return sheet
