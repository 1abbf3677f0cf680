"""What is marked after an undo: what a fresh comparison of the same texts marks, and no line too few.

Regions belong to the undo step of the last edit unless they have the flag NO_UNDO (sublimehq/sublime_text 1121).
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

import sublime

from ....companion.review.decision import Review
from ...support.review_case import ALL_MARKS, QWEN, ReviewTestCase
from ...support.selecting import put_caret

LEFT = "".join(f"line {number}\n" for number in range(30))
RIGHT = LEFT.replace("line 5\n", "line five\n").replace("line 20\n", "line 20  \n").replace("line 25\n", "")


class TestUndo(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.write("file.py", LEFT)

    def run_in(self, view: sublime.View, command: str, **arguments: Any) -> Iterator[Any]:
        """Run a command of the editor, and wait until what it made of the text is compared and drawn."""
        view.run_command(command, arguments)
        yield self.settled

    def marks(self, review: Review) -> Dict[str, List[str]]:
        """What is marked on both sides, but for what was taken back, which a new review knows nothing of."""
        found = {}
        for side in (self.original(review), self.proposal(review)):
            for key in ALL_MARKS[:-1]:
                regions = side.get_regions(key)
                if regions:
                    found[side.name().partition(" ")[2] + key] = [str(region) for region in regions]
        return {key.replace("Qwen Code", "Gemini CLI"): regions for key, regions in found.items()}

    def assert_marked_as_anew(self, review: Review, toggled: bool = False) -> Iterator[Any]:
        text = self.text(self.proposal(review))
        again = yield from self.open_diff("file.py", text, QWEN)
        if toggled:
            self.reviews.commands.run("whitespace", again)
            yield self.settled
        self.assertEqual(self.marks(review), self.marks(again))

    def test_typing_and_showing_whitespace(self) -> Iterator[Any]:
        self.use(review_ignore_whitespace="all")
        review = yield from self.open_diff("file.py", RIGHT)
        view = self.proposal(review)
        put_caret(view, view.text_point(5, 6))  # the mark of that line moves, and is not drawn anew
        yield from self.run_in(view, "insert", characters="x")
        self.reviews.commands.run("whitespace", review)
        yield self.settled
        yield from self.run_in(view, "undo")
        yield from self.assert_marked_as_anew(review, toggled=True)

    def test_pasting_and_editing_another_changed_line(self) -> Iterator[Any]:
        review = yield from self.open_diff("file.py", RIGHT)
        view = self.proposal(review)
        sublime.set_clipboard("pasted one\npasted two\n")
        put_caret(view, view.text_point(10, 0))
        view.run_command("paste")
        put_caret(view, view.text_point(5, 6))
        yield from self.run_in(view, "insert", characters="y")  # before the pasted lines were drawn
        for command in ("undo", "undo", "redo", "redo", "undo"):
            yield from self.run_in(view, command)
            pasted = "pasted one\n" in self.text(view)
            self.assertEqual(any("pasted one\n" in each for each in self.marked(view, "lines")), pasted, command)
        yield from self.assert_marked_as_anew(review)

    def test_a_change_that_was_taken_back(self) -> Iterator[Any]:
        review = yield from self.open_diff("file.py", RIGHT)
        view = self.proposal(review)
        put_caret(view, view.text_point(5, 0))
        self.reviews.commands.revert_hunk(review)
        yield self.settled
        self.assertNotIn("line five\n", self.marked(view, "lines"))
        yield from self.run_in(view, "undo")
        self.assertIn("line five\n", self.marked(view, "lines"))
        yield from self.assert_marked_as_anew(review)
