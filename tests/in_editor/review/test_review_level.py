"""Equal lines are level on the screen, whatever the font, the zoom, the padding, and the height of blocks.

Seen by geometry only: where the editor says that lines are. Sizes are changed as a user changes them, in settings.
"""

from __future__ import annotations

import math
from collections import Counter
from difflib import SequenceMatcher
from typing import Any, Dict, Iterator, List, Tuple
from unittest import mock

import sublime

from ....companion.review.display.markup import filler_html
from ....companion.review.document import analysis
from ...support.review_case import ReviewTestCase
from ...support.selecting import select

LEFT = "".join(f"line {number}\n" for number in range(120))
RIGHT = (
    LEFT.replace("line 1\n", "LINE 1\nmore\n")
    .replace("line 5\n", "")
    .replace("line 30\n", "line 30\nnew\nnewer\nnewest\n")
    .replace("line 50\n", "LINE 50\n")
    .replace("line 60\nline 61\nline 62\n", "")
    .replace("line 80\n", "LINE 80\nand\nmore\n")
    .replace("line 118\n", "")
)
FONT_SIZES = (7, 8, 9, 9.5, 10, 11, 13, 14.3, 17, 20.5)  # line heights from 14 to 41 pixels where 10 is 20 pixels high
PADDINGS = ((-2, -2), (-1, 0), (0, 0), (1, 2), (6, 6))
HALF = 0.5 + 1e-3


class LevelTestCase(ReviewTestCase):
    def set_look(self, review: Any, **settings: Any) -> None:
        presentation = self.reviews.shown[review]
        for view in presentation.views:
            for name, value in settings.items():
                view.settings().set(name, value)

    def errors(self, review: Any) -> Dict[str, float]:
        """By how many pixels equal lines are not level. The first one stands at the top of its view anyway.

        One that is folded on one side only is infinitely far away.
        """
        left, right = self.original(review), self.proposal(review)
        lefts, rights = set(rows_in_sight(left)), set(rows_in_sight(right))
        pairs = equal_rows(self.text(left), self.text(right))
        found: Dict[str, float] = {}
        for one, two in pairs:
            if (one in lefts) != (two in rights):
                found[f"{one} = {two}"] = math.inf
            elif one and two and one in lefts and abs(top(left, one) - top(right, two)) > HALF:
                found[f"{one} = {two}"] = top(left, one) - top(right, two)
        return found

    def level(self, review: Any) -> bool:
        return self.settled() and not self.errors(review)

    def review(self, left: str = LEFT, right: str = RIGHT) -> Iterator[Any]:
        self.write("file.txt", left)
        review = yield from self.open_diff("file.txt", right)
        return review


def top(view: sublime.View, row: int) -> float:
    """Where a row begins, in pixels."""
    return view.text_to_layout(view.text_point(row, 0))[1]


def rows_in_sight(view: sublime.View) -> List[int]:
    """The rows that are not folded: where the others stand is not documented."""
    folds = view.folded_regions()
    starts = [view.text_point(row, 0) for row in range(view.rowcol(view.size())[0] + 1)]
    return [row for row, start in enumerate(starts) if not any(each.a < start <= each.b for each in folds)]


def equal_rows(left: str, right: str) -> List[Tuple[int, int]]:
    """The rows that are surely equal: of lines that each text has once. One without its newline is another line."""
    lefts, rights = left.splitlines(True), right.splitlines(True)
    matcher = SequenceMatcher(None, lefts, rights, False)
    once = {line for line, times in Counter(rights).items() if times == 1}
    once &= {line for line, times in Counter(lefts).items() if times == 1}
    return [
        (block.a + offset, block.b + offset)
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
        if lefts[block.a + offset] in once
    ]


class TestSideBySide(LevelTestCase):
    def test_at_every_font_size(self) -> Iterator[Any]:
        review = yield from self.review()
        for size in FONT_SIZES:
            self.set_look(review, font_size=size)
            yield lambda: self.level(review)
            yield 200
            self.assertEqual(self.errors(review), {}, size)
            self.assert_soon_level(review, size)

    def assert_soon_level(self, review: Any, look: Any) -> None:
        """Two rounds of corrections are enough. Where lines are no whole pixels high a third may be spent on halves."""
        heights = [view.line_height() for view in (self.original(review), self.proposal(review))]
        if all(height == int(height) for height in heights):
            self.assertLessEqual(self.reviews.shown[review]._drawing.rounds, 2, (look, heights))

    def test_with_every_padding(self) -> Iterator[Any]:
        review = yield from self.review()
        for above, below in PADDINGS:
            for size in (7, 10, 14.3):
                self.set_look(review, line_padding_top=above, line_padding_bottom=below, font_size=size)
                yield lambda: self.level(review)
                yield 200
                self.assertEqual(self.errors(review), {}, (above, below, size))
                self.assert_soon_level(review, (above, below, size))

    def test_after_edits_of_the_proposal(self) -> Iterator[Any]:
        review = yield from self.review()
        self.set_look(review, line_padding_top=-2, line_padding_bottom=-1)
        yield lambda: self.level(review)
        view = self.proposal(review)
        for point, typed in ((view.text_point(20, 0), "typed\n"), (view.text_point(40, 3), "x"), (0, "first\n")):
            self.type(view, point, typed)
            yield lambda: self.level(review)
        view.run_command("undo")
        yield lambda: self.level(review)

    def test_when_the_header_folds_into_more_rows(self) -> Iterator[Any]:
        review = yield from self.review()
        self.window.set_layout(
            {"cols": [0.0, 0.5, 0.8, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
        )
        yield lambda: self.level(review)

    def test_a_file_that_begins_with_changes(self) -> Iterator[Any]:
        for name, left, right in (
            ("added.txt", LEFT, "new\nnewer\n" + LEFT),
            ("removed.txt", "old\nolder\n" + LEFT, LEFT),
            ("changed.txt", "old\nolder\n" + LEFT, "new\n" + LEFT),
            ("twice.txt", LEFT, "new\n" + LEFT.replace("line 0\n", "line 0\nnewer\n")),
        ):
            self.write(name, left)
            review = yield from self.open_diff(name, right)
            self.assertEqual(self.errors(review), {}, name)
            self.set_look(review, line_padding_top=-2, line_padding_bottom=-2)
            yield lambda review=review: self.level(review)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def test_with_a_warning_that_comes_into_the_header(self) -> Iterator[Any]:
        view = yield from self.open_file("file.txt", LEFT)
        review = yield from self.open_diff("file.txt", RIGHT)
        self.type(view, 0, "unsaved\n")
        yield lambda: "unsaved" in self.header(review)
        self.assertEqual(self.errors(review), {})

    def test_with_a_warning_that_the_comparison_has_failed(self) -> Iterator[Any]:
        review = yield from self.review()
        with mock.patch.object(analysis, "analyse", side_effect=LookupError("nothing")):
            self.type(self.proposal(review), self.proposal(review).text_point(100, 0), "x")
            yield lambda: "The comparison failed" in self.header(review)
        self.assertEqual(self.errors(review), {})

    def test_below_a_block_that_another_package_puts_between_the_lines(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.original(review)
        theirs = sublime.PhantomSet(view, "another_package")
        block = sublime.Phantom(sublime.Region(view.text_point(20, 0)), "<div>theirs</div>", sublime.LAYOUT_BLOCK)
        before = top(view, 21)
        theirs.update([block])
        yield lambda: top(view, 21) > before
        yield lambda: self.settled() and not any(int(rows.split()[0]) > 60 for rows in self.errors(review))

    def test_texts_that_are_not_compared(self) -> Iterator[Any]:
        self.limit(lines=11)
        review = yield from self.review(LEFT, LEFT)
        self.set_look(review, line_padding_top=-2, line_padding_bottom=-2)
        yield lambda: self.level(review)

    def test_blocks_are_as_wide_as_the_view_and_not_wider(self) -> Iterator[Any]:
        review = yield from self.review()
        for size in (7, 10, 20):
            self.set_look(review, font_size=size)
            yield lambda: self.level(review)
            for view in (self.original(review), self.proposal(review)):
                self.assertLessEqual(view.layout_extent()[0], view.viewport_extent()[0] + 5)


class TestTheCaretsLine(LevelTestCase):
    def place(self, view: sublime.View) -> float:
        return view.text_to_layout(view.sel()[0].b)[1] - view.viewport_position()[1]

    def test_stands_still_when_blocks_above_it_change(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            yield from self.blocks_change(presentation)
            self.reviews.commands.reject(self.reviews.pending()[0])
            yield lambda: not self.reviews.pending()

    def test_stands_still_when_the_header_grows(self) -> Iterator[Any]:
        """What stands above the caret's line changes, far away, while the user types."""
        for presentation in ("side_by_side", "inline"):
            yield from self.header_grows(presentation)
            self.reviews.commands.reject(self.reviews.pending()[0])
            yield lambda: not self.reviews.pending()

    def blocks_change(self, presentation: str) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        review = yield from self.review()
        view = self.proposal(review)
        # The line above the caret is removed, then changed: other blocks stand above the caret's line each time.
        at = view.find("line 100\n", 0).a
        self.type(view, at, "x")
        view.show_at_center(at, False)
        yield self.settled
        yield 100
        before = self.place(view)
        for typed in ("\n", "y", "\n", "z"):
            view.run_command("insert", {"characters": typed})
            at_once = self.place(view)
            yield self.settled
            yield 50
            self.assertAlmostEqual(self.place(view), at_once, delta=HALF)
        self.assertGreaterEqual(self.place(view), before - HALF)
        view.run_command("move", {"by": "lines", "forward": False})
        place = self.place(view)
        view.run_command("left_delete")
        at_once = self.place(view)
        yield self.settled
        yield 50
        self.assertAlmostEqual(self.place(view), at_once, delta=HALF)
        self.assertGreater(place, 0.0)

    def header_grows(self, presentation: str) -> Iterator[Any]:
        self.use(review_presentation=presentation)
        review = yield from self.review()
        view, shown = self.proposal(review), self.reviews.shown[review]
        self.type(view, view.find("line 100\n", 0).a, "x")
        view.show_at_center(view.sel()[0].b, False)
        yield self.settled
        yield 100
        top_before = [0.0]
        for problem in ("The file could not be written.", "", "It could not be written again."):
            place, top_before[:] = self.place(view), [top(view, 50)]
            view.run_command("insert", {"characters": "y"})
            shown.complain(problem, look_again=False)
            yield lambda: self.settled() and abs(top(view, 50) - top_before[0]) > 1
            yield 100
            self.assertAlmostEqual(self.place(view), place, delta=HALF)


class TestTheTop(LevelTestCase):
    def test_the_header_stays_in_sight_when_the_user_zooms(self) -> Iterator[Any]:
        for presentation in ("inline", "side_by_side"):
            self.use(review_presentation=presentation)
            review = yield from self.review()
            view = self.proposal(review)
            yield lambda: self.settled() and view.viewport_position()[1] == 0.0  # noqa: B023
            for size in (17, 10, 20.5, 10, 14.3, 10, 13):
                if size == 14.3:  # with the caret below what stands between the lines
                    select(view, sublime.Region(view.text_point(12, 0)))
                yield from self.zoom(review, size)
                yield lambda: view.viewport_position()[1] == 0.0  # noqa: B023
                yield 50  # a moment in which nothing moves it
                self.assertEqual(view.viewport_position()[1], 0.0, (presentation, size))
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def test_it_stays_in_sight_when_it_gets_more_rows(self) -> Iterator[Any]:
        review = yield from self.review()
        view, shown = self.proposal(review), self.reviews.shown[review]
        yield lambda: self.settled() and view.viewport_position()[1] == 0.0
        select(view, sublime.Region(view.text_point(12, 0)))  # below what stands between the lines
        yield from self.zoom(review, 14.3)
        rows = set()
        for problem in ("The file could not be written.", "", "It could not be written again."):
            shown.complain(problem, look_again=False)
            yield lambda: self.level(review) and shown._drawing.header_level
            yield 50  # a moment in which nothing moves it
            self.assertEqual(view.viewport_position()[1], 0.0, problem)
            rows.add(shown._drawing.header_rows)
        self.assertEqual(len(rows), 2)  # with the problem and without

    def test_a_scrolled_view_stays_where_it_is(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        select(view, sublime.Region(view.text_point(12, 0)))
        view.set_viewport_position((0.0, 3 * view.line_height()), False)
        yield lambda: view.viewport_position()[1] > 0.0
        yield from self.zoom(review, 17)
        self.assertGreater(view.viewport_position()[1], 0.0)

    def zoom(self, review: Any, size: float) -> Iterator[Any]:
        """Change the font's size, and wait until the header has rows as high as the lines are then."""
        view = self.proposal(review)
        same, before = view.settings().get("font_size") == size, view.line_height()
        self.set_look(review, font_size=size)
        yield lambda: same or view.line_height() != before
        yield lambda: f"line-height: {view.line_height():g}px" in self.header_html(review) and self.settled()


class TestInline(LevelTestCase):
    def test_removed_lines_are_as_high_as_lines(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.review()
        view = self.proposal(review)
        for size in FONT_SIZES:
            for above, below in PADDINGS:
                self.set_look(review, font_size=size, line_padding_top=above, line_padding_bottom=below)
                least = yield from self.least_block(view)
                removed = (("line 63\n", 3), ("line 6\n", 1), ("line 40\n", 0))
                look = (size, above, below, least)
                yield (
                    lambda: (
                        self.settled() and all(self.is_as_high(view, text, rows, least) for text, rows in removed)  # noqa: B023
                    )
                )
                yield 200
                for text, rows in removed:
                    self.assertTrue(self.is_as_high(view, text, rows, least), (look, text, self.gap(view, text)))

    def is_as_high(self, view: sublime.View, text: str, rows: int, least: float) -> bool:
        """Whether there is room for `rows` lines above `text`, and no more unless that is lower than any block is."""
        height = view.line_height()
        room = self.gap(view, text) - height
        return rows * height - HALF <= room <= (max(rows * height, least) if rows else 0.0) + HALF

    def least_block(self, view: sublime.View) -> Iterator[Any]:
        """The editor makes no block lower than some height. `yield from` gives it, in pixels: measured, not known."""
        below, above = view.text_point(100, 0), view.text_point(99, 0)
        phantoms = sublime.PhantomSet(view, "least")
        yield self.settled
        phantoms.update([sublime.Phantom(sublime.Region(above), filler_html(1, 1), sublime.LAYOUT_BLOCK)])

        def height() -> float:
            return view.text_to_layout(below)[1] - view.text_to_layout(above)[1] - view.line_height()

        yield lambda: height() > HALF
        found = height()
        phantoms.update([])
        yield lambda: height() <= HALF
        return found

    def gap(self, view: sublime.View, text: str) -> float:
        """How far below the line before it `text` stands, in pixels, removed lines between them included."""
        row = view.rowcol(view.find(text, 0).a)[0]
        return top(view, row) - top(view, row - 1)
