"""Reviews of images and other binary data: how long they are is said instead of an empty comparison.

Rule: deciding works as with any other review, and what is delivered is the proposal, letter by letter.
"""

from __future__ import annotations

import base64
import struct
from typing import Any, Iterator

from ...support.review_case import GEMINI, PROPOSED, DecidingTestCase

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
    + struct.pack(">II", 640, 480)
    + b"\x08\x02\x00\x00\x00"
    + bytes(range(256))
)
AS_CHARACTERS = PNG.decode("latin-1")
AS_URL = "data:image/png;base64," + base64.b64encode(PNG).decode("ascii")


class TestBinary(DecidingTestCase):
    def test_an_image_that_becomes_text(self) -> Iterator[Any]:
        self.write("logo.png", PNG)
        review = yield from self.open_diff("logo.png")
        self.assertIn("logo.png is a binary file and is not shown", self.header(review))
        sizes = f"binary data, {len(PNG)} bytes \u2192 text, {len(PROPOSED)} bytes"
        self.assertIn(sizes, self.header(review))
        self.assertNotIn("no changes", self.header(review))
        self.assertEqual(self.original(review).name(), "logo.png (binary)")
        self.assertEqual(self.text(self.original(review)), "")
        self.assertEqual(self.text(self.proposal(review)), PROPOSED)
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.assertEqual(self.read("logo.png"), PNG, "the client writes it itself")

    def test_bytes_in_a_string(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", AS_CHARACTERS)
        self.assertIn("\u2192 binary data, ", self.header(review))
        self.assertEqual(self.marked(self.proposal(review), "lines"), [])
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, AS_CHARACTERS)

    def test_a_new_file_that_is_a_data_url(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.open_diff("logo.txt", AS_URL)
        self.assertIn(f"binary data, {len(AS_URL)} bytes", self.header(review))
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, AS_URL)

    def test_what_the_user_edits_is_delivered(self) -> Iterator[Any]:
        self.write("logo.png", PNG)
        review = yield from self.open_diff("logo.png", AS_URL + "\n")
        self.type(self.proposal(review), 0, "x")
        yield self.settled
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, "x" + AS_URL + "\n")

    def test_a_rejected_image_stays(self) -> Iterator[Any]:
        self.write("logo.png", PNG)
        review = yield from self.open_diff("logo.png", AS_CHARACTERS)
        self.reviews.commands.reject(review)
        yield self.closed
        self.assertIsNone(self.only_outcome()[1].content)
        self.assertEqual(self.read("logo.png"), PNG)

    def test_an_image_is_not_overwritten_for_a_client_that_has_gone(self) -> Iterator[Any]:
        self.write("logo.png", PNG)
        review = yield from self.open_diff("logo.png")
        self.connected.discard(GEMINI.session_id)
        self.reviews.owner_gone(GEMINI.session_id)
        self.reviews.commands.accept(review)
        yield lambda: "is not overwritten, because it is a binary file" in self.header(review)
        self.assertEqual(self.read("logo.png"), PNG)
        self.assertIn(f"binary data, {len(PNG)} bytes", self.header(review))

    def test_text_that_takes_its_place_is_compared(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", AS_URL)
        self.assertIn("without a comparison", self.header(review))
        again = yield from self.open_diff("file.py", PROPOSED)
        yield lambda: "\u2212" in self.header(again)
        self.assertNotIn("binary", self.header(again))
        self.assertNotEqual(self.marked(self.proposal(review), "lines"), [])

    def test_an_image_that_was_text_when_the_diff_was_opened(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", PROPOSED)
        self.assertNotEqual(self.marked(self.proposal(review), "lines"), [])
        self.write("file.py", PNG)
        self.reviews.commands.run("reload", review)
        yield lambda: "binary data" in self.header(review)
        yield self.settled
        self.assertEqual(self.marked(self.proposal(review), "lines"), [])
        self.assertEqual(self.text(self.original(review)), "")
