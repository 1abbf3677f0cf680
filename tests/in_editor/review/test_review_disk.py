"""What a disk can do to a review: links that lead elsewhere, changes nobody sees, no room, and no answer."""

from __future__ import annotations

import errno
import os
import threading
from typing import Any, Iterator, List
from unittest import mock, skipIf

import sublime

from ....companion.review import accepted_texts
from ....companion.review.accepted_texts import Holder
from ....companion.review.decision import ReviewError, ReviewState
from ....companion.review.document import disk, file_replacement, writing
from ....companion.review.document.writing import Writes
from ...host.waiting import NEVER_SECONDS
from ...support.review_case import GEMINI, PROPOSED, QWEN, TEXT, DiskTestCase

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@skipIf(os.name == "nt", "links need rights on Windows")
class TestTheVeryFile(DiskTestCase):
    def releases(self) -> None:
        for name in ("release1", "release2"):
            os.mkdir(self.path(name))
            self.write(os.path.join(name, "file.py"))
        os.symlink("release1", self.path("current"))

    def retarget(self) -> None:
        os.unlink(self.path("current"))
        os.symlink("release2", self.path("current"))

    def compares_with(self, review: Any, name: str) -> bool:
        """Whether this file, of several that hold the same, is the one that was read last."""
        found = os.stat(self.path(name))
        return bool(self.reviews.shown[review].original.stamp[:2] == (found.st_dev, found.st_ino))

    def test_a_folder_link_retargeted_while_the_review_is_open(self) -> Iterator[Any]:
        self.releases()
        first, second = (os.path.join(release, "file.py") for release in ("release1", "release2"))
        view = self.window.open_file(self.path(first))
        yield lambda: not view.is_loading()
        review = yield from self.open_diff(os.path.join("current", "file.py"), "one\n")
        self.leave()
        self.retarget()
        self.reviews.commands.accept(review)
        yield lambda: "has changed on disk" in self.header(review) and review.pending
        self.assertEqual((self.read(first), self.read(second)), (TEXT.encode(), TEXT.encode()))
        yield lambda: self.compares_with(review, second)
        yield self.settled
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual((self.read(first), self.read(second)), (TEXT.encode(), b"one\n"))
        self.assertEqual(self.text(view), TEXT)

    def test_a_refused_write_is_no_problem_once_the_file_is_compared_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        self.write("file.py", TEXT + "more\n")
        self.reviews.commands.accept(review)
        refused = "file.py has changed on disk since the diff was opened."
        yield lambda: refused in self.header(review) and "+2 \u22122" in self.header(review)
        yield self.settled
        self.assertIn(refused, self.header(review))
        self.reviews.commands.run("reload", review)
        yield lambda: refused not in self.header(review)

    def test_a_fallback_encoding_that_is_no_text_counts_as_none(self) -> Iterator[Any]:
        with open(self.path("latin.py"), "wb") as file:
            file.write("caf\u00e9\n".encode("cp1252"))
        preferences = sublime.load_settings("Preferences.sublime-settings")
        self.addCleanup(preferences.set, "fallback_encoding", preferences.get("fallback_encoding"))
        preferences.set("fallback_encoding", 1252)
        review = yield from self.open_diff("latin.py", "proposed\n")
        self.assertEqual(self.text(self.original(review)), "caf\u00e9\n")

    def test_unsaved_edits_in_a_tab_that_names_the_file_otherwise(self) -> Iterator[Any]:
        self.releases()
        view = self.window.open_file(self.path(os.path.join("release1", "file.py")))
        yield lambda: not view.is_loading()
        review = yield from self.open_diff(os.path.join("current", "file.py"), "one\n")
        self.leave()
        self.type(view, 0, "# mine\n")
        yield lambda: "unsaved edits in a tab" in self.header(review)
        self.reviews.commands.accept(review)
        yield lambda: "save or revert them" in self.header(review) and review.pending
        self.assertEqual(self.read(os.path.join("release1", "file.py")), TEXT.encode())


class TestNoRoom(DiskTestCase):
    def test_the_file_stays_and_the_review_too(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.leave()
        with mock.patch.object(file_replacement.os, "fsync", side_effect=FULL):
            self.reviews.commands.accept(review)
            yield lambda: "No space left" in self.header(review)
        self.assertTrue(review.pending)
        self.assertEqual(self.read(), TEXT.encode())
        self.assertEqual(os.listdir(self.folder), ["file.py"])
        self.type(self.proposal(review), 0, "# still to be edited\n")
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read().decode(), "# still to be edited\n" + PROPOSED)
        self.assertEqual(self.reviews.accepted_texts._texts, [], "it was kept once")

    def test_a_client_that_asked_for_it_is_told(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        texts = self.reviews.accepted_texts
        full = mock.patch.object(file_replacement.os, "fsync", side_effect=FULL)
        with full, mock.patch.object(texts, "_keep") as kept:
            answers = self.accept_by_client()
            yield lambda: bool(answers)
        self.assertIn("cannot be written: No space left", answers[0])
        self.assertEqual((kept.call_count, texts._texts), (0, []), "the client knows, and nobody else is to write it")
        self.assertTrue(review.pending)
        self.assertEqual(self.told, [])
        answers = self.accept_by_client()
        yield self.closed
        self.assertEqual(answers, [""])
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)


class TestWriting(DiskTestCase):
    """The state in which the accepted text is on its way into the file."""

    def begin(self) -> Iterator[Any]:
        """`yield from` gives a review whose write hangs, and what lets it go on."""
        self.write()
        review = yield from self.open_diff()
        self.leave()
        release = self.hold("write")
        self.reviews.commands.accept(review)
        self.assertIs(review.state, ReviewState.WRITING)
        return review, release

    def test_nobody_can_decide_otherwise(self) -> Iterator[Any]:
        review, release = yield from self.begin()
        self.reviews.commands.reject(review)
        self.reviews.commands.accept(review)
        with self.assertRaisesRegex(ReviewError, "No diff is open"):
            self.reviews.reject_by_client(GEMINI, self.path())
        self.type(self.proposal(review), 0, "# too late\n")
        self.assertEqual(self.text(self.proposal(review)), PROPOSED)
        self.assertIs(review.state, ReviewState.WRITING)
        release.set()
        yield self.closed
        self.assertIs(review.state, ReviewState.ACCEPTED)
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_other_reviews_go_on(self) -> Iterator[Any]:
        first, release = yield from self.begin()
        second = yield from self.open_diff("other.py")
        self.reviews.commands.reject(second)
        yield lambda: second.state is ReviewState.REJECTED
        self.assertIs(first.state, ReviewState.WRITING)
        release.set()
        yield self.closed

    def test_its_tab_is_closed(self) -> Iterator[Any]:
        review, release = yield from self.begin()
        self.proposal(review).close()
        yield lambda: not self.presentations()
        self.assertIs(review.state, ReviewState.WRITING)
        release.set()
        yield lambda: review.state is ReviewState.ACCEPTED
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_its_tab_is_closed_and_then_it_fails(self) -> Iterator[Any]:
        review, release = yield from self.begin()
        self.proposal(review).close()
        yield lambda: not self.presentations()
        self.write("file.py", "theirs\n")
        release.set()
        yield lambda: len(self.reviews.pending()) == 1
        again = self.reviews.pending()[0]
        yield lambda: self.header(again) != ""
        self.assertEqual(self.text(self.proposal(again)), PROPOSED)
        self.assertIn("What you accepted is not saved yet", self.header(again))
        self.assertEqual(self.read(), b"theirs\n")

    def test_its_tab_is_closed_and_then_what_its_client_asked_for_fails(self) -> Iterator[Any]:
        """It is the client's own again: nobody has accepted it yet, and the client still hears of it."""
        self.write()
        review = yield from self.open_diff()
        release, answers = self.hold("write"), self.accept_by_client()
        self.proposal(review).close()
        yield lambda: not self.presentations()
        self.write("file.py", "theirs\n")
        release.set()
        yield lambda: len(self.reviews.pending()) == 1 and self.header(self.reviews.pending()[0]) != ""
        again = self.reviews.pending()[0]
        self.assertEqual(self.text(self.proposal(again)), PROPOSED)
        self.assertNotIn("has gone", self.header(again))
        self.assertIn("has changed", answers[0])
        self.reviews.reject_by_client(GEMINI, self.path())
        yield self.closed
        self.assertEqual((self.only_outcome()[1].content, self.read()), (None, b"theirs\n"))

    def test_the_failed_proposal_does_not_replace_a_newer_one_of_its_client(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        release, answers = self.hold("write"), self.accept_by_client()
        self.proposal(review).close()
        yield lambda: not self.presentations()
        self.write("file.py", "theirs\n")
        newer = yield from self.open_diff(proposed="newer\n")
        release.set()
        yield lambda: bool(answers)
        self.assertEqual(self.reviews.pending(), [newer])
        self.assertEqual(self.text(self.proposal(newer)), "newer\n")

    def test_a_window_that_closes_waits_for_it(self) -> Iterator[Any]:
        review, release = yield from self.begin()
        with self.patient(release.set):
            self.reviews.shutdown()
        self.assertIs(review.state, ReviewState.ACCEPTED)
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(self.presentations(), [])
        self.assertEqual(self.window.num_groups(), 1)

    def test_a_window_that_closes_waits_for_the_file_of_a_tab(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.leave()
        self.reviews.commands.accept(review)
        with self.patient():
            self.reviews.shutdown()
        self.assertIs(review.state, ReviewState.ACCEPTED)
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(os.listdir(self.folder), ["file.py"])
        yield lambda: self.text(view) == PROPOSED and not view.is_dirty()

    def test_a_window_that_closes_does_not_wait_for_ever(self) -> Iterator[Any]:
        yield from self.begin()
        self.assertLess(writing.WRITE_SECONDS, 3)
        self.reviews.shutdown()  # the disk would let it go on only later
        self.assertEqual(self.read(), TEXT.encode())

    def left_to_other_windows(self, release: threading.Event) -> Iterator[Any]:
        """The window closes while a text is held up on its way into the file, which is another one by then."""
        self.freeze()  # no other window takes it over, for that takes a timer
        with mock.patch.object(Writes, "finish"):  # as after a wait that was in vain
            self.reviews.shutdown()
        self.write("file.py", "theirs\n")
        release.set()
        yield 200
        self.assertEqual((self.reviews.pending(), self.read()), ([], b"theirs\n"))
        self.assertEqual(len(os.listdir(self.kept)), 1)

    def test_what_fails_after_the_window_has_closed_is_left_to_other_windows(self) -> Iterator[Any]:
        _, release = yield from self.begin()
        yield from self.left_to_other_windows(release)

    def test_so_is_what_is_written_for_a_client_that_has_gone(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.reviews.commands.accept(review)
        yield self.closed
        release = self.hold("write")
        self.leave()
        self.later(accepted_texts.GONE_SECONDS)
        yield lambda: any(each.state is Holder.WRITING for each in self.reviews.accepted_texts._texts)
        yield from self.left_to_other_windows(release)


class TestNoAnswer(DiskTestCase):
    def test_three_disks_that_hang_stop_no_other_review(self) -> Iterator[Any]:
        real = disk.read
        release = threading.Event()
        self.addCleanup(release.set)

        def read(path: str, **options: Any) -> Any:
            if "dead" in path:
                release.wait(NEVER_SECONDS)
            return real(path, **options)

        with mock.patch.object(disk, "read", read):
            for number in range(3):
                yield from self.open_diff(f"dead{number}.py", drawn=False)
            self.reviews.open_diff(QWEN, self.write(), PROPOSED)
            review = self.reviews.pending()[-1]
            yield lambda: self.header(review) != "" and self.reviews.shown[review].settled
            release.set()
            yield self.settled

    def test_a_disk_that_hangs_is_not_asked_again_and_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        calls: List[str] = []
        release = threading.Event()
        self.addCleanup(release.set)

        def changed(original: Any) -> bool:
            calls.append(original.path)
            release.wait(NEVER_SECONDS)
            return False

        presentation = self.reviews.shown[review]
        yield lambda: not presentation.file._checks.under_way
        with mock.patch.object(disk, "changed", changed):
            for _ in range(20):
                presentation.file.check()
            yield lambda: bool(calls)
            yield 50
            self.assertEqual(len(calls), 1)
            release.set()
            yield lambda: len(calls) == 2 and not presentation.file._checks.under_way

    def test_a_look_that_began_before_the_file_was_read_again_says_nothing(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        presentation = self.reviews.shown[review]
        yield lambda: not presentation.file._checks.under_way
        release = self.hold("changed")
        self.write("file.py", TEXT + "more\n")
        presentation.load()
        presentation.file.check_disk()  # it still has the file as it was
        yield lambda: presentation.original.text.endswith("more\n")
        release.set()
        yield lambda: not presentation.file._checks.under_way and self.settled()
        self.assertNotIn("has changed on disk", self.header(review))
