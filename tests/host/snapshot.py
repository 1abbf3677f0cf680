"""Reads back, as JSON, everything that a user would see.

Rule kept here: looking changes nothing.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .model import geometry, metrics, minihtml, minimap
from .model.host import Host


def snapshot_view(view: Any, text: bool = True) -> Dict[str, Any]:
    """One view: its text, selection, marks, phantoms and scroll position."""
    buffer = view.buffer
    found: Dict[str, Any] = {
        "id": view.id,
        "title": view.title(),
        "file": buffer.file_name or None,
        "name": buffer.name,
        "dirty": buffer.dirty,
        "scratch": buffer.scratch,
        "read_only": buffer.read_only,
        "encoding": buffer.encoding,
        "line_endings": buffer.line_endings,
        "selection": [[a, b] for a, b in view.drawn_selection()],
        "settings": dict(view.settings.own),
        "regions": {key: item.describe() for key, item in sorted(view.region_sets.items())},
        "minimap": [list(stripe) for stripe in minimap.stripes(view)],
        "annotations": {
            key: list(item.annotations) for key, item in sorted(view.drawn_annotations().items()) if item.annotations
        },
        "phantoms": [
            dict(phantom.describe(), text=minihtml.plain(phantom.content), width=_width(view, phantom))
            for phantom in view.phantoms.in_order()
        ],
        "folds": [list(stretch) for stretch in view.folds.stretches],
        "status": dict(sorted(view.status.items())),
        "viewport": list(view.viewport),
        "visible": [view.buffer.row(point) for point in geometry.visible_region(view)],
    }
    if text:
        found["text"] = buffer.text
    return found


def _width(view: Any, phantom: Any) -> float:
    return float(phantom.width(geometry.phantom_columns(view), metrics.of(view)))


def snapshot_sheet(sheet: Any, text: bool = True) -> Dict[str, Any]:
    """One tab."""
    return {
        "id": sheet.id,
        "title": sheet.title(),
        "file": sheet.file_name or None,
        "transient": sheet.transient,
        "dirty": sheet.dirty,
        "view": snapshot_view(sheet.view, text) if sheet.view is not None else None,
    }


def snapshot_window(window: Any, text: bool = True) -> Dict[str, Any]:
    """One window: its groups, panels, bars and messages."""
    focused = window.focused_view()
    active = window.active_sheet()
    groups = []
    for group in window.groups:
        groups.append(
            {
                "tabs": [snapshot_sheet(sheet, text) for sheet in group.sheets],
                "transient": snapshot_sheet(group.transient, text) if group.transient is not None else None,
                "active": group.active.id if group.active is not None else None,
                "active_view": group.active.view.id if group.active is not None else None,
                "selected": [sheet.id for sheet in group.selected],
            }
        )
    panels = window.panels
    return {
        "id": window.id,
        "size": list(window.size),
        "layout": window.layout,
        "groups": groups,
        "active_group": window.active_group,
        "active_view": active.view.id if active is not None else None,
        "focus": focused.id if focused is not None else None,
        "focused_element": (focused.element or None) if focused is not None else None,
        "folders": window.folders(),
        "elements": dict(window.elements),
        "status_messages": list(window.messages),
        "status_bar": focused.status_bar() if focused is not None else "",
        "panel": panels.active,
        "output_panels": {name: view.buffer.text for name, view in panels.output.items()},
        "input_panel": None
        if panels.input is None
        else {"caption": panels.input.caption, "text": panels.input.view.buffer.text, "view": panels.input.view.id},
        "quick_panel": None
        if panels.quick is None
        else {
            "items": panels.quick.items,
            "selected": panels.quick.selected,
            "placeholder": panels.quick.placeholder,
            "view": panels.quick.view.id,
        },
    }


def snapshot_host(host: Host, text: bool = True) -> Dict[str, Any]:
    """All windows (the front one last), and the dialogs."""
    front: Optional[Any] = host.focus.active_window()
    windows: List[Dict[str, Any]] = [snapshot_window(window, text) for window in host.focus.order]
    return {
        "windows": windows,
        "active_window": front.id if front is not None else None,
        "dialogs": list(host.dialogs.shown),
    }
