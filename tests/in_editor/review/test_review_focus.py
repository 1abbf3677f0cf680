"""Who has the focus while reviews open and close."""

from __future__ import annotations

import base64
from typing import Any, Iterator

import sublime

from ...support.review_case import QWEN, ReviewTestCase

HALVES = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")


class TestFocus(ReviewTestCase):
    def terminal_in_a_panel(self) -> Iterator[Any]:
        """A panel that looks like a terminal, with the focus. `yield from` gives its view."""
        panel = self.window.create_output_panel("Terminal")
        panel.set_scratch(True)
        panel.settings().set("terminus_view", True)
        self.window.run_command("show_panel", {"panel": "output.Terminal"})
        self.window.focus_view(panel)
        yield lambda: self.focused() == panel
        return panel

    def another_window_in_front(self) -> Iterator[Any]:
        """`yield from` gives it."""
        other = yield from self.another_window()
        other.bring_to_front()
        yield lambda: sublime.active_window() == other
        return other

    def test_the_proposal_gets_it_and_gives_it_back(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.reviews.commands.accept(review)
        yield lambda: self.window.active_view() == view

    def test_a_terminal_in_a_tab_keeps_it(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        terminal = self.terminal(1)
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), terminal)
        second = yield from self.open_diff("other.py")
        self.assertEqual(self.window.active_view(), terminal)
        self.reviews.commands.accept(second)
        yield lambda: len(self.reviews.pending()) == 1
        self.assertEqual(self.window.active_view(), terminal)
        self.reviews.close_diff(review.owner, review.path, suppress_notification=True)
        yield lambda: self.window.num_groups() == 2
        self.assertEqual(self.window.active_view(), terminal)

    def test_a_terminal_in_a_panel_keeps_it(self) -> Iterator[Any]:
        yield from self.open_file()
        panel = yield from self.terminal_in_a_panel()
        review = yield from self.open_diff()
        self.assertEqual(self.focused(), panel)
        self.assertEqual(self.window.active_view_in_group(1), self.proposal(review))
        self.reviews.commands.accept(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.focused(), panel)

    def test_a_terminal_gets_it_back_from_a_user_who_went_to_the_proposal(self) -> Iterator[Any]:
        yield from self.open_file()
        panel = yield from self.terminal_in_a_panel()
        review = yield from self.open_diff()
        self.window.focus_view(self.proposal(review))
        yield lambda: self.focused() == self.proposal(review)
        self.reviews.commands.accept(review)
        yield lambda: self.focused() == panel

    def test_a_terminal_whose_panel_has_gone_gets_nothing_back(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.terminal_in_a_panel()
        review = yield from self.open_diff()
        self.window.destroy_output_panel("Terminal")
        self.reviews.commands.accept(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.focused(), view)

    def test_the_command_palette_is_no_other_place(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.window.run_command("show_overlay", {"overlay": "command_palette"})
        self.assertEqual(self.focused(), self.proposal(review))
        self.window.run_command("hide_overlay")
        self.reviews.commands.accept(review)
        yield lambda: self.window.active_view() == view

    def test_another_window_keeps_it(self) -> Iterator[Any]:
        view = yield from self.open_file()
        other = yield from self.another_window_in_front()
        review = yield from self.open_diff()
        self.assertEqual(sublime.active_window(), other)
        self.assertEqual(self.window.active_view(), view)
        self.assertEqual(self.window.active_view_in_group(1), self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(sublime.active_window(), other)

    def test_always(self) -> Iterator[Any]:
        self.use(review_focus="always")
        yield from self.open_file()
        self.terminal()
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), self.proposal(review))

    def test_always_brings_the_window_to_the_front(self) -> Iterator[Any]:
        self.use(review_focus="always")
        yield from self.another_window_in_front()
        yield from self.open_diff()
        yield lambda: sublime.active_window() == self.window

    def test_never(self) -> Iterator[Any]:
        self.use(review_focus="never")
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), view)
        self.assertEqual(self.window.active_view_in_group(1), self.proposal(review))

    def test_closing_either_tab_gives_it_back_to_where_it_was(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        other = yield from self.open_file("other.py", group=1)
        panel = yield from self.terminal_in_a_panel()
        for had_focus in (other, panel):
            for kind in (self.proposal, self.original):
                self.window.focus_view(had_focus)
                yield lambda had_focus=had_focus: self.focused() == had_focus
                review = yield from self.open_diff()
                view = kind(review)
                self.window.focus_view(view)
                yield lambda view=view: self.focused() == view
                view.close()
                yield lambda: self.window.num_groups() == 2
                self.assertEqual(self.focused(), had_focus)

    def test_a_tab_that_a_package_closes_takes_it_from_nobody(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        before = yield from self.open_file("before.py", group=0)
        other = yield from self.open_file("other.py", group=1)
        for kind in (self.proposal, self.original):
            self.window.focus_view(before)
            review = yield from self.open_diff()
            self.window.focus_view(other)
            yield lambda: self.focused() == other
            kind(review).close()
            yield lambda: self.window.num_groups() == 2
            self.assertEqual(self.focused(), other)

    def test_a_tab_that_the_user_went_to_keeps_it(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        other = yield from self.open_file("other.py", group=1)
        self.window.focus_group(0)
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.window.focus_view(other)
        self.reviews.commands.accept(review)
        yield lambda: self.window.num_groups() == 2
        self.assertEqual(self.window.active_view(), other)

    def test_a_replaced_proposal_does_not_take_it_from_a_terminal(self) -> Iterator[Any]:
        yield from self.open_file()
        terminal = self.terminal()
        yield from self.open_diff()
        yield from self.open_diff("file.py", "newer\n")
        self.assertEqual(self.window.active_view(), terminal)

    def focused(self) -> Any:
        return self.reviews.open_reviews.arrangement.focus.holder()


class TestAnImage(ReviewTestCase):
    """It is a sheet that is no view, and no event tells that it has the focus."""

    def image(self, group: int) -> Iterator[Any]:
        """`yield from` gives the sheet of an image, which has the focus."""
        path = self.write("picture.png", PNG)
        self.window.open_file(path, 0, group)
        yield lambda: self.has_focus(path)
        return path

    def has_focus(self, path: str) -> bool:
        sheet = self.window.active_sheet()
        return sheet is not None and sheet.file_name() == path

    def test_it_gets_the_focus_back(self) -> Iterator[Any]:
        yield from self.open_file()
        image = yield from self.image(0)
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1 and len(self.window.sheets()) == 2
        yield lambda: self.has_focus(image)

    def test_so_it_does_in_another_group(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        image = yield from self.image(1)
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 2 and len(self.window.sheets()) == 2
        yield lambda: self.has_focus(image)

    def test_it_keeps_the_focus_where_no_review_may_take_it(self) -> Iterator[Any]:
        self.use(review_focus="never")
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        image = yield from self.image(1)
        review = yield from self.open_diff()
        self.assertTrue(self.has_focus(image))
        yield from self.open_diff("other.py", owner=QWEN)
        self.assertTrue(self.has_focus(image))
        self.reviews.commands.reject(review)
        yield lambda: len(self.reviews.shown) == 1
        self.assertTrue(self.has_focus(image))

    def test_it_keeps_the_focus_where_the_user_went_to_it(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        yield from self.open_file(group=0)
        first = yield from self.open_diff()
        second = yield from self.open_diff("other.py", owner=QWEN)
        image = yield from self.image(self.window.num_groups() - 1)
        for review in (first, second):
            self.reviews.close_diff(review.owner, review.path, suppress_notification=True)
            yield lambda review=review: review not in self.reviews.shown
            yield lambda: self.has_focus(image)
        yield lambda: self.window.num_groups() == 2
        self.assertTrue(self.has_focus(image))
