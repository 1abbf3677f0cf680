"""Sending a review: the text, what comes of it, and comments as the reason of a Reject."""

from __future__ import annotations

import os
from typing import Any, Iterator
from unittest import mock

import sublime

from ....companion.comments.model import CommentState
from ....companion.review.decision import Ticket
from ...support.comments_case import CommentsTestCase
from ...support.review_case import GEMINI
from ...support.unreviewed_case import CHANGED, LINES

REASON = "1 comment.\n\nfile.py:3\n```\nLINE 2\n```\nkeep it small"


class TestSend(CommentsTestCase):
    def test_the_drafts_go_as_one_text_and_wait_until_they_have_arrived(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.proposal(review), "LINE 2", "keep it small")
        self.write_comment(self.original(review), "line 9", "?? why was it changed")
        self.command("send_review")
        text, count, _ = self.sent.pop()
        self.assertEqual(count, 2)
        self.assertEqual(
            text,
            "I reviewed your changes: 1 comment, 1 question; answer the questions, and change nothing for them.\n\n"
            "file.py:3\n```\nLINE 2\n```\nkeep it small\n\n"
            "file.py:10 (as it was before your change)\n```\nline 9\n```\nQuestion: why was it changed\n",
        )
        self.assertEqual(self.places(), ["file.py:3-3 waiting", "file.py:10-10 waiting"])
        yield lambda: ("LINE 2", "Comment (waiting to be sent)|keep it small") in self.below(self.proposal(review))

    def test_what_was_sent_is_not_sent_again(self) -> Iterator[Any]:
        review = yield from self.change()
        view = self.proposal(review)
        self.write_comment(view, "LINE 2", "one")
        self.command("send_review")
        self.answer(CommentState.WAITING, "waits for the agent's next step")
        self.assertTrue(self.says("waits for the agent's next step"))
        self.answer(CommentState.SENT)
        self.assertEqual(self.places(), ["file.py:3-3 sent"])
        yield lambda: any(row.startswith("Comment (sent ") and row.endswith("|one") for _, row in self.below(view))
        self.comments._turn_begins()  # that of the review itself
        self.later(60)
        self.assertNotEqual(self.below(view), [])
        self.comments._turn_begins()
        yield self.shows(view)
        self.write_comment(view, "LINE 9", "two")
        self.command("send_review")
        self.assertNotIn("one", self.sent[-1][0])
        self.assertEqual(self.places(), ["file.py:3-3 sent", "file.py:10-10 waiting"])

    def test_what_is_typed_for_one_that_was_sent_meanwhile_is_another(self) -> Iterator[Any]:
        review = yield from self.change()
        view = self.proposal(review)
        self.write_comment(view, "LINE 2", "one")
        with mock.patch.object(sublime.Window, "show_input_panel") as panel:
            self.command("comment")
        self.command("send_review")
        panel.call_args[0][2]("two")
        self.assertEqual([each.text for each in self.book.of(self.folder)], ["one", "two"])
        self.assertEqual(self.places(), ["file.py:3-3 waiting", "file.py:3-3 draft"])

    def test_what_comes_back_is_a_draft_again(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.proposal(review), "LINE 2", "one")
        self.command("send_review")
        self.answer(CommentState.DRAFT, "the session has ended")
        self.assertEqual(self.places(), ["file.py:3-3 draft"])
        self.answer(CommentState.WAITING)
        self.answer(CommentState.SENT)
        self.answer(CommentState.DRAFT)
        self.assertEqual(self.places(), ["file.py:3-3 sent"])

    def test_what_waits_is_a_draft_again_when_the_window_closes(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.proposal(review), "LINE 2", "x" * 10000)
        self.command("send_review")
        yield lambda: bool(self.sent)
        self.assertEqual(self.places(), ["file.py:3-3 waiting"])
        self.comments.stop()
        self.assertEqual(self.places(), ["file.py:3-3 draft"])
        yield lambda: self.rest_files() == []

    def test_while_all_waits_the_command_takes_it_back(self) -> Iterator[Any]:
        review = yield from self.change()
        self.assertFalse(self.can("GeminiCompanionSendReviewCommand"))
        self.write_comment(self.proposal(review), "LINE 2", "one")
        self.command("send_review")
        self.assertTrue(self.can("GeminiCompanionSendReviewCommand"))
        self.comments._take_back = mock.Mock(side_effect=lambda: [self.answer(CommentState.DRAFT)])
        self.command("send_review")
        self.assertEqual((len(self.sent), self.places()), (1, ["file.py:3-3 draft"]))

    def test_with_nothing_to_send_it_says_so(self) -> Iterator[Any]:
        self.comments.send()
        yield lambda: self.says("there is nothing to send")

    def test_the_rest_of_a_long_review_is_a_file_until_it_comes_back(self) -> Iterator[Any]:
        review = yield from self.change()
        long = "ü" * 100000
        self.write_comment(self.proposal(review), "LINE 2", long)
        self.command("send_review")
        yield lambda: bool(self.sent)
        (name,) = self.rest_files()
        self.assertIn(f"is in the file {name}: read", self.sent[0][0])
        self.assertIn(long, self.read(name).decode())
        self.assertEqual(os.stat(self.path(name)).st_mode & 0o077, 0)
        yield from self.listed("file.py")  # it is no change of an agent
        self.answer(CommentState.DRAFT)
        yield lambda: self.rest_files() == []
        yield self.stored

    def test_the_file_goes_with_the_second_turn_after_it_was_sent(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.proposal(review), "LINE 2", "x" * 10000)
        self.command("send_review")
        yield lambda: bool(self.sent)
        self.comments._turn_begins()
        self.answer(CommentState.SENT)
        self.comments._turn_begins()
        self.assertEqual(len(self.rest_files()), 1)
        self.comments._turn_begins()
        yield lambda: self.rest_files() == []

    def test_what_was_undone_is_told_until_the_next_turn_begins(self) -> Iterator[Any]:
        review = yield from self.change()
        self.caret(review, 2)
        self.command("revert_hunk")
        yield lambda: self.places() == ["file.py:3-3 draft"]
        self.assertEqual(self.below(self.proposal(review)), [])
        self.command("send_review")
        self.assertIn("1 change undone", self.sent[-1][0])
        self.assertIn("I undid your change at file.py:3; do not put it back.\n```\nLINE 2\n```\n", self.sent[-1][0])
        self.answer(CommentState.DRAFT)
        self.endpoint.comments.turn_begins()
        yield lambda: self.places() == []

    def test_what_the_user_has_edited_after_the_agent_is_told_once(self) -> Iterator[Any]:
        yield from self.change()
        view = self.window.open_file(self.path())
        yield lambda: not view.is_loading()
        for text in ("# mine\n", "# mine, too\n"):
            self.type(view, 0, text)
            view.run_command("save")
            yield lambda: not view.is_dirty()
            yield lambda: self.places() == ["file.py:0-0 draft"]
        self.command("send_review")
        self.assertIn("1 file edited by me", self.sent[-1][0])
        self.assertIn("I edited file.py after you; keep my edits.", self.sent[-1][0])

    def test_no_line_of_a_file_that_is_kept_from_agents_leaves(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.proposal(review), "LINE 9", "one")
        self.window.set_project_data(
            {**self.window.project_data(), "settings": {"gemini_companion": {"context_exclude": ["file.py"]}}}
        )
        self.endpoint.settings_changed()
        self.caret(review, 2)
        self.command("revert_hunk")
        yield lambda: len(self.places()) == 2
        self.command("send_review")
        self.assertIn("file.py:10\none\n", self.sent[-1][0])
        self.assertIn("I undid your change at file.py:3; do not put it back.\n", self.sent[-1][0])
        self.assertNotIn("LINE", self.sent[-1][0])

    def test_in_a_window_of_several_folders_the_paths_are_whole(self) -> Iterator[Any]:
        review = yield from self.change()
        self.write_comment(self.proposal(review), "LINE 2", "x" * 10000)
        folders = (self.folder, os.path.dirname(self.folder))
        self.comments._folders = lambda: folders
        self.command("send_review")
        yield lambda: bool(self.sent)
        (name,) = self.rest_files()
        self.assertIn(f"is in the file {self.path(name)}: read", self.sent[0][0])
        self.assertIn(f"{self.path()}:3\n", self.read(name).decode())
        self.answer(CommentState.DRAFT)
        yield lambda: self.rest_files() == []

    def test_what_was_restored_is_told_no_more(self) -> Iterator[Any]:
        review = yield from self.change()
        self.changes.reject(review)
        yield lambda: self.places() == ["file.py:0-0 draft"]
        self.command("restore_undone_changes")
        yield lambda: self.places() == []


class TestReasons(CommentsTestCase):
    def held(self, takes_reason: bool = True) -> Iterator[Any]:
        """A held write with a comment on it. `yield from` gives its review and the reasons that its agent hears."""
        self.write(content=LINES)
        reasons = []
        ticket = Ticket("held", False, reasons.append)
        ticket.refuse = reasons.append if takes_reason else None
        self.reviews.open_diff(GEMINI, self.path(), CHANGED, None, ticket)
        review = self.open_review("file.py")
        yield lambda: self.header(review) != ""
        yield self.settled
        yield lambda: not self.reviews.open_reviews.input_guard.ignores(review)
        self.write_comment(self.proposal(review), "LINE 2", "keep it small")
        return review, reasons

    def test_reject_sends_the_comments_as_the_reason(self) -> Iterator[Any]:
        _, reasons = yield from self.held()
        self.command("reject")
        self.assertEqual(reasons[0], REASON)
        self.assertEqual(self.places(), ["file.py:3-3 sent"])
        yield self.nothing_open
        self.assertEqual(self.read().decode(), LINES)

    def test_what_is_said_to_why_stands_before_them(self) -> Iterator[Any]:
        _, reasons = yield from self.held()
        with mock.patch.object(sublime.Window, "show_input_panel") as panel:
            self.command("reject_with_reason")
        panel.call_args[0][2]("Not now.")
        self.assertEqual(reasons[0], "Not now.\n\n" + REASON)

    def test_without_a_comment_it_is_rejected_as_ever(self) -> Iterator[Any]:
        review, reasons = yield from self.held()
        self.write_comment(self.proposal(review), "LINE 2", "")
        self.command("reject")
        self.assertEqual([outcome.content for outcome in reasons], [None])

    def test_of_an_agent_that_cannot_be_told_they_stay_drafts(self) -> Iterator[Any]:
        _, reasons = yield from self.held(takes_reason=False)
        self.command("reject")
        self.assertEqual(([outcome.content for outcome in reasons], self.places()), ([None], ["file.py:3-3 draft"]))
