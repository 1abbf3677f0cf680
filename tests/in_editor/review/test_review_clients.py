"""What clients answer themselves, what each of them hears, and what is done for one that has gone."""

from __future__ import annotations

import os
from typing import Any, Iterator

from ....companion.review.decision import ReviewError, Writer
from ...support.review_case import GEMINI, PROPOSED, QWEN, TEXT, DecidingTestCase
from ...support.selecting import put_caret


class TestClientAnswers(DecidingTestCase):
    def test_close_diff_returns_the_text_with_its_edits(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        text = self.reviews.close_diff(GEMINI, self.path(), suppress_notification=True)
        self.assertEqual(text, "# mine\n" + PROPOSED)
        yield self.closed
        self.assertEqual(self.told, [])
        yield lambda: self.window.num_groups() == 1

    def test_close_diff_tells_of_a_rejection_unless_it_must_not(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.reviews.close_diff(GEMINI, self.path(), suppress_notification=False)
        yield self.closed
        self.assertIsNone(self.only_outcome()[1].content)

    def test_close_diff_without_a_diff(self) -> None:
        self.assertIsNone(self.reviews.close_diff(GEMINI, self.path(), suppress_notification=False))
        self.assertEqual(self.told, [])

    def test_all_diffs_of_a_program_that_is_switched_off_end_and_it_hears_so(self) -> Iterator[Any]:
        self.write()
        accepted = yield from self.open_diff("accepted.py")
        self.reviews.open_reviews.set_writer(accepted, Writer.ACCEPTED_BEFORE)
        for name in ("file.py", "other.py"):
            yield from self.open_diff(name)
        theirs = yield from self.open_diff("file.py", "qwen\n", QWEN)
        self.reviews.end_all(GEMINI.__eq__)
        self.assertEqual(self.reviews.pending(), [accepted, theirs])
        told = [(outcome.path, outcome.content) for _, outcome in self.told]
        self.assertEqual(told, [(self.path("file.py"), None), (self.path("other.py"), None)])
        yield lambda: len(self.reviews.shown) == 2

    def test_another_spelling_of_the_path_is_the_same_file(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        spelling = os.path.join(self.folder, "sub", os.pardir, "file.py")
        self.assertEqual(self.reviews.close_diff(GEMINI, spelling, suppress_notification=True), PROPOSED)
        yield self.closed

    def test_whoever_comes_second_changes_nothing(self) -> Iterator[Any]:
        self.write()
        endings = {
            "accept": self.reviews.commands.accept,
            "reject": self.reviews.commands.reject,
            "close": lambda review: self.reviews.close_diff(GEMINI, self.path(), suppress_notification=False),
            "tab": lambda review: self.proposal(review).close() if review in self.reviews.shown else None,
        }
        for first in endings.values():
            for second in endings.values():
                del self.told[:]
                review = yield from self.open_diff()
                first(review)
                second(review)
                yield self.closed
                self.only_outcome()

    def test_a_newer_proposal_replaces_the_older_one_in_place(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        self.type(view, 0, "# mine\n")
        again = yield from self.open_diff("file.py", "newer\n")
        self.assertTrue(again is review)
        self.assertEqual(self.proposal(review), view)
        yield lambda: self.text(view) == "newer\n"
        yield self.settled
        self.assertEqual(self.told, [])
        self.assertIn("+1", self.header(review))
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "newer\n")

    def test_each_client_hears_only_of_its_own(self) -> Iterator[Any]:
        self.write()
        first = yield from self.open_diff("file.py", "gemini\n", GEMINI)
        second = yield from self.open_diff("file.py", "qwen\n", QWEN)
        self.assertTrue(first is not second)
        self.assertEqual(self.text(self.proposal(first)), "gemini\n")
        self.assertEqual(self.text(self.proposal(second)), "qwen\n")
        self.reviews.commands.accept(second)
        yield lambda: self.reviews.pending() == [first]
        self.assertEqual([(to, outcome.content) for to, outcome in self.told], [(QWEN.session_id, "qwen\n")])
        self.reviews.commands.reject(first)
        yield self.closed
        self.assertEqual([to for to, _ in self.told], [QWEN.session_id, GEMINI.session_id])

    def test_a_client_decides_itself(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.reviews.reject_by_client(GEMINI, self.path())
        yield self.closed
        self.assertEqual((self.only_outcome()[1].content, self.read().decode()), (None, TEXT))
        del self.told[:]
        yield from self.open_diff()
        self.accept_by_client()
        yield self.closed
        self.assertEqual((self.only_outcome()[1].content, self.read().decode()), (PROPOSED, PROPOSED))

    def test_wrong_requests_get_a_sentence_and_change_nothing(self) -> None:
        before = self.picture()
        with self.assertRaisesRegex(ReviewError, "No diff is open"):
            self.accept_by_client()
        with self.assertRaisesRegex(ReviewError, "No diff is open"):
            self.reviews.reject_by_client(GEMINI, self.path())
        self.assertEqual(self.picture(), before)


class TestClientGone(DecidingTestCase):
    def test_its_review_stays_and_says_so_and_rejecting_it_tells_nobody(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        other = yield from self.open_diff(owner=QWEN)
        self.leave()
        self.assertEqual((review.pending, other.orphaned), (True, False))
        self.assertIn("Gemini CLI has gone", self.header(review))
        self.reviews.commands.reject(review)
        yield lambda: self.reviews.pending() == [other]
        self.assertEqual(self.told, [])

    def test_accept_writes_the_file_in_its_own_way(self) -> Iterator[Any]:
        self.write("file.txt", b"\xef\xbb\xbfa\r\nb\r\n")
        review = yield from self.open_diff("file.txt", "a\nc\n")
        self.leave()
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read("file.txt"), b"\xef\xbb\xbfa\r\nc\r\n")
        self.assertEqual(self.told, [])

    def elsewhere(self) -> str:
        """A file of another machine: its folder does not exist on this one."""
        return os.path.join(os.path.dirname(self.folder), "of-another-machine", "app", "file.py")

    def assert_not_written(self) -> None:
        folder = os.path.dirname(self.elsewhere())
        self.assertTrue(self.says(f"file.py is not written here: its folder {folder} does not exist on this machine."))
        self.assertFalse(os.path.exists(os.path.dirname(folder)))

    def test_a_file_of_another_machine_is_not_written_here(self) -> Iterator[Any]:
        """Its client has come through a forwarded port, and has written there what was accepted."""
        for seconds in (3.0, 61.0):  # after the second one we would ask
            del self.said[:]
            review = yield from self.open_diff(self.elsewhere())
            self.reviews.commands.accept(review)
            yield self.closed
            self.later(seconds - 3.0)
            self.leave()
            self.later(3.0)
            yield lambda: self.says("not written here")  # that it was accepted is said before
            self.assert_not_written()
            self.assertEqual(self.reviews.pending(), [])
            yield lambda: not os.path.exists(self.kept) or os.listdir(self.kept) == []
            self.connected.add(GEMINI.session_id)

    def test_nor_where_the_user_accepts_later_and_the_diff_stays(self) -> Iterator[Any]:
        review = yield from self.open_diff(self.elsewhere())
        self.leave()
        self.reviews.commands.accept(review)
        yield lambda: "does not exist on this machine" in self.header(review)
        self.assert_not_written()
        self.assertTrue(review.pending)

    def test_new_folders_of_the_workspace_are_made(self) -> Iterator[Any]:
        review = yield from self.open_diff(os.path.join("new", "folders", "file.py"))
        self.leave()
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read(os.path.join("new", "folders", "file.py")).decode(), PROPOSED)

    def test_accept_shows_in_the_users_tab_and_can_be_undone_there(self) -> Iterator[Any]:
        view = yield from self.open_file("file.txt", b"a\r\nb  \r\nc")
        view.settings().set("trim_trailing_white_space_on_save", "all")
        view.settings().set("ensure_newline_at_eof_on_save", True)
        put_caret(view, 1)
        review = yield from self.open_diff("file.txt", "a\nb  \nd")
        self.leave()
        self.reviews.commands.accept(review)
        yield self.closed
        yield lambda: self.text(view) == "a\nb  \nd"
        self.assertFalse(view.is_dirty())
        self.assertEqual(self.read("file.txt"), b"a\r\nb  \r\nd")
        self.assertEqual(view.sel()[0].b, 1)
        self.assertEqual(view.settings().get("trim_trailing_white_space_on_save"), "all")
        self.assertTrue(view.settings().get("ensure_newline_at_eof_on_save"))
        view.run_command("undo")
        self.assertEqual(self.text(view), "a\nb  \nc")

    def test_a_tab_that_is_read_only_is_not_written_through(self) -> Iterator[Any]:
        view = yield from self.open_file("file.txt", "old\n")
        view.set_read_only(True)
        review = yield from self.open_diff("file.txt", "new\n")
        self.leave()
        self.reviews.commands.accept(review)
        yield lambda: "file.txt is read-only." in self.header(review)
        self.assertEqual(self.read("file.txt"), b"old\n")
        self.assertEqual(self.text(view), "old\n")
        self.assertTrue(review.pending)

    def test_unsaved_edits_are_never_lost(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.leave()
        self.type(view, 0, "# unsaved\n")
        self.reviews.commands.accept(review)
        yield lambda: "unsaved edits in a tab: save or revert them" in self.header(review)
        self.assertTrue(review.pending)
        self.assertEqual(self.text(view), "# unsaved\n" + TEXT)
        self.assertEqual(self.read().decode(), TEXT)
        view.run_command("undo")
        self.reviews.commands.accept(review)
        yield self.closed
        yield lambda: self.text(view) == PROPOSED

    def test_a_file_that_changed_meanwhile_is_looked_at_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        self.write("file.py", "theirs\n")
        self.reviews.commands.accept(review)
        yield lambda: review.pending
        self.assertEqual(self.read(), b"theirs\n")
        yield lambda: self.text(self.original(review)) == "theirs\n"
        yield self.settled
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_a_text_that_the_encoding_cannot_hold_stays_open(self) -> Iterator[Any]:
        self.write("file.txt", b"\xe4\n")
        review = yield from self.open_diff("file.txt", "\u0436\n")
        self.leave()
        self.reviews.commands.accept(review)
        yield lambda: review.pending
        self.assertIn("Windows 1252", self.header(review))
        self.assertEqual(self.read("file.txt"), b"\xe4\n")

    def test_a_client_that_is_lost_without_a_word(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.connected.clear()
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual([outcome.content for _, outcome in self.told], [PROPOSED])  # for whoever looks on
