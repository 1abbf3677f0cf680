"""Walking from change to change, taking one back, and undoing that."""

from __future__ import annotations

import re
from typing import Any, Iterator

import sublime

from ...support.review_case import ReviewTestCase
from ...support.selecting import put_caret, select

LEFT = "".join(f"line {number}\n" for number in range(60))
RIGHT = LEFT.replace("line 5\n", "LINE 5\n").replace("line 30\n", "").replace("line 50\n", "line 50\nnew\nnewer\n")


class TestHunks(ReviewTestCase):
    def review(self, left: str = LEFT, right: str = RIGHT) -> Iterator[Any]:
        self.write("file.txt", left)
        review = yield from self.open_diff("file.txt", right)
        return review

    def test_there_may_be_no_change(self) -> Iterator[Any]:
        review = yield from self.review(LEFT, LEFT)
        self.reviews.commands.next_change(review)
        self.reviews.commands.previous_change(review)
        self.reviews.commands.revert_hunk(review)
        self.assertEqual(self.text(self.proposal(review)), LEFT)

    def says(self, review: Any, words: str) -> bool:
        return re.search(words, self.header(review)) is not None

    def test_each_kind_of_change(self) -> Iterator[Any]:
        review = yield from self.review()
        for number, expected in (
            (0, RIGHT.replace("LINE 5\n", "line 5\n")),
            (1, RIGHT.replace("line 29\n", "line 29\nline 30\n")),
            (2, RIGHT.replace("new\nnewer\n", "")),
        ):
            self.assertIn(f'href="revert:{number}@', self.links(review, "revert")[number])
            self.reviews.commands.follow(review, f"revert:{number}")
            yield lambda expected=expected: self.text(self.proposal(review)) == expected
            yield lambda: self.settled() and self.says(review, r"\d of 2|2 changes")
            self.proposal(review).run_command("undo")
            self.assertEqual(self.text(self.proposal(review)), RIGHT)
            yield lambda: self.settled() and self.says(review, r"\d of 3|3 changes")

    def test_a_click_undoes_it(self) -> Iterator[Any]:
        review = yield from self.review()
        for number in range(3):
            self.reviews.commands.revert_hunk(review, number)
            yield self.settled
            links = self.links(review, "undo")
            self.assertEqual(len(links), 1)
            self.click(review, links[0].split('"')[1])
            yield lambda: self.text(self.proposal(review)) == RIGHT
            yield self.settled
            self.assertEqual(self.links(review, "undo"), [])

    def test_undo_takes_the_link_away(self) -> Iterator[Any]:
        review = yield from self.review()
        for number in range(3):
            self.reviews.commands.revert_hunk(review, number)
            yield self.settled
            self.assertEqual(len(self.links(review, "undo")), 1)
            self.proposal(review).run_command("undo")
            yield self.settled
            self.assertEqual(self.links(review, "undo"), [])

    def test_what_the_user_changed_there_is_not_overwritten(self) -> Iterator[Any]:
        review = yield from self.review()
        self.reviews.commands.revert_hunk(review, 0)
        yield self.settled
        view = self.proposal(review)
        self.type(view, self.text(view).index("line 5\n") + 2, "!")
        yield self.settled
        before = self.text(view)
        self.assertEqual((self.links(review, "undo"), self.text(view)), ([], before))

    def test_a_last_line_without_a_newline(self) -> Iterator[Any]:
        review = yield from self.review("a\nb", "a\nb\nc\n")
        self.reviews.commands.revert_hunk(review, 0)
        yield self.settled
        self.assertEqual(self.text(self.proposal(review)), "a\nb")

    def test_a_link_of_an_older_drawing_only_draws_anew(self) -> Iterator[Any]:
        review = yield from self.review()
        old = self.links(review, "revert")[1].split('"')[1]
        self.reviews.commands.revert_hunk(review, 0)
        yield self.settled
        taken_back, drawn = self.text(self.proposal(review)), self.links(review, "revert")
        self.click(review, old)
        yield lambda: len(self.links(review, "revert")) == len(drawn) and self.links(review, "revert") != drawn
        self.assertEqual(self.text(self.proposal(review)), taken_back)
        self.click(review, self.links(review, "revert")[1].split('"')[1])
        yield lambda: self.text(self.proposal(review)) == taken_back.replace("new\nnewer\n", "")

    def test_links_of_a_proposal_that_was_replaced_mean_nothing(self) -> Iterator[Any]:
        review = yield from self.review()
        beside, above = self.links(review, "revert")[0].split('"')[1], "accept@1"
        self.assertIn(f'href="{above}"', self.header_html(review))
        newer = RIGHT.replace("line 20\n", "LINE 20\n")
        yield from self.open_diff("file.txt", newer)
        self.click(review, beside)
        self.click(review, above)
        yield 50
        self.assertEqual(self.text(self.proposal(review)), newer)
        self.assertEqual(self.told, [])
        self.assertIn('href="accept@2"', self.header_html(review))

    def test_a_click_on_a_change_that_was_just_typed_away_takes_back_no_other(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        beside = self.links(review, "revert")[0].split('"')[1]
        select(view, view.find("LINE", 0))
        view.run_command("insert", {"characters": "line"})
        self.click(review, beside)
        yield self.settled
        yield 50
        self.assertEqual(self.text(view), RIGHT.replace("LINE 5\n", "line 5\n"))

    def test_two_clicks_right_after_typing_are_both_heard(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        links = [link.split('"')[1] for link in self.links(review, "revert")]
        self.type(view, 0, "typed\n")
        self.click(review, links[2])
        self.click(review, links[0])
        yield lambda: self.text(view) == "typed\n" + LEFT.replace("line 30\n", "")

    def test_a_click_that_waits_takes_back_nothing_of_the_next_proposal(self) -> Iterator[Any]:
        review = yield from self.review()
        self.type(self.proposal(review), 0, "typed\n")
        self.reviews.commands.follow(review, "revert:0")
        newer = RIGHT.replace("line 20\n", "LINE 20\n")
        yield from self.open_diff("file.txt", newer)
        yield 50
        self.assertEqual(self.text(self.proposal(review)), newer)

    def test_a_click_on_accept_never_means_the_next_proposal(self) -> Iterator[Any]:
        review = yield from self.review()
        self.click(review, "accept@1")
        yield from self.open_diff("file.txt", LEFT.replace("line 20\n", "LINE 20\n"))
        yield 50
        self.assertEqual(self.told, [])
        self.assertTrue(review.pending)

    def test_what_was_taken_back_cannot_be_brought_into_the_next_proposal(self) -> Iterator[Any]:
        review = yield from self.review()
        self.click(review, self.links(review, "revert")[2].split('"')[1])
        yield lambda: self.settled() and len(self.links(review, "undo")) == 1
        yield from self.open_diff("file.txt", LEFT.replace("line 20\n", "LINE 20\n"))
        self.assertEqual(self.links(review, "undo"), [])

    def test_a_link_stays_while_the_user_types_inside_its_change(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        links = self.links(review, "revert")
        for character in "abc":
            self.type(view, view.find("LI", 0).a + 2, character)
            yield self.settled
        self.assertEqual(self.links(review, "revert"), links)
        self.click(review, links[0].split('"')[1])
        yield lambda: self.text(view) == RIGHT.replace("LINE 5\n", "line 5\n")

    def test_all_selected_ones_at_once(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        select(view, sublime.Region(view.find("LINE 5", 0).a, view.find("line 40", 0).a))
        self.window.run_command("gemini_companion_revert_hunk")
        expected = LEFT.replace("line 50\n", "line 50\nnew\nnewer\n")
        self.assertEqual(self.text(view), expected)
        yield self.settled
        self.assertEqual(len(self.links(review, "undo")), 2)
        view.run_command("undo")
        self.assertEqual(self.text(view), RIGHT, "it is one step")

    def test_a_caret_or_selection_beside_the_changes_only_brings_a_message(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        behind = view.find("line 40", 0)
        for places in ([sublime.Region(0)], [sublime.Region(behind.a)], [behind], [sublime.Region(view.size())]):
            self.said.clear()
            select(view, *places)
            self.window.run_command("gemini_companion_revert_hunk")
            self.assertEqual(self.said, ["Companion: there is no change at the cursor"])
            self.assertEqual(self.text(view), RIGHT)

    def test_what_one_command_took_back_one_undo_brings_back(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        self.window.run_command("gemini_companion_revert_hunk")
        yield self.settled
        view.run_command("select_all")
        self.window.run_command("gemini_companion_revert_hunk")
        yield self.settled
        self.assertEqual(self.text(view), LEFT)
        view.run_command("undo")
        self.assertEqual(self.text(view), RIGHT.replace("LINE 5\n", "line 5\n"))
        yield self.settled
        self.assertEqual(len(self.links(review, "undo")), 1)
        view.run_command("undo")
        self.assertEqual(self.text(view), RIGHT)
        yield self.settled
        self.assertEqual(self.links(review, "undo"), [])

    def test_hunks_reverted_at_once_come_back_one_by_one_after_clicks(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        view.run_command("select_all")
        self.window.run_command("gemini_companion_revert_hunk")
        yield self.settled
        self.click(review, self.links(review, "undo")[1].split('"')[1])
        yield self.settled
        self.assertEqual(self.text(view), LEFT.replace("line 30\n", ""))
        while self.links(review, "undo"):
            self.click(review, self.links(review, "undo")[0].split('"')[1])
            yield self.settled
        self.assertEqual(self.text(view), RIGHT)

    def test_all_but_one_and_accept(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        caret = view.find("newer", 0).a
        put_caret(view, caret)
        self.window.run_command("gemini_companion_accept_hunk")
        yield lambda: bool(self.told)
        self.assertEqual(self.told[0][1].content, LEFT.replace("line 50\n", "line 50\nnew\nnewer\n"))
        self.assertFalse(review.pending)

    def test_accepting_the_selected_ones_right_after_typing(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        self.type(view, view.find("newer", 0).a, "typed ")
        typed = sublime.Region(view.find("typed", 0).a, view.find("line 51", 0).a)
        select(view, sublime.Region(0, view.find("line 20", 0).a), typed)
        self.window.run_command("gemini_companion_accept_hunk")
        yield lambda: bool(self.told)
        expected = RIGHT.replace("line 29\n", "line 29\nline 30\n").replace("newer", "typed newer")
        self.assertEqual(self.told[0][1].content, expected)

    def test_accepting_only_a_place_without_a_change_does_nothing(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        select(view, sublime.Region(view.find("line 40", 0).a, view.find("line 42", 0).a))
        self.window.run_command("gemini_companion_accept_hunk")
        yield 50
        self.assertEqual(self.text(view), RIGHT)
        put_caret(view, view.find("line 40", 0).a)
        self.window.run_command("gemini_companion_accept_hunk")
        yield 50
        self.assertEqual(self.text(view), RIGHT)
        self.assertEqual(self.told, [])

    def click(self, review: Any, href: str) -> None:
        """Click a link that is, or was, drawn."""
        self.reviews.shown[review]._link(href)
