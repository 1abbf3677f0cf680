"""The user's edits of a proposal whose client writes its own text, when something comes in between."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Iterator
from unittest import mock

from ..companion.review import after_client, keeping
from ..companion.review.document.disk import ChangedError
from .review_support import GEMINI, PROPOSED, TEXT, CallTestCase


class TestEditsOfAClientThatWritesItsOwn(CallTestCase):
    """What becomes of them when something comes in between."""

    def accept(self, mine: str = "# mine\n", proposed: str = PROPOSED) -> Iterator[Any]:
        review = yield from self.open_call(self.ticket(edits_return=False), proposed=proposed)
        self.type(self.proposal(review), 0, mine)
        self.reviews.accept(review)
        yield self.closed

    def leave(self) -> None:
        self.connected.discard(GEMINI.session_id)
        self.reviews.owner_gone(GEMINI.session_id)

    def shown_again(self) -> Iterator[Any]:
        """`yield from` gives the only review, once it is drawn."""
        yield lambda: len(self.reviews.pending()) == 1
        (review,) = self.reviews.pending()
        yield lambda: self.header(review) != ""
        yield self.settled
        return review

    def test_the_limits_of_a_review_do_not_stop_them(self) -> Iterator[Any]:
        self.use(review_maximum_lines=3)
        self.write()
        yield from self.accept()
        self.write("file.py", PROPOSED)
        yield lambda: self.read().decode() == "# mine\n" + PROPOSED
        yield lambda: self.says("saved your edits")
        self.assertEqual(self.reviews.pending(), [])

    def fail_at_first(self, times: int = 1) -> None:
        """Let the file be another one than was read when it is written for the first time, or the first `times`."""
        real, tried = after_client.Write, []

        def write(runtime: Any, original: Any, text: str, done: Any) -> Any:
            tried.append(text)
            if len(tried) > times:
                return real(runtime, original, text, done)
            failing = mock.Mock()
            failing.start = lambda: done(ChangedError("file.py has changed."))
            return failing

        patcher = mock.patch.object(after_client, "Write", write)
        patcher.start()
        self.addCleanup(patcher.stop)

    def test_a_client_that_is_still_writing_is_waited_for(self) -> Iterator[Any]:
        self.fail_at_first()
        self.write()
        yield from self.accept()
        self.write("file.py", PROPOSED)
        yield lambda: self.says("saved your edits")
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        self.assertEqual(self.reviews.pending(), [])

    def test_but_not_when_the_window_closes(self) -> Iterator[Any]:
        self.fail_at_first(2)  # the first look at the file may be late, and see what is written here
        self.write()
        with mock.patch.object(after_client, "LOOK_MILLISECONDS", 10000):
            yield from self.accept()
            self.write("file.py", PROPOSED)
            self.reviews.shutdown()
        again = yield from self.shown_again()
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)

    def test_a_client_that_goes_before_it_has_written(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        with mock.patch.object(after_client, "GONE_SECONDS", 0.05):
            self.leave()
            yield lambda: self.read().decode() == "# mine\n" + PROPOSED
        yield lambda: self.says("Gemini CLI went away before it wrote file.py: the companion has written it")
        yield lambda: not os.path.exists(self.kept)
        self.assertEqual(self.reviews.pending(), [])

    def test_one_that_goes_when_the_file_is_another(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        self.write("file.py", "theirs\n")
        with mock.patch.object(after_client, "GONE_SECONDS", 0.05):
            self.leave()
            again = yield from self.shown_again()
        self.assertIn("Gemini CLI has gone: Accept writes the file itself.", self.header(again))
        self.assertTrue(self.says("Gemini CLI went away before it wrote file.py: accept again to write it"))
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.assertEqual(self.read(), b"theirs\n")

    def test_a_tab_with_unsaved_edits(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.accept()
        self.type(view, 0, "# not saved\n")
        self.write("file.py", PROPOSED)
        again = yield from self.shown_again()
        self.assertTrue(self.says("file.py has unsaved edits in a tab"))
        self.assertIn("What you accepted is not saved yet", self.header(again))
        self.assertNotIn("has gone", self.header(again))
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.assertEqual((self.read().decode(), self.text(view)), (PROPOSED, "# not saved\n" + TEXT))

    def test_a_window_that_closes_waits_for_the_client(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        threading.Timer(0.3, self.write, ["file.py", PROPOSED]).start()
        self.reviews.shutdown()
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        yield lambda: not os.path.exists(self.kept)

    def test_a_window_that_closes_saves_a_tab(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.accept()
        self.write("file.py", PROPOSED)
        yield lambda: self.text(view) != TEXT  # the editor has read it again
        self.reviews.shutdown()
        self.assertEqual((self.read().decode(), self.text(view)), ("# mine\n" + PROPOSED,) * 2)

    def test_what_is_not_saved_then_is_shown_again(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        started = time.monotonic()
        with mock.patch.object(keeping, "ELSEWHERE_MILLISECONDS", 0):
            self.reviews.shutdown()
        self.assertLess(time.monotonic() - started, 4)
        self.assertEqual(self.read().decode(), TEXT)
        again = yield from self.shown_again()
        yield lambda: self.says("your accepted text for file.py is not saved yet: accept again to write it")
        self.assertIn("What you accepted is not saved yet", self.header(again))
        self.assertEqual(again.owner.client_name, GEMINI.client_name)
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.reviews.accept(again)
        yield self.closed
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        yield lambda: not os.path.exists(self.kept)

    def test_so_it_is_when_the_window_ends_a_second_time(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        with mock.patch.object(keeping, "ELSEWHERE_MILLISECONDS", 0):
            self.reviews.shutdown()
            again = yield from self.shown_again()
            self.type(self.proposal(again), 0, "# more\n")
            self.reviews.shutdown()
        last = yield from self.shown_again()
        self.assertEqual(self.text(self.proposal(last)), "# more\n# mine\n" + PROPOSED)
        self.reviews.reject(last)
        yield self.closed
        self.assertEqual(self.read().decode(), TEXT)

    def test_an_editor_that_quits_waits_for_the_client(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        threading.Timer(0.3, self.write, ["file.py", PROPOSED]).start()
        self.reviews.exit()
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)

    def test_but_it_touches_no_file_that_a_tab_shows(self) -> Iterator[Any]:
        yield from self.open_file()
        yield from self.accept()
        threading.Timer(0.3, self.write, ["file.py", PROPOSED]).start()
        self.reviews.exit()
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(len(os.listdir(self.kept)), 1)
