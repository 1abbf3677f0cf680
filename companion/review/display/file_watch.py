"""The file of a review as the disk and the user's tabs have it: it is read, and watched for changes from then on.

Rule: a disk that does not answer is not asked a second time, and what comes back late is about an older reading and
does not count. The main thread only says which tabs there are; the disk is looked at on a disk thread.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, Optional

from ...comparison import Whitespace
from ...editor import file_views
from ..decision import Review
from ..document.disk import Limits, Original
from ..document.encodings import DEFAULT_FALLBACK
from ..document.preparation import FileRequest, FileState, Preparation, look, read

if TYPE_CHECKING:
    import sublime

    from ...common.workers import Computation
    from ...runtime import Runtime
    from ...settings import Settings

logger = logging.getLogger("gemini_companion.review")


class FileWatch:
    """Main thread only.

    `loaded` or `failed` is called after each reading that no other one has followed. `news` is called when `unsaved`,
    `changed` or the names of the file have changed.
    """

    def __init__(
        self,
        review: Review,
        runtime: Runtime,
        *,
        loaded: Callable[[Preparation], None],
        failed: Callable[[], None],
        news: Callable[[], None],
    ) -> None:
        self.original: Optional[Original] = None  # as it was read last
        self.unsaved = False  # a tab of the file has unsaved edits
        self.changed = False  # the file is not what was read
        self.reading_failed = False  # with an error that is in the log
        self._review = review
        self._runtime = runtime
        self._loaded = loaded
        self._failed = failed
        self._news = news
        self._reading = 0  # how often the file was read
        self._looking: Optional[Computation] = None
        self._look_once_more = False
        self._tabs: Dict[str, str] = {}

    def read_again(self) -> None:
        """The file is read (again): what comes of a reading or a look under way is out of date."""
        self._reading += 1
        self.reading_failed = False

    def load(self, settings: Settings, view: sublime.View) -> None:
        """Read the file (again) on a disk thread."""
        self.read_again()
        if self._review.before is not None:
            self._loaded(Preparation(self._review.before, self._review.same_files))
            return
        self._runtime.use_disk(
            read,
            file_request(self._review.path, settings, view),
            then=partial(self._has_loaded, self._reading),
            failed=partial(self._not_loaded, self._reading),
        )

    def _has_loaded(self, reading: int, found: Preparation) -> None:
        if reading == self._reading:
            self._loaded(found)

    def _not_loaded(self, reading: int, error: Exception) -> None:
        logger.error("a file could not be read for review", exc_info=(type(error), error, error.__traceback__))
        if reading == self._reading:
            self.reading_failed = True
            self._failed()

    def take(self, original: Original) -> None:
        """The file was read: from now on it is compared with `original`, and looks with an older one do not count."""
        self.original = original
        self.changed = False

    def check(self) -> None:
        """Look whether the file has unsaved edits in a tab or has changed on disk."""
        self._look_at_tabs()
        self._tabs = file_views.tabs_of(self._review.path)
        self.check_disk()
        self._news()

    def check_disk(self) -> None:
        """Look whether the file has changed on disk. The editor is asked nothing."""
        if self._looking is not None:
            self._look_once_more = True
        elif self._review.before is None and self.original is not None and not self.changed:
            self._look_once_more = False
            self._looking = self._runtime.use_disk(
                look,
                self.original,
                self._tabs,
                then=partial(self._looked, self._reading, self.original),
                failed=self._not_looked,
            )

    def _look_at_tabs(self) -> None:
        tabs = file_views.views_of_file(self._review.path, self._review.same_files)
        self.unsaved = any(view.is_dirty() for view in tabs)

    def _looked(self, reading: int, original: Original, found: FileState) -> None:
        self._looking = None
        if reading == self._reading and original is self.original:
            news = found.changed or found.same_files != self._review.same_files
            self.changed = found.changed
            self._review.same_files = found.same_files
            if news:
                self._look_at_tabs()
                self._news()
        if self._look_once_more:
            self.check()

    def _not_looked(self, error: Exception) -> None:
        self._looking = None
        logger.error("a look at the file failed", exc_info=(type(error), error, error.__traceback__))


def file_request(path: str, settings: Settings, view: Optional[sublime.View]) -> FileRequest:
    """A snapshot of what the main thread knows of the file; `view` has the settings of the editor. Main thread."""
    tabs, ignored = file_views.tabs_of(path), Whitespace(settings.review_ignore_whitespace)
    return FileRequest(path, Limits.of(settings), fallback_encoding(view), tabs, ignored)


def fallback_encoding(view: Optional[sublime.View]) -> str:
    """The editor's setting of that name, unless the user has put there what is no name."""
    chosen = view.settings().get("fallback_encoding") if view is not None else None
    return chosen if chosen and isinstance(chosen, str) else DEFAULT_FALLBACK
