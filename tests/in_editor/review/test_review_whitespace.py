"""Changes of whitespace that are not marked: what is shown, said, taken back and accepted all the same."""

from __future__ import annotations

from typing import Any, Iterator
from unittest import mock

import sublime

from ....companion.editor import edits
from ....companion.review.display import panes
from ...support.review_case import ReviewTestCase
from ...support.selecting import put_caret
from .test_review_level import LevelTestCase

LEFT = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(20))
# One change of a word, one line that is new, a body that is indented, and blanks at the ends of lines.
RIGHT = (
    LEFT.replace("return 2\n", "return 22\n")
    .replace("    return 5\n", "    if x:\n        return 5\n")
    .replace("return 9\n", "return 9  \n")
    .replace("return 10\n", "return 10\t\n")
)
BODY = "        return 5\n"


class WhitespaceTestCase(ReviewTestCase):
    def review(self, ignored: str, left: str = LEFT, right: str = RIGHT) -> Iterator[Any]:
        self.use(review_ignore_whitespace=ignored)
        self.write("file.py", left)
        review = yield from self.open_diff("file.py", right)
        return review

    def lines(self, review: Any) -> str:
        return "".join(self.marked(self.proposal(review), "lines"))


class TestWhatIsMarked(WhitespaceTestCase):
    def test_nothing_is_hidden_by_default(self) -> Iterator[Any]:
        self.write("file.py", LEFT)
        review = yield from self.open_diff("file.py", RIGHT)
        self.assertIn("return 9  \n", self.lines(review))
        self.assertNotIn("whitespace", self.header(review))

    def test_at_the_ends_of_lines(self) -> Iterator[Any]:
        review = yield from self.review("trailing")
        self.assertEqual(self.lines(review), "    return 22\n    if x:\n        return 5\n")
        self.assertIn("2 whitespace changes are hidden. Show them", self.header(review))
        self.assertIn("+3 \u22122", self.header(review))
        self.assertEqual(self.reviews.open_reviews.summary(review), "+3 \u22122, just now")

    def test_everywhere(self) -> Iterator[Any]:
        review = yield from self.review("all")
        self.assertEqual(self.lines(review), "    return 22\n    if x:\n")
        self.assertEqual("".join(self.marked(self.original(review), "lines")), "    return 2\n")
        self.assertIn("3 whitespace changes are hidden. Show them", self.header(review))
        self.assertIn("+2 \u22121", self.header(review))
        self.assertIn("1 of 2", self.header(review))

    def test_nothing_but_whitespace(self) -> Iterator[Any]:
        review = yield from self.review("all", LEFT, LEFT.replace("    ", "\t"))
        self.assertEqual(self.lines(review), "")
        self.assertIn("only whitespace changes", self.header(review))
        self.assertIn("20 whitespace changes are hidden", self.header(review))
        self.assertNotIn("no changes", self.header(review))
        self.assertIn("only whitespace changes, just now", self.reviews.open_reviews.summary(review))
        self.assertIn("only whitespace", self.proposal(review).get_status("gemini_companion.review"))

    def test_the_way_from_change_to_change_passes_them_by(self) -> Iterator[Any]:
        review = yield from self.review("all")
        view = self.proposal(review)
        for way, expected in (("next", "    if x:"), ("previous", "    return 22"), ("next", "    if x:")):
            self.window.run_command(f"gemini_companion_{way}_change")
            self.assertEqual(view.substr(view.line(view.sel()[0].b)), expected)

    def test_what_is_typed_is_compared_the_same_way(self) -> Iterator[Any]:
        review = yield from self.review("all")
        view = self.proposal(review)
        self.type(view, view.find("return 15", 0).a, "  ")
        yield lambda: self.settled() and "4 whitespace changes" in self.header(review)
        self.type(view, view.find("return 16", 0).b, "6")
        yield lambda: self.settled() and "    return 166\n" in self.lines(review)


class TestShowingThem(WhitespaceTestCase):
    def test_a_click_shows_them_in_this_review_and_another_hides_them(self) -> Iterator[Any]:
        review = yield from self.review("trailing")
        other = yield from self.open_diff("other.py", "x \n")
        self.click_on(review, "Show them")
        yield lambda: self.settled() and "return 9  \n" in self.lines(review)
        self.assertIn("Whitespace changes are shown in this diff. Hide them", self.header(review))
        self.assertNotIn("are hidden", self.header(review))
        self.assertNotIn("shown in this diff", self.header(other))
        self.click_on(review, "Hide them")
        yield lambda: self.settled() and "2 whitespace changes are hidden" in self.header(review)
        self.assertNotIn("return 9  \n", self.lines(review))

    def test_the_command_hides_all_where_none_are_hidden(self) -> Iterator[Any]:
        review = yield from self.review("none")
        self.window.run_command("gemini_companion_toggle_whitespace_changes")
        yield lambda: self.settled() and "3 whitespace changes are hidden" in self.header(review)
        self.window.run_command("gemini_companion_toggle_whitespace_changes")
        yield lambda: self.settled() and "return 9  \n" in self.lines(review)
        self.assertNotIn("whitespace", self.header(review))

    def test_a_newer_proposal_keeps_what_was_chosen(self) -> Iterator[Any]:
        review = yield from self.review("all")
        self.click_on(review, "Show them")
        yield lambda: self.settled() and BODY in self.lines(review)
        yield from self.open_diff("file.py", RIGHT.replace("return 15\n", "return  15\n"))
        yield lambda: self.settled() and "return  15\n" in self.lines(review)

    def test_what_is_chosen_while_a_long_text_comes_does_not_cut_it_short(self) -> Iterator[Any]:
        self.write("file.py", LEFT)
        with mock.patch.object(edits, "PORTION", 100), mock.patch.object(panes, "PORTION", 1), self.single_steps():
            for proposed, limit, said in (
                (RIGHT, 2000000, "are shown in this diff"),
                (RIGHT + "# more\n", 2000000, "are hidden"),
                (RIGHT + "# still more\n", 100, "Coarse comparison"),  # what is as long is read in portions, too
            ):
                self.use(review_ignore_whitespace="all")
                self.limit(limit)
                review = yield from self.open_diff("file.py", proposed, drawn=False)
                self.reviews.commands.run("whitespace", review)
                self.assertNotEqual(self.text(self.proposal(review)), proposed)
                yield lambda said=said: self.settled() and said in self.header(review)  # noqa: B023
                self.assertEqual(self.text(self.proposal(review)), proposed)

    def test_the_setting_takes_effect_at_once(self) -> Iterator[Any]:
        review = yield from self.review("none")
        settings = sublime.load_settings("Gemini Companion.sublime-settings")
        self.addCleanup(settings.erase, "review_ignore_whitespace")
        for ignored, words in (("all", "3 whitespace"), ("trailing", "2 whitespace"), ("none", "1 of 4")):
            self.use(review_ignore_whitespace=ignored)
            settings.set("review_ignore_whitespace", ignored)
            yield lambda words=words: self.settled() and words in self.header(review)
        self.assertNotIn("whitespace", self.header(review))


class TestDeciding(WhitespaceTestCase):
    def test_revert_hunk_leaves_what_is_hidden_beside_it(self) -> Iterator[Any]:
        review = yield from self.review("all")
        view = self.proposal(review)
        put_caret(view, view.find("if x", 0).a)
        self.window.run_command("gemini_companion_revert_hunk")
        expected = RIGHT.replace("    if x:\n", "")
        self.assertEqual(self.text(view), expected)
        yield self.settled
        view.run_command("undo")
        self.assertEqual(self.text(view), RIGHT)

    def test_accept_this_hunk_only_takes_nothing_that_was_not_shown(self) -> Iterator[Any]:
        review = yield from self.review("all")
        view = self.proposal(review)
        put_caret(view, view.find("return 22", 0).a)
        self.window.run_command("gemini_companion_accept_hunk")
        yield lambda: bool(self.told)
        self.assertEqual(self.told[0][1].content, LEFT.replace("return 2\n", "return 22\n"))

    def test_hidden_changes_beside_marked_ones_are_taken_back_too(self) -> Iterator[Any]:
        for left, right in (
            ("a\nb\n c\nd\n", "a\nc\nd\n"),
            (" a\nb\nc\n", "a\nc \n"),
            ("a\n b\n", "a \nnew\nb\n"),
            (" a\nold\n b", "a\nnew\nnewer\nb \n"),
            ("x\n a\n", "a\n"),
            ("a\nb", "a\nb\n"),
        ):
            review = yield from self.review("all", left, right)
            self.assertIn("hidden", self.header(review))
            hunks = self.reviews.shown[review].hunks
            hunks.revert(hunks.all(), hidden=True)
            self.assertEqual(self.text(self.proposal(review)), left)
            self.reviews.commands.reject(review)
            yield lambda: not self.window.views()

    def test_a_last_line_without_an_end_never_joins_the_next(self) -> Iterator[Any]:
        for ignored in ("trailing", "all"):
            for left, right in (("a\nb", "a"), ("a\nb\n", "a"), ("a", "a\nb")):
                review = yield from self.review(ignored, left, right)
                self.window.run_command("gemini_companion_revert_hunk")
                self.assertEqual(self.text(self.proposal(review)), left)
                self.reviews.commands.reject(review)
                yield lambda: not self.window.views()
        self.told.clear()
        review = yield from self.review("all", "a", "a\nb")
        self.window.run_command("gemini_companion_accept_hunk")
        yield lambda: bool(self.told)
        self.assertEqual(self.told[0][1].content, "a\nb")


class TestLevel(LevelTestCase):
    def test_with_hidden_changes(self) -> Iterator[Any]:
        self.use(review_ignore_whitespace="all")
        left = "".join(f"    line {number}\n" for number in range(60))
        right = "if x:\n" + "".join(f"\tline {number}\n" + "new\n" * (number % 9 == 5) for number in range(60))
        right = right.replace("\tline 30\n\tline 31\n", "")
        review = yield from self.review(left, right)
        self.assertIn("whitespace changes are hidden", self.header(review))
        for settings in ({"font_size": 10}, {"font_size": 14.3, "line_padding_top": 2}, {"line_padding_bottom": -2}):
            self.set_look(review, **settings)
            yield lambda: self.settled() and self.uneven(review) == []

    def test_where_words_wrap_on_one_side_only(self) -> Iterator[Any]:
        self.use(review_ignore_whitespace="all")
        left = "".join(f"line {number}\n" for number in range(40))
        long = "word " * 20
        left = left.replace("line 10\n", f"line 10\n{long}x\n")
        review = yield from self.review(left, left.replace(f"{long}x\n", " " * 300 + f"{long}x\n"))
        self.assertIn("only whitespace changes", self.header(review))
        self.set_look(review, word_wrap=True)
        yield lambda: self.settled() and self.uneven(review) == []

    def uneven(self, review: Any) -> Any:
        """The lines, by their words, that do not stand level."""
        places = []
        for view in (self.original(review), self.proposal(review)):
            found = {}
            for line in view.lines(sublime.Region(0, view.size())):
                words = " ".join(view.substr(line).split())
                if words.startswith("line "):
                    found[words] = view.text_to_layout(line.a)[1]
            places.append(found)
        return [
            words
            for number, (words, place) in enumerate(places[0].items())
            if number and words in places[1] and abs(place - places[1][words]) > 0.51
        ]
