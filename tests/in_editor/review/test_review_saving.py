"""An accepted text whose file is open in a tab, or is written by somebody else at the same time."""

from __future__ import annotations

import os
import threading
from typing import Any, Iterator
from unittest import mock, skipIf

import sublime

from ....companion.review.document import disk
from ...host.waiting import NEVER_SECONDS
from ...support.review_case import GEMINI, PROPOSED, QWEN, TEXT, DiskTestCase


class TestTheTab(DiskTestCase):
    """The file is open in a tab, which shows what is written."""

    def begin(self, text: str = TEXT) -> Iterator[Any]:
        view = yield from self.open_file(content=text)
        review = yield from self.open_diff()
        self.leave()
        return view, review

    def test_what_the_user_types_before_the_tab_is_written_is_not_lost(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        self.reviews.commands.accept(review)
        self.type(view, 0, "# mine\n")
        yield lambda: "save or revert them" in self.header(review) and review.pending
        self.assertEqual((self.text(view), self.read().decode()), ("# mine\n" + TEXT, TEXT))
        self.assertTrue(view.is_dirty())
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_a_tab_that_is_closed_before_it_is_written_is_not_needed(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        self.reviews.commands.accept(review)
        view.close()
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_what_the_user_types_while_the_file_is_written_stays_unsaved(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        begun, release, real = threading.Event(), threading.Event(), disk.write
        self.addCleanup(release.set)

        def write(*arguments: Any) -> None:
            begun.set()
            release.wait(NEVER_SECONDS)
            real(*arguments)

        with mock.patch.object(disk, "write", write):
            self.reviews.commands.accept(review)
            yield begun.is_set
            self.type(view, 0, "# mine\n")
            release.set()
            yield self.closed
        self.assertEqual((self.text(view), view.is_dirty()), ("# mine\n" + TEXT, True))
        self.assertEqual(self.read().decode(), PROPOSED)

    def test_its_encoding_stays(self) -> Iterator[Any]:
        """Of itself the editor would take another one for this file."""
        view = yield from self.open_file(content="\u0436\n".encode("cp1251"))
        view.run_command("reopen", {"encoding": "Cyrillic (Windows 1251)"})
        yield lambda: self.text(view) == "\u0436\n"
        review = yield from self.open_diff(proposed="\u0436\n\u0444\n")
        self.leave()
        self.reviews.commands.accept(review)
        yield self.closed
        self.assertEqual(self.read(), "\u0436\n\u0444\n".encode("cp1251"))
        yield lambda: self.text(view) == "\u0436\n\u0444\n"
        self.assertEqual((view.encoding(), view.is_dirty()), ("Cyrillic (Windows 1251)", False))

    def test_so_it_does_if_the_editor_reads_the_file_first(self) -> Iterator[Any]:
        view = yield from self.open_file(content="\u0436\n".encode("cp1251"))
        view.run_command("reopen", {"encoding": "Cyrillic (Windows 1251)"})
        yield lambda: self.text(view) == "\u0436\n"
        review = yield from self.open_diff(proposed="\u0436\n\u0444\n")
        self.leave()
        real = disk.write

        def write(*arguments: Any) -> None:
            real(*arguments)
            sublime.set_timeout(lambda: view.run_command("reopen", {"encoding": "Western (Windows 1252)"}))

        with mock.patch.object(disk, "write", write):
            self.reviews.commands.accept(review)
            yield self.closed
        yield lambda: self.text(view) == "\u0436\n\u0444\n"
        self.assertEqual(view.encoding(), "Cyrillic (Windows 1251)")


class TestOneFile(DiskTestCase):
    """Whoever else writes to the file that a tab shows."""

    def two_at_once(self, name: str) -> Iterator[Any]:
        """Two clients accept for one file, the second one by this name. One of them is told that it came too late."""
        yield from self.open_diff("file.py", "first\n")
        yield from self.open_diff(name, "second\n", QWEN)
        first, second = self.accept_by_client(), self.accept_by_client(QWEN, name)
        yield lambda: bool(first and second)
        refused = [answer for answer in first + second if answer]
        self.assertEqual(len(refused), 1)
        self.assertIn("has changed on disk", refused[0])
        self.assertEqual(self.read(), b"second\n" if first[0] else b"first\n")
        self.assertEqual([outcome.content for _, outcome in self.told], ["second\n" if first[0] else "first\n"])
        self.assertEqual([review.owner for review in self.reviews.pending()], [GEMINI if first[0] else QWEN])

    def test_of_two_texts_for_one_file_one_is_written_and_the_other_refused(self) -> Iterator[Any]:
        self.write()
        yield from self.two_at_once("file.py")

    def test_so_it_is_for_the_file_of_a_tab(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.two_at_once("file.py")
        yield lambda: self.text(view).encode() == self.read()
        self.assertFalse(view.is_dirty())

    @skipIf(os.name == "nt", "links need rights on Windows")
    def test_and_for_a_file_with_two_names(self) -> Iterator[Any]:
        view = yield from self.open_file()
        os.symlink("file.py", self.path("link.py"))
        other = self.window.open_file(self.path("link.py"))
        yield lambda: not other.is_loading()
        yield from self.two_at_once("link.py")
        yield lambda: self.text(view) == self.text(other) == self.read().decode()
        self.assertFalse(view.is_dirty() or other.is_dirty())

    @skipIf(os.name == "nt", "links need rights on Windows")
    def test_unsaved_edits_in_a_tab_of_another_name_are_not_written_over(self) -> Iterator[Any]:
        self.write()
        os.symlink("file.py", self.path("link.py"))
        other = self.window.open_file(self.path("link.py"))
        yield lambda: not other.is_loading()
        yield from self.open_diff()
        self.type(other, 0, "# mine\n")
        answers = self.accept_by_client()
        yield lambda: bool(answers)
        self.assertIn("has unsaved edits in a tab", answers[0])
        self.assertEqual((self.read().decode(), self.text(other)), (TEXT, "# mine\n" + TEXT))

    def test_what_is_written_while_the_main_thread_is_busy_is_not_overwritten(self) -> Iterator[Any]:
        yield from self.open_file()
        review = yield from self.open_diff()
        self.leave()
        theirs = threading.Timer(0.3, self.write, ["file.py", "theirs\n"])
        theirs.start()
        self.reviews.commands.accept(review)
        theirs.join()
        yield lambda: "has changed on disk" in self.header(review) and review.pending
        self.assertEqual(self.read(), b"theirs\n")

    def test_a_tab_that_holds_the_text_already_proves_nothing(self) -> Iterator[Any]:
        """The file had the text once, and the tab has not noticed that it has another one now."""
        view = yield from self.open_file(content=PROPOSED)
        self.write()
        yield from self.open_diff()
        answers = self.accept_by_client()
        yield lambda: bool(answers)
        self.assertEqual((answers, self.read().decode()), ([""], PROPOSED))
        self.assertEqual((self.text(view), view.is_dirty()), (PROPOSED, False))

    def test_what_the_user_types_as_soon_as_the_tab_shows_the_text_stays(self) -> Iterator[Any]:
        view = yield from self.open_file()
        yield from self.open_diff()
        answers = self.accept_by_client()
        yield lambda: self.text(view) == PROPOSED
        self.type(view, 0, "# typed\n")
        yield lambda: bool(answers)
        self.assertEqual((answers, self.read().decode()), ([""], PROPOSED))
        self.assertEqual((self.text(view), view.is_dirty()), ("# typed\n" + PROPOSED, True))

    def test_line_ends_that_the_file_mixes_stay_where_nothing_is_changed(self) -> Iterator[Any]:
        view = yield from self.open_file("file.txt", b"a\r\nb\nc\rd\n")
        yield from self.open_diff("file.txt", "a\nb\nc\nnew\n")
        answers = self.accept_by_client(name="file.txt")
        yield lambda: bool(answers)
        self.assertEqual((answers, self.read("file.txt")), ([""], b"a\r\nb\nc\rnew\n"))
        yield lambda: self.text(view) == "a\nb\nc\nnew\n" and not view.is_dirty()
