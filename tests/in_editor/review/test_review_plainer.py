"""Reviews that are shown in another way: inline, or plainly because there is nothing to compare."""

from __future__ import annotations

import os
import unittest
from typing import Any, Iterator

from ....companion.editor.edits import Edit, apply_edits
from ...support.review_case import PROPOSED, TEXT, ReviewTestCase


class TestInline(ReviewTestCase):
    def test_one_view_with_what_is_removed_between_its_lines(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        view = yield from self.open_file()
        before = self.picture()
        review = yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 1)
        self.assertIsNone(self.reviews.shown[review].original_view)
        self.assertEqual(self.titles(), [["file.py", "file.py \u2190 Gemini CLI (proposal)"]])
        proposal = self.proposal(review)
        self.assertEqual("".join(self.marked(proposal, "lines")), "import sys\n    return 42\n")
        lines = proposal.lines(proposal.find("def first", 0))
        gap = proposal.text_to_layout(proposal.find("42", 0).a)[1] - proposal.text_to_layout(lines[0].a)[1]
        self.assertGreaterEqual(gap, 2 * proposal.line_height())
        self.reviews.commands.reject(review)
        yield lambda: self.window.active_view() == view
        self.assertEqual(self.picture(), before)

    def test_narrow_windows_get_it_by_themselves(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield lambda: view.viewport_extent()[0] > 0  # it has been drawn
        self.use(review_presentation=1000)
        review = yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 1)
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        self.use(review_presentation=20)
        yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 2)

    def test_a_terminal_stays_in_sight(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        yield from self.open_file()
        terminal = self.terminal()
        before = self.picture()
        review = yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 2)
        self.assertEqual(self.window.active_view_in_group(0), terminal)
        self.reviews.commands.accept(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.picture(), before)

    def test_side_by_side_after_inline(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        yield from self.open_file()
        before = self.picture()
        first = yield from self.open_diff()
        self.use(review_presentation="side_by_side")
        second = yield from self.open_diff("other.py")
        self.assertEqual(self.window.num_groups(), 2)
        self.reviews.commands.reject(first)
        self.reviews.commands.reject(second)
        yield lambda: self.window.num_groups() == 1
        yield 30
        self.assertEqual(self.picture(), before)


class TestNothingToCompare(ReviewTestCase):
    def accepted(self, review: Any) -> Iterator[Any]:
        self.reviews.commands.accept(review)
        yield lambda: not self.reviews.pending()
        self.assertEqual(self.told[-1][1].content, PROPOSED)

    def test_an_undecodable_file(self) -> Iterator[Any]:
        self.write("file.py", b"a\x81\n")
        review = yield from self.open_diff()
        self.assertIn("cannot be decoded", self.header(review))
        self.assertEqual(self.text(self.original(review)), "a\ufffd\n")
        yield from self.accepted(review)

    def test_a_file_of_far_too_many_lines(self) -> Iterator[Any]:
        self.limit(lines=10)
        self.write("file.py", TEXT * 30)
        review = yield from self.open_diff()
        self.assertIn("file.py has more than 100 lines: shown without a comparison", self.header(review))
        self.assertEqual(self.text(self.original(review)), TEXT * 30)
        self.assertEqual(self.marked(self.proposal(review), "lines"), [])
        yield from self.accepted(review)

    def test_a_proposal_grows_too_large_and_shrinks_again_with_single_edits(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            self.limit(lines=11)
            self.write(presentation)
            review = yield from self.open_diff(presentation)
            view = self.proposal(review)
            count, end = view.change_count(), self.text(view).index("42")
            apply_edits(view, [Edit(end, view.size(), "4\n" + "line\n" * 110)])
            yield lambda shown=review: "The proposal is too long" in self.header(shown)
            yield self.settled
            self.assertEqual(self.marked(view, "lines"), [])
            apply_edits(view, [Edit(end, view.size(), PROPOSED[end:])])
            self.assertEqual(view.change_count(), count + 2)
            yield lambda shown=review: "+2 \u22121" in self.header(shown)
            yield self.settled
            self.assertEqual(self.text(view), PROPOSED)
            self.assertEqual("".join(self.marked(view, "lines")), "import sys\n    return 42\n")
            self.assertEqual(self.marked(view, "characters"), ["42"])
            self.assertEqual(len(self.marked(view, "revert")), 2)
            self.reviews.commands.reject(review)

    def test_a_proposal_that_is_far_too_large(self) -> Iterator[Any]:
        self.limit(length=200)
        self.write()
        review = yield from self.open_diff("file.py", PROPOSED * 30)
        self.assertIn("The proposal is too long", self.header(review))
        self.assertEqual(self.marked(self.proposal(review), "lines"), [])
        self.assertNotIn("\u2212", self.header(review), "nothing was counted")
        self.assertEqual(self.reviews.open_reviews.summary(review), "just now")
        self.reviews.commands.accept(review)
        yield lambda: bool(self.told)
        self.assertEqual(self.told[-1][1].content, PROPOSED * 30)

    @unittest.skipIf(os.name == "nt", "needs a file that cannot be read")
    def test_an_unreadable_file(self) -> Iterator[Any]:
        os.mkfifo(self.path())
        review = yield from self.open_diff()
        self.assertIn("not a regular file", self.header(review))
        yield from self.accepted(review)
