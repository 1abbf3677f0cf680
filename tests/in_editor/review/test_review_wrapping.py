"""Lines that wrap: equal ones stay level, changes come into sight, and what is removed inline wraps as well.

Seen by geometry only. Whatever rows the editor makes of a line, nothing here relies on them.
"""

from __future__ import annotations

from typing import Any, Iterator

import sublime

from ...support.selecting import select
from .test_review_level import LEFT, LevelTestCase, top

WORDS = " ".join(f"word{number}" for number in range(90))
LONG = "".join(f"line {number} {WORDS if number % 7 == 0 else ''}\n" for number in range(120))
# Of the long lines every other one changes, far to the right.
CHANGED = "".join(
    line.replace("word80", "word80 far") if number % 14 == 0 else line
    for number, line in enumerate(LONG.splitlines(True))
)
CHANGED = CHANGED.replace("line 30 \n", "").replace("line 49 ", "new\nline 49 ")


class TestSideBySide(LevelTestCase):
    def unequal_review(self) -> Iterator[Any]:
        """A review whose views differ in width, with words to wrap."""
        review = yield from self.review(LONG, CHANGED)
        self.window.set_layout({"cols": [0.0, 0.4, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
        yield lambda: self.level(review)
        return review

    def toggle(self, view: sublime.View) -> None:
        view.run_command("toggle_setting", {"setting": "word_wrap"})

    def test_lines_are_level_after_every_toggle(self) -> Iterator[Any]:
        review = yield from self.unequal_review()
        for view in (self.proposal(review), self.original(review), self.original(review), self.proposal(review)):
            self.toggle(view)
            yield lambda: self.level(review) and self.alike(review)
            yield 300
            self.assertEqual(self.errors(review), {})

    def alike(self, review: Any) -> bool:
        left, right = self.original(review).settings(), self.proposal(review).settings()
        return all(left.get(name) == right.get(name) for name in ("word_wrap", "wrap_width"))

    def test_they_stay_level_when_the_views_are_resized_zoomed_and_edited(self) -> Iterator[Any]:
        review = yield from self.unequal_review()
        view = self.proposal(review)
        self.toggle(view)
        yield lambda: self.level(review)
        self.window.set_layout({"cols": [0.0, 0.7, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
        yield lambda: self.level(review)
        for size in (7, 14.3, 10):
            self.set_look(review, font_size=size)
            yield lambda: self.level(review)
        self.type(view, view.text_point(20, 0), f"{WORDS}\n")
        yield lambda: self.level(review)
        view.run_command("undo")
        yield lambda: self.level(review)

    def test_a_column_that_the_user_names_is_that_of_both_views(self) -> Iterator[Any]:
        review = yield from self.unequal_review()
        views = [self.original(review), self.proposal(review)]
        self.toggle(views[1])
        yield lambda: self.alike(review)
        views[0].settings().set("wrap_width", 50)
        yield lambda: [view.settings().get("wrap_width") for view in views] == [50, 50]
        yield lambda: self.level(review)
        self.window.set_layout({"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
        yield 500
        self.assertEqual([view.settings().get("wrap_width") for view in views], [50, 50])
        self.assertEqual(self.errors(review), {})

    def test_a_change_far_right_is_gone_to(self) -> Iterator[Any]:
        review = yield from self.unequal_review()
        view = self.proposal(review)
        self.toggle(view)
        yield lambda: self.level(review)
        found = 0
        for _ in range(len(view.find_all("far"))):
            self.reviews.commands.next_change(review)
            caret = view.sel()[0].b
            x, y = view.text_to_layout(caret)
            left, shown = view.viewport_position()
            wide, high = view.viewport_extent()
            self.assertTrue(left <= x <= left + wide and shown <= y and y + view.line_height() <= shown + high)
            found += view.substr(sublime.Region(caret, caret + 3)) == "far"
        self.assertGreater(found, 5)

    def test_a_long_text_that_is_compared_coarsely(self) -> Iterator[Any]:
        self.limit(length=10000)
        review = yield from self.unequal_review()
        self.assertIn("Coarse comparison", self.header(review))
        self.toggle(self.original(review))
        yield lambda: self.level(review) and self.alike(review)
        self.set_look(review, line_padding_top=-2, line_padding_bottom=-2)
        yield lambda: self.level(review)

    def test_coarse_fillers_are_level_where_a_block_is_higher_than_a_line(self) -> Iterator[Any]:
        self.limit(length=500)
        right = "".join(f"line {number}\n" for number in range(120) if number % 10)
        review = yield from self.review(LEFT, right)
        self.assertIn("Coarse comparison", self.header(review))
        self.set_look(review, line_padding_top=-3, line_padding_bottom=-3)
        yield lambda: self.proposal(review).line_height() == self.original(review).line_height()
        yield lambda: self.level(review)
        self.assertGreater(top(self.proposal(review), 100), 0.0)


class TestInline(LevelTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.use(review_presentation="inline")

    def test_removed_lines_wrap_where_those_of_the_proposal_do(self) -> Iterator[Any]:
        review = yield from self.review(f"one\n{WORDS}\ntwo\n", "one\ntwo\n")
        view = self.proposal(review)
        for wrapped in (True, False, True):
            view.settings().set("word_wrap", wrapped)
            yield lambda wrapped=wrapped: (view.layout_extent()[0] <= view.viewport_extent()[0] + 1) == wrapped
            self.assertEqual(self.shown_blocks(review).count('class="number"'), 1)

    def shown_blocks(self, review: Any) -> str:
        return "".join(html for _, html in self.reviews.shown[review]._drawing.blocks)


class TestBlocksOfALineThatWraps(LevelTestCase):
    """Nobody knows whether a block stands under the first row of its line on the screen, or under the last one."""

    def wrapped_review(self, presentation: str, left: str, right: str) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        review = yield from self.review(left, right)
        view = self.proposal(review)
        yield lambda: view.viewport_extent()[1] > 0
        view.settings().set("word_wrap", True)
        end = view.line(0).end()
        yield lambda: view.text_to_layout(end)[1] > 0 and self.settled()
        return review

    def on_screen(self, view: sublime.View, point: int) -> float:
        return view.text_to_layout(point)[1] - view.viewport_position()[1]

    def test_the_header_and_change_stand_level_below_a_wrapped_first_line(self) -> Iterator[Any]:
        lines = "".join(f"line {number}\n" for number in range(60))
        for presentation in ("side_by_side", "inline"):
            left, right = f"{WORDS}\n{WORDS} 1\nold\nolder\n{lines}", f"{WORDS}\n{WORDS} 1\nnew\n{lines}"
            review = yield from self.wrapped_review(presentation, left, right)
            views = self.reviews.shown[review].views
            if presentation == "side_by_side":
                yield lambda review=review: self.level(review)
            yield lambda views=views: all(view.viewport_position()[1] == 0.0 for view in views)
            view = self.proposal(review)
            first_row = view.text_to_layout(view.text_point(1, 0))[1] - view.text_to_layout(view.line(0).end())[1]
            rows = view.text_to_layout(view.text_point(1, 0))[1] / view.line_height()
            self.assertGreater(rows, 2)
            self.assertGreater(first_row, 0)
            self.reviews.commands.next_change(review)
            caret = view.sel()[0].b
            self.assertEqual(view.substr(view.line(caret)), "new")
            self.assertLess(self.on_screen(view, caret) + view.line_height(), view.viewport_extent()[1])
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def test_a_caret_in_the_last_row_above_a_block_stays_where_it_is(self) -> Iterator[Any]:
        lines = [f"line {number}\n" for number in range(60)]
        left = "".join([*lines, f"{WORDS}\n", "gone 1\n", "gone 2\n", *lines])
        right = "".join([*lines, f"{WORDS}\n", *lines])
        for presentation in ("side_by_side", "inline"):
            review = yield from self.wrapped_review(presentation, f"{WORDS}\n{left}", f"{WORDS}\n{right}")
            view = self.proposal(review)
            end = view.line(view.text_point(61, 0)).end()
            select(view, sublime.Region(end))
            view.set_viewport_position((0.0, view.text_to_layout(end)[1] - 10 * view.line_height()), False)
            yield lambda view=view, end=end: 0 < self.on_screen(view, end) < view.viewport_extent()[1]
            yield self.settled
            before = self.on_screen(view, end)
            self.reviews.commands.follow(review, "revert:0")
            yield lambda review=review: len(self.links(review, "undo")) == 1 and self.settled()
            yield lambda view=view, end=end, before=before: abs(self.on_screen(view, end) - before) <= 1
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()
