"""A project's file comes with the files, from anybody: nothing that it says is taken for what the package has noted.

Views and windows inherit a project's settings, so it can plant every setting that the package reads from them.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Iterator, List

import sublime

from ....companion.editor import file_views, marks
from ....companion.review.decision import Review
from ....companion.review.document.preparation import prepare
from ...support.read_settings import OUR_OWN_VALUES, READ_SETTINGS, WRONG_VALUES
from ...support.review_case import GEMINI, PLUGIN, PROPOSED, ClockTestCase, DecidingTestCase

ROLE, STAGE, PAUSED = "gemini_companion.role", "gemini_companion.stage", "gemini_companion.sharing_paused"


class PlantingTestCase(ClockTestCase, DecidingTestCase):
    def plant(self, **settings: Any) -> None:
        """What a pull brings into the project of a window that is open."""
        self.plant_in(self.window, settings)
        sys.modules[PLUGIN].application.workspace_changed(self.window)

    def plant_in(self, window: sublime.Window, settings: Dict[str, Any]) -> None:
        window.set_project_data({"folders": [{"path": self.folder}], "settings": settings})

    def untitled(self, text: str) -> sublime.View:
        """A new tab with a text that no file has."""
        view = self.window.new_file()
        view.run_command("append", {"characters": text})
        return view

    def rejected(self, review: Review) -> Iterator[Any]:
        """Reject a review and wait until the window is what it was."""
        ours = (self.original(review), self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: not any(view.is_valid() for view in ours) and self.window.num_groups() == 1

    def errors(self) -> List[str]:
        return [line for line in sys.modules[PLUGIN].application.log.problems() if "ERROR" in line]

    def served(self, window: sublime.Window) -> Iterator[Any]:
        """Serve a window anew, as when it is opened with its project. `yield from` gives the endpoint."""
        application = sys.modules[PLUGIN].application
        application.window_closing(window)
        application.window_opened(window)
        yield lambda: application.endpoint_of(window).port is not None
        return application.endpoint_of(window)


class TestPlantedRoles(PlantingTestCase):
    def planted(self) -> Iterator[Dict[str, Any]]:
        for role in ("proposal", "original", "report", True, {"role": "proposal"}):
            yield {ROLE: role}

    def test_no_tab_of_the_users_is_closed(self) -> Iterator[Any]:
        for settings in self.planted():
            file, note, terminal = (yield from self.open_file()), self.untitled("not saved"), self.terminal()
            self.plant(**settings)
            for view in (note, file, terminal, note):
                self.window.focus_view(view)
                yield 20
            new = self.untitled("new")
            yield 50
            self.assertCountEqual(self.window.views(), [file, note, terminal, new])
            self.assertEqual(self.text(note), "not saved")
            self.assertFalse(note.is_scratch())
            for view in self.window.views():
                view.set_scratch(True)
                view.close()
            yield lambda: not self.window.views()

    def test_unsaved_edits_are_not_written_over(self) -> Iterator[Any]:
        for settings in self.planted():
            view = yield from self.open_file()
            self.plant(**settings)
            yield from self.open_diff()
            view.run_command("append", {"characters": "mine"})
            answers = self.accept_by_client()
            yield lambda answers=answers: answers
            self.assertIn("unsaved edits", answers[0])
            self.assertNotEqual(self.read().decode(), PROPOSED)
            self.reviews.commands.reject(self.reviews.pending()[0])
            yield lambda: not self.reviews.pending()
            view.run_command("revert")
            view.close()
            yield lambda: not self.window.views()

    def test_a_review_goes_on_and_ends_as_ever(self) -> Iterator[Any]:
        view = yield from self.open_file()
        self.plant(**{ROLE: "original"})
        review = yield from self.open_diff()
        self.reviews.recover()
        yield 30
        self.assertTrue(self.proposal(review).is_valid())
        self.reviews.commands.accept(review)
        yield lambda: self.window.views() == [view]
        self.assertEqual(self.only_outcome()[1].content, PROPOSED)

    def test_a_tab_that_a_strangers_workspace_brings_is_none_of_ours(self) -> Iterator[Any]:
        """Its settings are its own then, but nobody there knows the secret of this installation."""
        views = []
        for mark in ("proposal", {"role": "proposal"}, {"role": "proposal", "secret": "0" * 32}, ["proposal"]):
            views.append(self.untitled("a list of findings"))
            views[-1].set_scratch(True)
            views[-1].settings().set(ROLE, mark)
        self.reviews.recover()
        yield 30
        self.assertCountEqual(self.window.views(), views)

    def test_what_is_not_scratch_stays_even_with_our_mark(self) -> Iterator[Any]:
        note, left_over = self.untitled("not saved"), self.untitled("left over")
        left_over.set_scratch(True)
        for view in (note, left_over):
            marks.take_role(view, marks.PROPOSAL)
        self.reviews.recover()
        yield lambda: not left_over.is_valid()
        file_views.close(note)
        yield 30
        self.assertEqual(self.window.views(), [note])

    def test_a_file_with_our_mark_has_unsaved_edits_as_any_other(self) -> Iterator[Any]:
        """A workspace was given away with the secret in it, so tabs can bring our mark as their own setting."""
        view = yield from self.open_file()
        marks.take_role(view, marks.PROPOSAL)
        view.run_command("insert", {"characters": "mine"})
        self.assertEqual(file_views.unsaved_files(), {self.path()})

    def test_our_mark_in_a_project_is_none(self) -> Iterator[Any]:
        """Somebody has given a workspace away, and the secret with it."""
        marks.take_role(self.terminal(), marks.PROPOSAL)
        (terminal,) = self.window.views()
        mark = terminal.settings().get(ROLE)
        terminal.settings().erase(ROLE)
        self.plant(**{ROLE: mark})
        self.reviews.recover()
        yield 30
        self.assertEqual(self.window.views(), [terminal])


class TestPlantedInAWindow(PlantingTestCase):
    def test_a_window_is_served_whatever_is_said_of_its_layout(self) -> Iterator[Any]:
        other = yield from self.another_window()
        layout = other.layout()
        before = self.errors()
        for stage in stages(layout):
            self.plant_in(other, {STAGE: stage, "last_automatic_layout": stage})
            yield from self.served(other)
            yield 20
            self.assertEqual(other.layout(), layout)
        self.assertEqual(self.errors(), before)

    def test_a_pause_is_the_users(self) -> Iterator[Any]:
        other = yield from self.another_window()
        endpoint = yield from self.served(other)
        endpoint.tracker.set_sharing(False)
        for said in (False, 0, "", None, [], "no", True):
            self.plant_in(other, {PAUSED: said})
            sys.modules[PLUGIN].application.workspace_changed(other)
            self.assertFalse(endpoint.tracker.sharing)
            endpoint = yield from self.served(other)
            self.assertFalse(endpoint.tracker.sharing)


class TestPlantedTerminals(PlantingTestCase):
    def test_what_is_typed_into_a_file_stays_in_it(self) -> Iterator[Any]:
        self.use(review_focus="always")
        self.plant(terminus_view=True, **{"terminus_view.args": {"cmd": ["sh"]}, "terminus_view.tag": "x"})
        yield from self.assert_typing_stays()

    def test_nor_is_a_tab_a_terminal_because_a_strangers_workspace_says_so(self) -> Iterator[Any]:
        self.use(review_focus="always")
        yield from self.assert_typing_stays(terminus_view=True)

    def assert_typing_stays(self, **own: Any) -> Iterator[Any]:
        """What is typed into tabs with these settings of their own does not go into a diff that comes."""
        for view in ((yield from self.open_file()), self.untitled("not saved")):
            for name, value in own.items():
                view.settings().set(name, value)
            self.window.focus_view(view)
            known = self.guard._edited.get(view.id())
            self.clock.advance(10)
            view.run_command("insert", {"characters": "x"})
            yield lambda view=view, known=known: self.guard._edited.get(view.id()) != known
            review = yield from self.open_diff("other.py")
            self.assertEqual(self.window.active_view(), view)
            yield from self.rejected(review)

    def test_a_terminal_is_one_all_the_same(self) -> Iterator[Any]:
        self.plant(terminus_view=True, **{"terminus_view.args": {"cmd": ["sh"]}})
        terminal = self.terminal()
        terminal.settings().set("terminus_view.args", {"cmd": ["sh"], "cwd": self.folder})
        review = yield from self.open_diff()
        self.assertEqual(self.window.active_view(), terminal)
        self.assertIn(self.proposal(review), self.window.views())


class TestPlantedEncodings(PlantingTestCase):
    def test_a_diff_opens_whatever_the_fallback_is_called(self) -> Iterator[Any]:
        yield from self.open_file("tab.py")
        before = self.errors()
        for number, name in enumerate(("\u0000", "base64", "idna", "punycode", "a" * 100000, 7, [], {})):
            self.plant(fallback_encoding=name)
            path = self.write(f"{number}.py", b"caf\xe9\n")
            proposal, prepared = prepare(self.reviews.file_request(path), "tea\n")
            self.reviews.open_diff(GEMINI, path, proposal, prepared)
            (review,) = self.reviews.pending()
            yield lambda review=review: self.header(review) != ""
            yield self.settled
            self.assertEqual(self.text(self.original(review)), "caf\xe9\n")
            yield from self.rejected(review)
        self.assertEqual(self.errors(), before)


class TestEverySettingThatIsRead(PlantingTestCase):
    def test_nothing_is_closed_written_shared_or_left_unserved(self) -> Iterator[Any]:
        other = yield from self.another_window()
        endpoint = yield from self.served(other)
        endpoint.tracker.set_sharing(False)
        file, dirty, note, terminal = (
            (yield from self.open_file()),
            (yield from self.open_file("dirty.py")),
            self.untitled("not saved"),
            self.terminal(),
        )
        dirty.run_command("append", {"characters": "mine"})
        users, before, layout = self.window.views(), self.errors(), self.window.layout()
        for value in (*WRONG_VALUES, *OUR_OWN_VALUES):
            with self.subTest(value=repr(value)[:60]):
                said = {name: value(name) if callable(value) else value for name in READ_SETTINGS}
                self.plant_in(other, said)
                endpoint = yield from self.served(other)
                self.assertFalse(endpoint.tracker.sharing)
                self.plant(**said)
                yield from self.one_review(file)
                yield from self.refused("dirty.py")
                self.assertEqual(self.window.views(), users)
                self.assertEqual(self.window.layout(), layout)
                self.assertEqual(self.text(note), "not saved")
                self.assertEqual([terminal.is_valid(), dirty.is_dirty(), note.is_scratch()], [True, True, False])
                self.assertEqual(self.errors(), before)

    def one_review(self, file: sublime.View) -> Iterator[Any]:
        """A diff comes, is looked at, and is rejected."""
        self.clock.advance(10)
        for view in self.window.views():
            self.window.focus_view(view)
            yield 10
        self.window.focus_view(file)
        review = yield from self.open_diff("file.py", PROPOSED.replace("    ", "\t"))
        yield lambda: not self.proposal(review).is_read_only()
        self.reviews.commands.next_change(review)
        yield 20
        yield from self.rejected(review)

    def refused(self, name: str) -> Iterator[Any]:
        """A client accepts its diff of a file with unsaved edits, which is refused."""
        review = yield from self.open_diff(name)
        answers = self.accept_by_client(name=name)
        yield lambda: answers
        self.assertIn("unsaved edits", answers[0])
        yield from self.rejected(review)


def stages(layout: Any) -> Iterator[Any]:
    """What nobody stored: of wrong types, and of the right form without being ours."""
    division = {
        "group": 0,
        "before": {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]},
        "after": layout,
        "groups": [1],
        "columns": [0, 0, 1],
        "rows": [0, 1],
    }
    whole = {"division": division, "automatic": None, "active_group": 0, "active": [0]}
    yield from ([], 7, "x", {}, {"division": 7}, {"division": {}}, {"division": None, "active": 7})
    yield from ({"division": None, "active": [None, {}], "active_group": "x"}, whole)
    for name in division:
        for wrong in (None, 7, "x", [], {}, [[None]], [9, 9], -1):
            yield dict(whole, division=dict(division, **{name: wrong}))
    for name in whole:
        for wrong in (None, "x", [None], [[]], {}, -1, 1.5, 10**9):
            yield dict(whole, **{name: wrong})
