"""Who has the focus while reviews open and close."""

from __future__ import annotations

from typing import Any, Iterator

import sublime

from .review_support import ReviewTestCase


class TestFocus(ReviewTestCase):
    def terminal_in_a_panel(self) -> Iterator[Any]:
        """A panel that looks like a terminal, with the focus. `yield from` gives its view."""
        panel = self.window.create_output_panel("Terminal")
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
        self.reviews.accept(review)
        yield lambda: self.window.active_view() == view

    def test_a_terminal_in_a_tab_keeps_it(self) -> Iterator[Any]:
        self.window.set_layout({"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
        yield from self.open_file(group=0)
        terminal = self.terminal(1)
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), terminal)
        second = yield from self.open_diff("other.py")
        self.assertEqual(self.window.active_view(), terminal)
        self.reviews.accept(second)
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
        self.reviews.accept(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.focused(), panel)

    def test_a_terminal_gets_it_back_from_a_user_who_went_to_the_proposal(self) -> Iterator[Any]:
        yield from self.open_file()
        panel = yield from self.terminal_in_a_panel()
        review = yield from self.open_diff()
        self.window.focus_view(self.proposal(review))
        yield lambda: self.focused() == self.proposal(review)
        self.reviews.accept(review)
        yield lambda: self.focused() == panel

    def test_a_terminal_whose_panel_has_gone_gets_nothing_back(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.terminal_in_a_panel()
        review = yield from self.open_diff()
        self.window.destroy_output_panel("Terminal")
        self.reviews.accept(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.focused(), view)

    def test_the_command_palette_is_no_other_place(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.window.run_command("show_overlay", {"overlay": "command_palette"})
        self.assertEqual(self.focused(), self.proposal(review))
        self.window.run_command("hide_overlay")
        self.reviews.accept(review)
        yield lambda: self.window.active_view() == view

    def test_another_window_keeps_it(self) -> Iterator[Any]:
        view = yield from self.open_file()
        other = yield from self.another_window_in_front()
        review = yield from self.open_diff()
        self.assertEqual(sublime.active_window(), other)
        self.assertEqual(self.window.active_view(), view)
        self.assertEqual(self.window.active_view_in_group(1), self.proposal(review))
        self.reviews.reject(review)
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

    def test_a_tab_that_the_user_went_to_keeps_it(self) -> Iterator[Any]:
        self.window.set_layout({"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
        yield from self.open_file(group=0)
        other = yield from self.open_file("other.py", group=1)
        self.window.focus_group(0)
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.window.focus_view(other)
        self.reviews.accept(review)
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
