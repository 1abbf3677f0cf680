"""The user's edits of a proposal whose client writes its own text, when something comes in between."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Iterator, List
from unittest import mock

from ....companion.review import accepted_texts
from ....companion.review.accepted_texts import AcceptedText, Holder
from ....companion.review.document import disk, writing
from ....companion.review.document.disk import ChangedError
from ...host.waiting import NEVER_SECONDS
from ...support.review_case import GEMINI, PROPOSED, TEXT, CallTestCase, ClockTestCase
from ...support.selecting import put_caret


class TestEditsOfATabThatIsShownAgain(CallTestCase, ClockTestCase):
    """A diff that has just come to the front is shown again if its tab is closed."""

    def closed_hastily(self) -> Iterator[Any]:
        """`yield from` gives the review, shown again, of a client that writes its own text."""
        self.write()
        first = yield from self.open_call(self.ticket("one"), "other.py")
        review = yield from self.open_call(self.ticket("two", edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        self.clock.advance(5)
        self.reviews.commands.reject(first)
        closed = self.proposal(review)
        yield lambda: self.window.active_view() == closed
        closed.close()
        yield lambda: self.proposal(review) != closed and self.window.active_view() == self.proposal(review)
        yield self.settled
        self.told.clear()
        return review

    def test_they_are_there_and_are_saved_over_what_its_client_writes(self) -> Iterator[Any]:
        review = yield from self.closed_hastily()
        self.assertEqual(self.text(self.proposal(review)), "# mine\n" + PROPOSED)
        self.assertIn("Accept saves your edits over it", self.header(review))
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.write("file.py", PROPOSED)
        yield lambda: self.read().decode() == "# mine\n" + PROPOSED

    def test_accepting_as_proposed_leaves_them_out(self) -> Iterator[Any]:
        review = yield from self.closed_hastily()
        self.clock.advance(5)
        self.click_on(review, "Accept without them")
        yield self.closed
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)
        self.write("file.py", PROPOSED)
        yield lambda: not self.reviews.accepted_texts.awaiting
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_taking_them_back_leaves_the_proposal(self) -> Iterator[Any]:
        review = yield from self.closed_hastily()
        self.clock.advance(5)
        view = self.proposal(review)
        yield lambda: not view.is_read_only()
        put_caret(view, len("# mine\n"))
        view.run_command("left_delete")
        for _ in "# mine":
            view.run_command("left_delete")
        yield lambda: self.settled() and "saves your edits over it" not in self.header(review)
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual([each.awaited for each in self.reviews.accepted_texts._texts], [None])


class TestEditsOfAClientThatWritesItsOwn(CallTestCase):
    """What becomes of them when something comes in between."""

    def accept(self, mine: str = "# mine\n", proposed: str = PROPOSED) -> Iterator[Any]:
        review = yield from self.open_call(self.ticket(edits_return=False), proposed=proposed)
        self.type(self.proposal(review), 0, mine)
        self.reviews.commands.accept(review)
        yield self.closed

    def test_the_limits_of_a_review_do_not_stop_them(self) -> Iterator[Any]:
        self.limit(lines=3)
        self.write()
        yield from self.accept()
        self.write("file.py", PROPOSED)
        yield lambda: self.read().decode() == "# mine\n" + PROPOSED
        yield lambda: self.says("saved your edits")
        self.assertEqual(self.reviews.pending(), [])

    def fail_at_first(self, times: int = 1) -> None:
        """Let the file be another one than was read when it is written for the first time, or the first `times`."""
        real, tried = writing.Write, []

        def write(runtime: Any, original: Any, text: str, first: Any, is_inside: Any, done: Any, guard: Any) -> Any:
            tried.append(text)
            if len(tried) > times:
                return real(runtime, original, text, first, is_inside, done, guard)
            failing = mock.Mock()
            failing.start = lambda: done(ChangedError("file.py has changed."))
            return failing

        patcher = mock.patch.object(writing, "Write", write)
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

    def test_a_look_that_comes_back_after_the_window_has_closed_writes_nothing(self) -> Iterator[Any]:
        self.write()
        begun, release, done, look = threading.Event(), threading.Event(), threading.Event(), AcceptedText.find_text
        self.addCleanup(release.set)

        def held(accepted: AcceptedText) -> Any:
            begun.set()
            release.wait(NEVER_SECONDS)
            found = look(accepted)
            done.set()
            return found

        with mock.patch.object(AcceptedText, "find_text", held):
            yield from self.accept()
            self.write("file.py", PROPOSED)
            yield begun.is_set
            self.freeze()  # no other window takes it over, for that takes a timer
            self.reviews.shutdown()
            release.set()
            yield done.is_set
            yield 100  # what would be written comes a moment later
        self.assertEqual((self.read().decode(), len(os.listdir(self.kept))), (PROPOSED, 1))

    def test_what_is_shown_again_is_not_taken_for_written_when_a_newer_text_is(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_call(self.ticket(edits_return=False))
        self.type(self.proposal(review), 0, "# mine\n")
        self.reviews.commands.accept(review)
        self.later(accepted_texts.PATIENCE_SECONDS)
        again = yield from self.shown_again()
        newer = yield from self.open_diff(proposed="newer\n")
        self.reviews.commands.accept(newer)
        self.write("file.py", "newer\n")
        yield lambda: not self.reviews.accepted_texts.awaiting
        self.assertEqual([each.text for each in self.reviews.accepted_texts._texts], ["# mine\n" + PROPOSED])
        self.assertTrue(again.pending)

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

    def kept_texts(self) -> List[str]:
        names = os.listdir(self.kept) if os.path.exists(self.kept) else []
        return [name for name in names if name.endswith(".json")]

    def test_a_client_still_there_after_a_package_replacement_is_waited_for(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.reviews.commands.accept(review)
        yield lambda: len(self.kept_texts()) == 1
        self.reviews.shutdown()
        self.later(accepted_texts.ELSEWHERE_MILLISECONDS / 1000)
        yield lambda: [each.state for each in self.reviews.accepted_texts._texts] == [Holder.CLIENT_WRITES]
        self.later(accepted_texts.GONE_SECONDS)
        self.assertEqual(self.reviews.pending(), [])
        self.write("file.py", PROPOSED)
        yield lambda: self.kept_texts() == []

    def test_what_is_not_saved_when_the_window_closes_is_shown_again(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        yield lambda: len(self.kept_texts()) == 1
        with mock.patch.object(AcceptedText, "find_text") as look:
            self.reviews.shutdown()
            look.assert_not_called()  # nobody waits for the client
        self.later(accepted_texts.ELSEWHERE_MILLISECONDS / 1000)
        self.assertEqual(self.read().decode(), TEXT)
        again = yield from self.shown_again()
        yield lambda: self.says("your accepted text for file.py is not saved yet: accept again to write it")
        self.assertIn("What you accepted is not saved yet", self.header(again))
        self.assertEqual(again.owner.client_name, GEMINI.client_name)
        self.assertEqual(len(self.kept_texts()), 1)
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.reviews.commands.accept(again)
        yield self.closed
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        yield lambda: not os.path.exists(self.kept)

    def test_so_it_is_when_the_window_ends_a_second_time(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        self.reviews.shutdown()
        self.later(accepted_texts.ELSEWHERE_MILLISECONDS / 1000)
        again = yield from self.shown_again()
        self.type(self.proposal(again), 0, "# more\n")
        self.reviews.shutdown()
        self.later(accepted_texts.ELSEWHERE_MILLISECONDS / 1000)
        last = yield from self.shown_again()
        self.assertEqual(self.text(self.proposal(last)), "# more\n# mine\n" + PROPOSED)
        self.reviews.commands.reject(last)
        yield self.closed
        self.assertEqual(self.read().decode(), TEXT)
        yield lambda: not os.path.exists(self.kept)

    def test_a_text_refused_at_its_second_acceptance_is_the_one_that_is_kept(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        self.type(self.proposal(review), 0, "# mine\n")
        self.write("file.py", "theirs\n")
        self.reviews.commands.accept(review)
        yield lambda: "changed on disk" in self.header(review)
        self.reviews.exit()
        with open(os.path.join(self.kept, self.kept_texts()[0]), encoding="ascii") as file:
            _, *lines = file
        self.assertEqual("".join(map(json.loads, lines)), "# mine\n" + PROPOSED)

    def test_a_text_is_kept_before_its_writing_begins(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        real, seen = disk.write, []

        def write(*arguments: Any) -> None:
            seen.append(len(self.kept_texts()))
            real(*arguments)

        with mock.patch.object(disk, "write", write):
            self.reviews.commands.accept(review)
            yield self.closed
        self.assertEqual((seen, self.read().decode()), ([1], PROPOSED))
        yield lambda: not os.path.exists(self.kept)

    def test_a_kept_text_that_cannot_be_read_is_said_and_stays(self) -> Iterator[Any]:
        os.mkdir(self.kept)
        with open(os.path.join(self.kept, "damaged.json"), "wb") as file:
            file.write(b"{")
        self.reviews.recover()
        yield lambda: self.says("an accepted text of an earlier run cannot be read")
        self.assertEqual(os.listdir(self.kept), ["damaged.json.unreadable"])

    def test_a_kept_text_is_shown_in_the_window_of_its_folder_or_else_in_any(self) -> None:
        ours, theirs = ([accepted_texts.same_key(folder) + os.sep] for folder in ("/ours", "/theirs"))
        wanted = [accepted_texts._is_wanted(ours, theirs, path) for path in ("/ours/a", "/theirs/a", "/else/a")]
        self.assertEqual(wanted, [True, False, True])

    def test_nobody_waits_for_the_client_when_the_editor_quits(self) -> Iterator[Any]:
        self.write()
        yield from self.accept()
        yield lambda: len(self.kept_texts()) == 1
        begun, release, ended = threading.Event(), threading.Event(), []
        self.addCleanup(release.set)

        def look(accepted: AcceptedText) -> None:
            begun.set()
            release.wait(NEVER_SECONDS)
            ended.append(accepted)

        with mock.patch.object(AcceptedText, "find_text", look):
            yield begun.is_set
            self.reviews.exit()
            self.assertEqual(ended, [])
        self.assertEqual(len(os.listdir(self.kept)), 1)
