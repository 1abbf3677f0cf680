"""The editor's undo, in the review of what is written already, takes back what the user has decided last."""

from __future__ import annotations

from typing import Any, Iterator

from ...support.unreviewed_case import CHANGED, LINES, ChangesTestCase

UNDONE = CHANGED.replace("LINE 2\n", "line 2\n")
KEPT = LINES.replace("line 2\n", "LINE 2\n")


class TestTakingBack(ChangesTestCase):
    def decide(self, command: str) -> Iterator[Any]:
        """The first hunk of a file is decided. `yield from` gives the review."""
        review = yield from self.change()
        self.caret(review, 2)
        self.command(command)
        return review

    def test_an_undone_hunk_is_brought_back_once(self) -> Iterator[Any]:
        review = yield from self.decide("revert_hunk")
        yield lambda: self.text(self.proposal(review)) == UNDONE and self.settled()
        self.press("undo", self.proposal(review))
        yield lambda: self.text(self.proposal(review)) == CHANGED and self.settled() and review.pending
        self.assertEqual((self.read(), self.names()), (CHANGED.encode(), ["file.py"]))
        self.press("undo", self.proposal(review))
        yield lambda: self.says("nothing was decided that can be taken back")
        self.assertEqual(self.read(), CHANGED.encode())

    def test_a_decision_that_is_being_carried_out_is_taken_back_then(self) -> Iterator[Any]:
        for command in ("revert_hunk", "accept_hunk"):
            review = yield from self.decide(command)
            self.press("undo", self.proposal(review))
            yield lambda review=review: self.text(self.original(review)) == LINES and review.pending and self.settled()
            self.assertEqual(self.text(self.proposal(review)), CHANGED)
            self.assertEqual((self.read(), self.names()), (CHANGED.encode(), ["file.py"]))
            self.reviews.open_reviews.input_guard.asked_for(review)
            self.command("reject")
            yield self.nothing_open

    def test_texts_that_are_read_too_late_are_not_shown(self) -> Iterator[Any]:
        decisions, late = self.endpoint.changes.decisions, []
        real = decisions.read
        review = yield from self.decide("accept_hunk")
        decisions.read = lambda change, decoded, then: real(change, decoded, lambda texts: late.append((then, texts)))
        self.addCleanup(setattr, decisions, "read", real)
        yield lambda: late
        decisions.read = real
        self.press("undo", self.proposal(review))
        yield lambda: review.pending and self.settled() and self.marked(self.proposal(review), "lines") != []
        for then, texts in late:
            then(texts)
        yield self.settled
        self.assertEqual(self.text(self.original(review)), LINES)

    def test_a_kept_hunk_is_to_be_decided_again(self) -> Iterator[Any]:
        review = yield from self.decide("accept_hunk")
        yield lambda: self.text(self.original(review)) == KEPT and self.settled()
        self.press("undo", self.original(review))
        yield lambda: self.text(self.original(review)) == LINES and self.settled() and review.pending
        self.assertEqual(self.marked(self.proposal(review), "lines"), ["LINE 2\n", "LINE 9\n"])
        self.assertEqual((self.read(), self.names()), (CHANGED.encode(), ["file.py"]))

    def decide_last(self, command: str) -> Iterator[Any]:
        """The only hunk of a file is decided, and taken back in the review that has come in its place."""
        for name in ("a.py", "b.py"):
            self.write(name, LINES)
        yield from self.track()
        for name in ("a.py", "b.py"):
            self.write(name, KEPT)
        yield from self.listed("a.py", "b.py")
        review = yield from self.show("a.py")
        self.caret(review, 2)
        self.command(command)
        yield lambda: self.open_review("b.py") is not None and self.names() == ["b.py"]
        other = self.open_review("b.py")
        yield lambda: other in self.reviews.shown and self.header(other) != ""
        self.press("undo", self.proposal(other))
        yield lambda: self.open_review("a.py") is not None and sorted(self.names()) == ["a.py", "b.py"]
        again = self.open_review("a.py")
        yield lambda: again in self.reviews.shown and self.header(again) != ""
        yield self.settled
        self.assertEqual((self.text(self.original(again)), self.read("a.py")), (LINES, KEPT.encode()))

    def test_a_file_whose_last_hunk_was_kept_is_shown_again(self) -> Iterator[Any]:
        yield from self.decide_last("accept_hunk")

    def test_a_file_whose_last_hunk_was_undone_is_shown_again(self) -> Iterator[Any]:
        yield from self.decide_last("revert_hunk")

    def write_on(self, review: Any, text: str, said: str) -> Iterator[Any]:
        """Somebody writes on, so that the decision is not taken back."""
        self.write("file.py", text + "more\n")
        self.tracking.sign()
        yield lambda: self.text(self.proposal(review)) == text + "more\n" and review.pending and self.settled()
        self.press("undo", self.proposal(review))
        yield lambda: self.says(said)
        self.assertEqual(self.read().decode(), text + "more\n")

    def test_an_undone_hunk_of_a_file_that_was_written_since_is_left(self) -> Iterator[Any]:
        review = yield from self.decide("revert_hunk")
        yield lambda: self.text(self.proposal(review)) == UNDONE and self.settled()
        yield from self.write_on(review, UNDONE, "file.py has changed on disk")

    def test_a_kept_hunk_of_a_file_that_was_written_since_is_left(self) -> Iterator[Any]:
        review = yield from self.decide("accept_hunk")
        yield lambda: self.text(self.original(review)) == KEPT and self.settled()
        yield from self.write_on(review, CHANGED, "file.py is left as it is: something was decided, or written")
