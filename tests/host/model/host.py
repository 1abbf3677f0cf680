"""The editor as a whole: everything that exists, by id, and what went wrong.

Rule kept here: there is one Host per plugin-host process; `current()` is how the API finds it.
"""

from __future__ import annotations

import itertools
import sys
import threading
from typing import Any, Callable, Dict, List, Optional

from .. import errors
from . import commands_text, commands_window, geometry, minihtml  # noqa: F401 - these register the built-in commands
from .buffer import BufferModel
from .calls import Calls
from .commands import Commands
from .dialogs import Dialogs
from .events import Events
from .files import Files
from .focus import Focus
from .keymap import Keymap
from .menus import Menus
from .metrics import STANDARD
from .notes import Notes
from .palette import Palette
from .palette_colors import DARK
from .quirks import LATE_MILLISECONDS, chosen
from .settings import PREFERENCES, SettingsFiles, SettingsModel
from .syntaxes import Syntaxes
from .values import Region
from .view import ViewModel
from .window import WindowModel

_current: Optional[Host] = None
POLL_MILLISECONDS = 1000


def current() -> Host:
    """The host of this process. Raises RuntimeError before `Host` was made."""
    if _current is None:
        raise RuntimeError("the host has not been started")
    return _current


def is_started() -> bool:
    """Whether this process has a host."""
    return _current is not None


class Host:
    """`resources` finds and loads packages' files; `loads` reads JSON with comments; `scheduler` owns the threads."""

    def __init__(self, resources: Any, scheduler: Any, loads: Callable[[str], Any]):
        global _current
        _current = self
        self.resources = resources
        self.scheduler = scheduler
        self.loads = loads
        self.lock = threading.RLock()
        self.plugins: Any = None
        self.quirks = chosen()
        self.metrics = STANDARD
        self.scheme = DARK
        self.settings_changes = 0
        self.calls = Calls()
        self.windows: Dict[int, WindowModel] = {}
        self.views: Dict[int, ViewModel] = {}
        self.buffers: Dict[int, BufferModel] = {}
        self.sheets: Dict[int, Any] = {}
        self.settings: Dict[int, SettingsModel] = {}
        self.closed_settings: Dict[int, SettingsModel] = {}
        self.clipboard = ""
        self.file_history: List[str] = []
        self.quit_requested = False
        self.closed = False
        self._counters: Dict[str, Any] = {}
        self.settings_files = SettingsFiles(self)
        self.events = Events(self)
        self.notes = Notes(self)
        self.focus = Focus(self)
        self.files = Files(self)
        self.dialogs = Dialogs()
        self.syntaxes = Syntaxes(self)
        self.commands = Commands(self)
        self.keymap = Keymap(self)
        self.palette = Palette(self)
        self.menus = Menus(self)
        self._null_settings = SettingsModel(self, lambda: [self.preferences()])
        scheduler.set_timeout(self._poll, POLL_MILLISECONDS, hidden=True)
        scheduler.set_timeout(self._draw, LATE_MILLISECONDS, hidden=True)

    # -- ids and look-ups ------------------------------------------------------------------------
    def next_id(self, kind: str) -> int:
        return next(self._counters.setdefault(kind, itertools.count(1)))

    def view(self, view_id: int) -> ViewModel:
        """The view; for the id of a closed view, an empty one without a window."""
        found = self.views.get(view_id)
        return found if found is not None else self._nowhere()

    def window(self, window_id: int) -> Optional[WindowModel]:
        return self.windows.get(window_id)

    def view_settings(self, view_id: int) -> SettingsModel:
        """A view's settings, which outlive it."""
        if view_id in self.views:
            return self.views[view_id].settings
        return self.closed_settings.get(view_id, self._null_settings)

    def _nowhere(self) -> ViewModel:
        view = ViewModel.__new__(ViewModel)
        view.__dict__.update(ViewModel.blank(self, BufferModel(0, self.lock), self._null_settings))
        return view

    def forget_view(self, view: ViewModel) -> None:
        """Remove the view, and its buffer with its last view."""
        view.valid = False
        self.focus.forget(view)
        self.views.pop(view.id, None)
        parents = view._parents()
        view.settings._parents = lambda: parents  # which answer on, but keep the view and its text no longer
        self.closed_settings[view.id] = view.settings
        if view in view.buffer.views:
            view.buffer.views.remove(view)
        if not view.buffer.views:
            self.buffers.pop(view.buffer.id, None)

    # -- windows ---------------------------------------------------------------------------------
    def make_window(self) -> WindowModel:
        """A new window in front of the others, without an event."""
        window = WindowModel(self)
        self.windows[window.id] = window
        self.focus.order.append(window)
        return window

    def new_window(self, folders: Optional[List[str]] = None) -> WindowModel:
        window = self.make_window()
        if folders:
            window.project.set_folders(folders)
        if "untitled_window" in self.quirks:
            self.files.new_view(window, self.files.new_buffer(), 0, -1)
        window.settle()
        self.events.window("on_new_window", window)
        self.focus.update()
        return window

    def close_window(self, window: WindowModel) -> bool:
        """Close a window with all it holds. With hot exit nothing is asked."""
        if window.id not in self.windows:
            return False
        self.events.window("on_pre_close_window", window)
        window.unsettled += 1
        for group in list(window.groups):
            for sheet in list(group.all()):
                self.files.close_sheet(sheet, ask=False)
        for view in window.panels.views():
            self.forget_view(view)
        window.valid = False
        window.groups = []
        self.windows.pop(window.id, None)
        self.focus.order.remove(window)
        self.focus.update()
        return True

    def move_to_window(self, sheet: Any, window: WindowModel, group: int = -1, index: int = -1) -> None:
        """Drag a tab to another window."""
        source, view = sheet.window, sheet.view
        if source is window:
            window.move_sheet(sheet, group if group >= 0 else window.active_group, index)
            return
        sheet.promote()
        if view is not None:
            self.events.view("on_pre_move", view)
            view.detach_settings()
        source.detach_sheet(sheet)
        number = group if group >= 0 else window.active_group
        window.groups[number].insert(sheet, index)
        window.groups[number].show(sheet)
        window.active_group = number
        sheet.window = window
        source.settle()
        window.settle()
        if view is not None:
            view.window = window
            self.preferences().children.append(view.settings)
            window.project_settings.children.append(view.settings)
            self.events.view("on_post_move", view)
        self.focus.update()

    # -- files and settings ----------------------------------------------------------------------
    def preferences(self) -> SettingsModel:
        return self.settings_files.load(PREFERENCES)

    def platform_title(self) -> str:
        return {"win32": "Windows", "darwin": "OSX"}.get(sys.platform, "Linux")

    def default_line_ending(self) -> str:
        name = self.preferences().get("default_line_ending")
        return {"windows": "Windows", "unix": "Unix"}.get(name, "Windows" if sys.platform == "win32" else "Unix")

    def remember_file(self, window: WindowModel, path: str) -> None:
        self.file_history = [path] + [other for other in self.file_history if other != path]

    def find_resources(self, *names: str, among: Optional[List[str]] = None) -> List[str]:
        """Resources of these names in layering order: Default first, User last; within a package as they are named.

        `among`: all that come into question, where they have just been listed.
        """
        if among is None:
            found = [(name, resource) for name in names for resource in self.resources.find_resources(name)]
        else:
            found = [(name, resource) for name in names for resource in among if resource.endswith("/" + name)]

        def rank(item: tuple) -> tuple:
            package = item[1].split("/")[1]
            return ({"Default": 0, "User": 2}.get(package, 1), package, names.index(item[0]), item[1])

        return [resource for _, resource in sorted(found, key=rank)]

    def read_list(self, resource: str) -> List[Dict[str, Any]]:
        """The objects of a resource that holds a list of them; anything else is complained of and left out."""
        try:
            items = self.loads(self.resources.load_resource(resource))
        except ValueError as error:
            errors.record(resource, error)
            return []
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            errors.record(resource, "a list of objects was expected")
            return []
        return items

    def check_disk(self) -> None:
        """Take in what others have changed on disk: files and settings."""
        self.files.check_disk()
        self.settings_files.reload()

    def _poll(self) -> None:
        self.scheduler.set_timeout(self._poll, POLL_MILLISECONDS, hidden=True)
        self.check_disk()

    def _draw(self) -> None:
        """Draw what shows: from then on those views have a size."""
        self.scheduler.set_timeout(self._draw, LATE_MILLISECONDS, hidden=True)
        for window in self.windows.values():
            for sheet in (sheet for group in window.groups for sheet in group.selected):
                if sheet.view is not None and not sheet.view.drawn:
                    sheet.view.drawn = True
                    sheet.view.viewport = self.clamp_viewport(sheet.view)

    # -- the end ---------------------------------------------------------------------------------
    def shut_down(self) -> None:
        """The editor quits: from now on the API refuses every call."""
        self.closed = True

    # -- geometry that the model needs ------------------------------------------------------------
    def clamp_viewport(self, view: ViewModel) -> tuple:
        return geometry.clamp_viewport(view, view.viewport)

    def show(self, view: ViewModel, point: int) -> None:
        geometry.show(view, Region(point, point))

    def console(self, text: str) -> None:
        """A line that the editor itself writes to its console."""
        print(text)
