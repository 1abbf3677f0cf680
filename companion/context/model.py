"""The context of a window: its open files, the active file, and the selection in it. Without the editor and the disk.

Rules: this is pure. Events have everything that the model needs, including the time, the existence of files and where
links lead to. `payload` returns the `IdeContext` for clients. Implements the companion specifications, section II, "The
Context Interface".

The active file is the one that had the focus last. Other things that take the focus (a terminal, a panel, an input, a
review, an untitled buffer, another application) are no events here. So a file stays active until another file has the
focus or it is closed.

Texts are counted and cut in UTF-16 code units, as clients count. A character outside the Basic Multilingual Plane is
two units and is never cut in half.

The setting `context_exclude` leaves files out under each of their names: the one under which a file is open, and the
one without links. A pattern without a slash is matched against the names of the file and of all folders above it. A
pattern with a slash is matched against the path, from its start if the pattern is absolute or begins with `~`, or else
from any folder; if it matches a folder, everything below is excluded. The patterns are those of `fnmatch`. Neither case
nor the encoding of accents matters: excluding too much costs little, excluding too little may give away a secret. An
untrusted project may add patterns, and matching runs on the main thread: nothing raises, and the time is linear in the
length of the path.
"""

from __future__ import annotations

import functools
import os
import re
import unicodedata
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Tuple

from ..common.globs import Globs
from ..settings import Settings

MOST_FILES = 10
"""Open files that agents are told about, the most recent ones first."""


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units in `text`."""
    if text.isascii():
        return len(text)
    return len(text) + sum(1 for character in text if character > "\uffff")


def cut(text: str, units: int) -> str:
    """The longest beginning of `text` that has at most `units` UTF-16 code units."""
    if len(text) * 2 <= units:
        return text
    text = text[:units]  # no character has less than one unit
    excess = utf16_length(text) - units
    while excess > 0:
        # Each dropped character has one unit or two; the loop ends after a few rounds.
        dropped = text[len(text) - (excess + 1) // 2 :]
        text = text[: len(text) - len(dropped)]
        excess -= utf16_length(dropped)
    return text


def well_formed(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD, and each pair of surrogates joined into one character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


# -- which files are excluded ------------------------------------------------------------------------------------------

Excluded = Callable[[str], bool]  # is this path excluded?


@functools.lru_cache(maxsize=32)
def exclusion(patterns: Tuple[str, ...]) -> Excluded:
    """A cached predicate: does one of `patterns` exclude this absolute path? Any thread."""
    names: List[str] = []
    paths: List[str] = []
    for pattern in patterns:
        pattern = _canonical(pattern.strip())
        if pattern == "~" or pattern.startswith("~/"):  # not "~name/", which may need a directory service
            pattern = _canonical(os.path.expanduser(pattern))
        if not pattern.strip("/"):
            continue  # an empty pattern excludes nothing, and neither does the root
        if "/" not in pattern:
            names.append(pattern)
            continue
        anchored = pattern.startswith("/") or re.match(r"[A-Za-z]:/", pattern) is not None
        stem = pattern.rstrip("/") if anchored else "*/" + pattern.strip("/")
        # It is matched against the path and a slash: so "/*" matches the path itself and everything below.
        paths.append(stem + ("/?*" if pattern.endswith("/") else "/*"))
    name_globs, path_globs = Globs(names), Globs(paths)

    @functools.lru_cache(maxsize=1024)
    def excluded(path: str) -> bool:
        path = _canonical(path)
        return path_globs.match(path + "/") or any(name_globs.match(part) for part in path.split("/") if part)

    return excluded


def _canonical(path: str) -> str:
    # File systems of macOS may return accents as combining characters.
    return unicodedata.normalize("NFC", path.replace("\\", "/"))


# -- the model ---------------------------------------------------------------------------------------------------------


class Selection(NamedTuple):
    """The caret and the selected text of the active file. Line and character from 1, characters in UTF-16 units."""

    line: int
    character: int
    text: str = ""


class _File:
    """An open file, however many views show it."""

    __slots__ = ("order", "path", "stamp")

    def __init__(self, path: str, stamp: int, order: int) -> None:
        self.path = path
        self.stamp = stamp  # milliseconds since the epoch
        self.order = order  # breaks ties between files that never had the focus


class ContextModel:
    """Not thread-safe: main thread only.

    `began` is the time since when focus is tracked, in milliseconds since the epoch. Files that have not had the focus
    since then are older. Paths with the same `key` are the same file (the platform's `os.path.normcase`).
    """

    def __init__(self, began: int, key: Callable[[str], str] = str) -> None:
        self._began = began
        self._newest = began
        self._key = key
        self._views: Dict[int, str] = {}  # view to the key of the file it shows
        self._files: Dict[str, _File] = {}
        self._found: Dict[str, str] = {}  # by key: its path without links, empty if missing; absent: not known yet
        self._active: Optional[int] = None  # a view
        self._opened = 0

    # -- events -------------------------------------------------------------------------------------------------------

    def show(self, view: int, path: str) -> None:
        """A view shows a file: a new one, or the same one renamed, which keeps the time of its last focus."""
        key = self._key(path)
        former = self._views.get(view)
        if former == key:
            self._files[key].path = path
            return
        stamp = self._began - 1
        self._views[view] = key
        if former is not None:
            stamp = self._files[former].stamp
            self._drop_if_unseen(former)
            if former in self._files:
                # The old name is still open in another view, and only one of the two can be the newest.
                if view == self._active:
                    self._newest = stamp = self._newest + 1
                else:
                    stamp -= 1
        file = self._files.get(key)
        if file is None:
            self._opened += 1
            self._files[key] = _File(path, stamp, self._opened)
        elif stamp > file.stamp:
            file.stamp = stamp

    def focus(self, view: int, path: str, now: int) -> None:
        """The user went to a view that shows a file, at `now` milliseconds since the epoch."""
        self.show(view, path)
        self._active = view
        # For clients the newest file is active (section II), so it must be the newest even if the clock is set back.
        self._newest = max(now, self._newest + 1)
        self._files[self._views[view]].stamp = self._newest

    def close(self, view: int) -> None:
        """A view was closed, left the window or stopped showing a file. Unknown views are ignored."""
        key = self._views.pop(view, None)
        if key is None:
            return
        if view == self._active:
            # The file itself is still open, and the user in it, while a clone shows it.
            others = [other for other, shown in self._views.items() if shown == key]
            self._active = max(others) if others else None
        self._drop_if_unseen(key)

    def reconcile(self, views: Mapping[int, str]) -> None:
        """The window's views that show files are exactly these (view to path); those missing count as closed."""
        for view, path in views.items():
            self.show(view, path)
        for view in [view for view in self._views if view not in views]:
            self.close(view)

    def set_found(self, found: Mapping[str, str]) -> bool:
        """Note what was found on disk: by path, where it leads to without links, empty for a file that does not exist.

        Files that are not open are ignored. True if anything changed.
        """
        changed = False
        for path, real_path in found.items():
            key = self._key(path)
            if key in self._files and self._found.get(key) != real_path:
                self._found[key] = real_path
                changed = True
        return changed

    def saved(self, path: str) -> None:
        """The file was written: if it was missing it has to be looked for again."""
        key = self._key(path)
        if not self._found.get(key):
            self._found.pop(key, None)

    def forget_found(self) -> None:
        """Drop what is known about files on disk, because it is too old."""
        self._found.clear()

    def _drop_if_unseen(self, key: str) -> None:
        if key not in self._views.values():
            del self._files[key]
            self._found.pop(key, None)

    # -- questions ----------------------------------------------------------------------------------------------------

    @property
    def active_view(self) -> Optional[int]:
        """The view whose caret and selection count, if there is one."""
        return self._active

    @property
    def active_path(self) -> Optional[str]:
        """The path of the active file, shared or not."""
        return self._files[self._views[self._active]].path if self._active is not None else None

    def views_of_active(self) -> FrozenSet[int]:
        """Every view of the active file: an edit in any of them can move its caret."""
        if self._active is None:
            return frozenset()
        key = self._views[self._active]
        return frozenset(view for view, shown in self._views.items() if shown == key)

    def paths(self) -> List[str]:
        """Every open file, to be looked for on disk."""
        return [file.path for file in self._files.values()]

    def unchecked(self) -> List[str]:
        """The open files of which it is not known whether they exist."""
        return [file.path for key, file in self._files.items() if key not in self._found]

    def found(self) -> Dict[str, str]:
        """The open files that are on disk as far as is known, and where they lead to without links."""
        return {file.path: self._found[key] for key, file in self._files.items() if self._found.get(key)}

    def real_path(self, path: str) -> Optional[str]:
        """Where an open file leads to without links; empty if it is missing, None if that is not known."""
        return self._found.get(self._key(path))

    def shares_active(self, settings: Settings) -> bool:
        """Whether `payload` uses the selection, which may be expensive to read."""
        excluded = exclusion(settings.context_exclude)
        return self._active is not None and self._is_shared(self._views[self._active], excluded)

    def payload(self, settings: Settings, selection: Optional[Selection], *, paused: bool = False) -> Dict[str, Any]:
        """The `IdeContext` for clients. `selection` is the active view's; its text is what may be shared of it."""
        state: Dict[str, Any] = {"openFiles": [] if paused else self._open_files(settings, selection)}
        if settings.workspace_trust is not None:
            state["isTrusted"] = settings.workspace_trust
        return {"workspaceState": state}

    def _open_files(self, settings: Settings, selection: Optional[Selection]) -> List[Dict[str, Any]]:
        active = self._views[self._active] if self._active is not None else None
        excluded = exclusion(settings.context_exclude)
        result: List[Dict[str, Any]] = []
        for key, file in sorted(self._files.items(), key=lambda item: (-item[1].stamp, item[1].order)):
            if len(result) >= MOST_FILES:
                break
            if not self._is_shared(key, excluded):
                continue
            entry: Dict[str, Any] = {"path": file.path, "timestamp": file.stamp, "isActive": key == active}
            if key == active and selection is not None:
                entry["cursor"] = {"line": selection.line, "character": selection.character}
                if selection.text:
                    entry["selectedText"] = selection.text
            result.append(entry)
        return result

    def _is_shared(self, key: str, excluded: Excluded) -> bool:
        real_path = self._found.get(key)
        if not real_path:
            return False
        path = self._files[key].path
        # A name that is not valid Unicode cannot be sent in JSON.
        return not excluded(path) and not excluded(real_path) and well_formed(path) == path
