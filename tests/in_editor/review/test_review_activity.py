"""A long comparison shows itself in the status bar, and closing the review ends it."""

from __future__ import annotations

import sys
import threading
from typing import Any, Iterator
from unittest import mock

from ...host.waiting import NEVER_SECONDS
from ...support.review_case import PROPOSED, TEXT, ReviewTestCase

STATUS = "gemini_companion.review"
ACTIVITY = "Comparing\u2026"
NOT_READ = "The file could not be read: the log says why, to which Diagnose leads."


class Activity(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.begun = threading.Event()
        self.allowed = threading.Event()
        self.release_one = threading.Event()
        self.cancelled = threading.Event()
        self.addCleanup(self.allowed.set)

    def hold_comparisons(self) -> Any:
        """Let comparisons wait until they are allowed to go on, or are cancelled."""
        compare = self.module("document.analysis").analyse

        def held(left: str, right: str, cancelled: Any, **options: Any) -> Any:
            self.begun.set()
            while not self.allowed.wait(0.01):
                if self.release_one.is_set():
                    self.release_one.clear()
                    break
                if cancelled():
                    self.cancelled.set()
                    raise RuntimeError("cancelled")
            return compare(left, right, cancelled, **options)

        return mock.patch.object(self.module("document.analysis"), "analyse", held)

    def module(self, name: str) -> Any:
        return sys.modules[type(self.reviews).__module__.rpartition(".")[0] + f".{name}"]

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
        self.assertEqual([outcome.content for _, outcome in self.told], [None])
        yield lambda: self.window.num_groups() == 1
        self.assertFalse(any(view.get_status(STATUS) for view in self.window.views()))

    def test_an_edit_while_a_comparison_runs_makes_its_result_worthless(self) -> Iterator[Any]:
        with self.hold_comparisons():
            review, view = yield from self.open_held()
            self.begun.clear()
            self.type(view, 0, "typed\n")
            self.release_one.set()
            yield self.begun.is_set  # another comparison, of the text as it is now
            yield 100  # milliseconds: marks would be drawn by then
            self.assertEqual(self.marked(view, "lines"), [])
            self.assertNotIn("\u2212", self.header(review))
            self.allowed.set()
            yield self.settled
        self.assertEqual("".join(self.marked(view, "lines")), "typed\nimport sys\n    return 42\n")
        self.assertIn("+3 \u22121", self.header(review))

    def test_an_edit_after_an_edit_cancels_the_comparison_between(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        with self.hold_comparisons():
            self.type(view, 0, "typed\n")
            yield self.begun.is_set
            self.begun.clear()
            self.type(view, 0, "and more\n")
            yield self.cancelled.is_set
            yield self.begun.is_set
            self.assertNotIn("failed", self.header(review))
            self.allowed.set()
            yield self.settled
        self.assertEqual("".join(self.marked(view, "lines")), "and more\ntyped\nimport sys\n    return 42\n")

    def test_a_comparison_that_fails_says_so_and_the_next_one_counts(self) -> Iterator[Any]:
        def fail(left: str, right: str, cancelled: Any, **options: Any) -> Any:
            raise LookupError("nothing")

        self.write()
        with mock.patch.object(self.module("document.analysis"), "analyse", fail):
            review = yield from self.open_diff(drawn=False)
            yield lambda: "The comparison failed" in self.header(review)
        view = self.proposal(review)
        self.type(view, 0, "typed\n")
        yield lambda: "".join(self.marked(view, "lines")) == "typed\nimport sys\n    return 42\n"
        yield self.settled
        self.assertNotIn("failed", self.header(review))

    def failing_reading(self) -> Any:
        """Let the file be one that cannot be read, whatever the reason."""

        def fail(wanted: Any, proposal: Any, cancelled: Any) -> Any:
            raise LookupError("nothing")

        return mock.patch.object(self.module("display.panes"), "read", fail)

    def open_unread(self) -> Iterator[Any]:
        self.write()
        with self.failing_reading():
            review = yield from self.open_diff(drawn=False)
            self.reviews.commands.revert_hunk(review)  # it waits for what is in the file
            yield lambda: NOT_READ in self.header(review)
        return review

    def test_an_unreadable_file_says_so_and_its_proposal_can_be_accepted(self) -> Iterator[Any]:
        review = yield from self.open_unread()
        self.assertIn("Accept", self.header(review))
        self.type(self.proposal(review), 0, "typed\n")
        yield self.settled
        self.reviews.commands.revert_hunk(review)
        self.assertEqual(self.said, ["Companion: there is no change at the cursor"] * 2)
        self.reviews.commands.accept(review)
        yield lambda: self.told
        self.assertEqual([outcome.content for _, outcome in self.told], ["typed\n" + PROPOSED])

    def test_a_file_that_could_not_be_read_can_be_read_later(self) -> Iterator[Any]:
        review = yield from self.open_unread()
        self.click_on(review, "Compare again")
        yield lambda: "".join(self.marked(self.proposal(review), "lines")) == "import sys\n    return 42\n"
        self.assertNotIn(NOT_READ, self.header(review))
        self.assertIn("+2 \u22121", self.header(review))

    def test_a_file_that_cannot_be_read_again_says_so_until_it_can(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        shown = self.proposal(review)
        with self.failing_reading():
            self.reviews.commands.run("reload", review)
            yield lambda: NOT_READ in self.header(review)
        self.type(shown, 0, "typed\n")
        yield lambda: "".join(self.marked(shown, "lines")) == "typed\nimport sys\n    return 42\n"
        self.click_on(review, "Compare again")
        yield lambda: NOT_READ not in self.header(review)

    def test_a_reading_that_fails_after_a_later_one_does_not_count(self) -> Iterator[Any]:
        module = self.module("display.panes")
        real, asked, failed = module.read, threading.Event(), threading.Event()

        def fail(wanted: Any, proposal: Any, cancelled: Any) -> Any:
            asked.set()
            self.allowed.wait(NEVER_SECONDS)
            failed.set()
            raise LookupError("nothing")

        self.write()
        review = yield from self.open_diff()
        with mock.patch.object(module, "read", fail):
            self.reviews.commands.run("reload", review)
            yield asked.is_set
        self.assertIs(module.read, real)
        self.write("file.py", TEXT + "more\n")
        self.reviews.commands.run("reload", review)
        yield lambda: "+2 \u22122" in self.header(review)
        self.allowed.set()
        yield failed.is_set
        yield 100  # milliseconds: the header would say so by then
        self.assertNotIn(NOT_READ, self.header(review))

    def test_what_could_not_be_written_is_no_problem_of_the_next_proposal(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.reviews.shown[review].complain("The disk is full.", look_again=False)
        self.assertIn("The disk is full.", self.header(review))
        yield from self.open_diff("file.py", PROPOSED + "more\n")
        yield lambda: "+3 \u22121" in self.header(review)
        self.assertNotIn("The disk is full.", self.header(review))

    def test_a_short_comparison_shows_nothing(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        yield 400  # milliseconds: later than a long one would show itself
        self.assertNotIn(ACTIVITY, self.proposal(review).get_status(STATUS))
