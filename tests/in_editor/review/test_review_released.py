"""Views of a review that go without a decision: saved as a file of the user's, or closed by whoever closes tabs."""

from __future__ import annotations

import os
from typing import Any, Iterator, List
from unittest import mock

import sublime

from ....companion.editor import marks
from ....companion.review import closed
from ...support.review_case import ALL_MARKS, PROPOSED, TEXT, DecidingTestCase
from .test_review_level import top

OURS = ("gemini_companion.role", "lsp_uri", "vintageous_handle_keys", "draw_centered")


class TestSavedUnderAName(DecidingTestCase):
    def save_as(self, view: sublime.View, name: str) -> None:
        """Save a view under a name, as *Save As* does once its dialog is answered."""
        view.retarget(self.path(name))
        view.run_command("save")

    def test_the_tab_is_the_users_at_once_and_so_are_its_clones(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        saved = self.proposal(review)
        self.window.focus_view(saved)
        self.window.run_command("clone_file")
        yield lambda: len(saved.clones()) == 1
        (clone,) = saved.clones()
        self.type(saved, 0, "# mine\n")
        self.save_as(saved, "copy.py")
        yield lambda: not saved.is_scratch()
        plain = self.window.new_file()  # has what the editor and its packages say by themselves
        theirs = plain.settings().to_dict()
        plain.close()
        for view in (saved, clone):
            found = view.settings().to_dict()
            self.assertEqual({key: found.get(key) for key in OURS}, {key: theirs.get(key) for key in OURS})
            self.assertFalse(view.is_scratch())
        plain.close()
        self.assertEqual(self.read("copy.py").decode(), "# mine\n" + PROPOSED)
        self.assertEqual(self.marked(saved, "lines"), [])
        yield lambda: bool(self.reviews.shown)
        yield self.settled
        self.assertTrue(review.pending)
        self.assertEqual(self.told, [])
        self.assertNotEqual(self.proposal(review), saved)
        self.assertEqual(self.text(self.proposal(review)), "# mine\n" + PROPOSED)
        saved.run_command("insert", {"characters": "x"})
        self.assertTrue(saved.is_dirty())
        self.reviews.commands.accept(review)
        yield lambda: self.told != [] and len(self.window.views()) == 2
        self.assertEqual(self.only_outcome()[1].content, "# mine\n" + PROPOSED)
        self.assertEqual({view.id() for view in self.window.views()}, {saved.id(), clone.id()})
        self.assertFalse(saved.is_scratch())

    def test_the_same_for_the_original(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        saved = self.original(review)
        self.save_as(saved, "copy.py")
        yield lambda: bool(self.reviews.shown) and self.reviews.shown[review].original_view != saved
        yield self.settled
        self.reviews.commands.reject(review)
        yield lambda: self.window.views() == [saved]
        self.assertEqual((self.read("copy.py").decode(), saved.is_scratch()), (TEXT, False))
        self.assertEqual([key for key in ALL_MARKS if saved.get_regions(key)], [])
        rows = saved.rowcol(saved.size())[0]  # with nothing left between them, once they are laid out
        yield lambda: abs(top(saved, rows) - top(saved, 0) - rows * saved.line_height()) < 1

    def test_the_same_in_another_window(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        saved = self.proposal(review)
        other = yield from self.another_window()
        sheet = saved.sheet()
        if sheet is not None:
            other.set_sheet_index(sheet, 0, 0)
        yield lambda: saved.window() == other
        self.save_as(saved, "copy.py")
        yield lambda: not saved.is_scratch()
        yield lambda: review in self.reviews.shown and self.proposal(review) != saved
        yield self.settled
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending()
        self.assertEqual([view for view in other.views() if view == saved], [saved])
        self.assertEqual(self.read("copy.py").decode(), PROPOSED)

    def test_after_a_restart_too(self) -> Iterator[Any]:
        view = self.window.new_file()
        view.set_scratch(True)
        marks.take_role(view, marks.PROPOSAL)
        self.save_as(view, "copy.py")
        yield lambda: "gemini_companion.role" not in view.settings().to_dict()
        marks.take_role(view, marks.PROPOSAL)  # while the package was not there
        view.set_scratch(True)
        self.reviews.recover()
        yield 30
        self.assertEqual(self.window.views(), [view])
        self.assertFalse(view.is_scratch())
        self.assertNotIn("gemini_companion.role", view.settings().to_dict())


class TestClosedByOthers(DecidingTestCase):
    def close_all_scratch(self) -> None:
        for view in self.window.views():
            if not view.is_dirty():
                view.close()

    def pick(self, number: int) -> List[Any]:
        """Open Show Pending Diffs and pick from it. Gives the entries."""
        with mock.patch.object(sublime.Window, "show_quick_panel", autospec=True) as shown:
            self.window.run_command("gemini_companion_show_pending_diffs")
        (_, items, picked), named = shown.call_args
        named["on_highlight"](number)
        picked(number)
        return items

    def test_it_is_said_and_can_be_opened_again(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff()
        self.type(self.proposal(review), 0, "# mine\n")
        self.close_all_scratch()
        yield self.closed
        self.assertIsNone(self.only_outcome()[1].content)
        self.assertIn("closed and rejected the diff of file.py: for a minute", self.said[-1])
        (item,) = self.pick(0)
        self.assertEqual((item.trigger, item.annotation), ("file.py", "Gemini CLI, closed: open again"))
        (again,) = self.reviews.pending()
        yield lambda: "Gemini CLI was told that you closed this: Accept writes the file itself." in self.header(again)
        yield self.settled
        self.assertEqual(self.text(self.proposal(again)), "# mine\n" + PROPOSED)
        self.reviews.commands.accept(again)
        yield self.closed
        self.assertEqual(self.read().decode(), "# mine\n" + PROPOSED)
        self.assertEqual(len(self.told), 1)
        self.assertEqual(self.reviews.closed.recent(), [])

    def test_a_newer_proposal_of_the_client_is_another_review(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.close_all_scratch()
        yield self.closed
        self.pick(0)
        (again,) = self.reviews.pending()
        newer = yield from self.open_diff("file.py", "newer\n")
        self.assertEqual(self.reviews.pending(), [again, newer])

    def test_only_for_a_minute(self) -> Iterator[Any]:
        self.write()
        yield from self.open_diff()
        self.close_all_scratch()
        yield self.closed
        self.assertIn("for a minute", self.said[-1])
        self.assertEqual(len(self.reviews.closed._closed), 1)
        self.later(closed.SECONDS)
        yield lambda: self.reviews.closed._closed == []  # nobody has asked
        late = closed.ClosedReview(self.path(), "Gemini CLI", PROPOSED)
        self.assertEqual(self.reviews.closed.reopen(late), "that diff was closed more than a minute ago")
        self.assertEqual(self.reviews.closed.recent(), [])

    def test_what_was_decided_is_not_among_them(self) -> Iterator[Any]:
        self.write()
        for decide in (self.reviews.commands.accept, self.reviews.commands.reject):
            review = yield from self.open_diff()
            decide(review)
            yield self.closed
        self.assertEqual(self.reviews.closed.recent(), [])
        self.assertTrue(os.path.exists(self.path()))
