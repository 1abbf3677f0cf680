"""Reviews that a call waits for: known by their names, answered once, and saved over what the client writes."""

from __future__ import annotations

import os
from typing import Any, Iterator

from ....companion.review import accepted_texts
from ....companion.review.decision import ReviewError
from ...support.review_case import GEMINI, PROPOSED, QWEN, TEXT, CallTestCase


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
        self.assertEqual(self.reviews.withdraw(GEMINI.session_id), 2)
        self.assertEqual(self.reviews.pending(), [theirs, notified])
        self.assertEqual(self.reviews.withdraw(GEMINI.session_id), 0)
        self.assertEqual(self.told, [])
        self.reviews.end_all(QWEN.__eq__)
        self.assertEqual(self.answers[2:], [("one", None)])
        self.assertEqual((self.reviews.pending(), self.told), ([notified], []))

    def test_a_file_that_a_call_waits_for_is_no_open_diff_of_that_path(self) -> Iterator[Any]:
        self.write()
        ticket = self.ticket()
        review = yield from self.open_call(ticket)
        with self.assertRaisesRegex(ReviewError, "No diff is open"):
            self.accept_by_client()
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
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "# mine\n" + PROPOSED)
        self.assertEqual(self.read().decode(), TEXT)

    def test_a_client_that_writes_its_own_text_has_the_edits_saved_over_it(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.assertEqual(self.read().decode(), TEXT)
        self.write("file.py", PROPOSED)
        yield lambda: self.read().decode() == "# mine\n" + PROPOSED
        yield lambda: self.says("saved your edits of file.py; Gemini CLI does not know of them")
        self.assertEqual(self.reviews.pending(), [])

    def test_what_may_be_written_is_known_to_who_looks_for_changes(self) -> Iterator[Any]:
        self.write()
        expected = []
        self.reviews.accepted_texts._expect = lambda path, text, agreed: expected.append(text().decode())
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.commands.accept(review)
        self.assertEqual(expected, [PROPOSED, "# mine\n" + PROPOSED])
        review = yield from self.open_diff("other.py")
        self.leave()
        self.reviews.commands.accept(review)
        self.assertEqual(expected[2:], [PROPOSED])
        yield self.closed

    def test_without_edits_nothing_is_saved_over_it(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.write("file.py", PROPOSED)
        yield lambda: not self.reviews.accepted_texts.awaiting
        yield lambda: not os.path.exists(self.kept)
        self.assertFalse(self.says("saved"))

    def test_edits_whose_client_does_not_write_are_shown_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.commands.accept(review)
        self.later(accepted_texts.PATIENCE_SECONDS)
        yield lambda: len(self.reviews.pending()) == 1
        again = self.reviews.pending()[0]
        yield lambda: self.header(again) != ""
        self.assertTrue(self.says("was not written"))
        self.assertIn("What you accepted is not saved yet: Accept writes the file itself.", self.header(again))
        self.assertNotIn("has gone", self.header(again))
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.reviews.commands.accept(again)
        yield self.closed
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        self.assertEqual(len(self.told), 1)

    def test_a_client_that_waits_no_more_has_its_file_written(self) -> Iterator[Any]:
        self.write()
        ticket = self.ticket()
        review = yield from self.open_call(ticket)
        ticket.waiting = False
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertTrue(self.says("wrote file.py"))

    def test_a_client_that_ends_leaves_the_review_to_the_user(self) -> Iterator[Any]:
        self.write()
        ticket = self.ticket()
        review = yield from self.open_call(ticket)
        self.leave()
        self.assertEqual(self.answers, [("a name", None)])
        self.assertIn("has gone", self.header(review))
        self.reviews.commands.accept(review)
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
    """The client goes before it has written what it was told."""

    def accept(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)

    def go(self) -> None:
        """The client goes, and has had its time to write."""
        self.leave()
        self.later(accepted_texts.GONE_SECONDS)

    def asked_again(self) -> Iterator[Any]:
        """`yield from` gives the review that asks the user."""
        review = yield from self.shown_again()
        self.assertTrue(self.says("Gemini CLI went away before it wrote file.py: accept again to write it"))
        self.assertTrue(review.orphaned)
        return review

    def test_the_file_is_written_if_it_is_still_what_was_reviewed(self) -> Iterator[Any]:
        yield from self.accept()
        self.go()
        yield lambda: self.says("Gemini CLI went away before it wrote file.py: the companion has written it")
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual((self.reviews.pending(), len(self.told)), ([], 1))

    def test_else_the_text_is_shown_again_and_accepting_writes_it(self) -> Iterator[Any]:
        yield from self.accept()
        self.write("file.py", "theirs\n")
        self.go()
        review = yield from self.asked_again()
        self.assertEqual((self.read(), self.text(self.proposal(review))), (b"theirs\n", PROPOSED))
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_much_later_the_user_is_asked_first(self) -> Iterator[Any]:
        """The client may have been told in its terminal not to write."""
        yield from self.accept()
        self.later(accepted_texts.WRITTEN_UNASKED_SECONDS)
        self.go()
        yield from self.asked_again()
        self.assertEqual(self.read().decode(), TEXT)

    def test_a_file_that_held_the_text_once_is_left_to_the_user(self) -> Iterator[Any]:
        yield from self.accept()
        self.write("file.py", PROPOSED)
        yield lambda: not self.reviews.accepted_texts.awaiting
        self.write("file.py", "edited\n")
        self.go()
        yield 300
        self.assertEqual((self.read(), self.reviews.pending()), (b"edited\n", []))

    def test_a_tab_that_is_read_again_has_the_file_looked_at_at_once(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.reviews.commands.accept(review)
        yield self.closed
        self.freeze()  # a look that waits for its time does not come
        self.write("file.py", PROPOSED)
        yield lambda: self.text(view) == PROPOSED
        yield lambda: not self.reviews.accepted_texts.awaiting

    def test_a_text_that_was_found_says_that_the_ones_before_it_were_written(self) -> Iterator[Any]:
        yield from self.accept()
        review = yield from self.open_diff(proposed="second\n")
        self.reviews.commands.accept(review)
        yield self.closed
        self.write("file.py", "second\n")
        yield lambda: not self.reviews.accepted_texts.awaiting
        self.go()
        yield 300
        self.assertEqual((self.read(), self.reviews.pending()), (b"second\n", []))


class TestAsProposed(CallTestCase):
    def test_the_edits_are_given_up(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.commands.accept_as_proposed(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.assertEqual(self.read().decode(), TEXT)
        self.reviews.commands.accept_as_proposed(review)
        self.assertEqual(len(self.told), 1)

    def test_of_a_client_that_has_gone_the_file_is_written_so(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.leave()
        self.reviews.commands.accept_as_proposed(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
