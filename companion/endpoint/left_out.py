"""Which files are left out of the unreviewed changes: by the editor's patterns, the project's, and `context_exclude`.

Rule: files that `context_exclude` names are neither read nor listed; files that the editor's patterns name are not
looked for, as in the side bar.
"""

from __future__ import annotations

import os
from typing import Any, List, NamedTuple, Sequence, Tuple

import sublime

from ..comments.sending import REST_FILE
from ..common.globs import Globs, problem
from ..context.model import exclusion
from ..settings import Settings
from ..unreviewed.content import identity
from ..unreviewed.files import Rules

_PREFERENCES = "Preferences.sublime-settings"
_FOLDERS, _FILES = "folder_exclude_patterns", "file_exclude_patterns"


class _Patterns(NamedTuple):
    """Patterns of what the editor leaves out: everywhere, or in one `folder` of a project."""

    folders: Tuple[str, ...]
    files: Tuple[str, ...]
    folder: str = ""

    @classmethod
    def of(cls, settings: Any, folder: str = "") -> _Patterns:
        """The patterns in settings, or in a folder's entry in a project."""
        return cls(_names(settings.get(_FOLDERS)), _names(settings.get(_FILES)), folder)


class LeftOut(NamedTuple):
    """All patterns of one window."""

    excluded: Tuple[str, ...] = ()
    """Those of `context_exclude`."""
    patterns: Tuple[_Patterns, ...] = ()

    @classmethod
    def of(cls, window: sublime.Window, settings: Settings) -> LeftOut:
        """The patterns as they are now. Main thread."""
        of_editor = _Patterns.of(sublime.load_settings(_PREFERENCES))
        return cls(settings.context_exclude, (of_editor, *_of_project(window)))

    def rules(self, roots: Tuple[str, ...]) -> Rules:
        """The rules for a window with these folders."""

        def matching(patterns: Tuple[str, ...], folder: str) -> Tuple[str, Globs, Globs]:
            paths = _with_slash(patterns, [folder] if folder else roots)
            start = os.path.join(folder, "").replace(os.sep, "/")
            return start, Globs([each for each in patterns if "/" not in each]), Globs(paths)  # the former are of names

        folders = [matching(each.folders, each.folder) for each in self.patterns]
        files = [matching(each.files, each.folder) for each in self.patterns]

        def is_left_out(path: str, is_folder: bool) -> bool:
            path = path.replace(os.sep, "/")
            name = path.rpartition("/")[2]
            return name.startswith(REST_FILE) or any(
                path.startswith(start) and (names.match(name) or paths.match(path))
                for start, names, paths in (folders if is_folder else files)
            )

        paths = [
            _with_slash((*each.folders, *each.files), [each.folder] if each.folder else roots) for each in self.patterns
        ]
        return Rules(exclusion(self.excluded), is_left_out, identity(ascii((*self, paths)).encode()))


def _names(setting: object) -> Tuple[str, ...]:
    found: List[Any] = setting if isinstance(setting, list) else []
    return tuple(each for each in found if isinstance(each, str) and problem(each) is None)


def _of_project(window: sublime.Window) -> List[_Patterns]:
    """The patterns of the folders in the window's project."""
    data, place = window.project_data(), os.path.dirname(window.project_file_name() or "")
    entries = data.get("folders") if isinstance(data, dict) else None
    found: List[_Patterns] = []
    for entry in entries if isinstance(entries, list) else ():
        path = entry.get("path") if isinstance(entry, dict) else None
        if isinstance(path, str):
            found.append(_Patterns.of(entry, os.path.normpath(os.path.join(place, path))))
    return found


def _with_slash(patterns: Sequence[str], roots: Sequence[str]) -> List[str]:
    """The patterns that the editor compares with whole paths: `//` begins in a folder of the window, `/` at the root of
    the file system, and all others anywhere."""
    found: List[str] = []
    for each in patterns:
        stem = each.rstrip("/")
        if stem.startswith("//"):
            found += [root.replace(os.sep, "/") + stem[1:] for root in roots if not set("*?[") & set(root)]
        elif "/" in each and stem:
            found.append(stem if stem[0] in "/*" else "*/" + stem)
    return found
