"""Several reviews at once: none takes the place, or a key or click, of the one that the user is in."""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator, List, Optional
from unittest import mock

import sublime

from ...support.review_case import PROPOSED, QWEN, ClockTestCase


class SeveralTestCase(ClockTestCase):
    def press_accept(self, review: Any) -> None:
        """Press the key for Accept in a review."""
        self.assertEqual(self.reviews.open_reviews.in_front(), review)
        self.window.run_command("gemini_companion_accept")

    def takes_no_key(self, review: Any) -> bool:
        """Whether nothing decides the review."""
        return bool(self.guard.ignores(review))

    def answers(self) -> List[Optional[str]]:
        return [outcome.content for _, outcome in self.told]


class TestWhoIsInFront(SeveralTestCase):
    def test_a_review_that_opens_while_another_is_edited_waits_behind_it(self) -> Iterator[Any]:
        yield from self.open_file()
        first = yield from self.open_diff()
        self.type(self.proposal(first), 0, "# mine\n")
        second = yield from self.open_diff("other.py", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.proposal(first))
        for view in (self.original(first), self.proposal(first)):
            self.assertEqual(self.window.active_view_in_group(self.window.get_view_index(view)[0]), view)
        self.assertIn(self.proposal(second), self.window.views())
        self.window.active_view().run_command("insert", {"characters": "!"})
        self.assertEqual(self.text(self.proposal(second)), PROPOSED)

    def test_so_it_is_where_the_user_reads_the_original(self) -> Iterator[Any]:
        yield from self.open_file()
        first = yield from self.open_diff()
        self.window.focus_view(self.original(first))
        yield lambda: self.window.active_view() == self.original(first)
        yield from self.open_diff("other.py", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.original(first))
        self.assertEqual(self.window.active_view_in_group(1), self.proposal(first))

    def test_so_it_is_where_no_review_may_take_the_focus(self) -> Iterator[Any]:
        self.use(review_focus="never")
        yield from self.open_file()
        first = yield from self.open_diff()
        self.window.focus_view(self.proposal(first))
        yield lambda: self.window.active_view() == self.proposal(first)
        yield from self.open_diff("other.py", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.proposal(first))
        self.assertEqual(self.window.active_view_in_group(0), self.original(first))

    def test_so_it_is_inline(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        yield from self.open_file()
        first = yield from self.open_diff()
        yield from self.open_diff("other.py", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.proposal(first))

    def test_who_asked_for_it_has_every_review_take_the_focus(self) -> Iterator[Any]:
        self.use(review_focus="always")
        yield from self.open_file()
        yield from self.open_diff()
        second = yield from self.open_diff("other.py", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.proposal(second))

    def test_a_newer_proposal_of_another_review_stays_behind_too(self) -> Iterator[Any]:
        yield from self.open_file()
        first = yield from self.open_diff()
        second = yield from self.open_diff("other.py", owner=QWEN)
        yield from self.open_diff("other.py", "newer\n", owner=QWEN)
        self.assertEqual(self.window.active_view(), self.proposal(first))
        self.assertEqual(self.text(self.proposal(second)), "newer\n")

    def test_the_next_review_comes_to_the_front_and_shows_its_first_change(self) -> Iterator[Any]:
        yield from self.assert_shows_its_first_change()

    def test_so_it_does_where_a_tab_has_no_size_until_it_comes_to_the_front(self) -> Iterator[Any]:
        real = sublime.View.viewport_extent

        def extent(view: sublime.View) -> Any:
            window = view.window()
            shown = window is not None and view == window.active_view_in_group(window.get_view_index(view)[0])
            return real(view) if shown else (0.0, 0.0)

        with mock.patch.object(sublime.View, "viewport_extent", extent):
            yield from self.assert_shows_its_first_change()

    def assert_shows_its_first_change(self) -> Iterator[Any]:
        lines = [f"line {number:30}\n" for number in range(399)] + ["long " * 100 + "\n"]
        self.write("other.py", "".join(lines))
        yield from self.open_file()
        first = yield from self.open_diff()
        proposed = [*lines[:300], f"line {'new':>30}\n", *lines[301:]]
        second = yield from self.open_diff("other.py", "".join(proposed), owner=QWEN)
        self.reviews.commands.accept(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.assertEqual(self.window.active_view_in_group(0), self.original(second))
        yield self.settled
        view = self.proposal(second)
        self.assertEqual(view.rowcol(view.sel()[0].b), (300, 32))
        around = sublime.Region(view.text_point(295, 0), view.text_point(305, 0))
        yield lambda: view.visible_region().contains(around)
        self.assertEqual(view.viewport_position()[0], 0.0, "all of the line fits")
        self.assertEqual(self.marked(view, "lines"), proposed[300:301])


class TestKeys(SeveralTestCase):
    def two(self) -> Iterator[Any]:
        """Two reviews; `yield from` gives them. The user is in the first one."""
        yield from self.open_file()
        first = yield from self.open_diff()
        second = yield from self.open_diff("other.py", owner=QWEN)
        return first, second

    def assert_still(self, review: Any, answers: List[Optional[str]]) -> Iterator[Any]:
        """That the key decided nothing. What a key decides is done before a turn of the main loop has passed."""
        done: List[bool] = []
        self.endpoint._runtime.on_main(done.append, True)
        yield lambda: bool(done)
        self.assertTrue(review.pending)
        self.assertEqual(self.answers(), answers)

    def test_a_second_press_means_the_first_review(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.press_accept(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.clock.advance(0.03)
        self.press_accept(second)
        yield from self.assert_still(second, [PROPOSED])
        self.assertIn("has only just been shown", self.said[-1])

    def test_nor_does_a_key_that_is_held(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.press_accept(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.clock.advance(0.66)
        for _ in range(20):
            self.press_accept(second)
            self.clock.advance(0.04)
        yield from self.assert_still(second, [PROPOSED])

    def test_a_moment_later_the_key_means_this_one(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.press_accept(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.press_accept(second)
        self.clock.advance(0.75)
        self.assertFalse(self.takes_no_key(second))
        self.press_accept(second)
        yield lambda: self.answers() == [PROPOSED, PROPOSED]

    def test_no_way_to_decide_is_left_open(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.assertFalse(self.takes_no_key(first))
        self.reviews.commands.reject(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.assertTrue(self.takes_no_key(second))
        ways = [partial(self.press, command) for command in ("save", "lsp_save", "close", "close_file")]
        for command in ("accept", "reject", "accept_hunk"):
            ways.append(partial(self.window.run_command, "gemini_companion_" + command))
        ways.append(partial(self.press, "chain", commands=[["save"], ["close"]]))
        ways.append(partial(self.press, "save", self.proposal(second)))
        for way in ways:
            self.said.clear()
            way()
            yield from self.assert_still(second, [None])
            self.assertIn("has only just been shown", self.said[-1], way)
        for view in (self.proposal, self.original):
            view(second).close()  # as a package does, or the tab's button
            yield lambda: self.window.active_view() == self.proposal(second)
            yield self.settled
        self.assertEqual(self.text(self.proposal(second)), PROPOSED)
        self.assertEqual(self.window.num_groups(), 2)
        self.clock.advance(5)
        self.press("save")
        yield lambda: self.answers() == [None, PROPOSED]
        yield lambda: self.window.num_groups() == 1

    def test_a_tab_closed_by_mistake_is_there_again_with_the_users_edits(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.type(self.proposal(second), 0, "# mine\n")
        self.clock.advance(5)
        self.reviews.commands.reject(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        closed = self.proposal(second)
        closed.close()
        yield lambda: self.proposal(second) != closed and self.window.active_view() == self.proposal(second)
        yield self.settled
        self.assertEqual(self.text(self.proposal(second)), "# mine\n" + PROPOSED)
        self.clock.advance(5)
        self.reviews.commands.accept_as_proposed(second)
        yield lambda: self.answers() == [None, PROPOSED]

    def test_a_review_is_not_lost_if_both_tabs_close_while_a_palette_is_open(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.clock.advance(5)
        self.reviews.commands.reject(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        views = [self.original(second), self.proposal(second)]
        self.window.run_command("show_overlay", {"overlay": "command_palette"})
        yield lambda: not self.reviews.open_reviews.arrangement.focus.free
        for view in views:
            view.close()
        yield 50
        self.window.run_command("hide_overlay")
        yield lambda: second in self.reviews.shown and self.proposal(second) not in views
        yield self.settled
        self.assertEqual((self.answers(), self.text(self.proposal(second))), ([None], PROPOSED))

    def test_one_whose_text_the_user_had_deleted_warns_again(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.proposal(second).run_command("select_all")
        self.proposal(second).run_command("left_delete")
        self.clock.advance(5)
        self.reviews.commands.reject(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        closed = self.proposal(second)
        closed.close()
        yield lambda: self.proposal(second) != closed and "ignores an empty text" in self.header(second)
        self.assertEqual(self.text(self.proposal(second)), "")

    def test_closing_all_tabs_at_once_rejects_all_edited_or_not(self) -> Iterator[Any]:
        first, _ = yield from self.two()
        self.type(self.proposal(first), 0, "# mine\n")
        self.clock.advance(5)
        self.window.run_command("close_all")
        yield lambda: self.answers() == [None, None]
        yield lambda: self.window.num_groups() == 1 and not self.window.views()

    def test_nothing_is_typed_into_it(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.type(self.proposal(first), 0, "# mine\n")
        self.reviews.close_diff(first.owner, first.path, suppress_notification=True)
        yield lambda: self.window.active_view() == self.proposal(second)
        view = self.proposal(second)
        view.run_command("insert", {"characters": "x"})
        self.assertEqual(self.text(view), PROPOSED)
        self.clock.advance(1.6)
        yield lambda: not view.is_read_only()
        view.run_command("insert", {"characters": "x"})
        self.assertEqual(len(self.text(view)), len(PROPOSED) + 1)

    def test_closing_a_tab_is_a_decision_like_any_other(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.proposal(first).close()
        yield lambda: self.window.active_view() == self.proposal(second)
        self.assertTrue(self.takes_no_key(second))

    def test_the_second_click_of_a_double_click_decides_nothing(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.reviews.commands.follow(first, "accept")
        yield lambda: self.window.active_view() == self.proposal(second)
        self.clock.advance(0.2)
        for link in ("accept", "reject"):
            self.reviews.commands.follow(second, link)
            yield from self.assert_still(second, [PROPOSED])
            self.assertIn("look, then decide", self.said[-1])
        self.reviews.commands.follow(second, "next")
        self.clock.advance(0.75)
        self.reviews.commands.follow(second, "accept")
        yield lambda: self.answers() == [PROPOSED, PROPOSED]

    def test_a_review_that_the_user_goes_to_takes_keys_at_once(self) -> Iterator[Any]:
        first, second = yield from self.two()
        third = yield from self.open_diff("third.py")
        self.press_accept(first)
        yield lambda: self.window.active_view() == self.proposal(third)
        self.window.focus_view(self.proposal(second))
        self.assertFalse(self.takes_no_key(second))
        self.assertTrue(self.takes_no_key(third))
        self.press_accept(second)
        yield lambda: self.answers() == [PROPOSED, PROPOSED]
        self.assertTrue(third.pending)

    def test_so_does_one_that_is_picked_from_the_list(self) -> Iterator[Any]:
        first, second = yield from self.two()
        self.press_accept(first)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.reviews.open_reviews.show(second, focus=True)
        self.press_accept(second)
        yield lambda: self.answers() == [PROPOSED, PROPOSED]

    def test_a_newer_proposal_is_not_accepted_by_a_key_for_the_older(self) -> Iterator[Any]:
        yield from self.open_file()
        review = yield from self.open_diff()
        self.clock.advance(5)
        yield from self.open_diff("file.py", "newer\n")
        self.press_accept(review)
        yield from self.assert_still(review, [])
        self.clock.advance(0.75)
        self.press_accept(review)
        yield lambda: self.answers() == ["newer\n"]
