"""Accepting, rejecting and closing: what clients are told, how often, and what is written by whom."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from typing import Any, Iterator

import sublime

from ..companion.review.review import ReviewError
from .review_support import GEMINI, PLUGIN, PROPOSED, QWEN, TEXT, ReviewTestCase

ODD_TEXTS = {
    "line feeds": "a\nb\n",
    "carriage returns and line feeds": "a\r\nb\r\n",
    "mixed endings": "a\r\nb\nc\rd",
    "no final newline": "a\nb",
    "byte order mark": "\ufeffa\n",
    "NUL": "a\x00b\n",
    "lone surrogates": "a\ud800b\udfffc\n",
    "astral characters": "\U0001f600\n",
    "form feeds and other separators": "a\x0cb\x0bc\u2028d\x85e\n",
    "tabs and trailing blanks": "\tx  \n \t\n",
    "empty": "",
    "only blank lines": "\n\n\n",
}


class DecidingTestCase(ReviewTestCase):
    def closed(self) -> bool:
        return not self.desk.pending() and not any(
            view.settings().has("gemini_companion.role") for view in self.window.views()
        )

    def only_outcome(self) -> Any:
        self.assertEqual(len(self.told), 1, self.told)
        return self.told[0]


class TestAccepting(DecidingTestCase):
    def test_the_client_gets_the_text_and_writes_the_file_itself(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.desk.accept(review)
        yield self.closed
        session, outcome = self.only_outcome()
        self.assertEqual(session, GEMINI.session_id)
        self.assertEqual((outcome.kind, outcome.path, outcome.content), ("accepted", self.path(), PROPOSED))
        self.assertEqual(self.read().decode(), TEXT)

    def test_edits_are_part_of_the_text(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "# mine\n" + PROPOSED)

    def test_an_unchanged_text_is_identical_to_the_proposal(self) -> Iterator[Any]:
        self.write("file.txt", "a\n")
        for name, text in ODD_TEXTS.items():
            with self.subTest(name):
                del self.told[:]
                review = yield from self.open_diff("file.txt", text)
                self.desk.accept(review)
                yield self.closed
                self.assertEqual(self.only_outcome()[1].content, text)

    def test_an_unchanged_text_is_identical_after_an_edit_and_its_undo(self) -> Iterator[Any]:
        self.write("file.txt", "a\n")
        for name, text in ODD_TEXTS.items():
            with self.subTest(name):
                del self.told[:]
                review = yield from self.open_diff("file.txt", text)
                view = self.proposal(review)
                self.type(view, 0, "x")
                view.run_command("undo")
                self.desk.accept(review)
                yield self.closed
                self.assertEqual(self.only_outcome()[1].content, text)

    def test_one_line_of_five_megabytes(self) -> Iterator[Any]:
        text = "x" * 5000000
        self.write("file.txt", "a\n")
        review = yield from self.open_diff("file.txt", text)
        yield lambda: self.proposal(review).size() == len(text)
        self.assertIn("large", self.header(review))
        self.desk.accept(review)
        yield self.closed
        self.assertTrue(self.only_outcome()[1].content == text)

    def test_a_text_accepted_before_it_was_shown(self) -> Iterator[Any]:
        text = "line\n" * 100000
        self.write("file.txt", "a\n")
        self.desk.open_diff(GEMINI, self.path("file.txt"), text)
        self.desk.accept(self.desk.pending()[0])
        yield self.closed
        self.assertTrue(self.only_outcome()[1].content == text)

    def test_edited_lines_keep_the_line_endings_of_the_proposal(self) -> Iterator[Any]:
        self.write("file.txt", b"a\r\nb\r\n")
        review = yield from self.open_diff("file.txt", "a\r\nc\r\n")
        self.type(self.proposal(review), 0, "new\n")
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "new\r\na\r\nc\r\n")

    def test_undo_does_not_take_the_proposal_away(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        for _ in range(3):
            self.proposal(review).run_command("undo")
        self.assertEqual(self.text(self.proposal(review)), PROPOSED)

    def test_an_emptied_proposal_is_warned_of(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        view = self.proposal(review)
        view.run_command("select_all")
        view.run_command("right_delete")
        yield lambda: "ignores an empty text" in self.header(review)


class TestWaysToDecide(DecidingTestCase):
    def test_commands(self) -> Iterator[Any]:
        self.write()
        for command, kind in (("accept", "accepted"), ("reject", "rejected")):
            del self.told[:]
            review = yield from self.open_diff()
            self.assertTrue(self.desk.in_front() is review)
            self.window.run_command("gemini_companion_{}_diff".format(command))
            yield self.closed
            self.assertEqual(self.only_outcome()[1].kind, kind)

    def test_links_in_the_header(self) -> Iterator[Any]:
        self.write()
        for link, kind in (("accept", "accepted"), ("reject", "rejected")):
            del self.told[:]
            review = yield from self.open_diff()
            self.assertIn('href="{}"'.format(link), self.header_html(review))
            self.desk._follow_link(review, link)
            yield self.closed
            self.assertEqual(self.only_outcome()[1].kind, kind)

    def test_saving_the_proposal_accepts(self) -> Iterator[Any]:
        self.write()
        for save in (
            lambda view: view.run_command("save"),
            lambda view: view.window().run_command("save"),
            lambda view: view.run_command("save", {"async": True}),
        ):
            del self.told[:]
            review = yield from self.open_diff()
            save(self.proposal(review))
            yield self.closed
            self.assertEqual(self.only_outcome()[1].kind, "accepted")
            self.assertEqual(self.read().decode(), TEXT)

    def test_saving_the_original_does_nothing(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.original(review).run_command("save")
        yield 50
        self.assertTrue(review.pending)
        self.assertEqual(self.told, [])

    def test_the_users_own_files_are_saved_as_ever(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.type(view, 0, "# mine\n")
        view.run_command("save")
        yield lambda: self.read().decode().startswith("# mine\n")
        self.assertTrue(review.pending)

    def test_closing_either_tab_rejects(self) -> Iterator[Any]:
        self.write()
        for which in (self.proposal, self.original):
            del self.told[:]
            review = yield from self.open_diff()
            which(review).close()
            yield self.closed
            session, outcome = self.only_outcome()
            self.assertEqual((session, outcome.kind, outcome.path), (GEMINI.session_id, "rejected", self.path()))
            self.assertEqual(self.window.num_groups(), 1)

    def test_the_context_of_the_key_bindings(self) -> Iterator[Any]:
        user_view = yield from self.open_file()
        review = yield from self.open_diff()
        answer = sys.modules[PLUGIN].application.query_context
        key = "gemini_companion.in_review"
        for view, inside in ((self.proposal(review), True), (self.original(review), True), (user_view, False)):
            self.assertIs(answer(view, key, sublime.OP_EQUAL, True), inside)
            self.assertIs(answer(view, key, sublime.OP_NOT_EQUAL, True), not inside)
            self.assertIs(answer(view, key, sublime.OP_EQUAL, False), not inside)
        self.assertIsNone(answer(self.proposal(review), "other.key", sublime.OP_EQUAL, True))

    def test_no_command_is_enabled_without_a_review(self) -> Iterator[Any]:
        self.assertIsNone(self.desk.in_front())
        self.write()
        review = yield from self.open_diff()
        self.assertTrue(self.desk.in_front() is review)

    def test_the_visible_review_is_meant_when_a_terminal_has_the_focus(self) -> Iterator[Any]:
        yield from self.open_file()
        self.terminal()
        first = yield from self.open_diff()
        second = yield from self.open_diff("other.py")
        self.assertTrue(self.desk.in_front() is second)
        self.window.focus_view(self.proposal(first))
        self.assertTrue(self.desk.in_front() is first)


class TestForgetting(DecidingTestCase):
    def test_nothing_of_a_review_is_kept_after_its_end(self) -> Iterator[Any]:
        self.write()
        for end in (self.desk.accept, lambda review: self.proposal(review).close()):
            review = yield from self.open_diff()
            remains = [weakref.ref(thing) for thing in (review, self.desk._presentations[review])]
            end(review)
            yield self.closed
            del review
            yield lambda remains=remains: gc.collect() is not None and not any(thing() for thing in remains)


class TestClientAnswers(DecidingTestCase):
    def test_close_diff_returns_the_text_with_its_edits(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        text = self.desk.close_diff(GEMINI, self.path(), suppress_notification=True)
        self.assertEqual(text, "# mine\n" + PROPOSED)
        yield self.closed
        self.assertEqual(self.told, [])
        self.assertEqual(self.window.num_groups(), 1)

    def test_close_diff_tells_of_a_rejection_unless_it_must_not(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.desk.close_diff(GEMINI, self.path(), suppress_notification=False)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].kind, "rejected")

    def test_close_diff_without_a_diff(self) -> None:
        self.assertIsNone(self.desk.close_diff(GEMINI, self.path(), suppress_notification=False))
        self.assertEqual(self.told, [])

    def test_another_spelling_of_the_path_is_the_same_file(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        spelling = os.path.join(self.folder, "sub", os.pardir, "file.py")
        self.assertEqual(self.desk.close_diff(GEMINI, spelling, suppress_notification=True), PROPOSED)
        yield self.closed

    def test_whoever_comes_second_changes_nothing(self) -> Iterator[Any]:
        self.write()
        endings = {
            "accept": self.desk.accept,
            "reject": self.desk.reject,
            "close": lambda review: self.desk.close_diff(GEMINI, self.path(), suppress_notification=False),
            "tab": lambda review: self.proposal(review).close() if review in self.desk._presentations else None,
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
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "newer\n")

    def test_each_client_hears_only_of_its_own(self) -> Iterator[Any]:
        self.write()
        first = yield from self.open_diff("file.py", "gemini\n", GEMINI)
        second = yield from self.open_diff("file.py", "qwen\n", QWEN)
        self.assertTrue(first is not second)
        self.assertEqual(self.text(self.proposal(first)), "gemini\n")
        self.assertEqual(self.text(self.proposal(second)), "qwen\n")
        self.desk.accept(second)
        yield lambda: self.desk.pending() == [first]
        self.assertEqual([(to, outcome.content) for to, outcome in self.told], [(QWEN.session_id, "qwen\n")])
        self.desk.reject(first)
        yield self.closed
        self.assertEqual([to for to, _ in self.told], [QWEN.session_id, GEMINI.session_id])

    def test_accept_by_the_client_writes_the_file(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.desk.accept_by_client(GEMINI, self.path())
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(self.only_outcome()[1].kind, "accepted")

    def test_reject_by_the_client(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.desk.reject_by_client(GEMINI, self.path())
        yield self.closed
        self.assertEqual(self.read().decode(), TEXT)
        self.assertEqual(self.only_outcome()[1].kind, "rejected")

    def test_wrong_requests_get_a_sentence_and_change_nothing(self) -> None:
        before = self.picture()
        with self.assertRaisesRegex(ReviewError, "absolute"):
            self.desk.open_diff(GEMINI, "relative.py", "x")
        for request in (self.desk.accept_by_client, self.desk.reject_by_client):
            with self.assertRaisesRegex(ReviewError, "No diff is open"):
                request(GEMINI, self.path())
        self.assertEqual(self.picture(), before)


class TestClientGone(DecidingTestCase):
    def leave(self, owner: Any = GEMINI) -> None:
        self.connected.discard(owner.session_id)
        self.desk.owner_gone(owner.session_id)

    def test_the_review_stays_and_says_so(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        self.assertTrue(review.pending)
        self.assertIn("Gemini CLI has gone", self.header(review))

    def test_accept_writes_the_file_in_its_own_way(self) -> Iterator[Any]:
        self.write("file.txt", b"\xef\xbb\xbfa\r\nb\r\n")
        review = yield from self.open_diff("file.txt", "a\nc\n")
        self.leave()
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.read("file.txt"), b"\xef\xbb\xbfa\r\nc\r\n")
        self.assertEqual(self.told, [])

    def test_accept_makes_a_new_file(self) -> Iterator[Any]:
        review = yield from self.open_diff("new.py", "a\r\nb")
        self.leave()
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.read("new.py"), b"a\r\nb")

    def test_accept_goes_through_the_users_tab(self) -> Iterator[Any]:
        view = yield from self.open_file("file.txt", b"a\r\nb  \r\nc")
        view.settings().set("trim_trailing_white_space_on_save", "all")
        view.settings().set("ensure_newline_at_eof_on_save", True)
        view.sel().clear()
        view.sel().add(1)
        review = yield from self.open_diff("file.txt", "a\nb  \nd")
        self.leave()
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.text(view), "a\nb  \nd")
        self.assertFalse(view.is_dirty())
        self.assertEqual(self.read("file.txt"), b"a\r\nb  \r\nd")
        self.assertEqual(view.sel()[0].b, 1)
        self.assertEqual(view.settings().get("trim_trailing_white_space_on_save"), "all")
        self.assertTrue(view.settings().get("ensure_newline_at_eof_on_save"))
        view.run_command("undo")
        self.assertEqual(self.text(view), "a\nb  \nc")

    def test_unsaved_edits_are_never_lost(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.leave()
        self.type(view, 0, "# unsaved\n")
        self.desk.accept(review)
        yield lambda: "unsaved edits in a tab: save or revert them" in self.header(review)
        self.assertTrue(review.pending)
        self.assertEqual(self.text(view), "# unsaved\n" + TEXT)
        self.assertEqual(self.read().decode(), TEXT)
        view.run_command("undo")
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.text(view), PROPOSED)

    def test_a_file_that_changed_meanwhile_is_looked_at_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        self.write("file.py", "theirs\n")
        self.desk.accept(review)
        self.assertTrue(review.pending)
        self.assertEqual(self.read(), b"theirs\n")
        yield lambda: self.text(self.original(review)) == "theirs\n"
        yield self.settled
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_a_tab_that_has_not_seen_the_change_yet_is_not_written_through(self) -> Iterator[Any]:
        yield from self.open_file()
        review = yield from self.open_diff()
        self.leave()
        self.write("file.py", "theirs\n")
        self.desk.accept(review)
        self.assertTrue(review.pending)
        self.assertEqual(self.read(), b"theirs\n")

    def test_a_text_that_the_encoding_cannot_hold_stays_open(self) -> Iterator[Any]:
        self.write("file.txt", b"\xe4\n")
        review = yield from self.open_diff("file.txt", "\u0436\n")
        self.leave()
        self.desk.accept(review)
        self.assertTrue(review.pending)
        self.assertIn("Windows 1252", self.header(review))
        self.assertEqual(self.read("file.txt"), b"\xe4\n")

    def test_rejecting_tells_nobody(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        self.desk.reject(review)
        yield self.closed
        self.assertEqual(self.told, [])

    def test_only_the_reviews_of_that_client_are_orphaned(self) -> Iterator[Any]:
        self.write()
        first = yield from self.open_diff("file.py", "gemini\n", GEMINI)
        second = yield from self.open_diff("file.py", "qwen\n", QWEN)
        self.leave(QWEN)
        self.assertFalse(first.orphaned)
        self.assertTrue(second.orphaned)

    def test_a_client_that_is_lost_without_a_word(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.connected.clear()
        self.desk.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual([outcome.kind for _, outcome in self.told], ["accepted"])  # for whoever looks on
