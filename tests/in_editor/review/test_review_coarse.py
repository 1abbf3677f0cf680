"""Diffs of texts above the limits: whole lines are marked, the header says so, and all the rest works as ever."""

from __future__ import annotations

from typing import Any, Iterator
from unittest import mock

import sublime

from ....companion.review.display import panes
from ...support.review_case import DecidingTestCase

LEFT = "".join(f"value_{number} = compute({number})\n" for number in range(400))
RIGHT = LEFT.replace("value_7 = compute(7)\n", "value_7 = changed\n").replace("value_300 = compute(300)\n", "")
COARSE = "Coarse comparison: the text is long."
PRESENTATIONS = ("side_by_side", "inline")


class TestCoarse(DecidingTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.limit(length=2000)

    def review(self, presentation: str, left: str = LEFT, right: str = RIGHT) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        self.write(presentation, left)
        review = yield from self.open_diff(presentation, right)
        yield lambda: self.settled() and COARSE in self.header(review)
        return review

    def test_whole_lines_are_marked_and_counted(self) -> Iterator[Any]:
        for presentation in PRESENTATIONS:
            review = yield from self.review(presentation)
            view = self.proposal(review)
            self.assertIn("+1 \u22122", self.header(review))
            self.assertEqual(self.marked(view, "lines"), ["value_7 = changed\n"])
            self.assertEqual(self.marked(view, "gutter.removed"), ["value_301 = compute(301)\n"])
            self.assertEqual(self.marked(view, "characters"), [])
            self.reviews.commands.reject(review)
            yield self.closed

    def test_many_lines_are_compared_so_too(self) -> Iterator[Any]:
        self.limit(lines=100)
        review = yield from self.review("side_by_side")
        self.assertEqual(
            self.marked(self.original(review), "lines"), ["value_7 = compute(7)\n", "value_300 = compute(300)\n"]
        )

    def test_a_new_file(self) -> Iterator[Any]:
        review = yield from self.open_diff("new.py", RIGHT)
        yield lambda: COARSE in self.header(review)
        self.assertIn("+399 \u22120", self.header(review))

    def test_equal_lines_are_level(self) -> Iterator[Any]:
        review = yield from self.review("side_by_side")
        left, right = self.original(review), self.proposal(review)
        for row_left, row_right in ((1, 1), (8, 8), (299, 299), (301, 300), (399, 398)):
            tops = [
                view.text_to_layout(view.text_point(row, 0))[1] for view, row in ((left, row_left), (right, row_right))
            ]
            self.assertLessEqual(abs(tops[0] - tops[1]), 1.0, row_left)

    def test_they_are_gone_to_and_taken_back(self) -> Iterator[Any]:
        for presentation in PRESENTATIONS:
            review = yield from self.review(presentation)
            view = self.proposal(review)
            self.assertEqual(view.rowcol(view.sel()[0].b), (7, 0))
            self.window.run_command("gemini_companion_next_change")
            self.assertEqual(view.rowcol(view.sel()[0].b), (300, 0))
            self.window.run_command("gemini_companion_revert_hunk")
            yield lambda review=review: self.settled() and "+1 \u22121" in self.header(review)
            view.run_command("select_all")
            self.window.run_command("gemini_companion_revert_hunk")
            yield lambda review=review: self.settled() and "no changes" in self.header(review)
            self.assertEqual(self.text(view), LEFT)
            self.reviews.commands.reject(review)
            yield self.closed

    def test_after_an_edit_the_text_is_asked_for_in_portions(self) -> Iterator[Any]:
        for presentation in PRESENTATIONS:
            review = yield from self.review(presentation)
            view = self.proposal(review)
            with mock.patch.object(panes, "PORTION", 500), mock.patch.object(
                sublime.View, "substr", autospec=True, side_effect=sublime.View.substr
            ) as asked:
                self.type(view, 0, "typed\n")
                yield lambda review=review: self.settled() and "+2 \u22122" in self.header(review)
            lengths = [len(call[0][1]) for call in asked.call_args_list if call[0][0] == view]
            self.assertLessEqual(max(lengths), 500)
            self.assertGreater(len(lengths), 10)
            self.assertEqual(self.marked(view, "lines"), ["typed\n", "value_7 = changed\n"])
            self.reviews.commands.reject(review)
            yield self.closed

    def test_a_revert_asked_for_after_typing_is_done_at_the_next_comparison(self) -> Iterator[Any]:
        review = yield from self.review("inline")
        view = self.proposal(review)
        self.type(view, 0, "typed\n")
        view.run_command("select_all")
        self.window.run_command("gemini_companion_revert_hunk")
        yield lambda: self.text(view) == LEFT
