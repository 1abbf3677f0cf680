"""One thing has one look, wherever it stands; what says nothing is not shown."""

from __future__ import annotations

import unittest.mock
from typing import Any, Iterator

from .review_support import PROPOSED, TEXT, ReviewTestCase


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
