"""What is asked for faster than texts are compared, or where none are compared: done in order, or said, never kept."""

from __future__ import annotations

from typing import Any, Iterator

from ...support.review_case import GEMINI, ReviewTestCase
from ...support.selecting import put_caret

LEFT, RIGHT = "a\nb\nc\nd\n", "a\nB\nc\nd\n"


class TestHasty(ReviewTestCase):
    def review(self, left: Any = LEFT, right: str = RIGHT) -> Iterator[Any]:
        self.write("file.txt", left)
        review = yield from self.open_diff("file.txt", right)
        return review

    def test_accept_waits_for_what_was_asked_before(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        self.type(view, view.size(), "e")
        put_caret(view, 2)
        self.window.run_command("gemini_companion_revert_hunk")
        self.reviews.commands.accept(review)
        yield lambda: bool(self.told)
        self.assertEqual(self.told[0][1].content, "a\nb\nc\nd\ne")

    def test_accept_that_waits_never_means_the_next_proposal(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        self.type(view, view.size(), "e")
        self.window.run_command("gemini_companion_revert_hunk")
        self.reviews.commands.accept(review)
        self.reviews.open_diff(GEMINI, self.path("file.txt"), "other\n")
        yield self.settled
        yield lambda: any("the diff of file.txt was not accepted" in each for each in self.said)
        self.assertEqual(self.told, [])
        self.assertEqual(self.text(view), "other\n")

    def test_accept_this_hunk_only_never_means_the_next_proposal(self) -> Iterator[Any]:
        review = yield from self.review()
        self.window.run_command("gemini_companion_accept_hunk")
        self.reviews.open_diff(GEMINI, self.path("file.txt"), "other\n")
        yield self.settled
        yield lambda: any("the diff of file.txt was not accepted" in each for each in self.said)
        self.assertEqual(self.told, [])
        self.assertEqual(self.text(self.proposal(review)), "other\n")

    def test_where_nothing_is_compared_it_is_said_at_once(self) -> Iterator[Any]:
        yield from self.review(b"\x00\x01", RIGHT)
        for command, sentence in (
            ("revert_hunk", "there is no change at the cursor"),
            ("accept_hunk", "there is no change at the cursor"),
        ):
            self.said.clear()
            self.window.run_command("gemini_companion_" + command)
            self.assertEqual(self.said, ["Companion: " + sentence])

    def test_a_text_that_becomes_short_is_not_accepted_for_an_older_request(self) -> Iterator[Any]:
        self.limit(lines=1)
        review = yield from self.review("a\n", "b\n" * 20)
        view = self.proposal(review)
        self.window.run_command("gemini_companion_accept_hunk")
        view.run_command("select_all")
        view.run_command("insert", {"characters": "z\n"})
        yield lambda: self.settled() and "+1 \u22121" in self.header(review)
        yield 50
        self.assertEqual(self.told, [])
        self.assertEqual(self.text(view), "z\n")
