"""A long comparison shows itself in the status bar, and closing the review ends it."""

from __future__ import annotations

import sys
import threading
from typing import Any, Iterator
from unittest import mock

from .review_support import ReviewTestCase

STATUS = "gemini_companion.review"
ACTIVITY = "Comparing\u2026"


class Activity(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.begun = threading.Event()
        self.allowed = threading.Event()
        self.cancelled = threading.Event()
        self.addCleanup(self.allowed.set)

    def hold_comparisons(self) -> Any:
        """Let comparisons wait until they are allowed to go on, or are cancelled."""
        name = type(self.desk).__module__.rpartition(".")[0] + ".presentation"
        compare = sys.modules[name].analyse

        def held(left: str, right: str, cancelled: Any) -> Any:
            self.begun.set()
            while not self.allowed.wait(0.01):
                if cancelled():
                    self.cancelled.set()
                    raise RuntimeError("cancelled")
            return compare(left, right, cancelled)

        return mock.patch.object(sys.modules[name], "analyse", held)

    def open_held(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff(drawn=False)
        yield self.begun.is_set
        return review, self.proposal(review)

    def test_a_long_comparison_shows_itself_until_it_is_done(self) -> Iterator[Any]:
        with self.hold_comparisons():
            review, view = yield from self.open_held()
            self.assertNotIn(ACTIVITY, view.get_status(STATUS))
            yield lambda: ACTIVITY in view.get_status(STATUS)
            self.assertIn("close the diff to stop", view.get_status(STATUS))
            self.allowed.set()
            yield self.settled
        self.assertNotIn(ACTIVITY, view.get_status(STATUS))
        self.assertIn("+2 \u22121", view.get_status(STATUS))
        self.assertIn("+2 \u22121", self.header(review))

    def test_closing_the_review_ends_the_comparison(self) -> Iterator[Any]:
        with self.hold_comparisons():
            _, view = yield from self.open_held()
            yield lambda: ACTIVITY in view.get_status(STATUS)
            view.close()
            yield self.cancelled.is_set
        yield lambda: self.told
        self.assertEqual([outcome.kind for _, outcome in self.told], ["rejected"])
        yield lambda: self.window.num_groups() == 1
        self.assertFalse(any(view.get_status(STATUS) for view in self.window.views()))

    def test_a_short_comparison_shows_nothing(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        yield 400  # milliseconds: later than a long one would show itself
        self.assertNotIn(ACTIVITY, self.proposal(review).get_status(STATUS))
