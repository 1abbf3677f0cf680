"""Reviews that a call waits for: known by their names, answered once, and saved over what the client writes."""

from __future__ import annotations

import os
from typing import Any, Iterator
from unittest import mock

from ..companion.review import after_client
from ..companion.review.decision import Outcome, ReviewError, Verdict
from .review_support import GEMINI, PROPOSED, QWEN, TEXT, CallTestCase


class TestNames(CallTestCase):
    def test_two_reviews_of_one_file_are_known_by_their_names(self) -> Iterator[Any]:
        self.write()
        first = yield from self.open_call(self.ticket("one"), proposed="one\n")
        second = yield from self.open_call(self.ticket("two"), proposed="two\n")
        self.assertEqual(self.reviews.pending(), [first, second])
        self.assertFalse(self.reviews.withdraw(QWEN.session_id, "one"))
        self.assertFalse(self.reviews.withdraw(GEMINI.session_id, "three"))
        self.assertTrue(self.reviews.withdraw(GEMINI.session_id, "one"))
        self.assertEqual(self.reviews.pending(), [second])
        self.assertEqual((self.answers, self.told), ([("one", None)], []))
        yield lambda: len(self.window.views()) == 2
        self.assertEqual(self.text(self.proposal(second)), "two\n")

    def test_the_same_name_again_takes_the_place_of_the_former(self) -> Iterator[Any]:
        self.write()
        yield from self.open_call(self.ticket("one"), proposed="one\n")
        again = self.ticket("one")
        second = yield from self.open_call(again, proposed="newer\n")
        self.assertEqual(self.reviews.pending(), [second])
        self.assertEqual((self.answers, self.told), ([("one", None)], []))
        self.assertTrue(again.waiting)

    def test_all_of_a_client_are_withdrawn_and_none_of_another(self) -> Iterator[Any]:
        self.write()
        for name in ("one", "two"):
            yield from self.open_call(self.ticket(name))
        theirs = yield from self.open_call(self.ticket("one"), owner=QWEN)
        notified = yield from self.open_diff("other.py")
        self.assertEqual(self.reviews.withdraw_all(GEMINI.session_id), 2)
        self.assertEqual(self.reviews.pending(), [theirs, notified])
        self.assertEqual(self.reviews.withdraw_all(GEMINI.session_id), 0)
        self.assertEqual(self.told, [])

    def test_a_file_that_a_call_waits_for_is_no_open_diff_of_that_path(self) -> Iterator[Any]:
        self.write()
        ticket = self.ticket()
        review = yield from self.open_call(ticket)
        with self.assertRaisesRegex(ReviewError, "No diff is open"):
            self.reviews.accept_by_client(GEMINI, self.path())
        self.assertIsNone(self.reviews.close_diff(GEMINI, self.path(), suppress_notification=False))
        self.assertTrue(review.pending and ticket.waiting)

    def test_a_call_that_is_over_before_it_is_shown_shows_nothing(self) -> None:
        self.write()
        ticket = self.ticket()
        ticket.settle(None)
        before = self.picture()
        self.reviews.open_diff(GEMINI, self.path(), PROPOSED, None, ticket)
        self.assertEqual((self.reviews.pending(), self.picture()), ([], before))

    def test_a_call_that_is_taken_back_takes_its_review_with_it(self) -> Iterator[Any]:
        self.write()
        ticket, other = self.ticket("one"), self.ticket("two")
        yield from self.open_call(ticket)
        left = yield from self.open_call(other)
        self.reviews.take_back(ticket)
        self.assertEqual((self.reviews.pending(), self.told), ([left], []))
        self.reviews.take_back(ticket)
        self.assertEqual(self.reviews.pending(), [left])


class TestDeciding(CallTestCase):
    def test_the_edited_text_is_the_answer_where_it_can_be(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket())
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "# mine\n" + PROPOSED)
        self.assertEqual(self.read().decode(), TEXT)

    def test_a_client_that_writes_its_own_text_has_the_edits_saved_over_it(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.assertTrue(self.only_outcome()[1].saved_over)
        self.assertEqual(self.read().decode(), TEXT)
        self.write("file.py", PROPOSED)
        yield lambda: self.read().decode() == "# mine\n" + PROPOSED
        yield lambda: self.says("saved your edits of file.py; Gemini CLI does not know of them")
        self.assertEqual(self.reviews.pending(), [])

    def test_without_edits_nothing_is_saved_over_it(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        with mock.patch.object(after_client.SaveAfterClient, "start") as start:
            self.reviews.accept(review)
            yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.assertFalse(self.only_outcome()[1].saved_over)
        start.assert_not_called()

    def test_edits_whose_client_does_not_write_are_shown_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        with mock.patch.object(after_client, "PATIENCE_SECONDS", 0.0):
            self.reviews.accept(review)
            yield lambda: len(self.reviews.pending()) == 1
        again = self.reviews.pending()[0]
        yield lambda: self.header(again) != ""
        self.assertTrue(self.says("was not written"))
        self.assertIn("What you accepted is not saved yet: Accept writes the file itself.", self.header(again))
        self.assertNotIn("has gone", self.header(again))
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.reviews.accept(again)
        yield self.closed
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        self.assertEqual(len(self.told), 1)

    def test_a_client_that_waits_no_more_has_its_file_written(self) -> Iterator[Any]:
        self.write()
        ticket = self.ticket()
        review = yield from self.open_call(ticket)
        ticket.waiting = False
        self.reviews.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertTrue(self.says("wrote file.py"))

    def test_a_client_that_ends_leaves_the_review_to_the_user(self) -> Iterator[Any]:
        self.write()
        ticket = self.ticket()
        review = yield from self.open_call(ticket)
        self.connected.discard(GEMINI.session_id)
        self.reviews.owner_gone(GEMINI.session_id)
        self.assertEqual(self.answers, [("a name", None)])
        self.assertIn("has gone", self.header(review))
        self.reviews.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(self.told, [])

    def test_a_window_that_closes_answers_nothing_for_the_user(self) -> Iterator[Any]:
        self.write()
        yield from self.open_call(self.ticket())
        yield from self.open_diff("other.py")
        self.reviews.shutdown()
        self.assertEqual(self.answers, [("a name", None)])
        self.assertEqual([outcome.path for _, outcome in self.told], [self.path("other.py")])


class TestAnAnswerThatWasNotRead(CallTestCase):
    """The client went just when it was told that its proposal is accepted."""

    def accepted(self) -> Iterator[Any]:
        """`yield from` gives what the client was told."""
        self.write()
        review = yield from self.open_diff()
        self.reviews.accept(review)
        yield self.closed
        self.connected.discard(GEMINI.session_id)
        return self.only_outcome()[1]

    def test_the_file_is_written_if_it_is_still_what_was_reviewed(self) -> Iterator[Any]:
        outcome = yield from self.accepted()
        self.reviews.write_or_reopen(GEMINI, outcome)
        yield lambda: self.says("Gemini CLI went away before it wrote file.py: the companion has written it")
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual((self.reviews.pending(), len(self.told)), ([], 1))

    def test_else_it_is_shown_again_and_accepting_writes_it(self) -> Iterator[Any]:
        outcome = yield from self.accepted()
        self.write("file.py", "theirs\n")
        self.reviews.write_or_reopen(GEMINI, outcome)
        yield lambda: len(self.reviews.pending()) == 1
        review = self.reviews.pending()[0]
        yield lambda: self.header(review) != ""
        yield self.settled
        self.assertTrue(self.says("Gemini CLI went away before it wrote file.py: accept again to write it"))
        self.assertTrue(review.orphaned)
        self.assertEqual((self.read(), self.text(self.proposal(review))), (b"theirs\n", PROPOSED))
        self.reviews.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_so_is_a_text_of_which_only_the_message_is_left(self) -> Iterator[Any]:
        self.write()
        self.reviews.write_or_reopen(GEMINI, Outcome(Verdict.ACCEPTED, self.path(), PROPOSED))
        yield lambda: len(self.reviews.pending()) == 1
        review = self.reviews.pending()[0]
        yield lambda: self.header(review) != ""
        self.assertTrue(review.orphaned)
        self.assertEqual((self.read().decode(), os.listdir(self.folder)), (TEXT, ["file.py"]))


class TestAsProposed(CallTestCase):
    def test_the_edits_are_given_up(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.accept_as_proposed(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.assertEqual(self.read().decode(), TEXT)
        self.reviews.accept_as_proposed(review)
        self.assertEqual(len(self.told), 1)

    def test_of_a_client_that_has_gone_the_file_is_written_so(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.connected.discard(GEMINI.session_id)
        self.reviews.owner_gone(GEMINI.session_id)
        self.reviews.accept_as_proposed(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
