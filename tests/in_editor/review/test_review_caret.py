"""The caret that the package moves is drawn and reported.

The editor draws and reports a change of a selection only when it is made inside the run of a text command: otherwise
the caret seems to stand still until something else draws the view anew.
"""

from __future__ import annotations

import sys
from typing import Any, Iterator, List
from unittest import mock

import sublime
import sublime_plugin

from ....companion.editor import edits
from ...support.review_case import PLUGIN, ReviewTestCase
from ...support.selecting import put_caret
from ...support.thread_guard import package_caller

LEFT = "".join(f"line {number}\n" for number in range(60))
RIGHT = LEFT.replace("line 5\n", "LINE 5\n").replace("line 50\n", "line 50\nnew\n")
CHANGES = ("add", "add_all", "clear", "subtract")


def in_text_command() -> bool:
    """Whether the caller runs inside a text command."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "run" and isinstance(frame.f_locals.get("self"), sublime_plugin.TextCommand):
            return True
        frame = frame.f_back
    return False


class TestTheCaret(ReviewTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.outside: List[str] = []
        self.reported: List[int] = []
        for name in CHANGES:
            self.watch(name)
        application = sys.modules[PLUGIN].application
        report = application.selection_modified
        patched = mock.patch.object(
            application, "selection_modified", lambda view: (self.reported.append(view.id()), report(view))
        )
        patched.start()
        self.addCleanup(patched.stop)

    def watch(self, name: str) -> None:
        real = getattr(sublime.Selection, name)

        def watched(selection: Any, *arguments: Any) -> Any:
            if not in_text_command() and package_caller() is not None:
                self.outside.append(name)
            return real(selection, *arguments)

        patched = mock.patch.object(sublime.Selection, name, watched)
        patched.start()
        self.addCleanup(patched.stop)

    def review(self) -> Iterator[Any]:
        self.write("file.txt", LEFT)
        review = yield from self.open_diff("file.txt", RIGHT)
        return review

    def caret_line(self, view: sublime.View) -> str:
        return view.substr(view.line(view.sel()[0].b))

    def test_the_watch_notices(self) -> Iterator[Any]:
        review = yield from self.review()
        edits.select(self.proposal(review), [[3, 3]])
        self.assertEqual(self.outside, ["clear", "add_all"])

    def test_in_a_fresh_proposal_is_drawn_at_the_first_change(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        yield lambda: view.id() in self.reported
        self.assertEqual(self.caret_line(view), "LINE 5")
        self.assertEqual(self.outside, [])

    def test_of_a_user_who_was_quicker_than_the_comparison_stays(self) -> Iterator[Any]:
        self.write("file.txt", LEFT)
        review = yield from self.open_diff("file.txt", RIGHT, drawn=False)
        view = self.proposal(review)
        self.assertEqual(self.text(view), RIGHT)
        put_caret(view, view.size())
        yield self.settled
        view.run_command("insert", {"characters": "typed"})
        self.assertEqual(self.text(view), RIGHT + "typed")

    def test_of_a_user_who_has_typed_already_stays(self) -> Iterator[Any]:
        self.write("file.txt", LEFT)
        review = yield from self.open_diff("file.txt", RIGHT, drawn=False)
        view = self.proposal(review)
        self.type(view, view.size(), "typed")
        put_caret(view, 0)
        yield self.settled
        view.run_command("insert", {"characters": "as "})
        self.assertEqual(self.text(view), "as " + RIGHT + "typed")

    def test_that_went_back_to_the_start_stays_there_when_all_is_drawn_anew(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        put_caret(view, 0)
        self.write("file.txt", LEFT + "more\n")
        self.reviews.commands.run("reload", review)
        yield lambda: "+2 \u22122" in self.header(review) and self.settled()
        self.assertEqual(list(view.sel()), [sublime.Region(0)])

    def test_the_caret_of_a_proposal_replaced_at_once_is_at_the_first_change(self) -> Iterator[Any]:
        self.write("file.txt", LEFT)
        yield from self.open_diff("file.txt", LEFT.replace("line 0", "first"), drawn=False)
        review = yield from self.open_diff("file.txt", RIGHT)
        self.assertEqual(self.caret_line(self.proposal(review)), "LINE 5")

    def test_in_the_file_beside_it_stays_when_the_file_is_read_again(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.original(review)
        put_caret(view, 70)
        self.write("file.txt", LEFT + "more\n")
        self.reviews.shown[review].load()
        yield lambda: self.text(view) == LEFT + "more\n" and self.settled()
        self.assertEqual(list(view.sel()), [sublime.Region(70)])

    def test_of_next_and_previous_change_is_drawn_and_reported(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        for name, expected in (("next", "new"), ("previous", "LINE 5")):
            del self.reported[:]
            self.window.run_command(f"gemini_companion_{name}_change")
            yield lambda: view.id() in self.reported
            self.assertEqual(self.caret_line(view), expected)
        self.assertEqual(self.outside, [])

    def test_stays_with_the_text_that_it_stands_in(self) -> None:
        made = [edits.Edit(20, 20, "inserted"), edits.Edit(5, 10, "ab"), edits.Edit(12, 14, "longer")]  # in any order
        places = {0: 0, 5: 5, 7: 5, 10: 7, 11: 8, 13: 9, 14: 15, 20: 21, 21: 30}
        self.assertEqual({point: edits.carried(point, made) for point in places}, places)

    def test_stays_where_it_is_when_hunks_are_reverted_and_brought_back(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        before = self.caret_line(view)
        self.reviews.commands.revert_hunk(review, 1)
        yield self.settled
        view.run_command("undo")
        yield self.settled
        self.assertEqual(self.caret_line(view), before)
        self.assertEqual(self.outside, [])

    def test_selects_nothing_of_what_a_revert_brings_back(self) -> Iterator[Any]:
        self.write("file.txt", LEFT)
        review = yield from self.open_diff("file.txt", LEFT.replace("line 30\n", ""))
        view = self.proposal(review)
        self.assertEqual(self.caret_line(view), "line 31")
        self.window.run_command("gemini_companion_revert_hunk")
        yield self.settled
        self.assertEqual(self.text(view), LEFT)
        self.assertTrue(all(region.empty() for region in view.sel()), list(view.sel()))

    def test_selects_nothing_of_what_is_written_into_a_tab_where_it_stands(self) -> Iterator[Any]:
        tab = yield from self.open_file("file.txt", LEFT)
        review = yield from self.open_diff("file.txt", LEFT.replace("line 3\n", "new\nline 3\n"))
        self.connected.discard(review.owner.session_id)  # so that the package writes the file
        self.reviews.owner_gone(review.owner.session_id)
        put_caret(tab, LEFT.index("line 3"))
        self.reviews.commands.accept(review)
        yield lambda: not self.reviews.pending() and "new" in self.text(tab)
        self.assertTrue(all(region.empty() for region in tab.sel()), list(tab.sel()))

    def test_moves_without_a_step_in_the_undo_history(self) -> Iterator[Any]:
        review = yield from self.review()
        view = self.proposal(review)
        self.type(view, 0, "typed")
        del self.outside[:]
        yield self.settled
        self.window.run_command("gemini_companion_next_change")
        self.assertEqual(self.outside, [])
        view.run_command("undo")
        self.assertEqual(self.text(view), RIGHT)
