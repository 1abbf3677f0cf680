"""An accepted text whose file is open in a tab: the editor saves it, and what it saves is kept."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List
from unittest import mock

import sublime

from ..companion.editor.edits import set_text
from ..companion.review.decision import State
from ..companion.review.document import apply
from .review_support import PROPOSED, TEXT, DiskTestCase


class TestSavingTheTab(DiskTestCase):
    """The file is open in a tab, so the editor writes it."""

    def begin(self, text: str = TEXT) -> Iterator[Any]:
        view = yield from self.open_file(content=text)
        review = yield from self.open_diff()
        self.leave()
        return view, review

    def swallow_saves(self, which: Callable[[Dict[str, Any]], bool]) -> List[Dict[str, Any]]:
        """Let the editor not carry out the saves with such arguments. Gives those that were swallowed."""
        swallowed: List[Dict[str, Any]] = []
        real = sublime.View.run_command

        def run_command(view: sublime.View, name: str, args: Any = None) -> None:
            if name == "save" and which(args or {}):
                swallowed.append(args or {})
            else:
                real(view, name, args)

        patcher = mock.patch.object(sublime.View, "run_command", run_command)
        patcher.start()
        self.addCleanup(patcher.stop)
        return swallowed

    def test_what_the_user_types_before_the_tab_is_written_is_not_lost(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        release = self.hold("encoded")  # which comes after the look at the tabs
        self.reviews.accept(review)
        self.type(view, 0, "# mine\n")
        release.set()
        yield lambda: "save or revert them" in self.header(review) and review.pending
        self.assertEqual((self.text(view), self.read().decode()), ("# mine\n" + TEXT, TEXT))
        self.assertTrue(view.is_dirty())
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_a_tab_that_is_closed_before_it_is_written_is_not_needed(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        release = self.hold("encoded")
        self.reviews.accept(review)
        view.close()
        release.set()
        yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_an_editor_that_does_not_save(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        swallowed = self.swallow_saves(lambda args: True)
        with mock.patch.object(apply, "SAVE_SECONDS", 0.05):
            self.reviews.accept(review)
            yield lambda: "file.py could not be saved." in self.header(review)
        self.assertTrue(swallowed)
        self.assertTrue(review.pending)
        self.assertEqual((self.text(view), view.is_dirty()), (TEXT, False))
        self.assertEqual(self.read().decode(), TEXT)
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_what_a_formatter_shortens_on_save_is_kept(self) -> Iterator[Any]:
        """It runs before the editor writes, as those do that trim blank lines or sort what is imported."""
        view = yield from self.open_file()
        review = yield from self.open_diff(proposed=PROPOSED + "\n\n# end\n")
        self.leave()
        real = sublime.View.run_command

        def run_command(view: sublime.View, name: str, args: Any = None) -> None:
            if name == "save":
                set_text(view, PROPOSED)
            real(view, name, args)

        with mock.patch.object(sublime.View, "run_command", run_command):
            self.reviews.accept(review)
            yield self.closed
        self.assertEqual((self.read().decode(), self.text(view), view.is_dirty()), (PROPOSED, PROPOSED, False))
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_so_is_what_a_program_takes_off_the_end_of_the_saved_file(self) -> Iterator[Any]:
        yield from self.open_file()
        review = yield from self.open_diff(proposed=PROPOSED + "\n\n")
        self.leave()
        real = sublime.View.run_command

        def run_command(view: sublime.View, name: str, args: Any = None) -> None:
            real(view, name, args)
            if name == "save":
                self.write("file.py", PROPOSED)

        with mock.patch.object(sublime.View, "run_command", run_command):
            self.reviews.accept(review)
            yield self.closed
        self.assertEqual(self.read().decode(), PROPOSED)
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_a_window_that_closes_has_a_slow_save_carried_out_at_once(self) -> Iterator[Any]:
        view, review = yield from self.begin()
        swallowed = self.swallow_saves(lambda args: bool(args.get("async")))
        self.reviews.accept(review)
        yield lambda: bool(swallowed)
        self.assertIs(review.state, State.WRITING)
        self.reviews.shutdown()
        self.assertIs(review.state, State.ACCEPTED)
        self.assertEqual((self.read().decode(), view.is_dirty()), (PROPOSED, False))
        self.assertEqual(os.listdir(self.folder), ["file.py"])

    def test_what_the_tab_takes_on_from_the_preferences_it_goes_on_taking_on(self) -> Iterator[Any]:
        preferences = sublime.load_settings("Preferences.sublime-settings")
        view, review = yield from self.begin()
        self.reviews.accept(review)
        yield self.closed
        for name, values in (
            ("trim_trailing_white_space_on_save", ("all", "none")),
            ("ensure_newline_at_eof_on_save", (True, False)),
        ):
            before = preferences.get(name)
            for value in values:
                preferences.set(name, value)
                self.assertEqual(view.settings().get(name), value)
            if before is None:
                preferences.erase(name)
            else:
                preferences.set(name, before)
