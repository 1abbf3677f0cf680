"""One window's unreviewed changes: whether they are tracked, and their reviews.

Rule: they are tracked in the folders of the side bar, or in the announced ones if it has none, while an agent is at
work there (`AgentsAtWork`), or as the setting `track_changes` says. We ask the editor for its settings and the
project's when they change, and for nothing else. Main thread only, except where noted.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

import sublime

from ..comments.window import WindowComments
from ..review.display.panes import fallback_encoding
from ..review.reviews import Reviews
from ..settings import Settings
from ..unreviewed.deciding import ChangeDecisions
from ..unreviewed.files import Rules
from ..unreviewed.reviewing import ChangeReviews
from ..unreviewed.tracking import Tracking
from ..unreviewed.undo_accept import UndoAccept
from .agents_at_work import AgentsAtWork
from .left_out import LeftOut

ALWAYS, NEVER = "always", "never"


class WindowChanges:
    """The unreviewed changes of one window. `agents` are those at work in it."""

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
        self._left_out = LeftOut()
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
        """How many files agents have changed."""
        return len(self.reviews.lists.changes)

    @property
    def any(self) -> bool:
        """Whether any file is listed, in whatever part of the list."""
        return bool(self.count or self.reviews.lists.outside)

    def agents_changed(self) -> None:
        """Agents have come or gone."""
        rows = self._agents().rows()
        self._tracking.only_hooked(self._number, bool(rows) and all(row.hooked is not None for row in rows))
        self.update(self._folders)

    def update(self, folders: Sequence[str]) -> None:
        """The window has these folders; agents may have come or gone, and settings changed."""
        self._tracking.fallback_encoding = fallback_encoding(self._window.active_view())
        if self._folders != tuple(folders):
            self._folders = tuple(folders)
            self._rules = self._left_out.rules(self._folders)
        tracked = self.tracked
        wanted = () if self._settings().track_changes == NEVER else self._folders
        arguments = wanted, self._rules, tracked
        if arguments != self._track_arguments:
            self._track_arguments = arguments
            self._tracking.track(self._number, *arguments)
            self.reviews.listed_anew()

    def settings_changed(self) -> None:
        """The editor's settings, the project's or ours may have changed."""
        left_out = LeftOut.of(self._window, self._settings())
        if left_out != self._left_out:
            self._left_out, self._rules = left_out, left_out.rules(self._folders)

    def sign(self) -> None:
        """An agent does something by which files may have changed. Any thread."""
        if self._track_arguments[-1]:
            self._tracking.sign()

    def turn_begins(self, begun: Callable[[], None] = lambda: None) -> None:
        """An agent begins another turn; `begun` is called on any thread once the turn has begun here. Any thread."""
        self._comments.turn_begins()
        if self._track_arguments[-1]:
            self._tracking.begin_turn(self._number, begun)
        else:
            begun()

    def stop(self) -> None:
        """The window has gone."""
        self._tracking.leave(self._number)
