"""One window's unreviewed changes: whether they are tracked, what is left out, and their reviews.

Rule: they are tracked in the folders of the side bar, or in what stands for them where there are none, while a program
is connected, tells of its tools, or runs in a terminal that was started here, as the setting `track_changes` says. What
`context_exclude` keeps from programs is neither read nor listed. We ask the editor for its settings and the project's
when they change, for terminals when one of them is closed or a program has gone, and for nothing else. Main thread
only, except where noted.
"""

from __future__ import annotations

import os
from typing import Any, Callable, List, NamedTuple, Sequence, Tuple

import sublime

from ..comments.sending import REST_FILE
from ..comments.window import WindowComments
from ..common.globs import Globs, problem
from ..context.model import exclusion
from ..review.display.panes import fallback_encoding
from ..review.reviews import Reviews
from ..settings import Settings
from ..unreviewed.content import identity
from ..unreviewed.deciding import ChangeDecisions
from ..unreviewed.files import Rules
from ..unreviewed.reviewing import ChangeReviews
from ..unreviewed.tracking import Tracking
from ..unreviewed.undo_accept import UndoAccept
from .agents_at_work import AgentsAtWork

ALWAYS, NEVER = "always", "never"
_PREFERENCES = "Preferences.sublime-settings"
_LEFT_OUT_FOLDERS, _LEFT_OUT_FILES = "folder_exclude_patterns", "file_exclude_patterns"


class _LeftOut(NamedTuple):
    """Patterns of what the editor leaves out: everywhere, or in one `folder` of a project."""

    folders: Tuple[str, ...]
    files: Tuple[str, ...]
    folder: str = ""

    @classmethod
    def of(cls, settings: Any, folder: str = "") -> _LeftOut:
        """What settings say, or a folder's entry in a project."""
        return cls(_names(settings.get(_LEFT_OUT_FOLDERS)), _names(settings.get(_LEFT_OUT_FILES)), folder)


class WindowChanges:
    """Those of one window. `agents` are those at work in it."""

    def __init__(
        self,
        window: sublime.Window,
        settings: Callable[[], Settings],
        reviews: Reviews,
        tracking: Tracking,
        agents: Callable[[], AgentsAtWork],
        comments: WindowComments,
    ) -> None:
        self._window = window
        self._number = window.id()
        self._settings = settings
        self._tracking = tracking
        self._agents = agents
        self._folders: Tuple[str, ...] = ()
        self._excluded: Tuple[str, ...] = ()
        self._left_out: Tuple[_LeftOut, ...] = ()
        self._rules = Rules(lambda path: True, lambda path, is_folder: True)
        self._track_arguments: Tuple[Any, ...] = ((), False)  # of the last call of `track`
        self._comments = comments
        self.decisions = ChangeDecisions(window, tracking, comments.undone, comments.restored)
        self.reviews = ChangeReviews(
            window, settings, reviews.open_reviews, tracking, self.decisions, lambda review: reviews.end(review, None)
        )
        self.undo_accept = UndoAccept(window, tracking)

    @property
    def tracked(self) -> bool:
        """Whether an agent may be at work in the folders."""
        wanted = self._settings().track_changes
        return wanted == ALWAYS or (wanted != NEVER and self._agents().any_at_work)

    @property
    def count(self) -> int:
        """How many files programs have changed."""
        return len(self.reviews.lists.changes)

    @property
    def any(self) -> bool:
        """Whether any file is listed, in whatever part of the list."""
        return bool(self.count or self.reviews.lists.outside)

    @property
    def restorable(self) -> bool:
        """Whether something was undone that can be restored."""
        return self.reviews.lists.restorable

    def agents_changed(self) -> None:
        """Agents have come or gone."""
        rows = self._agents().rows()
        self._tracking.only_hooked(self._number, bool(rows) and all(row.hooked is not None for row in rows))
        self.update(self._folders)

    def update(self, folders: Sequence[str]) -> None:
        """The window has these folders; programs may have come or gone, and settings changed."""
        self._tracking.fallback_encoding = fallback_encoding(self._window.active_view())
        if self._folders != tuple(folders):
            self._folders = tuple(folders)
            self._rules = _rules(self._folders, self._excluded, self._left_out)
        tracked = self.tracked
        wanted = () if self._settings().track_changes == NEVER else self._folders
        arguments = wanted, self._rules, tracked
        if arguments != self._track_arguments:
            self._track_arguments = arguments
            self._tracking.track(self._number, *arguments)
            self.reviews.listed_anew()

    def settings_changed(self) -> None:
        """The settings may be others, the editor's, the project's or ours."""
        excluded = self._settings().context_exclude
        left_out = (_LeftOut.of(sublime.load_settings(_PREFERENCES)), *_of_project(self._window))
        if (excluded, left_out) != (self._excluded, self._left_out):
            self._excluded, self._left_out = excluded, left_out
            self._rules = _rules(self._folders, excluded, left_out)

    def sign(self) -> None:
        """A program gives a sign that files may have changed. Any thread."""
        if self._track_arguments[-1]:
            self._tracking.sign()

    def turn_begins(self, begun: Callable[[], None] = lambda: None) -> None:
        """A program begins another turn; `begun` is called on any thread once that is noted. Any thread."""
        self._comments.turn_begins()
        if self._track_arguments[-1]:
            self._tracking.begin_turn(self._number, begun)
        else:
            begun()

    def stop(self) -> None:
        """The window has gone."""
        self._tracking.leave(self._number)


def _names(setting: object) -> Tuple[str, ...]:
    found: List[Any] = setting if isinstance(setting, list) else []
    return tuple(each for each in found if isinstance(each, str) and problem(each) is None)


def _of_project(window: sublime.Window) -> List[_LeftOut]:
    """What the folders of the window's project say."""
    data, place = window.project_data(), os.path.dirname(window.project_file_name() or "")
    entries = data.get("folders") if isinstance(data, dict) else None
    found: List[_LeftOut] = []
    for entry in entries if isinstance(entries, list) else ():
        path = entry.get("path") if isinstance(entry, dict) else None
        if isinstance(path, str):
            found.append(_LeftOut.of(entry, os.path.normpath(os.path.join(place, path))))
    return found


def _rules(roots: Tuple[str, ...], excluded: Tuple[str, ...], left_out: Sequence[_LeftOut]) -> Rules:
    def matching(patterns: Tuple[str, ...], folder: str) -> Tuple[str, Globs, Globs]:
        paths = _with_slash(patterns, [folder] if folder else roots)
        start = os.path.join(folder, "").replace(os.sep, "/")
        return start, Globs([each for each in patterns if "/" not in each]), Globs(paths)  # the former are of names

    folders = [matching(each.folders, each.folder) for each in left_out]
    files = [matching(each.files, each.folder) for each in left_out]

    def is_left_out(path: str, is_folder: bool) -> bool:
        path = path.replace(os.sep, "/")
        name = path.rpartition("/")[2]
        return name.startswith(REST_FILE) or any(
            path.startswith(start) and (names.match(name) or paths.match(path))
            for start, names, paths in (folders if is_folder else files)
        )

    paths = [_with_slash((*each.folders, *each.files), [each.folder] if each.folder else roots) for each in left_out]
    return Rules(exclusion(excluded), is_left_out, identity(ascii((excluded, left_out, paths)).encode()))


def _with_slash(patterns: Sequence[str], roots: Sequence[str]) -> List[str]:
    """Those that the editor holds against whole paths: `//` begins in a folder of the window, `/` at the very top, and
    all others anywhere."""
    found: List[str] = []
    for each in patterns:
        stem = each.rstrip("/")
        if stem.startswith("//"):
            found += [root.replace(os.sep, "/") + stem[1:] for root in roots if not set("*?[") & set(root)]
        elif "/" in each and stem:
            found.append(stem if stem[0] in "/*" else "*/" + stem)
    return found
