"""What a user does and sees: plain functions with JSON arguments and JSON results, called on the main thread.

Views, windows and sheets are named by id; None means the active one. A gesture that is impossible for a user
(a link that is not there, a menu item that is greyed out) raises LookupError.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from . import snapshot as _snapshot
from .gestures_widgets import (  # noqa: F401
    _view,
    _window,
    answer_dialog,
    choose,
    click_annotation,
    click_fold,
    click_phantom,
)
from .model import metrics as _metrics
from .model import palette_colors as _palette_colors
from .model import session as _session
from .model import workspaces as _workspaces
from .model.host import current as _current


def _focused(view: Optional[int]) -> Any:
    """The named view with the focus, or the one that has it."""
    if view is not None:
        focus_view(view)
        return _view(view)
    found = _window(None).focused_view()
    if found is None:
        raise LookupError("nothing has the focus")
    return found


# -- windows -------------------------------------------------------------------------------------------
def new_window(folders: Optional[List[str]] = None) -> int:
    """Open a window, with folders in its side bar; returns its id."""
    return _current().new_window(folders).id


def close_window(window: Optional[int] = None) -> bool:
    """Close a window with its close button. Hot exit keeps unsaved text, so nothing is asked."""
    return _current().close_window(_window(window))


def focus_window(window: int) -> None:
    """Click a window's title."""
    _current().focus.bring_to_front(_window(window))


def resize_window(width: float, height: float, window: Optional[int] = None) -> None:
    """Give a window a size in device-independent pixels."""
    _window(window).size = (float(width), float(height))


def zoom(factor: float) -> None:
    """Make the font of all views so many times its standard size. No event tells plugins of it."""
    _current().metrics = _metrics.STANDARD.zoomed(float(factor))


def use_scheme(name: str) -> None:
    """Switch all views and what is around them to the "dark" or the "light" colour scheme, as the system's switch does.

    Raises KeyError for any other."""
    _current().scheme = _palette_colors.SCHEMES[name]


def leave_application() -> None:
    """Switch to another application."""
    _current().focus.application = False
    _current().focus.update()


def enter_application() -> None:
    """Switch back to the editor."""
    _current().focus.application = True
    _current().focus.update()


def set_folders(folders: List[str], window: Optional[int] = None) -> None:
    """Change the folders of the side bar. No event tells plugins of it."""
    _window(window).project.set_folders(folders)


def save_project(path: str, window: Optional[int] = None) -> None:
    host, found = _current(), _window(window)
    host.events.window("on_pre_save_project", found)
    found.project.save_as(path)
    host.events.window("on_post_save_project", found)


def load_project(path: str, window: Optional[int] = None) -> None:
    """Open a project in a window instead of what is there: its tabs and layout are replaced."""
    _workspaces.open_project(_window(window), path)


# -- tabs ----------------------------------------------------------------------------------------------
def open_file(
    path: str,
    window: Optional[int] = None,
    group: int = -1,
    transient: bool = False,
    row: Optional[int] = None,
    column: int = 1,
) -> int:
    """Open a file, or show its tab; `transient` previews it. Returns the view's id; it may still be loading."""
    found = _window(window)
    if group >= 0:
        found.focus_group(group)
    name = path if row is None else "%s:%d:%d" % (path, row, column)
    return _current().files.open(found, name, (4 if transient else 0) | (1 if row is not None else 0), group).id


def new_file(window: Optional[int] = None, text: str = "", name: str = "") -> int:
    view = _current().files.new_file(_window(window))
    view.buffer.name = name
    if text:
        type_text(text, view.id)
    return view.id


def focus_view(view: int) -> None:
    """Click into a view; its window comes to the front."""
    found = _view(view)
    if found.window is None:
        raise LookupError("view %r is not in a window" % view)
    found.window.focus_view(found)
    _current().focus.bring_to_front(found.window)


def close_tab(view: Optional[int] = None) -> bool:
    """Click a tab's close button. False if a dialog was answered with cancel."""
    found = _view(view)
    if found.sheet is None:
        raise LookupError("view %r has no tab" % view)
    return _current().files.close_sheet(found.sheet)


def clone_view(view: Optional[int] = None) -> int:
    copy = _current().files.clone(_view(view))
    _current().focus.update()
    return copy.id


def drag_tab(view: int, group: Optional[int] = None, index: int = -1, window: Optional[int] = None) -> None:
    """Drag a tab to a place in a group, or to another window."""
    sheet = _view(view).sheet
    target = sheet.window if window is None else _window(window)
    _current().move_to_window(sheet, target, target.active_group if group is None else group, index)
    target.focus_sheet(sheet)
    _current().focus.bring_to_front(target)


# -- text and keys -------------------------------------------------------------------------------------
def select(ranges: List[List[int]], view: Optional[int] = None) -> None:
    """Select with the mouse: pairs of points, anchor and caret."""
    found = _view(view)
    found.set_selection([(a, b) for a, b in ranges])
    _current().notes.flush()


def select_rowcol(
    row: int, column: int, end_row: Optional[int] = None, end_column: Optional[int] = None, view: Optional[int] = None
) -> None:
    """Put the caret, or a selection, at rows and columns from 0."""
    found = _view(view)
    start = found.buffer.text_point(row, column, clamp=True)
    end = start if end_row is None else found.buffer.text_point(end_row, end_column or 0, clamp=True)
    select([[start, end]], found.id)


def type_text(text: str, view: Optional[int] = None) -> None:
    """Type, one character after the other, where the focus is."""
    found = _focused(view)
    for character in text:
        key = {"\n": "enter", "\t": "tab", " ": "space"}.get(character, character)
        _current().keymap.press(found.window, key)


def press(keys: str, view: Optional[int] = None) -> Optional[str]:
    """Press keys, a blank between two: "ctrl+k ctrl+b". Returns the last command that ran."""
    found = _window(None) if view is None else _focused(view).window
    ran = None
    for key in keys.split(" "):
        ran = _current().keymap.press(found, key)
    return ran


def set_view_setting(key: str, value: Any, view: Optional[int] = None) -> None:
    _view(view).settings.set(key, value)


# -- commands ------------------------------------------------------------------------------------------
def run_command(
    command: str, args: Optional[Dict[str, Any]] = None, window: Optional[int] = None, view: Optional[int] = None
) -> None:
    """Run a command as a key binding does, on a view or by way of a window's focus: listeners hear of it."""
    if view is not None:
        _current().commands.run_in_view(_view(view), command, args, told=True)
    else:
        _current().commands.run_in_window(_window(window), command, args, told=True)


def palette(window: Optional[int] = None) -> List[Dict[str, Any]]:
    """The palette's entries, hidden and disabled ones included."""
    return _current().palette.entries(_window(window))


def run_palette(caption: str, window: Optional[int] = None) -> None:
    """Choose a palette entry that shows and is enabled."""
    _current().palette.run(_window(window), caption)


def menu(name: str = "Main", window: Optional[int] = None, on: Optional[Dict[str, Any]] = None) -> List[Dict[str, Any]]:
    """The items of a menu that run commands, each with its path of captions. `on` is what was clicked: `files` and
    `dirs` of the side bar, or `group` and `index` of a tab."""
    return _current().menus.entries(_window(window), name, on)


def run_menu(
    path: List[str], name: str = "Main", window: Optional[int] = None, on: Optional[Dict[str, Any]] = None
) -> None:
    _current().menus.run(_window(window), path, name, on)


def run_side_bar(caption: str, paths: List[str], window: Optional[int] = None) -> None:
    """Choose an item of the menu that these files or folders have in the side bar."""
    _current().menus.run(_window(window), [caption], "Side Bar", dict.fromkeys(("files", "dirs", "paths"), paths))


# -- the world outside ---------------------------------------------------------------------------------
def check_disk() -> None:
    """Let the editor notice what others have changed on disk."""
    _current().check_disk()


# -- reading back --------------------------------------------------------------------------------------
def snapshot(text: bool = True) -> Dict[str, Any]:
    """Everything that shows; without `text`, all but the texts of views."""
    with _current().lock:
        return _snapshot.snapshot_host(_current(), text)


def snapshot_window(window: Optional[int] = None, text: bool = True) -> Dict[str, Any]:
    with _current().lock:
        return _snapshot.snapshot_window(_window(window), text)


def snapshot_view(view: Optional[int] = None) -> Dict[str, Any]:
    with _current().lock:
        return _snapshot.snapshot_view(_view(view))


def render(window: Optional[int] = None) -> str:
    """A standalone HTML page that draws a window."""
    from .render import render_window

    with _current().lock:
        return render_window(_window(window))


def events(since: int = 0) -> List[List[Any]]:
    """Every event told to plugins, as [name, id]."""
    return [list(item) for item in _current().events.log[since:]]


def api_calls(package: str = "Gemini Companion", leave_out: Sequence[str] = ()) -> Dict[str, int]:
    """How often a package's modules have called what of the editor's API since `clear_api_calls`, by name.

    Modules whose names begin as `leave_out` says do not count; its own tests never do.
    """
    return _current().calls.by_name(package, [package + ".tests", *leave_out])


def clear_api_calls() -> None:
    """Begin to count anew."""
    _current().calls.clear()


def is_idle() -> bool:
    """Whether nothing is queued and due on either thread."""
    return bool(_current().scheduler.is_idle())


def save_session() -> Dict[str, Any]:
    """What hot exit would keep."""
    return _session.save(_current())


def restore_session(session: Dict[str, Any]) -> None:
    _session.restore(_current(), session)
