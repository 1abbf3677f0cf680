"""Which views show a file, and whether one is still there.

Rule: the disk is not asked, so that the main thread may call. What links lead to comes from a look on a disk thread, as
`same_files`. Views of our own reviews are never among those found.
"""

from __future__ import annotations

import os
from typing import Dict, FrozenSet, List, Optional, Sequence

import sublime

from .marks import role_of


def is_open(view: Optional[sublime.View]) -> bool:
    """Whether the view is still in a window."""
    return view is not None and view.is_valid() and view.window() is not None


def is_in(view: sublime.View, window: sublime.Window) -> bool:
    """Whether the view is in this window."""
    home = view.window() if view.is_valid() else None
    return home is not None and home.id() == window.id()


def close(view: sublime.View) -> None:
    """Close a tab that the package has opened. Everything that it closes is closed here.

    What is not scratch stays: it may hold a text of the user's. So does a file, unless it is just a preview.
    """
    sheet = view.sheet()
    if view.is_scratch() and view.file_name() is None:
        view.close()
    elif sheet is not None and sheet.is_transient() and not view.is_dirty():
        sheet.close()


def views_of_file(path: str, same_files: FrozenSet[str] = frozenset()) -> List[sublime.View]:
    """Every view of the file in any window, but for ours. `same_files` are further names by which tabs call it."""
    return [view for view in views_named_like(path) if is_same_file(view.file_name(), path, same_files)]


def views_named_like(path: str) -> List[sublime.View]:
    """Every view, but for ours, that may show the file: links are followed only where the names are the same."""
    name = _name_key(path)
    found = []
    for window in sublime.windows():
        for view in window.views():
            other = view.file_name()
            if other is not None and _name_key(other) == name and role_of(view) is None:
                found.append(view)
    return found


def unsaved_files() -> FrozenSet[str]:
    """The files of all views with unsaved edits, but for ours."""
    views = [view for window in sublime.windows() for view in window.views() if view.is_dirty()]
    return frozenset(view.file_name() or "" for view in views if role_of(view) is None) - {""}


def tabs_of(path: str) -> Dict[str, str]:
    """The files of the views that may show the file, with their encodings; empty while a view is loading."""
    return {view.file_name() or "": "" if view.is_loading() else view.encoding() for view in views_named_like(path)}


def is_same_file(one: Optional[str], other: str, same_files: FrozenSet[str] = frozenset()) -> bool:
    """Whether two paths lead to the same file, as far as that is known without looking at the disk."""
    return one is not None and (one in same_files or same_key(one) == same_key(other))


def same_key(path: str) -> str:
    """Return a key that is equal for two spellings of one path. Asks no disk."""
    return os.path.normcase(os.path.normpath(path))


def _name_key(path: str) -> str:
    return os.path.normcase(os.path.basename(path))


def in_front(window: sublime.Window) -> List[Optional[sublime.View]]:
    """What `bring_back` brings back: the views that show in the groups of a window, then the one with the focus."""
    shown = [window.active_view_in_group(group) for group in range(window.num_groups())]
    return [*shown, window.active_view()]


def bring_back(views: Sequence[Optional[sublime.View]]) -> None:
    """Bring tabs to the front, the last of them with the focus."""
    for view in views:
        window = view.window() if view is not None and view.is_valid() else None
        if view is None or window is None or view not in window.views():
            continue
        group = window.get_view_index(view)[0]
        if window.active_view_in_group(group) != view or view is views[-1]:
            window.focus_view(view)
