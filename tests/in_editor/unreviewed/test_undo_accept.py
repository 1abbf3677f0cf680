"""Undo Accept: what the user has accepted is taken back while the file holds just that, else the user learns why."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator

from ....companion.review.acceptances import UNDO_SECONDS
from ....companion.review.accepted_texts import GONE_SECONDS
from ....companion.unreviewed import undoing
from ...support.review_case import GEMINI, PROPOSED, TEXT
from ...support.unreviewed_case import ChangesTestCase


class TestUndoAccept(ChangesTestCase):
    """A client is connected as far as reviews know, and writes when the test does."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.reviews.accepted_texts._is_connected = lambda owner: owner.session_id in self.connected
        self.reviews._notify = lambda review, outcome: None

    def accept(self, text: str = PROPOSED, name: str = "file.py", writes: bool = True) -> Iterator[Any]:
        """The user accepts, and the client writes."""
        review = yield from self.open_diff(name, text)
        self.reviews.commands.accept(review)
        yield self.nothing_open
        self.assertTrue(self.says(f"accepted {name}: “Undo Accept” takes that back"))
        if writes:
            self.write(name, text)

    def undo(self, sentence: str) -> Iterator[Any]:
        """Run the command; the status bar says this."""
        self.command("undo_accept")
        yield lambda: self.says(sentence)

    def there(self) -> bool:
        return os.path.exists(self.path())

    def test_the_text_from_before_is_put_back_and_is_no_agents_change(self) -> Iterator[Any]:
        before = TEXT.replace("\n", "\r\n").encode()
        self.write("file.py", before)
        yield from self.track()
        self.assertFalse(self.can("GeminiCompanionUndoAcceptCommand"))
        yield from self.accept(writes=False)
        self.write("file.py", PROPOSED.replace("\n", "\r\n"))
        yield from self.undo("file.py is again as it was before you accepted")
        self.assertEqual(self.read(), before)
        self.write("other.py")  # once that is listed, so would the other be
        yield from self.listed("other.py")
        self.assertFalse(self.can("GeminiCompanionUndoAcceptCommand"))

    def test_a_client_that_goes_then_has_nothing_written_for_it(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.freeze()  # a look that waits for its time does not come
        self.reviews.commands.accept(review)
        self.write("file.py", PROPOSED)
        yield from self.undo("is again as it was")
        self.assertFalse(self.reviews.accepted_texts.awaiting)
        self.connected.clear()
        self.reviews.owner_gone(GEMINI.session_id)
        self.later(GONE_SECONDS)
        self.assertEqual((self.read().decode(), self.reviews.pending()), (TEXT, []))

    def test_what_the_companion_wrote_goes_back_one_accept_after_the_other(self) -> Iterator[Any]:
        self.connected.clear()
        yield from self.track()
        for text in (TEXT, PROPOSED):
            review = yield from self.open_diff("file.py", text)
            self.reviews.commands.accept(review)
            yield lambda: self.says("wrote file.py: “Undo Accept” takes that back") and not self.reviews.pending()
            self.assertEqual(self.read().decode(), text)
            self.said.clear()
        yield from self.undo("is again as it was")
        self.assertEqual(self.read().decode(), TEXT)
        self.said.clear()
        into_trash, undoing.into_trash = undoing.into_trash, lambda path, former: False
        self.addCleanup(setattr, undoing, "into_trash", into_trash)
        yield from self.undo("is again as it was")
        self.assertFalse(self.there())
        self.write("other.py")
        yield from self.listed("other.py")

    def test_a_file_that_holds_something_else_is_left_and_it_is_said_why(self) -> Iterator[Any]:
        self.write()
        yield from self.accept(writes=False)
        yield from self.undo("Gemini CLI has not written what you accepted")
        self.write("file.py", PROPOSED)
        yield lambda: not self.reviews.accepted_texts.awaiting
        self.write("file.py", PROPOSED.replace("\n", "\r\n"))  # the same text, and not what was accepted
        yield from self.undo("file.py has changed since you accepted it: nothing was undone")
        self.assertEqual(self.read(), PROPOSED.replace("\n", "\r\n").encode())

    def test_a_deleted_file_comes_back_as_it_was(self) -> Iterator[Any]:
        os.chmod(self.write(), 0o700)
        yield from self.track()
        review = yield from self.open_diff("file.py", "")
        self.reviews.accepted_texts.tell(review, "", None)
        yield from self.undo("Gemini CLI has not written what you accepted")
        os.remove(self.path())
        yield from self.undo("file.py is again as it was")
        self.assertEqual(self.read().decode(), TEXT)
        if sys.platform != "win32":
            self.assertEqual(os.stat(self.path()).st_mode & 0o777, 0o700)
        self.write("other.py")
        yield from self.listed("other.py")

    def test_a_file_that_is_still_being_written_is_left(self) -> Iterator[Any]:
        self.write()
        yield from self.accept(writes=False)
        self.write("file.py", PROPOSED[:20])
        yield from self.undo("file.py does not hold what you accepted yet: nothing was undone")
        self.assertEqual(self.read().decode(), PROPOSED[:20])
        self.write("file.py", PROPOSED)  # else another window would show the text
        yield lambda: not self.reviews.accepted_texts.awaiting

    def test_unsaved_edits_are_the_users(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.accept()
        yield lambda: self.text(view) == PROPOSED or view.run_command("revert")
        self.type(view, 0, "# mine\n")
        yield from self.undo("file.py has unsaved edits in a tab")
        self.assertEqual((self.read().decode(), self.text(view)), (PROPOSED, "# mine\n" + PROPOSED))

    def test_after_ten_minutes_it_is_too_late(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        yield lambda: not self.reviews.accepted_texts.awaiting
        self.later(UNDO_SECONDS)
        yield from self.undo("file.py was accepted more than ten minutes ago: nothing was undone")
        self.assertEqual(self.read().decode(), PROPOSED)
