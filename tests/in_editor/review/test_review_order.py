"""Several files of one program: one is shown at a time, the oldest first, and each says which of how many it is."""

from __future__ import annotations

from typing import Any, Iterator, List
from unittest import mock

import sublime

from ....companion.editor.key_bindings import KeyBindings
from ....companion.review.document.preparation import prepare
from ...support.review_case import GEMINI, PROPOSED, QWEN, CallTestCase

NAMES = ["a.py", "b.py", "c.py", "d.py"]


class OrderTestCase(CallTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.guard_clock = self.clock_of_guard()

    def propose(self, *names: str) -> None:
        """A program proposes something for each of these files, in one go."""
        for name in names:
            found = prepare(self.reviews.file_request(self.write(name)), PROPOSED)
            self.reviews.open_diff(GEMINI, self.path(name), *found)

    def shown(self) -> List[str]:
        """The files that have tabs."""
        return [review.path.rpartition("/")[2].rpartition("\\")[2] for review in self.reviews.shown]

    def in_front(self, name: str) -> Iterator[Any]:
        """Wait until a file is shown, alone. `yield from` gives its review."""
        yield lambda: self.shown() == [name] and self.settled()
        (review,) = self.reviews.shown
        yield lambda: self.window.active_view() == self.proposal(review)
        self.guard_clock.advance(5)
        return review


class TestOrder(OrderTestCase):
    def test_they_come_one_by_one_and_the_oldest_first(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose(*NAMES)
        for number, name in enumerate(NAMES, 1):
            review = yield from self.in_front(name)
            self.assertEqual(len(self.window.views()), 3, "the user's file, and two of the review")
            yield lambda number=number: f"file {number} of 4" in self.header(review)  # noqa: B023
            self.assertEqual([each.path for each in self.reviews.pending()], list(map(self.path, NAMES[number - 1 :])))
            self.reviews.commands.accept(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual([outcome.path for _, outcome in self.told], list(map(self.path, NAMES)))

    def test_all_are_counted_and_listed(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose(*NAMES)
        yield from self.in_front("a.py")
        with mock.patch.object(sublime.Window, "show_quick_panel", autospec=True) as panel:
            self.window.run_command("gemini_companion_show_pending_diffs")
        (_, items, picked), _ = panel.call_args
        self.assertEqual([item.trigger for item in items], NAMES)
        picked(2)
        yield lambda: self.shown() == ["a.py", "c.py"] and self.settled()
        self.assertEqual(self.window.active_view(), self.presentations()[1].proposal_view)

    def test_header_and_status_bar_say_what_comes_next(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py")
        review = yield from self.in_front("a.py")
        self.assertNotRegex(self.header(review), r"file \d")
        self.propose("b.py", "c.py")
        yield lambda: "file 1 of 3" in self.header(review) and "Next: b.py" in self.header(review)
        status = self.proposal(review).get_status("gemini_companion.review")
        self.assertEqual(status, "+2 \u22121, change 1 of 2, file 1 of 3. Next: b.py")
        self.reviews.close_diff(GEMINI, self.path("b.py"), suppress_notification=True)
        yield lambda: "Next: c.py" in self.header(review)
        self.reviews.commands.reject(review)
        review = yield from self.in_front("c.py")
        self.assertIn("file 3 of 3", self.header(review))
        self.assertNotIn("Next:", self.header(review))

    def test_the_next_one_takes_no_key_that_was_meant_for_the_one_before(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py", "b.py")
        yield from self.in_front("a.py")
        self.window.run_command("gemini_companion_accept")
        yield lambda: self.shown() == ["b.py"]
        self.window.run_command("gemini_companion_accept")
        self.assertTrue(self.says("b.py has only just been shown"))
        self.assertEqual(len(self.reviews.pending()), 1)

    def test_it_stays_behind_where_the_user_was_somewhere_else(self) -> Iterator[Any]:
        view = yield from self.open_file()
        self.propose("a.py", "b.py")
        yield from self.in_front("a.py")
        self.window.focus_view(view)
        yield lambda: self.window.active_view() == view
        self.reviews.close_diff(GEMINI, self.path("a.py"), suppress_notification=True)
        yield lambda: self.shown() == ["b.py"] and self.settled()
        self.assertEqual(self.window.active_view(), view)
        self.assertEqual(self.window.active_view_in_group(0), view)

    def test_a_file_in_one_pane_is_followed_by_one_in_two(self) -> Iterator[Any]:
        yield from self.open_file()
        before = self.picture()
        proposal, prepared = prepare(self.reviews.file_request(self.path("new.py")), "new\n")
        self.reviews.open_diff(GEMINI, self.path("new.py"), proposal, prepared)
        self.propose("b.py")
        self.reviews.open_diff(GEMINI, self.path("newer.py"), "newer\n")  # to be read when it is due
        for name, groups in (("new.py", 1), ("b.py", 2), ("newer.py", 1)):
            review = yield from self.in_front(name)
            yield lambda groups=groups: self.window.num_groups() == groups
            yield lambda: self.reviews.open_reviews.original_of(self.reviews.pending()[:2][-1]) is not None
            self.reviews.commands.accept(review)
        yield lambda: not self.reviews.pending() and self.picture() == before

    def test_another_program_has_a_tab_of_its_own_and_its_turn_comes_after(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py")
        yield from self.in_front("a.py")
        other = yield from self.open_diff("other.py", owner=QWEN)
        self.propose("b.py")
        (review, _) = self.reviews.shown
        self.reviews.commands.accept(review)
        yield lambda: self.shown() == ["other.py", "b.py"]
        self.assertNotRegex(self.header(other), r"file \d")


class TestGoingOn(OrderTestCase):
    def caret(self) -> Any:
        view = self.window.active_view()
        return view.rowcol(view.sel()[0].b)[0]

    def walk(self, command: str, name: str, row: int) -> Iterator[Any]:
        """Press F8, which leads to this row of this file."""
        self.window.run_command(f"gemini_companion_{command}_change")
        yield lambda: self.reviews.open_reviews.in_front().path == self.path(name) and self.settled()
        review = self.reviews.open_reviews.in_front()
        yield lambda: self.window.active_view() == self.proposal(review)
        self.assertEqual(self.caret(), row)

    def test_from_the_last_change_of_a_file_to_the_next_file_and_back(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py", "b.py", "c.py")
        yield from self.in_front("a.py")
        self.assertEqual(self.caret(), 1)
        yield from self.walk("next", "a.py", 5)
        yield from self.walk("next", "b.py", 1)
        yield from self.walk("previous", "a.py", 5)
        yield from self.walk("next", "b.py", 1)
        yield from self.walk("next", "b.py", 5)
        yield from self.walk("next", "c.py", 1)
        self.assertEqual(len(self.reviews.pending()), 3)
        self.window.run_command("gemini_companion_accept")
        yield lambda: self.window.active_view() == self.presentations()[0].proposal_view
        self.assertEqual([outcome.path for _, outcome in self.told], [self.path("c.py")])

    def test_after_the_last_change_the_keys_are_said_and_it_starts_again(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py", "b.py")
        yield from self.in_front("a.py")
        for name, row in (("a.py", 5), ("b.py", 1), ("b.py", 5)):
            yield from self.walk("next", name, row)
        self.assertFalse(self.says("last change"))
        with mock.patch.object(KeyBindings, "known", {"next_change": "F7", "accept": "Ctrl+S"}):
            yield from self.walk("next", "b.py", 5)
        self.assertEqual(self.said[-1], "Companion: last change: F7 starts again, Ctrl+S accepts")
        yield from self.walk("next", "a.py", 1)

    def test_a_single_file_starts_again_too(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py")
        yield from self.in_front("a.py")
        for row in (5, 5, 1, 5):
            yield from self.walk("next", "a.py", row)
        yield from self.walk("previous", "a.py", 1)
        yield from self.walk("previous", "a.py", 5)


class TestThoseThatAreNotShownYet(OrderTestCase):
    def test_a_client_takes_them_back_as_any_other(self) -> Iterator[Any]:
        yield from self.open_file()
        before = self.picture()
        tickets = [self.ticket(name) for name in NAMES]
        for name, ticket in zip(NAMES, tickets):
            self.write(name)
            found = prepare(self.reviews.file_request(self.path(name)), PROPOSED)
            self.reviews.open_diff(GEMINI, self.path(name), *found, ticket)
        yield from self.in_front("a.py")
        self.assertTrue(self.reviews.withdraw(GEMINI.session_id, "b.py"))
        self.assertEqual(self.answers, [("b.py", None)])
        self.assertEqual(self.shown(), ["a.py"])
        opened = mock.patch.object(self.reviews.open_reviews, "_open", wraps=self.reviews.open_reviews._open)
        with opened as opens:
            self.assertEqual(self.reviews.withdraw(GEMINI.session_id), 3)
        self.assertEqual(opens.call_count, 0)
        self.assertEqual(sorted(name for name, _ in self.answers), NAMES)
        yield lambda: self.picture() == before

    def test_the_end_of_the_window_answers_all(self) -> Iterator[Any]:
        self.propose(*NAMES)
        yield from self.in_front("a.py")
        self.reviews.shutdown()
        self.assertEqual([outcome.content for _, outcome in self.told], [None] * 4)
        yield lambda: not self.window.views()

    def test_a_tab_that_is_closed_rejects_its_own_file_and_the_next_one_comes(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py", "b.py")
        review = yield from self.in_front("a.py")
        self.proposal(review).close()
        review = yield from self.in_front("b.py")
        self.assertEqual([outcome.content for _, outcome in self.told], [None])
        self.assertIn("file 2 of 2", self.header(review))

    def test_their_client_goes_and_they_come_all_the_same(self) -> Iterator[Any]:
        yield from self.open_file()
        self.propose("a.py", "b.py")
        review = yield from self.in_front("a.py")
        self.leave()
        self.reviews.commands.accept(review)
        yield lambda: self.read("a.py") == PROPOSED.encode()
        review = yield from self.in_front("b.py")
        self.assertIn("has gone", self.header(review))
