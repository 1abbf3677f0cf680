"""One window's unreviewed changes: whether they are tracked, what is left out, and their reviews.

Rule: they are tracked in the folders of the side bar, while a program is connected or was started here, as the setting
`track_changes` says. What `context_exclude` keeps from programs is neither read nor listed. The editor is asked for its
settings when they change, and for nothing else. Main thread only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Sequence, Tuple

import sublime

from ..common.globs import Globs, problem
from ..context.exclusion import exclusion
from ..review.manager import ReviewManager
from ..unreviewed.files import Rules
from ..unreviewed.reviewing import ChangeReviews
from ..unreviewed.tracking import Tracking

if TYPE_CHECKING:
    from ..runtime import Runtime
    from ..settings import Settings

ALWAYS, NEVER = "always", "never"
_PREFERENCES = "Preferences.sublime-settings"
_LEFT_OUT_FOLDERS, _LEFT_OUT_FILES = "folder_exclude_patterns", "file_exclude_patterns"


class WindowChanges:
    """Those of one window. `anybody` says whether a program is connected."""

    def __init__(
        self,
        window: sublime.Window,
        runtime: Runtime,
        settings: Callable[[], Settings],
        reviews: ReviewManager,
        tracking: Tracking,
        anybody: Callable[[], bool],
    ) -> None:
        self._number = window.id()
        self._settings = settings
        self._tracking = tracking
        self._anybody = anybody
        self._started = False
        self._folders: Tuple[str, ...] = ()
        self._patterns: Tuple[Tuple[str, ...], ...] = ()
        self._rules = Rules(lambda path: True, lambda path, is_folder: True)
        self._said: Tuple[Any, ...] = ((), False)  # to `track`
        self.reviews = ChangeReviews(window, runtime, settings, reviews.open_reviews, tracking, reviews.decided)

    @property
    def tracked(self) -> bool:
        """Whether a program may be at work in the folders."""
        wanted = self._settings().track_changes
        return wanted == ALWAYS or (wanted != NEVER and (self._started or self._anybody()))

    @property
    def count(self) -> int:
        """How many files are listed."""
        return len(self.reviews.listed)

    def started(self) -> None:
        """A program was started in this window, which may never connect."""
        self._started = True
        self.clients_changed()

    def clients_changed(self) -> None:
        """Programs may have come or gone."""
        self.update(self._folders)

    def update(self, folders: Sequence[str]) -> None:
        """The window has these folders; programs may have come or gone, and settings changed."""
        self._folders = tuple(folders)
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
            self._rules = _rules(*patterns)

    def sign(self) -> None:
        """A program gives a sign that files may have changed. Any thread."""
        if self._said[-1]:
            self._tracking.sign()

    def stop(self) -> None:
        """The window has gone."""
        self._tracking.leave(self._number)


def _names(setting: object) -> Tuple[str, ...]:
    """The patterns that are held against names alone; those with a slash are about a place in one project."""
    found: List[Any] = setting if isinstance(setting, list) else []
    return tuple(each for each in found if isinstance(each, str) and "/" not in each and problem(each) is None)


def _rules(secret: Tuple[str, ...], folders: Tuple[str, ...], files: Tuple[str, ...]) -> Rules:
    folder_names, file_names = Globs(folders), Globs(files)

    def left_out(path: str, is_folder: bool) -> bool:
        return (folder_names if is_folder else file_names).match(path.rpartition("/")[2])

    return Rules(exclusion(secret), left_out)
