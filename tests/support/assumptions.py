"""Checks of what the package assumes of the editor although its documentation does not promise it.

Each is a small function that returns a sentence if the assumption does not hold here, otherwise None, or `UNKNOWN`.
`test_editor_assumptions.py` says what depends on each, and what its evidence is.

Rule: a check leaves nothing behind, and needs no more than a view of our own in a window.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Dict, Iterable, List, Optional

import sublime
import sublime_plugin

from ...companion.editor.edits import Edit, apply_edits
from ...companion.review.display.markup import filler_html
from ...companion.review.display.screen import Sizes, margin_of
from ...companion.system.platform import Platform
from ...companion.system.processes import editor_is_gone
from ...companion.terminals.command_lines import CERTIFICATES
from ...companion.terminals.launcher import inherited

UNKNOWN = "nothing here shows whether that is so"
KEY = "gemini_companion.assumption"
ROWS = 3
FRAME_MILLISECONDS = 20
LAYOUT_FRAMES = 15  # in which a block is laid out at the latest
TOLERANCE = 0.5  # pixels, for all rows together
POSIX_MODULES = ("grp", "pwd", "fcntl")
MODULES = ("ssl", "ctypes", "zlib", "_asyncio", "_json", "_socket")
KEYMAPS_AFTER_OURS = ("LSP", "NeoVintageous", "Terminus")
PACKAGE = __name__.partition(".")[0]


class FillerRows:
    """Whether a filler has the height that was asked for, and one as wide as the text may be fits. Main thread.

    The filler stands under the first line of a view until `remove`: an editor may lay it out some frames later.
    """

    def __init__(self, view: sublime.View) -> None:
        self._view = view
        self._second = view.text_point(1, 0)
        self._before = view.text_to_layout(self._second)[1]
        self._fitted = self._fits()
        sizes = Sizes.of(view, margin_of(view.settings().get("margin")))
        self._width = sizes.width
        self._phantoms = _block(view, filler_html(round(ROWS * sizes.line_height), sizes.row, sizes.room))

    def problem(self) -> Optional[str]:
        """What is wrong with the rows as they are laid out now, or None."""
        if self._view.line_height() <= 0:
            return "the view has no line height"
        if self._view.rowcol(self._second)[0] != 1:
            return "the view has one line only"
        found = self._view.text_to_layout(self._second)[1] - self._before
        if abs(found - ROWS * self._view.line_height()) > TOLERANCE:
            return f"{ROWS} rows of {self._view.line_height():g} px are {found:g} px high"
        if self._fitted and not self._fits():
            return f"{self._width:g} px of {self._view.viewport_extent()[0]:g} px are too wide"
        return None

    def _fits(self) -> bool:
        """Whether all that the view holds is in sight without scrolling to the side."""
        return self._view.layout_extent()[0] <= self._view.viewport_extent()[0] + TOLERANCE

    def remove(self) -> None:
        """Take it out of the view."""
        self._phantoms.update([])


def marks_keep_their_order(view: sublime.View) -> Optional[str]:
    """Marked regions come back in the order of their places, empty ones included."""
    size = view.size()
    regions = [sublime.Region(0), sublime.Region(min(1, size), min(3, size)), sublime.Region(size)]
    view.add_regions(KEY, regions, flags=sublime.HIDDEN | sublime.NO_UNDO)
    try:
        found = view.get_regions(KEY)
    finally:
        view.erase_regions(KEY)
    return None if found == regions else f"{regions} came back as {found}"


def drawing_is_no_change(view: sublime.View) -> Optional[str]:
    """Marks, blocks and settings do not count as changes of the text."""
    before = view.change_count()
    view.add_regions(KEY, [sublime.Region(0)], flags=sublime.HIDDEN | sublime.NO_UNDO)
    phantoms = _block(view, "x")
    view.settings().set(KEY, True)
    view.settings().erase(KEY)
    phantoms.update([])
    view.erase_regions(KEY)
    return None if view.change_count() == before else f"the change count rose from {before}"


def marks_are_not_undone(view: sublime.View) -> Optional[str]:
    """Marks with `NO_UNDO` move with the text that an undo brings back, and are otherwise left alone by it."""
    read_only, place = view.is_read_only(), min(3, view.size())
    view.set_read_only(False)
    view.add_regions(KEY, [sublime.Region(0)], flags=sublime.HIDDEN | sublime.NO_UNDO)
    try:
        apply_edits(view, [Edit(0, 0, "x")])
        view.erase_regions(KEY)
        view.add_regions(KEY + ".2", [sublime.Region(1, 1 + place)], flags=sublime.HIDDEN | sublime.NO_UNDO)
        view.run_command("undo")
        back, kept = view.get_regions(KEY), view.get_regions(KEY + ".2")
    finally:
        view.erase_regions(KEY)
        view.erase_regions(KEY + ".2")
        view.set_read_only(read_only)
    if back:
        return "an undo brought an erased mark back"
    return None if kept == [sublime.Region(0, place)] else f"an undo left {kept} of (0, {place})"


def window_settings_keep_values(view: sublime.View) -> Optional[str]:
    """A window's settings keep nested values."""
    window = view.window() or sublime.active_window()
    value: Dict[str, Any] = {"cells": [[0, 0, 1, 1]], "cols": [0.0, 1.0], "nothing": None}
    window.settings().set(KEY, value)
    found = window.settings().get(KEY)
    window.settings().erase(KEY)
    if window.settings().get(KEY) == value:
        return "an erased value is still there"
    return None if found == value else f"{value} came back as {found}"


def modules_are_there() -> Optional[str]:
    """The compiled parts of Python's library can be imported. An editor might leave them out."""
    missing: List[str] = []
    for name in MODULES + (POSIX_MODULES if os.name == "posix" else ()):
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    return "missing: {}".format(", ".join(missing)) if missing else None


def parent_is_the_editor() -> Optional[str]:
    """Our parent process is the editor: a client in its terminal looks for that process id."""
    return "the parent has changed since the start" if editor_is_gone() else None


def build_systems_run_here() -> Optional[str]:
    """The package Default runs in our plugin host. Otherwise its build systems do not inherit our `os.environ`."""
    if not any(name.startswith("Default.") for name in sys.modules):
        return UNKNOWN  # none of it is loaded under this name
    elsewhere = sublime.find_resources("exec.py") and "Default.exec" not in sys.modules
    return "the package Default runs in another plugin host" if elsewhere else None


def certificates_stay_here() -> Optional[str]:
    """Programs that we start do not inherit the certificates that the plugin host has set for itself."""
    left = inherited(Platform.current()).get(CERTIFICATES, "")
    if "certifi" not in os.path.normpath(left).split(os.sep):
        return None  # unset, or the user's own
    return f"they would inherit {CERTIFICATES}={left}"


def keymaps_are_in_order() -> Optional[str]:
    """The editor lists keymaps in the order in which they apply: the Default ones first, the user's own last."""
    names = [resource.split("/")[1] for resource in sublime.find_resources("Default*.sublime-keymap")]
    last = {name: place for place, name in enumerate(names)}
    expected = [name for name in ("Default", PACKAGE, *KEYMAPS_AFTER_OURS, "User") if name in last]
    if PACKAGE not in last or expected != sorted(expected, key=last.__getitem__):
        return UNKNOWN  # the list may have an order of its own
    return None


def commands_can_be_looked_up() -> Optional[str]:
    """The editor lists the classes of all packages' commands. By these we know whether a package is installed."""
    classes: Iterable[type] = getattr(sublime_plugin, "window_command_classes", ())
    if any(cls.__module__.startswith(PACKAGE + ".") for cls in classes):
        return None
    return "our own commands are not in sublime_plugin.window_command_classes"


def _block(view: sublime.View, document: str) -> sublime.PhantomSet:
    """A block under the view's first line."""
    phantoms = sublime.PhantomSet(view, KEY)
    phantoms.update([sublime.Phantom(sublime.Region(0), document, sublime.LAYOUT_BLOCK)])
    return phantoms
