"""One thing has one look, wherever it stands; what says nothing is not shown."""

from __future__ import annotations

import unittest.mock
from typing import Any, Iterator

from ..companion.review.document.preparation import prepare
from .review_support import GEMINI, PROPOSED, TEXT, ReviewTestCase


class TestTheHeader(ReviewTestCase):
    def test_a_single_change_has_neither_previous_nor_next(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff(proposed=TEXT.replace("return 2", "return 3"))
        self.assertIn("change 1 of 1", self.header(review))
        for word in ("Previous", "Next"):
            self.assertNotIn(word, self.header(review))

    def test_the_status_bar_names_the_client_once(self) -> Iterator[Any]:
        self.write()
        with unittest.mock.patch.object(self.endpoint, "client_names", return_value=["Gemini CLI"]):
            review = yield from self.open_diff(proposed=PROPOSED)
            self.endpoint.show_status()
            view = self.proposal(review)
            yield lambda: "1 to review" in view.get_status("gemini_companion")
            said = ", ".join(view.get_status(key) for key in ("gemini_companion", "gemini_companion.review"))
            self.assertEqual(said.count("Gemini CLI"), 1, said)
            self.assertIn("change 1 of 2", said)


class TestOnePane(ReviewTestCase):
    """What has nothing to stand beside is shown alone."""

    def prepared_diff(self, name: str, proposed: str) -> Iterator[Any]:
        """Open a diff as a client does: the file is read before the views are made."""
        path = self.path(name)
        prepared = prepare(self.reviews.file_request(path), proposed)
        self.reviews.open_diff(GEMINI, path, prepared.proposal or proposed, prepared)
        review = self.reviews.pending()[-1]
        yield lambda: self.header(review) != ""
        yield self.settled
        return review

    def test_a_new_file_has_no_empty_pane_beside_it(self) -> Iterator[Any]:
        layout = self.window.layout()
        review = yield from self.prepared_diff("new.py", "a = 1\nb = 2\n")
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), [["new.py \u2190 Gemini CLI (proposal)"]])
        self.assertIn("new file", self.header(review))
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["a = 1\n", "b = 2\n"])
        self.reviews.reject(review)
        yield lambda: not self.reviews.pending()
        self.assertEqual(self.window.layout(), layout)

    def test_a_file_that_is_emptied_has_no_empty_pane_beside_it(self) -> Iterator[Any]:
        layout = self.window.layout()
        self.write()
        review = yield from self.prepared_diff("file.py", "")
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), [["file.py \u2190 Gemini CLI (proposal)"]])
        ((_, html),) = self.reviews._presentations[review]._drawing.blocks
        for line in TEXT.split():
            self.assertIn(line, html)

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
            self.reviews.reject(review)
            yield lambda: not self.reviews.pending()
