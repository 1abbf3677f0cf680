"""What the in-editor tests of unreviewed changes share."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, List
from unittest import mock

import sublime

from ...companion.review.reviews import Reviews
from ...companion.unreviewed.schedule import Schedule
from .review_case import PLUGIN, ReviewTestCase
from .selecting import put_caret

LINES = "".join(f"line {number}\n" for number in range(12))
THREE = LINES.replace("line 1\n", "LINE 1\n").replace("line 5\n", "LINE 5\n").replace("line 9\n", "LINE 9\n")
CHANGED = LINES.replace("line 2\n", "LINE 2\n").replace("line 9\n", "LINE 9\n")


class ChangesTestCase(ReviewTestCase):
    """The reviews are those of the window's own endpoint; no client is connected, but one was started."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        data = self.window.project_data() or {}
        data["settings"] = {"gemini_companion": {"review_presentation": "side_by_side"}}
        self.window.set_project_data(data)
        self.endpoint.settings_changed()
        self.changes = self.endpoint.changes.reviews
        self.tracking = self.endpoint.changes._tracking
        self.tracking._schedule = Schedule()  # looks of the tests before this one do not hold up its own

    def hand_events_to(self, reviews: Reviews) -> None:
        self.reviews = self.endpoint.reviews

    def track(self) -> Iterator[Any]:
        """A program is started. `yield from` returns once its folder was looked at."""
        self.endpoint.workspace_changed()
        self.endpoint.agents.started()
        yield self.looked

    def looked(self) -> bool:
        folder = self.tracking._folders.get(os.path.realpath(self.folder))
        return folder is not None and not folder.queue.busy

    def names(self) -> List[str]:
        return [change.path for change in self.changes.listed]

    def listed(self, *names: str) -> Iterator[Any]:
        """Wait until just these are listed."""
        self.tracking.sign()
        yield lambda: sorted(self.names()) == sorted(names)

    def change(self, name: str = "file.py", before: str = LINES, after: str = CHANGED) -> Iterator[Any]:
        """A program changes a file. `yield from` gives its review."""
        self.write(name, before)
        yield from self.track()
        self.write(name, after)
        yield from self.listed(name)
        review = yield from self.show(name)
        return review

    def show(self, name: str) -> Iterator[Any]:
        """Choose a file of the list. `yield from` gives its review, once it is drawn."""
        self.changes.show(self.changes.listed[self.names().index(name)])
        yield lambda: self.open_review(name) is not None
        review = self.open_review(name)
        yield lambda: review in self.reviews.shown and self.header(review) != ""
        yield self.settled
        yield lambda: not self.reviews.open_reviews.input_guard.ignores(review)
        return review

    def open_review(self, name: str) -> Any:
        return next((each for each in self.reviews.open_reviews.pending() if each.path == self.path(name)), None)

    def nothing_open(self) -> bool:
        return not self.reviews.open_reviews.all()

    def caret(self, review: Any, row: int) -> None:
        view = self.proposal(review)
        self.window.focus_view(view)
        put_caret(view, view.text_point(row, 0))

    def command(self, name: str, **arguments: Any) -> None:
        self.window.run_command("gemini_companion_" + name, arguments)

    def panel(self, name: str, **arguments: Any) -> Any:
        """The arguments of the quick panel that a command shows."""
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.command(name, **arguments)
        self.assertEqual(panel.call_count, 1)
        return panel.call_args

    def can(self, name: str) -> bool:
        """Whether a command is enabled."""
        return sys.modules[PLUGIN].__dict__[name](self.window).is_enabled()
