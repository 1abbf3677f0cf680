"""Diffs that open only when the user asks for them: nothing shows, moves or takes the focus before that."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List
from unittest import mock

import sublime

from ....companion.review.decision import Owner, Ticket
from ....companion.review.document.preparation import prepare
from ...support.review_case import GEMINI, PROPOSED, QWEN, TEXT, DiskTestCase


class TestOnRequest(DiskTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.use(review_open="on_request")
        self.view = yield from self.open_file()
        self.before = self.picture()

    def propose(self, name: str = "file.py", owner: Any = GEMINI, ticket: Any = None) -> Iterator[Any]:
        """Let a client ask for a review; wait until it would have been shown."""
        proposal, prepared = prepare(self.reviews.file_request(self.path(name)), PROPOSED)
        self.reviews.open_diff(owner, self.path(name), proposal, prepared, ticket)
        turns: Any = []
        self.endpoint._runtime.on_main(lambda: self.endpoint._runtime.on_main(turns.append, 1))
        yield lambda: bool(turns)
        return self.reviews.pending()[-1]

    def count_opened(self) -> List[int]:
        """From now on: how many views each call of the main thread makes."""
        opened = [0]
        later, new_file = sublime.set_timeout, sublime.Window.new_file

        def set_timeout(callback: Callable[[], Any], milliseconds: int = 0) -> None:
            def call() -> None:
                opened.append(0)
                callback()
                opened.append(0)

            later(call, milliseconds)

        def make(window: sublime.Window, *arguments: Any, **options: Any) -> sublime.View:
            opened[-1] += 1
            return new_file(window, *arguments, **options)

        for thing, name, function in ((sublime, "set_timeout", set_timeout), (sublime.Window, "new_file", make)):
            patcher = mock.patch.object(thing, name, function)
            patcher.start()
            self.addCleanup(patcher.stop)
        return opened

    def test_it_is_counted_and_nothing_else_changes(self) -> Iterator[Any]:
        review = yield from self.propose()
        self.assertEqual(self.picture(), self.before)
        self.assertEqual(self.reviews.pending(), [review])
        self.assertIsNone(self.reviews.open_reviews.in_front())
        self.assertEqual(self.reviews.open_reviews.summary(review), "not shown yet")
        self.assertEqual(self.told, [])

    def test_the_requested_review_opens_with_the_focus_and_the_others_wait(self) -> Iterator[Any]:
        first = yield from self.propose()
        second = yield from self.propose("other.py", QWEN)
        self.reviews.open_reviews.show(second, focus=True)
        yield lambda: self.header(second) != "" and self.settled()
        self.assertEqual(self.window.active_view(), self.proposal(second))
        self.assertEqual(len(self.presentations()), 1)
        self.reviews.commands.reject(second)
        yield lambda: self.picture() == self.before
        self.assertEqual(self.reviews.pending(), [first])
        self.assertEqual([outcome.content for _, outcome in self.told], [None])

    def test_a_terminal_loses_the_focus_to_the_one_that_is_asked_for(self) -> Iterator[Any]:
        self.terminal()
        review = yield from self.propose()
        self.reviews.open_reviews.show(review, focus=True)
        yield lambda: self.window.active_view() == self.proposal(review)

    def test_asked_for_while_another_one_is_edited_it_comes_to_the_front(self) -> Iterator[Any]:
        first = yield from self.propose()
        second = yield from self.propose("other.py", QWEN)
        self.reviews.open_reviews.show(first, focus=True)
        yield lambda: self.header(first) != "" and self.settled()
        self.type(self.proposal(first), 0, "# mine\n")
        self.reviews.open_reviews.show(second, focus=True)
        yield lambda: self.window.active_view() == self.proposal(second)
        self.assertEqual(self.text(self.proposal(first))[:7], "# mine\n")

    def test_answered_in_the_terminal_it_goes_without_a_trace(self) -> Iterator[Any]:
        answers: Any = []
        yield from self.propose(ticket=Ticket("a name", True, answers.append))
        yield from self.propose("other.py")
        self.assertTrue(self.reviews.withdraw(GEMINI.session_id, "a name"))
        self.assertEqual(self.reviews.close_diff(GEMINI, self.path("other.py"), suppress_notification=True), PROPOSED)
        self.assertEqual((self.reviews.pending(), answers, self.told), ([], [None], []))
        self.assertEqual(self.picture(), self.before)

    def test_accepted_in_the_terminal_it_is_written_and_goes_without_a_trace(self) -> Iterator[Any]:
        yield from self.propose()
        answers = self.accept_by_client()
        yield lambda: answers == [""]
        yield lambda: self.text(self.view) == PROPOSED
        self.assertEqual(self.read(), PROPOSED.encode("utf-8"))
        self.assertEqual([outcome.content for _, outcome in self.told], [PROPOSED])
        self.assertEqual((self.reviews.pending(), self.picture()), ([], self.before))

    def test_accepted_in_the_terminal_it_is_not_written_over_another_text(self) -> Iterator[Any]:
        review = yield from self.propose()
        self.write(content=TEXT + "later\n")
        answers = self.accept_by_client()
        yield lambda: len(answers) == 1
        self.assertIn("has changed on disk", answers[0])
        self.assertEqual(self.read(), (TEXT + "later\n").encode("utf-8"))
        self.assertEqual((self.reviews.pending(), self.told, self.picture()), ([review], [], self.before))
        self.reviews.open_reviews.show(review, focus=True)
        yield lambda: self.header(review) != "" and self.settled()
        yield lambda: "later" in self.text(self.original(review))
        answers = self.accept_by_client()
        yield lambda: answers == [""]
        self.assertEqual(self.read(), PROPOSED.encode("utf-8"))

    def test_asked_for_while_it_is_being_written_nobody_edits_it(self) -> Iterator[Any]:
        _, answers, release = yield from self.asked_for_while_it_is_written()
        release.set()
        yield lambda: answers == [""]
        yield lambda: self.picture() == self.before

    def test_and_if_it_cannot_be_written_it_is_like_any_other(self) -> Iterator[Any]:
        review, answers, release = yield from self.asked_for_while_it_is_written()
        self.write(content="later\n")
        release.set()
        yield lambda: len(answers) == 1
        self.assertIn("has changed on disk", answers[0])
        yield lambda: not self.proposal(review).is_read_only()
        self.assertEqual((self.read(), self.reviews.pending()), (b"later\n", [review]))

    def asked_for_while_it_is_written(self) -> Iterator[Any]:
        review = yield from self.propose()
        release, answers = self.hold("write"), self.accept_by_client()
        self.reviews.open_reviews.show(review, focus=True)
        yield lambda: self.header(review) != "" and self.settled()
        self.type(self.proposal(review), 0, "# mine\n")
        self.assertEqual(self.text(self.proposal(review)), PROPOSED)
        return review, answers, release

    def test_nor_over_unsaved_edits_of_the_user(self) -> Iterator[Any]:
        review = yield from self.propose()
        self.type(self.view, 0, "# mine\n")
        answers = self.accept_by_client()
        yield lambda: len(answers) == 1
        self.assertIn("unsaved edits", answers[0])
        self.assertEqual((self.read(), self.text(self.view)), (TEXT.encode("utf-8"), "# mine\n" + TEXT))
        self.assertEqual(self.reviews.pending(), [review])
        self.view.run_command("revert")
        yield lambda: not self.view.is_dirty()

    def test_a_newer_proposal_takes_the_place_of_one_that_was_not_shown(self) -> Iterator[Any]:
        review = yield from self.propose()
        self.reviews.open_diff(GEMINI, self.path(), "newer\n")
        self.assertEqual(self.reviews.pending(), [review])
        self.reviews.open_reviews.show(review, focus=True)
        yield lambda: self.header(review) != "" and self.settled()
        self.assertEqual(self.text(self.proposal(review)), "newer\n")

    def test_a_file_changed_meanwhile_is_compared_as_it_is_when_it_is_shown(self) -> Iterator[Any]:
        review = yield from self.propose()
        self.write(content=TEXT + "later\n")
        self.reviews.open_reviews.show(review, focus=True)
        yield lambda: self.header(review) != "" and self.settled()
        yield lambda: "later" in self.text(self.original(review))

    def test_all_that_wait_open_one_in_a_turn_when_the_setting_is_changed(self) -> Iterator[Any]:
        for name in ("a.py", "b.py", "c.py"):
            yield from self.propose(name, Owner(name, "Qwen Code"))
        self.use(review_presentation="inline", review_open="at_once")
        opened = self.count_opened()
        self.reviews.open_reviews.settings_changed()
        yield lambda: len(self.presentations()) == 3
        self.assertEqual([each for each in opened if each], [1, 1, 1])
        self.assertEqual([each.path for each in self.reviews.pending()], list(map(self.path, ("a.py", "b.py", "c.py"))))

    def test_the_rest_waits_on_when_the_setting_is_changed_back_meanwhile(self) -> Iterator[Any]:
        for name in ("a.py", "b.py", "c.py"):
            yield from self.propose(name)
        for wanted in ("at_once", "on_request"):
            self.use(review_presentation="inline", review_open=wanted)
            self.reviews.open_reviews.settings_changed()
        yield from self.nothing_opens()

    def test_so_does_what_has_come_behind_a_palette_before(self) -> Iterator[Any]:
        self.use(review_open="at_once")
        self.window.run_command("show_overlay", {"overlay": "command_palette"})
        yield lambda: not self.reviews.open_reviews.arrangement.focus.free
        yield from self.propose("a.py")
        self.use(review_open="on_request")
        self.window.run_command("hide_overlay")
        yield from self.nothing_opens()

    def nothing_opens(self) -> Iterator[Any]:
        """What would open has its turn before what is asked for last."""
        done: List[int] = []
        focus = self.reviews.open_reviews.arrangement.focus
        yield lambda: focus.free
        focus.in_turn(lambda: done.append(1))
        yield lambda: bool(done)
        self.assertEqual(self.presentations(), [])

    def test_those_that_have_come_behind_a_palette_open_one_in_a_turn(self) -> Iterator[Any]:
        self.use(review_presentation="inline", review_open="at_once")
        self.window.run_command("show_overlay", {"overlay": "command_palette"})
        yield lambda: not self.reviews.open_reviews.arrangement.focus.free
        for name in ("a.py", "b.py", "c.py"):
            yield from self.propose(name, Owner(name, "Qwen Code"))
        self.assertEqual(self.presentations(), [])
        opened = self.count_opened()
        self.window.run_command("hide_overlay")
        yield lambda: len(self.presentations()) == 3
        self.assertEqual([each for each in opened if each], [1, 1, 1])
        self.assertEqual([each.path for each in self.reviews.pending()], list(map(self.path, ("a.py", "b.py", "c.py"))))

    def test_all_waiting_reviews_open_with_current_files_on_a_setting_change(self) -> Iterator[Any]:
        review = yield from self.propose()
        yield from self.propose("other.py", QWEN)
        self.write(content=TEXT + "later\n")
        self.use(review_open="at_once")
        self.reviews.open_reviews.settings_changed()
        yield lambda: len(self.presentations()) == 2 and self.header(review) != "" and self.settled()
        yield lambda: "later" in self.text(self.original(review))

    def test_the_end_of_the_window_answers_those_that_were_never_shown(self) -> Iterator[Any]:
        yield from self.propose()
        self.reviews.shutdown()
        self.assertEqual([outcome.content for _, outcome in self.told], [None])
        self.assertEqual(self.picture(), self.before)
