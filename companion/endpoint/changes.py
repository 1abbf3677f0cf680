"""One window's unreviewed changes: whether they are tracked, what is left out, and their reviews.

Rule: they are tracked in the folders of the side bar, or in what stands for them where there are none, while a program
is connected, or runs in a terminal that was started here, as the setting `track_changes` says. What `context_exclude`
keeps from programs is neither read nor listed. The editor is asked for its settings when they change, for terminals
when one of them is closed, and for nothing else. Main thread only, except where noted.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Collection, List, Sequence, Tuple

import sublime

from ..common.globs import Globs, problem
from ..context.exclusion import exclusion
from ..review.manager import ReviewManager
from ..terminals.launcher import terminal_of
from ..unreviewed.choosing import ChangeLists
from ..unreviewed.deciding import ChangeDecisions
from ..unreviewed.files import Rules
from ..unreviewed.reviewing import ChangeReviews
from ..unreviewed.tracking import Tracking

if TYPE_CHECKING:
    from ..settings import Settings

ALWAYS, NEVER = "always", "never"
_PREFERENCES = "Preferences.sublime-settings"
_LEFT_OUT_FOLDERS, _LEFT_OUT_FILES = "folder_exclude_patterns", "file_exclude_patterns"


class WindowChanges:
    """Those of one window. `clients` are the sessions of the programs that are connected."""

    def __init__(
        self,
        window: sublime.Window,
        settings: Callable[[], Settings],
        reviews: ReviewManager,
        tracking: Tracking,
        clients: Callable[[], Collection[str]],
    ) -> None:
        self._window = window
        self._number = window.id()
        self._settings = settings
        self._tracking = tracking
        self._clients = clients
        self._started = 0  # programs, which run in terminals as far as is known
        self._alone = ""  # the session of the only program that can be at work
        self._folders: Tuple[str, ...] = ()
        self._patterns: Tuple[Tuple[str, ...], ...] = ((), (), ())
        self._rules = Rules(lambda path: True, lambda path, is_folder: True)
        self._said: Tuple[Any, ...] = ((), False)  # to `track`
        decisions = ChangeDecisions(window, tracking)
        self.reviews = ChangeReviews(window, settings, reviews.open_reviews, tracking, decisions, reviews.decided)
        self.lists = ChangeLists(window, self.reviews, decisions)

    @property
    def tracked(self) -> bool:
        """Whether a program may be at work in the folders."""
        wanted = self._settings().track_changes
        return wanted == ALWAYS or (wanted != NEVER and (bool(self._started) or bool(self._clients())))

    @property
    def count(self) -> int:
        """How many files are listed."""
        return len(self.reviews.lists.changes)

    def started(self) -> None:
        """A program was started in a terminal of this window, and may never connect."""
        self._started += 1
        self.update(self._folders)

    def clients_changed(self) -> None:
        """Programs may have come or gone."""
        clients = self._clients()
        self._alone = next(iter(clients)) if len(clients) == 1 and self._started <= 1 else ""
        if clients:
            self.update(self._folders)
        else:
            self.terminal_closed()

    def terminal_closed(self) -> None:
        """A program has gone, or a terminal, maybe the last one in which a program runs that was started here."""
        if self._started and not self._clients() and terminal_of(self._window) is None:
            self._started = 0
        self.update(self._folders)

    @property
    def has_started(self) -> bool:
        """Whether a program runs, as far as is known, that was started here."""
        return bool(self._started)

    def update(self, folders: Sequence[str]) -> None:
        """The window has these folders; programs may have come or gone, and settings changed."""
        if self._folders != tuple(folders):
            self._folders = tuple(folders)
            self._rules = _rules(self._folders, *self._patterns)
        tracked = self.tracked
        wanted = () if self._settings().track_changes == NEVER else self._folders
        said = wanted, self._rules, tracked
        if said != self._said:
            self._said = said
            self._tracking.track(self._number, wanted, self._rules, tracked)
            self.reviews.listed_anew()

    def settings_changed(self) -> None:
        """The settings may be others, the editor's or ours."""
        editors = sublime.load_settings(_PREFERENCES)
        patterns = (
            self._settings().context_exclude,
            _names(editors.get(_LEFT_OUT_FOLDERS)),
            _names(editors.get(_LEFT_OUT_FILES)),
        )
        if patterns != self._patterns:
            self._patterns = patterns
            self._rules = _rules(self._folders, *patterns)

    def sign(self, session: str = "", name: str = "") -> None:
        """A program gives a sign that files may have changed: the one of this session and name.

        Any thread.
        """
        if self._said[-1]:
            self._tracking.sign(self._number, name if session and session == self._alone else "")

    def turn_begins(self) -> None:
        """A program begins another turn. Any thread."""
        if self._said[-1]:
            self._tracking.begin_turn(self._number)

    def stop(self) -> None:
        """The window has gone."""
        self._tracking.leave(self._number)


def _names(setting: object) -> Tuple[str, ...]:
    found: List[Any] = setting if isinstance(setting, list) else []
    return tuple(each for each in found if isinstance(each, str) and problem(each) is None)


def _rules(roots: Tuple[str, ...], secret: Tuple[str, ...], folders: Tuple[str, ...], files: Tuple[str, ...]) -> Rules:
    folder_names, file_names = Globs(_without_slash(folders)), Globs(_without_slash(files))
    folder_paths, file_paths = Globs(_with_slash(folders, roots)), Globs(_with_slash(files, roots))

    def left_out(path: str, is_folder: bool) -> bool:
        path = path.replace(os.sep, "/")
        names, paths = (folder_names, folder_paths) if is_folder else (file_names, file_paths)
        return names.match(path.rpartition("/")[2]) or paths.match(path)

    return Rules(exclusion(secret), left_out)


def _without_slash(patterns: Sequence[str]) -> List[str]:
    """Those that the editor holds against names."""
    return [each for each in patterns if "/" not in each]


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
