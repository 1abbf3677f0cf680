"""What is drawn fits the screen again soon after its sizes have changed, and the two views stay locked meanwhile.

What the editor has no event for is looked at now and then. A single look may come late on a busy machine, so what
counts is the median of several changes, and the best of three rounds of them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Callable, Iterator, List, Sequence

import sublime

from ...support.selecting import select
from .test_review_level import HALF, LevelTestCase, top


class TestTheScreenChanges(LevelTestCase):
    def level_and_fits(self, review: Any) -> bool:
        """Whether it is drawn for the screen as it is now, header and all, and equal lines are level."""
        view, html = self.proposal(review), self.header_html(review)
        rows = f"line-height: {view.line_height():.2f}".rstrip("0").rstrip(".") + "px"
        levelled = self.reviews.shown[review]._drawing.levelled is not None
        return self.fits(review) and levelled and self.level(review) and rows in html

    def drawn_after_each(self, changes: Sequence[Callable[[], Any]], drawn: Callable[[], bool]) -> Iterator[Any]:
        """Make the changes one after the other; each is drawn before the next."""
        yield 1100  # looks are rarer once nothing has moved for a second
        for change in changes:
            change()
            yield drawn
            yield 300  # a moment in which nothing moves

    def resize(self, share: float) -> None:
        self.window.set_layout({"cols": [0.0, share, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})

    def test_zoom_and_padding(self) -> Iterator[Any]:
        review = yield from self.review()
        looks = (
            {"font_size": 7},
            {"line_padding_top": 6},
            {"font_size": 20.5},
            {"line_padding_top": -2},
            {"font_size": 14.3, "line_padding_bottom": -1},
        )
        changes = [partial(self.set_look, review, **look) for look in looks]
        yield from self.drawn_after_each(changes, partial(self.level_and_fits, review))

    def test_resizing(self) -> Iterator[Any]:
        review = yield from self.review()
        widths: List[float] = []

        def resize(share: float) -> None:
            self.resize(share)
            widths.append(self.proposal(review).viewport_extent()[0])

        changes = [partial(resize, share) for share in (0.4, 0.6, 0.45, 0.55, 0.5)]
        yield from self.drawn_after_each(changes, partial(self.level_and_fits, review))
        self.assertEqual(len(set(widths)), len(changes))

    def test_inline(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.review("\tone\n" + "two\n" * 30, "two\n" * 30)
        view, shown = self.proposal(review), self.reviews.shown[review]

        def drawn() -> bool:
            blanks = "&nbsp;" * int(view.settings().get("tab_size"))
            return f">{blanks}one" in shown._drawing.blocks[0][1].replace("<span>", "")

        changes = [partial(self.set_look, review, tab_size=size) for size in (2, 8, 3, 6, 4)]
        yield from self.drawn_after_each(changes, drawn)

    def test_sizes_that_a_stranger_has_chosen_make_no_block_endless(self) -> Iterator[Any]:
        """A project's settings are those of its views."""
        self.use(review_presentation="inline")
        review = yield from self.review("\tone\n" + "two\n" * 30, "two\n" * 30)
        drawing = self.reviews.shown[review]._drawing

        def blanks(count: int) -> bool:
            return f"</span>{'&nbsp;' * count}one<" in drawing.blocks[0][1]

        for tab_size, shown in ((8, 8), (1000, 4), (2, 2)):
            self.set_look(review, tab_size=tab_size)
            yield lambda shown=shown: blanks(shown)
        width = self.proposal(review).viewport_extent()[0]
        for margin in (-100000, 100000):
            self.set_look(review, margin=margin)
            yield 300  # a moment in which it would be drawn
            pixels = [int(found) for found in re.findall(r"padding-right: (\d+)px", self.header_html(review))]
            self.assertTrue(pixels and all(0 < each <= width for each in pixels), pixels)

    def test_a_view_at_its_top_stays_there_though_blocks_above_the_caret_grow(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        lines = [f"line {number}\n" for number in range(80)]
        review = yield from self.review("".join([*lines[:3], *(["gone\n"] * 5), *lines[3:]]), "".join(lines))
        view = self.proposal(review)
        yield lambda: self.fits(review)
        select(view, sublime.Region(view.text_point(6, 0)))
        view.set_viewport_position((0.0, 0.0), False)
        drawing = self.reviews.shown[review]._drawing
        for size in (14.3, 9, 13):
            self.set_look(review, font_size=size)
            rows = f"line-height: {view.line_height():.2f}".rstrip("0").rstrip(".") + "px"
            yield lambda rows=rows: rows in self.header_html(review) and rows in drawing.blocks[0][1]
            yield self.settled
            self.assertEqual(view.viewport_position()[1], 0.0, size)

    def test_unless_the_caret_would_then_be_out_of_sight(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        lines, gone = [f"line {number}\n" for number in range(80)], ["gone\n"] * 30
        review = yield from self.review("".join([*lines[:3], *gone, *lines[3:]]), "".join(lines))
        view = self.proposal(review)
        yield lambda: self.fits(review)
        view.set_viewport_position((0.0, 0.0), False)
        before, high = view.line_height(), view.viewport_extent()[1]
        self.set_look(review, font_size=13)
        growth = len(gone) * (view.line_height() - before)

        def bottom(row: int) -> float:
            return top(view, row) + view.line_height()

        row = next(row for row in range(4, 80) if high - growth / 2 < bottom(row) <= high)
        select(view, sublime.Region(view.text_point(row, 0)))
        rows = f"line-height: {view.line_height():.2f}".rstrip("0").rstrip(".") + "px"
        drawing = self.reviews.shown[review]._drawing
        yield lambda: rows in self.header_html(review) and rows in drawing.blocks[0][1]
        yield self.settled
        self.assertGreater(bottom(row), high)
        self.assertLessEqual(bottom(row), view.viewport_position()[1] + high)

    def test_scrolling_stays_locked(self) -> Iterator[Any]:
        review = yield from self.review()
        left, right = self.original(review), self.proposal(review)

        def locked() -> bool:
            # "line 45" is two rows lower on the right; above it stand the header and three fillers.
            row = right.rowcol(right.find("line 45\n", 0).a)[0]
            there = left.rowcol(left.find("line 45\n", 0).a)[0]
            one = top(left, there) - left.viewport_position()[1]
            return abs(one - (top(right, row) - right.viewport_position()[1])) <= 2 * HALF

        changes: List[Callable[[], Any]] = [
            lambda: self.set_look(review, font_size=17),
            lambda: self.resize(0.4),
            lambda: self.window.set_tabs_visible(False),
            lambda: self.set_look(review, word_wrap=True),
            lambda: self.set_look(review, font_size=8, word_wrap=False),
            lambda: self.window.set_tabs_visible(True),
        ]
        for number, change in enumerate(changes):
            leader = (left, right)[number % 2]
            leader.set_viewport_position((0.0, 300.0 + 40 * number), False)
            yield locked
            change()
            yield lambda: self.level_and_fits(review) and locked()
            leader.set_viewport_position((0.0, 320.0 + 40 * number), False)
            yield locked
