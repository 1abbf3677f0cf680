"""A window that changes its project: reviews end before, and no project is touched by another one's review."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any, Callable, Iterator, List
from unittest import mock

import sublime

from ....companion.editor import file_views, marks
from ....companion.review.decision import Review
from ....companion.review.window import views
from ...support.projects import ProjectSwitching
from ...support.review_case import GEMINI, PLUGIN, TWO_COLUMNS, RestoringTestCase

ONE_COLUMN = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}


class TestProjects(ProjectSwitching, RestoringTestCase):
    """The window has the project `one` with a file in each of two groups."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.one, self.two = self.project("one"), self.project("two")
        self.addCleanup(self.leave)
        yield from self.switch(self.one)
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("left.py", group=0)
        yield from self.open_file("file.py", group=1)

    def leave(self) -> None:
        if self.window.is_valid():
            self.window.run_command("close_workspace")

    def roles(self) -> List[str]:
        return [view.name() for view in self.window.views() if view.settings().has("gemini_companion.role")]

    def test_a_switch_rejects_and_gives_back_before(self) -> Iterator[Any]:
        layout, titles = self.window.layout(), self.titles()
        yield from self.open_diff()
        self.assertEqual(self.window.num_groups(), 3)
        yield from self.switch(self.two)
        self.assertEqual([(owner, outcome.content) for owner, outcome in self.told], [(GEMINI.session_id, None)])
        self.assertEqual(self.reviews.pending(), [])
        self.assertEqual(self.roles(), [])
        yield from self.switch(self.one)
        yield lambda: self.titles() == titles
        self.assertEqual(self.window.layout(), layout)
        self.assertNotIn("gemini_companion.stage", self.window.settings().to_dict())

    def test_the_other_projects_layout_is_not_touched(self) -> Iterator[Any]:
        yield from self.switch(self.two)
        three = dict(TWO_COLUMNS, cols=[0.0, 0.3, 1.0])
        self.window.set_layout(three)
        yield from self.open_file("other.py", group=1)
        layout, titles = self.window.layout(), self.titles()
        yield from self.switch(self.one)
        yield from self.open_diff()
        yield from self.switch(self.two)
        yield lambda: self.titles() == titles
        yield 100  # what a review that ends late would still do
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), titles)

    def test_a_switch_that_nobody_announced_touches_nothing_either(self) -> Iterator[Any]:
        """Without an event before, the review hears of the switch by its tabs being closed."""
        yield from self.open_diff()
        self.reviews.leave_project = lambda: None  # type: ignore[method-assign]
        yield from self.switch(self.two)
        yield lambda: len(self.told) == 1
        yield lambda: not self.reviews.pending() and not self.roles()
        yield 100
        self.assertIsNone(self.told[0][1].content)
        self.assertEqual(self.window.num_groups(), 1)
        self.assertEqual(self.titles(), [[]])
        yield from self.switch(self.one)
        yield lambda: not self.roles() and self.window.num_groups() == 2

    def test_columns_of_the_other_project_are_not_taken_for_the_reviews(self) -> Iterator[Any]:
        """The project `one` has a single column, and its review two, just as the other project."""
        yield from self.switch(self.two)
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("other.py", group=1)
        layout, titles = self.window.layout(), self.titles()
        yield from self.switch(self.one)
        for view in self.window.views():
            view.close()
        self.window.set_layout(ONE_COLUMN)
        yield from self.open_file("file.py", group=0)
        yield from self.open_diff()
        self.reviews.leave_project = lambda: None  # type: ignore[method-assign]
        yield from self.switch(self.two)
        yield lambda: len(self.told) == 1 and not self.reviews.pending()
        yield 400  # what a review that ends late would still do
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), titles)

    def test_another_project_that_looks_like_the_reviewed_one_is_left_alone(self) -> Iterator[Any]:
        yield from self.looks_alike(lambda: self.switch(self.two))

    def test_not_even_if_its_name_comes_late_and_its_file_says_what_we_note(self) -> Iterator[Any]:
        said = {"folders": [{"path": self.folder}], "settings": {"gemini_companion.stage": {"division": None}}}
        self.window.set_project_data(said)
        self.write("two.sublime-project", json.dumps(said))
        yield from self.looks_alike(self.switch_before_the_name)

    def switch_before_the_name(self) -> Iterator[Any]:
        """The window has the tabs and the layout of the other project already, and the name of this one."""
        for name in ("project_file_name", "workspace_file_name"):
            known = getattr(self.window, name)()
            patcher = mock.patch.object(sublime.Window, name, lambda window, known=known: known)
            patcher.start()
            self.addCleanup(patcher.stop)
        self.window.run_command("open_project_or_workspace", {"file": self.two, "new_window": False})
        yield lambda: len(self.told) == 2

    def looks_alike(self, switch: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """A switch that nobody announced, to a project with the layout that this one has during its review."""
        review = yield from self.open_diff()
        layout = self.window.layout()
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 2
        yield from self.switch(self.two)
        self.window.set_layout(layout)
        yield from self.open_file("other.py", group=2)
        titles = self.titles()
        yield from self.switch(self.one)
        yield from self.open_diff()
        self.reviews.leave_project = lambda: None  # type: ignore[method-assign]
        yield from switch()
        yield lambda: len(self.told) == 2 and not self.reviews.pending()
        yield 100  # what a review that ends late would still do
        self.assertEqual(self.window.layout(), layout)
        self.assertEqual(self.titles(), titles)

    def test_closing_the_project_rejects(self) -> Iterator[Any]:
        yield from self.open_diff()
        self.window.run_command("close_workspace")
        yield lambda: self.window.project_file_name() is None
        self.assertEqual([outcome.content for _, outcome in self.told], [None])
        self.assertEqual(self.roles(), [])
        self.assertEqual(self.reviews.pending(), [])

    def test_left_overs_that_come_back_with_a_workspace_are_closed(self) -> Iterator[Any]:
        self.window.focus_group(0)
        view = views.create(self.window, marks.PROPOSAL, "left over (proposal)", self.path(), None, False)
        yield from self.switch(self.two)
        self.assertFalse(file_views.is_open(view))
        yield from self.switch(self.one)
        yield lambda: self.titles() == [["left.py"], ["file.py"]]

    def test_a_project_that_comes_back_without_a_word_has_nothing_of_a_review(self) -> Iterator[Any]:
        """As the palette and plugins switch projects: no listener hears of the command."""
        layout = self.window.layout()
        yield from self.open_diff()
        self.assertNotEqual(self.window.layout(), layout)
        yield from self.switch(self.two)
        yield lambda: self.roles() == [] and self.reviews.pending() == []
        self.assertEqual(self.window.num_groups(), 1)
        yield from self.switch(self.one)
        yield lambda: self.titles() == [["left.py"], ["file.py"]]
        yield lambda: self.window.layout() == layout

    def test_a_project_that_comes_back_at_once_has_nothing_of_a_review(self) -> Iterator[Any]:
        """The window has another project for so short a time that no look finds it, and no event tells of it."""
        self.endpoint.look_at_project()  # this project is known
        layout = self.window.layout()
        yield from self.open_diff()
        for event in ("project_closing", "workspace_changed"):
            patcher = mock.patch.object(sys.modules[PLUGIN].application, event)
            patcher.start()
            self.addCleanup(patcher.stop)
        self.freeze()
        yield from self.switch(self.two)
        yield lambda: self.roles() == [] and self.reviews.pending() == []
        yield from self.switch(self.one)

        def given_back() -> bool:
            self.later(1.0)
            return self.titles() == [["left.py"], ["file.py"]] and self.window.layout() == layout

        yield given_back

    def save_as(self, name: str, what: str = "project_file_name") -> None:
        """Save the project or the workspace under another name. The editor's commands for that ask for the name."""
        patcher = mock.patch.object(sublime.Window, what, lambda window: self.path(name))
        patcher.start()
        self.addCleanup(patcher.stop)

    def assert_given_back_after(
        self, end: Callable[[Review], object], what: str = "project_file_name"
    ) -> Iterator[Any]:
        layout, titles = self.window.layout(), self.titles()
        review = yield from self.open_diff()
        self.save_as("elsewhere", what)
        end(review)
        yield lambda: self.titles() == titles
        yield lambda: self.window.layout() == layout
        self.assertNotIn("gemini_companion.stage", self.window.settings().to_dict())

    def test_a_project_that_is_saved_as_another_is_the_same_project(self) -> Iterator[Any]:
        yield from self.assert_given_back_after(self.reviews.commands.accept)

    def test_a_workspace_that_is_saved_as_another_is_the_same_project(self) -> Iterator[Any]:
        yield from self.assert_given_back_after(self.reviews.commands.reject, "workspace_file_name")

    def test_so_it_is_for_whoever_closes_a_tab(self) -> Iterator[Any]:
        yield from self.assert_given_back_after(lambda review: self.proposal(review).close())

    def test_so_it_is_for_whoever_closes_the_only_tab(self) -> Iterator[Any]:
        """Then nothing of the review is left in the window: the editor's event has told of the new name before."""
        self.use(review_presentation="inline")

        def end(review: Review) -> None:
            sys.modules[PLUGIN].application.workspace_changed(self.window)
            self.proposal(review).close()

        yield from self.assert_given_back_after(end)

    def test_and_when_the_package_ends(self) -> Iterator[Any]:
        yield from self.assert_given_back_after(lambda review: self.reviews.shutdown())


class TestWhatTellsOfASwitch(RestoringTestCase):
    """What the editor calls before a window's project goes; whether it then switches does not matter here."""

    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("left.py", group=0)
        yield from self.open_file("file.py", group=1)
        self.listener = sys.modules[PLUGIN].GeminiCompanionListener()

    def ends(self, tell: Callable[[], Any]) -> Iterator[Any]:
        """After `tell` no review is open, its client knows, and the window is what it was."""
        before = self.picture()
        yield from self.open_diff()
        self.assertNotEqual(self.picture(), before)
        tell()
        self.assertEqual([(owner, outcome.content) for owner, outcome in self.told], [(GEMINI.session_id, None)])
        self.assertEqual(self.reviews.pending(), [])
        yield from self.assert_given_back(before)

    def test_the_event_before_a_project_is_closed(self) -> Iterator[Any]:
        yield from self.ends(lambda: self.listener.on_pre_close_project(self.window))

    def test_commands_that_switch_at_once(self) -> Iterator[Any]:
        for name, arguments in (
            ("open_project_or_workspace", {"file": self.path("two.sublime-project"), "new_window": False}),
            ("close_workspace", None),
            ("close_project", None),
        ):
            del self.told[:]
            yield from self.ends(partial(self.listener.on_window_command, self.window, name, arguments))

    def test_a_project_for_a_new_window_ends_nothing(self) -> Iterator[Any]:
        review = yield from self.open_diff()
        arguments = {"file": self.path("two.sublime-project"), "new_window": True}
        self.listener.on_window_command(self.window, "open_project_or_workspace", arguments)
        self.assertEqual((self.reviews.pending(), self.told), ([review], []))

    def test_another_windows_project_ends_nothing_here(self) -> Iterator[Any]:
        review = yield from self.open_diff()
        other = yield from self.another_window()
        yield lambda: sys.modules[PLUGIN].application.window_opened(other) is not None
        self.listener.on_pre_close_project(other)
        self.assertEqual((self.reviews.pending(), self.told), ([review], []))
