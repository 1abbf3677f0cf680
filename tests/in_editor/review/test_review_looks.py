"""One thing has one look, wherever it stands; what says nothing is not shown."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Iterator, List

import sublime

from ....companion.editor.edits import set_text
from ....companion.protocol.tools import ClientSession
from ....companion.review.document.preparation import prepare
from ...support.review_case import GEMINI, PROPOSED, TEXT, ReviewTestCase


class TestTheHeader(ReviewTestCase):
    def test_the_status_bar_names_the_client_once(self) -> Iterator[Any]:
        self.write()
        session = ClientSession("gemini", "streamable-http-client", "1", "", 0.0, "Gemini CLI")
        self.endpoint.agents.came(session)
        self.addCleanup(self.endpoint.agents.went, session)
        review = yield from self.open_diff(proposed=PROPOSED)
        view = self.proposal(review)
        yield lambda: "Gemini CLI waits: 1 to review" in view.get_status("gemini_companion")
        said = ", ".join(view.get_status(key) for key in ("gemini_companion", "gemini_companion.review"))
        self.assertEqual(said.count("Gemini CLI"), 1, said)
        self.assertIn("change 1 of 2", said)


class TestRemovedLinesInline(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.use(review_presentation="inline")

    def rows(self, review: Any) -> List[str]:
        """What stands between the lines, row by row."""
        blocks = self.reviews.shown[review]._drawing.blocks
        return [row for _, html in blocks for row in re.findall('<div class="line"[^>]*>(.*?)</div>', html)]

    def words(self, markup: str) -> str:
        return unescape(re.sub("<[^>]+>", "", markup)).replace("\xa0", " ")

    def test_their_band_is_as_wide_as_that_of_added_lines(self) -> Iterator[Any]:
        self.use(review_marks="fill")
        self.write()
        review = yield from self.open_diff(proposed=TEXT.replace("return 2", "return 3"))
        (row,) = self.rows(review)
        band = self.words(row.partition('<span class="removed">')[2])
        view = self.proposal(review)
        (line,) = view.get_regions("gemini_companion.lines")
        start, end = view.text_to_layout(line.a)[0], view.text_to_layout(line.b - 1)[0]
        self.assertEqual(len(band) * view.em_width(), end - start)

    def test_their_old_numbers_and_a_sign_stand_before_them(self) -> Iterator[Any]:
        self.write(content="".join(f"line {number}\n" for number in range(1, 14)))
        proposed = "".join(f"line {number}\n" for number in range(1, 14) if number not in (2, 9, 10))
        review = yield from self.open_diff(proposed=proposed)
        self.assertEqual(
            [self.words(row) for row in self.rows(review)], ["2 \u2212 line 2", " 9 \u2212 line 9", "10 \u2212 line 10"]
        )

    def test_they_are_outlined_as_lines_of_the_text_are_and_no_higher_for_it(self) -> Iterator[Any]:
        heights = []
        for marks in ("outline", "fill"):
            self.use(review_marks=marks)
            self.write(content=TEXT)
            review = yield from self.open_diff(proposed=TEXT.replace("def first():\n    return 1\n", ""))
            ((_, html),) = self.reviews.shown[review]._drawing.blocks
            self.assertEqual('<div class="removed">' in html, marks == "outline")
            self.assertEqual('<span class="removed">' in html, marks == "fill")
            view = self.proposal(review)
            heights.append(view.text_to_layout(view.size())[1])
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()
        self.assertEqual(*heights)

    def test_they_keep_their_colors(self) -> Iterator[Any]:
        self.write()
        before = self.window.panels()
        review = yield from self.open_diff(proposed=TEXT.replace("    return 1\n", ""))
        view = self.proposal(review)
        point = TEXT.index("return 1")
        hidden = self.window.create_output_panel("colors", True)
        set_text(hidden, TEXT)
        hidden.assign_syntax(view.syntax().path)
        tokens = hidden.extract_tokens_with_scopes(sublime.Region(point, point + 6))
        color = view.style_for_scope(tokens[0][1])["foreground"]
        self.window.destroy_output_panel("colors")
        self.assertNotEqual(color, view.style_for_scope("")["foreground"])
        (row,) = self.rows(review)
        self.assertIn(f'<span style="color: {color}">return', row)
        self.assertNotIn(f"color: {view.style_for_scope('')['foreground']}", row)
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        self.assertEqual(self.window.panels(), before)

    def test_a_long_removal_has_none(self) -> Iterator[Any]:
        """The editor would be asked for the tokens of a long stretch, and the block would be many times as long."""
        line = "    return 1  # " + "x" * 90 + "\n"
        for lines, colored in ((100, True), (200, False)):
            self.write(content=TEXT + line * lines)
            review = yield from self.open_diff(proposed=TEXT)
            self.assertEqual('<span style="color:' in "".join(self.rows(review)), colored, lines)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()


class TestWidths(ReviewTestCase):
    def test_nothing_that_is_drawn_makes_a_view_scroll_to_the_side(self) -> Iterator[Any]:
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            self.write()
            review = yield from self.open_diff(proposed=TEXT.replace("    return 1\n", "") + "# more\n")
            shown = self.reviews.shown[review]
            for margin in (4, 40):
                for view in shown.views:
                    view.settings().set("margin", margin)
                yield lambda views=shown.views: all(
                    view.layout_extent()[0] <= view.viewport_extent()[0] + 1 for view in views
                )
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()

    def test_the_text_is_not_centered(self) -> Iterator[Any]:
        """Its block is as wide as the view, which would push it."""
        self.write()
        review = yield from self.open_diff()
        for view in self.reviews.shown[review].views:
            self.assertIs(view.settings().get("draw_centered"), False)


class TestOnePane(ReviewTestCase):
    """What has nothing to stand beside is shown alone."""

    def prepared_diff(self, name: str, proposed: str) -> Iterator[Any]:
        """Open a diff as a client does: the file is read before the views are made."""
        path = self.path(name)
        proposal, prepared = prepare(self.reviews.file_request(path), proposed)
        self.reviews.open_diff(GEMINI, path, proposal, prepared)
        review = self.reviews.pending()[-1]
        self.show_at_once(review)
        yield lambda: self.header(review) != ""
        yield self.settled
        return review

    def test_a_new_file_has_no_empty_pane_beside_it(self) -> Iterator[Any]:
        layout = self.window.layout()
        review = yield from self.prepared_diff("new.py", "a = 1\nb = 2\n")
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), [["new.py \u2190 Gemini CLI (proposal)"]])
        self.assertIn("new file", self.header(review))
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["a = 1\nb = 2\n"])
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        self.assertEqual(self.window.layout(), layout)

    def test_a_file_that_is_emptied_has_no_empty_pane_beside_it(self) -> Iterator[Any]:
        layout = self.window.layout()
        self.write()
        review = yield from self.prepared_diff("file.py", "")
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), [["file.py \u2190 Gemini CLI (proposal)"]])
        ((_, html),) = self.reviews.shown[review]._drawing.blocks
        words = unescape(re.sub("<[^>]+>", "", html)).replace("\xa0", " ")
        for line in TEXT.splitlines():
            self.assertIn(line, words)

    def test_an_emptied_file_that_would_be_cut_is_shown_side_by_side(self) -> Iterator[Any]:
        self.write(content="line\n" * 300)
        review = yield from self.prepared_diff("file.py", "")
        self.assertEqual(self.text(self.original(review)), "line\n" * 300)

    def test_a_changed_file_after_a_new_one_is_shown_side_by_side(self) -> Iterator[Any]:
        self.write()
        yield from self.prepared_diff("new.py", "a = 1\n")
        review = yield from self.prepared_diff("file.py", PROPOSED)
        self.assertEqual(self.text(self.original(review)), TEXT)
        self.assertEqual(len(self.titles()), 2)

    def test_a_new_file_beside_a_changed_one_shows_no_other_file(self) -> Iterator[Any]:
        self.write()
        yield from self.prepared_diff("file.py", PROPOSED)
        review = yield from self.prepared_diff("new.py", "a = 1\n")
        self.assertEqual(self.text(self.original(review)), "")

    def test_alone_words_are_wrapped_as_the_user_has_it(self) -> Iterator[Any]:
        theirs = yield from self.open_file()
        for presentation in ("inline", "side_by_side"):
            self.use(review_presentation=presentation)
            review = yield from self.open_diff()
            wraps = self.proposal(review).settings().get("word_wrap")
            self.assertEqual(wraps, theirs.settings().get("word_wrap") if presentation == "inline" else False)
            self.reviews.commands.reject(review)
            yield lambda: not self.reviews.pending()
