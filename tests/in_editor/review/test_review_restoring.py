"""After the last review the window is exactly as it was."""

from __future__ import annotations

from typing import Any, Iterator

import sublime

from ...support.review_case import GRID, QWEN, TWO_COLUMNS, RestoringTestCase

NINE = {
    "cols": [0.0, 0.3, 0.7, 1.0],
    "rows": [0.0, 0.4, 0.6, 1.0],
    "cells": [[x, y, x + 1, y + 1] for y in range(3) for x in range(3)],
}


class TestWindows(RestoringTestCase):
    def test_one_group(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        yield from self.open_file()
        yield from self.open_file("three.py")
        before = self.picture()
        review = yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 2)
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_nine_groups(self) -> Iterator[Any]:
        self.window.set_layout(NINE)
        for group in range(9):
            yield from self.open_file(f"{group}.py", group=group)
            yield from self.open_file(f"{group}b.py", group=group)
            self.window.focus_view(self.window.find_open_file(self.path(f"{group}.py")))
        self.window.focus_group(7)
        before = self.picture()
        rectangles = [self.rectangle(group) for group in range(9)]
        review = yield from self.open_diff("4.py")
        self.assertEqual(self.window.num_groups(), 10)
        self.assertEqual(self.window.get_view_index(self.original(review))[0], 4)
        self.assertEqual(self.window.get_view_index(self.proposal(review))[0], 9)
        for group in range(9):
            if group != 4:
                self.assertEqual(self.rectangle(group), rectangles[group])
        self.reviews.commands.accept(review)
        yield from self.assert_given_back(before)

    def test_nothing_is_left_in_the_users_groups(self) -> Iterator[Any]:
        """The editor shows an untitled view in a group without tabs; when ours is emptied, that stays where it is."""
        self.window.set_layout(GRID)
        for group in range(3):
            yield from self.open_file(f"{group}.py", group=group)
        before = self.picture()
        self.window.focus_group(1)
        for presentation in ("side_by_side", "inline"):
            self.use(review_presentation=presentation)
            for name in ("1.py", "new.py"):
                review = yield from self.open_diff(name, drawn=False)
                self.reviews.commands.reject(review)
                yield lambda: self.window.num_groups() == 3 and len(self.window.views()) == 3
                self.assertEqual(self.window.views(include_transient=True), self.window.views())
                self.assertEqual([self.window.transient_sheet_in_group(group) for group in range(3)], [None] * 3)
                self.assertEqual(self.picture()["tabs"], before["tabs"])

    def test_a_preview_in_our_group_is_the_users(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        review = yield from self.open_diff("one.py")
        self.window.focus_view(self.proposal(review))
        self.write("looked-at.py")
        preview = self.window.open_file(self.path("looked-at.py"), sublime.TRANSIENT, 1)
        yield lambda: not preview.is_loading()
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        sheet = self.window.transient_sheet_in_group(0)
        if sheet is not None:  # an editor may make a tab of a preview that is moved
            self.assertEqual(sheet.file_name(), self.path("looked-at.py"))
        else:
            self.assertIn("looked-at.py", self.titles()[0])

    def test_its_tabs_come_behind_all_others_wherever_the_user_is(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        views = []
        for name in ("a.py", "b.py", "c.py"):
            views.append((yield from self.open_file(name)))
        self.window.focus_view(views[0])
        before = self.picture()
        review = yield from self.open_diff("b.py")
        self.assertEqual(self.titles()[0][:3], ["a.py", "b.py", "c.py"])
        self.assertEqual(self.window.get_view_index(self.proposal(review)), (0, 3))
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_no_views(self) -> Iterator[Any]:
        for view in self.window.views():
            view.close()
        yield lambda: not self.window.views()
        before = self.picture()
        self.write()
        review = yield from self.open_diff()
        self.assertEqual(len(self.window.views()), 2)
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)
        self.assertTrue(self.window.is_valid())

    def test_only_a_terminal(self) -> Iterator[Any]:
        for view in self.window.views():
            view.close()
        terminal = self.terminal()
        before = self.picture()
        self.write()
        review = yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 3)
        self.assertEqual(self.window.active_view_in_group(0), terminal)
        left, top, right, bottom = self.rectangle(0)
        self.assertEqual((left, right, bottom), (0.0, 1.0, 1.0))
        self.assertEqual({self.rectangle(1)[3], self.rectangle(2)[3]}, {top})
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_another_group_has_the_focus(self) -> Iterator[Any]:
        self.window.set_layout(GRID)
        yield from self.open_file("file.py", group=1)
        yield from self.open_file("other.py", group=1)
        other = yield from self.open_file("third.py", group=2)
        self.window.focus_view(other)
        before = self.picture()
        review = yield from self.open_diff()
        self.assertEqual(self.window.get_view_index(self.original(review))[0], 1)
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_a_file_that_is_not_open_goes_to_the_active_group(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("other.py", group=1)
        before = self.picture()
        review = yield from self.open_diff("new.py")
        self.assertEqual(self.window.get_view_index(self.original(review))[0], 1)
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_never_the_terminals_group(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("other.py", group=0)
        self.terminal(1)
        before = self.picture()
        review = yield from self.open_diff("new.py")
        self.assertEqual(self.window.get_view_index(self.original(review))[0], 0)
        self.assertEqual(self.window.get_view_index(self.proposal(review))[0], 2)
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_a_terminal_in_front_of_the_file_stays_in_sight(self) -> Iterator[Any]:
        yield from self.open_file()
        terminal = self.terminal()
        before = self.picture()
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view_in_group(0), terminal)
        self.reviews.commands.accept(review)
        yield from self.assert_given_back(before)

    def test_groups_that_the_editor_made_are_still_its_own(self) -> Iterator[Any]:
        self.window.settings().set("last_automatic_layout", TWO_COLUMNS["cells"])
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("file.py", group=0)
        yield from self.open_file("other.py", group=1)
        review = yield from self.open_diff()
        self.assertIsNone(self.window.settings().get("last_automatic_layout"))
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 2
        self.assertEqual(self.window.settings().get("last_automatic_layout"), TWO_COLUMNS["cells"])

    def test_several_sheets_in_one_group_and_a_choice_in_another(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        one = yield from self.open_file("one.py", group=0)
        two = yield from self.open_file("file.py", group=0)
        yield from self.open_file("three.py", group=0)
        other = yield from self.open_file("other.py", group=1)
        last = yield from self.open_file("last.py", group=1)
        # The last one named of each group is its active one; focusing it might deselect the others.
        for group, views in ((1, (last, other)), (0, (one, two))):
            self.window.focus_group(group)
            self.window.select_sheets([view.sheet() for view in views])
        before = self.picture()
        self.assertEqual([len(selected) for selected in before["selected"]], [2, 2])
        review = yield from self.open_diff()
        self.reviews.commands.reject(review)
        yield from self.assert_given_back(before)

    def test_a_preview_stays_a_preview(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        self.write()
        preview = self.window.open_file(self.path(), sublime.TRANSIENT)
        yield lambda: not preview.is_loading()
        self.assertTrue(preview.sheet().is_transient())
        before = self.picture()
        review = yield from self.open_diff()
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        sheet = self.window.transient_sheet_in_group(0)
        self.assertIsNotNone(sheet)
        self.assertTrue(sheet.is_transient())
        self.assertEqual(sheet.file_name(), self.path())
        self.assertEqual(self.window.active_sheet(), sheet)
        self.assertEqual(self.picture()["tabs"], before["tabs"])
        self.assertEqual(self.window.layout(), before["layout"])

    def test_a_preview_that_the_editor_dropped_comes_back(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        self.write()
        preview = self.window.open_file(self.path(), sublime.TRANSIENT)
        yield lambda: not preview.is_loading()
        review = yield from self.open_diff()
        self.window.focus_view(preview)
        self.window.run_command("close")  # View.close() may leave a preview as it is
        yield lambda: preview.window() is None
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        sheet = self.window.active_sheet()
        self.assertTrue(sheet.is_transient())
        self.assertEqual(sheet.file_name(), self.path())


class TestSeveral(RestoringTestCase):
    def test_reviews_open_as_tabs_in_the_same_two_groups(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        yield from self.open_file("two.py")
        before = self.picture()
        first = yield from self.open_diff("one.py")
        second = yield from self.open_diff("two.py")
        third = yield from self.open_diff("three.py", owner=QWEN)
        self.assertEqual(self.window.num_groups(), 2)
        for review in (first, second, third):
            self.assertEqual(self.window.get_view_index(self.original(review))[0], 0)
            self.assertEqual(self.window.get_view_index(self.proposal(review))[0], 1)
        self.reviews.commands.accept(second)
        yield lambda: len(self.window.views()) == 6
        self.assertEqual(self.window.num_groups(), 2)
        self.reviews.commands.reject(third)
        yield lambda: len(self.window.views()) == 4
        self.reviews.commands.accept(first)
        yield from self.assert_given_back(before)

    def test_a_tab_of_a_review_brings_its_partner_to_the_front(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        first = yield from self.open_diff("one.py")
        second = yield from self.open_diff("two.py")
        self.assertEqual(self.window.active_view_in_group(0), self.original(first))
        self.window.focus_view(self.proposal(second))
        yield lambda: self.window.active_view_in_group(0) == self.original(second)
        self.assertEqual(self.window.active_view(), self.proposal(second))
        self.window.focus_view(self.original(first))
        yield lambda: self.window.active_view_in_group(1) == self.proposal(first)
        self.assertEqual(self.window.active_view(), self.original(first))
