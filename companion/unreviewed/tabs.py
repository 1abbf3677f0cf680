"""What the user does in tabs and in the side bar, for the folders that are tracked, or were.

Rule: what a tab saves is the user's. Where nothing is tracked no tab is asked for its text. Main thread, except where
noted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

import sublime

from ..review.document.text import saved
from ..system.files import opened, read_all, real_place
from .reading import READ_BYTES
from .texts import same_text
from .tracking import Answers, Tracking
from .workspace import Workspace

_TYPED: Tuple[str, Callable[[Workspace, str], None]] = (
    "paths",
    lambda workspace, name: workspace.side_bar.renames(name),
)
SIDE_BAR: Mapping[str, Tuple[str, Callable[[Workspace, str], None]]] = {
    "delete_file": ("files", Workspace.removed),
    "delete_folder": ("dirs", Workspace.removed),
    "rename_path": _TYPED,
    # Of the packages SideBarEnhancements and SideBarTools:
    "side_bar_rename": _TYPED,
    "side_bar_mass_rename": _TYPED,
    "side_bar_move": _TYPED,
    "side_bar_cut": _TYPED,
    "side_bar_delete": ("paths", lambda workspace, name: workspace.side_bar.removes(name)),
}
"""The commands of the side bar, with the argument that says which files, and what the user does with them."""
RENAMES = frozenset(name for name, does in SIDE_BAR.items() if does is _TYPED)
"""Those before which the user types another name."""


class Tabs:
    """The tabs of all windows."""

    def __init__(self, tracking: Tracking, edited: Callable[[str], None] = lambda path: None) -> None:
        """`edited` gets the path of a file in which the user has edited what an agent had left."""
        self._tracking = tracking
        self._edited = edited

    def read(self, view: sublime.View) -> None:
        """A tab has read its file from the disk: what it holds is looked at before the user can save it."""
        path = view.file_name()
        if path is not None:
            self._tracking.carry_out_at(path, refresh)
            self._tracking.sign()

    def saving(self, view: sublime.View) -> None:
        """A tab is about to be saved."""
        path = view.file_name()
        if path is not None and self._tracking.find_by_window_path(path):
            self._tracking.saves.begin(path)

    def saved(self, view: sublime.View) -> None:
        """A tab was saved."""
        path = view.file_name()
        if path is not None and self._tracking.find_by_window_path(path):
            text = view.substr(sublime.Region(0, view.size()))
            do = partial(take_over, path, text, view.encoding(), view.line_endings())
            self._tracking.carry_out_at(path, do, partial(self._saved, path))

    def _saved(self, path: str, answers: Answers) -> None:
        self._tracking.saves.ended(path)
        if any(answers.values()):
            self._edited(path)

    def commanded(self, name: str, arguments: Optional[Dict[str, Any]]) -> None:
        """A command of a window has run: the user may have deleted files in the side bar, or is about to rename one."""
        if name not in SIDE_BAR:
            return
        argument, do = SIDE_BAR[name]
        paths = (arguments or {}).get(argument)
        for path in paths if isinstance(paths, list) else ():
            if isinstance(path, str):
                self._tracking.carry_out_at(path, do, place=real_place)

    def activated(self) -> None:
        """A view has the focus: the user may come from another application, and files have changed meanwhile."""
        self._tracking.sign()


def refresh(workspace: Workspace, name: str) -> None:
    """Look at a file that a tab has read. Disk thread."""
    workspace.refresh([name])


def take_over(path: str, text: str, encoding: str, line_endings: str, workspace: Workspace, name: str) -> bool:
    """Take over the text that a tab has saved; encoding and line endings by the editor's names. The answer is that of
    `Workspace.saved`. Disk thread."""
    data = saved(text, encoding, line_endings)
    if not workspace.files.is_excluded(name):
        with suppress(OSError, ValueError), opened(path, os.O_RDONLY) as (descriptor, _):
            found = read_all(descriptor, READ_BYTES)
            if same_text(found, data):  # the editor knows best how lines end
                data = found
    return workspace.saved(name, data)
