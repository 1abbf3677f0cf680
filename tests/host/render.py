"""Draws a window of the host as a page of its own, for pictures of what the package shows.

The page needs nothing from elsewhere. Rules: it shows the model's state and geometry; it is a drawing of the test host,
not of the editor. Colours are those of the host's scheme. The text zooms as its views do, what is around it does not.
"""

from __future__ import annotations

import os
from html import escape
from typing import Any, List

from .model import geometry
from .render_view import render_view

CSS = """
:root { %(colors)s }
* { box-sizing: border-box; }
body { margin: 0; background: var(--line); }
.window { position: relative; overflow: hidden; background: var(--background); color: var(--foreground);
  font: 12.5px/1.3 "Inter", "Segoe UI", "DejaVu Sans", sans-serif; }
.window div { position: absolute; }
.side { background: var(--chrome); padding: 12px 14px; color: var(--quiet); }
.side p { margin: 0 0 6px; } .side b { color: var(--faint); font-size: 11px; letter-spacing: .06em; }
.side .file { padding-left: 16px; } .side .open { color: var(--foreground); }
.tabs { background: var(--chrome); display: flex; overflow: hidden; }
.window .tab { position: relative; height: 32px; line-height: 32px; padding: 0 30px 0 14px; color: var(--faint);
  white-space: nowrap; border-right: 1px solid var(--line); flex: 0 1 auto; overflow: hidden; text-overflow: ellipsis; }
.tab.shown { background: var(--background); color: var(--foreground); }
.tab.active { box-shadow: inset 0 2px 0 var(--accent); }
.tab.transient { font-style: italic; }
.tab span { position: absolute; right: 10px; top: 0; color: var(--faint); }
.tab.dirty span { color: var(--yellowish); }
.group { overflow: hidden; border-right: 1px solid var(--line); border-bottom: 1px solid var(--line); }
.view { overflow: hidden; font: 13.33px/20px "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; }
.text { overflow: hidden; top: 0; } .scrolled { width: 100%%; }
.gutter { left: 0; top: 0; background: var(--gutter); overflow: hidden; }
.number { width: 100%%; text-align: right; padding-right: 10px; color: var(--gutter_foreground); }
.number small { font-size: .9em; }
.icon { position: absolute; left: 5px; font-size: .8em; }
.icon.picture { left: 2px; top: calc(50%% - 8px); width: 16px; height: 16px; }
.line { white-space: pre; z-index: 2; }
.mark { border-radius: 2px; } .mark.selection { background: var(--selection); opacity: .8; }
.mark, .edge { z-index: 0; } .mark.selection { z-index: 1; }
.minihtml { z-index: 3; }
.caret { width: 2px; background: var(--caret); z-index: 4; }
.minimap { top: 0; background: var(--minimap); overflow: hidden; }
.minimap i, .minimap b, .minimap u { position: absolute; }
.minimap i { background: var(--minimap_text); } .minimap b { left: 0; right: 0; background: var(--minimap_view); }
.status { background: var(--chrome); color: var(--faint); line-height: 24px; padding: 0 12px; display: flex;
  justify-content: space-between; white-space: nowrap; overflow: hidden; }
.panel { background: var(--chrome); overflow: hidden; padding: 0 12px; white-space: nowrap; z-index: 5; }
.panel b { font-weight: normal; background: var(--background); color: var(--foreground); padding: 4px 8px; }
.overlay { background: var(--raised); box-shadow: 0 8px 30px var(--shade); border-radius: 6px; padding: 8px;
  z-index: 20; }
.window .row { position: relative; padding: 5px 8px; border-radius: 4px; } .row.chosen { background: var(--chosen); }
.row small { color: var(--faint); display: block; }
.empty { color: var(--faint); left: 0; right: 0; text-align: center; }
"""


def render_window(window: Any) -> str:
    """A standalone HTML page with the window in its own size."""
    width, height = window.size
    body: List[str] = [_side_bar(window, height)]
    for number in range(len(window.groups)):
        body.append(_group(window, number))
    body.append(_input_panel(window, width, height))
    body.append(_status_bar(window, width, height))
    body.append(_overlay(window, width))
    scheme = window.host.scheme
    variables = "".join("--%s: %s; " % item for item in {**scheme.style, **scheme.theme}.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>%s</title><style>%s</style></head><body>'
        '<div class="window" style="width:%gpx;height:%gpx">%s</div></body></html>\n'
        % ("Drawn by the test host", CSS % {"colors": variables}, width, height, "".join(body))
    )


def _side_bar(window: Any, height: float) -> str:
    if not window.elements["side_bar"] or not window.folders():
        return ""
    opened = {view.buffer.file_name for view in window.views(include_transient=True)}
    rows = ["<p><b>FOLDERS</b></p>"]
    for folder in window.folders():
        rows.append("<p>&#x25BE; %s</p>" % escape(os.path.basename(folder)))
        for name in _files(folder):
            style = " open" if os.path.join(folder, name) in opened else ""
            rows.append('<p class="file%s">%s</p>' % (style, escape(name)))
    return '<div class="side" style="width:%gpx;height:%gpx">%s</div>' % (geometry.SIDE_BAR, height, "".join(rows))


def _files(folder: str) -> List[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))[:20]
    except OSError:
        return []


def _group(window: Any, number: int) -> str:
    left, top, width, height = geometry.group_box(window, number)
    group = window.groups[number]
    tab_height = geometry.TAB_BAR if window.elements["tabs"] else 0.0
    parts = []
    if tab_height:
        tabs = "".join(_tab(window, number, sheet) for sheet in group.all())
        parts.append('<div class="tabs" style="left:0;top:0;width:100%%;height:%gpx">%s</div>' % (tab_height, tabs))
    shown = group.selected or ([group.active] if group.active is not None else [])
    for index, sheet in enumerate(shown):
        share = width / len(shown)
        focused = window.focused_view() is sheet.view
        if sheet.view is not None:
            parts.append(render_view(sheet.view, (index * share, tab_height, share, height - tab_height), focused))
    if not shown:
        parts.append('<div class="empty" style="top:45%">no file</div>')
    return '<div class="group" style="left:%gpx;top:%gpx;width:%gpx;height:%gpx">%s</div>' % (
        left,
        top,
        width,
        height,
        "".join(parts),
    )


def _tab(window: Any, number: int, sheet: Any) -> str:
    group = window.groups[number]
    classes = ["tab"]
    dirty = sheet.dirty
    for name, holds in (
        ("shown", sheet in group.selected),
        ("dirty", dirty),
        ("transient", sheet.transient),
        ("active", sheet is group.active and number == window.active_group),
    ):
        if holds:
            classes.append(name)
    return '<div class="%s">%s<span>%s</span></div>' % (
        " ".join(classes),
        escape(sheet.title()),
        "&#x25CF;" if dirty else "&#x00D7;",
    )


def _status_bar(window: Any, width: float, height: float) -> str:
    if not window.elements["status_bar"]:
        return ""
    view = window.active_view()
    message = window.messages[-1] if window.messages else ""
    parts = [part for part in (view.status_bar() if view is not None else "", message) if part]
    place = ""
    if view is not None and view.drawn_selection():
        row, column = view.buffer.rowcol(view.drawn_selection()[0][1])
        syntax = str(view.settings.get("syntax", "Plain Text")).rsplit("/", 1)[-1].rsplit(".", 1)[0]
        place = "Line %d, Column %d &nbsp; &nbsp; %s &nbsp; &nbsp; %s" % (
            row + 1,
            column + 1,
            escape(view.buffer.encoding),
            escape(syntax),
        )
    return '<div class="status" style="left:0;top:%gpx;width:%gpx;height:%gpx"><span>%s</span><span>%s</span></div>' % (
        height - geometry.STATUS_BAR,
        width,
        geometry.STATUS_BAR,
        escape(" \u00b7 ".join(parts)),
        place,
    )


def _input_panel(window: Any, width: float, height: float) -> str:
    """The line of input below the tabs, with what was typed so far and the caret."""
    panel = window.panels.input
    if panel is None or window.panels.active != "input":
        return ""
    top = height - geometry.INPUT_PANEL - (geometry.STATUS_BAR if window.elements["status_bar"] else 0.0)
    return (
        '<div class="panel" style="left:0;top:%gpx;width:%gpx;height:%gpx;line-height:%gpx">%s &nbsp;<b>%s|</b></div>'
        % (
            top,
            width,
            geometry.INPUT_PANEL,
            geometry.INPUT_PANEL,
            escape(panel.caption),
            escape(panel.view.buffer.text),
        )
    )


def _overlay(window: Any, width: float) -> str:
    panel = window.panels.quick
    if panel is None:
        return ""
    rows = ['<div class="row"><span style="color:var(--faint)">%s</span></div>' % escape(panel.placeholder or "Filter")]
    for index, item in enumerate(panel.items[:12]):
        details = "".join("<small>%s</small>" % detail for detail in item["details"])
        chosen = " chosen" if index == max(0, panel.selected) else ""
        rows.append(
            '<div class="row%s">%s &nbsp; <span style="color:var(--faint)">%s</span>%s</div>'
            % (chosen, escape(item["trigger"]), escape(item["annotation"]), details)
        )
    return '<div class="overlay" style="left:%gpx;top:48px;width:620px">%s</div>' % ((width - 620) / 2, "".join(rows))
