"""The built-in commands that work on a window or on the application."""

from __future__ import annotations

import copy
import os
import shutil
from typing import Any, List, Optional

from . import workspaces
from .commands import application_command, window_command
from .panels import BUILT_IN


def _view(window: Any) -> Any:
    return window.active_view()


# -- files -------------------------------------------------------------------------------------------
@window_command
def new_file(host: Any, window: Any, syntax: str = "") -> None:
    host.files.new_file(window, 0, syntax)


@window_command
def open_file(host: Any, window: Any, file: str) -> None:
    host.files.open(window, file.replace("${packages}", host.resources.packages_path()))


@window_command
def save_all(host: Any, window: Any) -> None:
    for other in list(host.windows.values()):
        for view in other.views():
            if view.buffer.dirty and view.buffer.file_name:
                host.files.save(view)


@window_command
def clone_file(host: Any, window: Any, add_to_selection: bool = False) -> None:
    view = _view(window)
    if view is not None:
        host.files.clone(view, flags=32 if add_to_selection else 0)
        host.focus.update()


@window_command
def reopen_last_file(host: Any, window: Any) -> None:
    opened = [view.buffer.file_name for view in window.views()]
    path = next((path for path in host.file_history if path not in opened), None)
    if path:
        host.files.open(window, path)


# -- the side bar ------------------------------------------------------------------------------------
# What its menu runs is plug-ins of the package Default that many programs ship (`side_bar.py` in it): what is deleted
# is gone when the command is over, and a name is typed into an input panel afterwards.
@window_command
def delete_file(host: Any, window: Any, files: List[str]) -> None:
    if host.dialogs.ask("ok_cancel", "Delete %s?" % ", ".join(files)):
        for path in files:
            os.unlink(path)


@window_command
def delete_folder(host: Any, window: Any, dirs: List[str]) -> None:
    if host.dialogs.ask("ok_cancel", "Delete %s?" % ", ".join(dirs)):
        for path in dirs:
            shutil.rmtree(path)


@window_command
def rename_path(host: Any, window: Any, paths: List[str]) -> None:
    folder, name = os.path.split(paths[0])

    def done(wanted: str) -> None:
        os.rename(paths[0], os.path.join(folder, wanted))
        for view in window.views():
            if view.buffer.file_name == paths[0]:
                host.files.retarget(view, os.path.join(folder, wanted))

    window.panels.show_input("New Name:", name, done, None, None)


# -- closing -----------------------------------------------------------------------------------------
@window_command
def close_file(host: Any, window: Any, group: Optional[int] = None, index: Optional[int] = None) -> None:
    if group is not None and index is not None:
        sheets = window.groups[group].sheets if 0 <= group < len(window.groups) else []
        chosen = sheets[index : index + 1]
    else:
        chosen = list(window.groups[window.active_group].selected)
    for sheet in chosen:
        host.files.close_sheet(sheet)


@window_command
def close(host: Any, window: Any) -> None:
    """Close the active tab; a window without any, and with one group only, closes itself (sublime_text 1704)."""
    if not window.sheets() and len(window.groups) == 1 and window.groups[0].transient.placeholder:
        host.close_window(window)
    else:
        close_file(host, window)


@window_command
def close_all(host: Any, window: Any) -> None:
    for group in window.groups:
        for sheet in list(group.all()):
            host.files.close_sheet(sheet)


@window_command
def close_unmodified(host: Any, window: Any) -> None:
    """*Close Unmodified Tabs*: whatever closing would not lose, scratch views among them."""
    for sheet in [sheet for group in window.groups for sheet in list(group.sheets)]:
        if not sheet.dirty:
            host.files.close_sheet(sheet)


@window_command
def chain(host: Any, window: Any, commands: List[Any]) -> None:
    """Run commands one after the other: [name, arguments] or {"command": name, "args": arguments} each."""
    for entry in commands:
        name, args = (entry.get("command"), entry.get("args")) if isinstance(entry, dict) else (entry + [None])[:2]
        host.commands.run_in_window(window, name, args)


@window_command
def close_window(host: Any, window: Any) -> None:
    host.close_window(window)


# -- what shows --------------------------------------------------------------------------------------
@window_command
def show_panel(host: Any, window: Any, panel: str, toggle: bool = False, **_: Any) -> None:
    if not window.panels.show(panel, toggle) and panel not in BUILT_IN:
        host.console("show_panel: there is no panel %r" % panel)


@window_command
def hide_panel(host: Any, window: Any, cancel: bool = False) -> None:
    window.panels.hide()


@window_command
def show_overlay(host: Any, window: Any, overlay: str, **_: Any) -> None:
    """Only the command palette is modelled; it is a list over the tabs, as Goto Anything is."""
    host.palette.show(window)


@window_command
def hide_overlay(host: Any, window: Any) -> None:
    window.panels.finish_quick(-1)


@window_command
def cancel(host: Any, window: Any) -> None:
    """What the escape key does: the topmost thing that can be closed goes."""
    if window.panels.quick is not None:
        window.panels.finish_quick(-1)
    elif window.panels.active is not None:
        window.panels.hide()


# -- project and application -------------------------------------------------------------------------
@window_command
def open_project_or_workspace(host: Any, window: Any, file: str, new_window: bool = False) -> None:
    target = host.new_window() if new_window else window
    workspaces.open_project(target, file)


@window_command
def close_workspace(host: Any, window: Any) -> None:
    workspaces.close_project(window)


@window_command
def close_project(host: Any, window: Any) -> None:
    workspaces.close_project(window)


@application_command
def new_window(host: Any, folders: Optional[List[str]] = None) -> None:
    host.new_window(copy.copy(folders))


@application_command
def exit(host: Any) -> None:
    """Quitting belongs to the editor process; `host.quit_requested` tells it."""
    host.quit_requested = True


# -- what keys do in widgets; no command of the editor has these names --------------------------------
@window_command
def host_overlay(host: Any, window: Any, do: str) -> None:
    panel = window.panels.quick
    if panel is None:
        return
    if do == "choose":
        window.panels.finish_quick(panel.selected if panel.selected >= 0 else (0 if panel.items else -1))
    elif panel.items:
        window.panels.highlight((max(panel.selected, 0) + (1 if do == "down" else -1)) % len(panel.items))


@window_command
def host_input_panel(host: Any, window: Any, accept: bool) -> None:
    window.panels.finish_input(accept)
