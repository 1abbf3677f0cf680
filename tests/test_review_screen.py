"""What is drawn fits the screen again soon after its sizes have changed, and the two views stay locked meanwhile.

What the editor has no event for is looked at now and then. A single look may come late on a busy machine, so what
counts is the median of several changes.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, Callable, Iterator, List

from .test_review_level import HALF, LevelTestCase, top

SOON = 0.25  # seconds


class TestTheScreenChanges(LevelTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.seconds: List[float] = []

    def fits(self, review: Any) -> bool:
        """Whether the header is drawn for the view's line height and width, and equal lines are level."""
        view, html = self.proposal(review), self.header_html(review)
        rows = f"line-height: {view.line_height():.2f}".rstrip("0").rstrip(".") + "px"
        return self.level(review) and rows in html and self.reviews._presentations[review]._drawing.fits

    def changed(self, review: Any, change: Callable[[], None]) -> Iterator[Any]:
        """Make a change, and note how long it takes until all fits again."""
        began = time.monotonic()
        change()
        yield lambda: self.fits(review)
        self.seconds.append(time.monotonic() - began)
        yield 300  # a moment in which nothing moves

    def resize(self, share: float) -> None:
        self.window.set_layout({"cols": [0.0, share, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})

    def test_zoom_and_padding(self) -> Iterator[Any]:
        review = yield from self.review()
        yield 1100  # looks are rarer once nothing has moved for a second
        for look in ({"font_size": 7}, {"line_padding_top": 6}, {"font_size": 20.5}, {"line_padding_top": -2}):
            yield from self.changed(review, lambda look=look: self.set_look(review, **look))
        yield from self.changed(review, lambda: self.set_look(review, font_size=14.3, line_padding_bottom=-1))
        self.assertLess(statistics.median(self.seconds), SOON, self.seconds)

    def test_resizing(self) -> Iterator[Any]:
        review = yield from self.review()
        yield 1100
        for share in (0.4, 0.6, 0.45, 0.55, 0.5):
            width = self.proposal(review).viewport_extent()[0]
            yield from self.changed(review, lambda share=share: self.resize(share))
            self.assertNotEqual(self.proposal(review).viewport_extent()[0], width)
        self.assertLess(statistics.median(self.seconds), SOON, self.seconds)

    def test_inline(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.review("\tone\n" + "two\n" * 30, "two\n" * 30)
        yield 1100
        shown = self.reviews._presentations[review]
        for size in (2, 8, 3, 6, 4):
            began = time.monotonic()
            self.set_look(review, tab_size=size)
            yield lambda size=size: ">" + "&nbsp;" * size + "one" in shown._drawing.blocks[0][1].replace("<span>", "")
            self.seconds.append(time.monotonic() - began)
            yield 300
        self.assertLess(statistics.median(self.seconds), SOON, self.seconds)

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
            yield lambda: self.fits(review) and locked()
            leader.set_viewport_position((0.0, 320.0 + 40 * number), False)
            yield locked
