"""Fillers say once, at their top, what they stand for, and are as high as without it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Iterator, List
from unittest import mock

import sublime

from ....companion.review.display import drawing
from ...support.review_case import GEMINI, ReviewTestCase

LINES = [f"line {number}\n" for number in range(12)]
NEW = [f"new {number}\n" for number in range(4)]


class TestFillers(ReviewTestCase):
    def captions(self, view: sublime.View) -> List[str]:
        """What the fillers of a view say, from the top."""
        shown = next(shown for shown in self.presentations() if view in shown.views)._drawing
        left = view == shown._original_view
        tops, blocks = (shown._original_top, shown._original_blocks) if left else (shown._top, shown._blocks)
        documents = [tops.document] + [html for part in blocks._shown for _, html in part or ()]
        fillers = [text for html in documents for text in re.findall('class="filler"[^>]*>([^<]*)<', html)]
        words = [unescape(text).replace("\xa0", " ").strip() for text in fillers]
        return [text for text in words if text]

    def saying(self, view: sublime.View, *captions: str) -> Any:
        """A condition. A view has no size, and so no room for words, before it was drawn."""
        return lambda: view.viewport_extent()[0] > 0 and self.settled() and self.captions(view) == list(captions)

    def review(self, before: List[str], after: List[str]) -> Iterator[Any]:
        self.write(content="".join(before))
        review = yield from self.open_diff(proposed="".join(after))
        return review

    def test_each_says_how_many_lines_stand_on_the_other_side(self) -> Iterator[Any]:
        review = yield from self.review(LINES, [*LINES[:2], *NEW, *LINES[2:6], *LINES[7:]])
        yield self.saying(self.original(review), "4 lines added \u2192")
        yield self.saying(self.proposal(review), "\u2190 1 line removed")

    def test_none_is_drawn_for_a_view_that_has_no_size_yet(self) -> Iterator[Any]:
        """They are as wide as it, and would all be drawn again. The marks are not."""
        real, sized = sublime.View.viewport_extent, [False]

        def extent(view: sublime.View) -> Any:
            return real(view) if sized[0] else (0.0, 0.0)

        self.write(content="".join(LINES))
        with mock.patch.object(sublime.View, "viewport_extent", extent), mock.patch.object(
            drawing, "_TURNS_FOR_A_SIZE", 10**6
        ):
            self.reviews.open_diff(GEMINI, self.path(), "".join([*LINES[:4], *NEW, *LINES[4:]]))
            (shown,) = self.presentations()
            yield lambda: self.marked(shown.proposal_view, "lines") != []
            yield 50
            self.assertEqual(shown._drawing._original_blocks._shown, [])
            sized[0] = True
            yield self.saying(shown.original_view, "4 lines added \u2192")

    def test_lines_at_the_very_top_are_counted_too(self) -> Iterator[Any]:
        review = yield from self.review(LINES, NEW + LINES)
        yield self.saying(self.original(review), "4 lines added \u2192")
        yield self.saying(self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        review = yield from self.review(NEW + LINES, LINES)
        yield self.saying(self.proposal(review), "\u2190 4 lines removed")
        yield self.saying(self.original(review))

    def test_filler_words_stand_beside_their_lines_below_the_headers_space(self) -> Iterator[Any]:
        review = yield from self.review(LINES, NEW + LINES)
        original = self.original(review)
        yield self.saying(original, "4 lines added \u2192")
        document = self.reviews.shown[review]._drawing._original_top.document
        above = re.search(r'padding: (\d+)px 0px 0 0"></div><div class="filler"[^>]*>4&nbsp;lines', document)
        self.assertIsNotNone(above, document)
        rows = self.header_html(review).count('<div class="bar"')
        self.assertEqual(int(above.group(1)) if above else 0, round(rows * original.line_height()))

    def test_a_filler_without_room_says_nothing_and_does_not_scroll_its_view(self) -> Iterator[Any]:
        review = yield from self.review(LINES, [*LINES[:2], *NEW, *LINES[2:]])
        original = self.original(review)
        yield self.saying(original, "4 lines added \u2192")
        before = original.viewport_extent()[0]
        columns = original.em_width() * 11
        for share in (0.4, 0.3, 0.25, 0.2, 0.17):
            self.window.set_layout(
                {"cols": [0.0, share, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
            )
            if original.viewport_extent()[0] < columns:
                break
        self.assertLess(original.viewport_extent()[0], before)
        yield self.saying(original)
        self.assertLessEqual(original.layout_extent()[0], original.viewport_extent()[0] + 1)

    def test_lines_that_are_replaced_by_as_many_need_no_words(self) -> Iterator[Any]:
        review = yield from self.review(LINES, [*LINES[:4], *NEW, *LINES[8:]])
        yield self.saying(self.original(review))
        yield self.saying(self.proposal(review))

    def test_the_words_make_no_view_scroll(self) -> Iterator[Any]:
        review = yield from self.review(LINES, [*LINES[:2], *NEW, *LINES[2:6], *LINES[7:]])
        for view in (self.original(review), self.proposal(review)):
            yield lambda view=view: view.viewport_extent()[0] > 0  # it has none before it is drawn
            yield lambda view=view: view.layout_extent()[0] <= view.viewport_extent()[0] + 1
