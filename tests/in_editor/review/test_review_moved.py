"""Blocks that were moved: what marks them, on both sides and inline, and that they are changes like all others."""

from __future__ import annotations

import re
from typing import Any, Iterator, List

from ...support.review_case import ReviewTestCase
from ...support.selecting import put_caret

LEFT = "".join(f"line {number}\n" for number in range(60))
BLOCK = "line 10\nline 11\nline 12\nline 13\n"
RIGHT = LEFT.replace(BLOCK, "").replace("line 40\n", f"line 40\n{BLOCK}").replace("line 50\n", "LINE 50\n")
# The block in the midst of other changes.
AMONG = LEFT.replace(BLOCK, "").replace("line 40\n", f"line 40\nnew\n{BLOCK}newer\n")


class MovedTestCase(ReviewTestCase):
    def review(self, right: str = RIGHT, left: str = LEFT) -> Iterator[Any]:
        self.write("file.txt", left)
        review = yield from self.open_diff("file.txt", right)
        return review

    def captions(self, view: Any) -> List[Any]:
        return view.get_regions("gemini_companion.moved_captions")


class TestSideBySide(MovedTestCase):
    def test_the_block_is_outlined_on_both_sides(self) -> Iterator[Any]:
        review = yield from self.review()
        original, proposal = self.original(review), self.proposal(review)
        for view in (original, proposal):
            self.assertEqual(self.marked(view, "moved"), [BLOCK])
            self.assertEqual("".join(self.marked(view, "gutter.moved")), BLOCK)
        self.assertEqual("".join(self.marked(original, "lines")), "line 50\n")
        self.assertEqual("".join(self.marked(proposal, "lines")), "LINE 50\n")
        self.assertEqual(self.marked(original, "gutter.removed"), [])
        self.assertEqual(self.marked(proposal, "gutter.added"), [])

    def test_it_says_where_the_other_one_is(self) -> Iterator[Any]:
        review = yield from self.review()
        original, proposal = self.original(review), self.proposal(review)
        self.assertEqual([original.rowcol(region.a)[0] for region in self.captions(original)], [10])
        self.assertEqual(self.caption_texts(original), ["moved to line 38"])
        self.assertEqual(proposal.substr(proposal.line(proposal.text_point(38 - 1, 0))), "line 10")
        self.assertIn("moved from line 11", self.links(review, "revert")[1])
        self.assertEqual(self.captions(proposal), [], "one annotation a line")

    def test_among_other_changes_it_has_a_caption_of_its_own(self) -> Iterator[Any]:
        review = yield from self.review(AMONG)
        proposal = self.proposal(review)
        self.assertEqual("".join(self.marked(proposal, "lines")), "new\nnewer\n")
        self.assertEqual(self.marked(proposal, "moved"), [BLOCK])
        self.assertEqual(self.caption_texts(proposal), ["moved from line 11"])
        self.assertNotIn("moved", self.links(review, "revert")[1])

    def test_both_ends_can_be_taken_back(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        put_caret(view, view.find("line 11", 0).a)
        self.window.run_command("gemini_companion_revert_hunk")
        self.assertEqual(self.text(view), RIGHT.replace(BLOCK, ""))
        yield self.settled
        for side in (view, self.original(review)):
            self.assertEqual(self.marked(side, "moved"), [])
            self.assertEqual(self.captions(side), [])
        view.run_command("undo")
        yield self.settled
        self.assertEqual(self.marked(view, "moved"), [BLOCK])
        view.run_command("select_all")
        self.window.run_command("gemini_companion_revert_hunk")
        self.assertEqual(self.text(view), LEFT)

    def test_typing_in_it_makes_it_a_change_like_others(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        self.type(view, view.find("line 12", 0).a, "x")
        yield lambda: self.settled() and not self.marked(view, "moved")
        self.assertIn("line 10\nline 11\nxline 12\n", "".join(self.marked(view, "lines")))

    def test_the_marks_follow_when_lines_are_typed_above(self) -> Iterator[Any]:
        review = yield from self.review()
        view, original = self.proposal(review), self.original(review)
        self.type(view, 0, "typed\n")
        yield lambda: self.settled() and self.caption_texts(original) == ["moved to line 39"]
        self.assertEqual(self.marked(view, "moved"), [BLOCK])

    def caption_texts(self, view: Any) -> Any:
        """The captions beside moved blocks; the editor tells where annotations are, not what they say."""
        (shown,) = self.presentations()
        drawing = shown._drawing
        regions = drawing.regions if view == shown.proposal_view else drawing.original_regions
        return regions.annotations("gemini_companion.moved_captions")


class TestInline(MovedTestCase):
    def test_the_removed_lines_say_where_they_went(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.review()
        shown = self.reviews.shown[review]._drawing.blocks
        (block,) = re.findall('<div class="moved">(.*)</div>', shown[0][1])
        self.assertEqual(block.count('<div class="line"'), 4)
        self.assertEqual(block.count("moved to line 38"), 1)
        self.assertNotIn("moved to", shown[1][1])
        self.assertEqual(self.marked(self.proposal(review), "moved"), [BLOCK])
        self.assertIn("moved from line 11", self.links(review, "revert")[1])
