"""Names of files and clients that would hide, turn round or break what is shown: tabs, header, status bar, lists."""

from __future__ import annotations

import os
import unicodedata
from typing import Any, Iterator, List
from unittest import mock

import sublime

from ....companion.agents.registry import AGENTS
from ....companion.common.display_names import columns
from ....companion.review.decision import Owner
from ....companion.review.display.header import header_rows
from ....companion.terminals.launcher import RUN, TAG
from ...support.review_case import DecidingTestCase

TRICKS = "gpj.\u202ea\n\u2028b\x1b[31m\u200b"
SEEN = "gpj.<U+202E>a<U+000A><U+2028>b<U+001B>[31m<U+200B>"
TRICKSTER = Owner("session-1", TRICKS)
BOUNDLESS = Owner("session-1", "x" * 100000)


def hidden(text: str) -> List[str]:
    return [each for each in text if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp")]


class TestNamesShown(DecidingTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.connected.add(TRICKSTER.session_id)

    def header_width(self, review: Any) -> Any:
        """The widest row of the header, and what fits into the view."""
        shown = self.reviews.shown[review]
        header = shown._header(shown.original)
        return max(row.columns for row in header_rows(header)), header.columns

    def test_tabs_header_and_status_bar_hide_nothing(self) -> Iterator[Any]:
        review = yield from self.open_diff(TRICKS + ".py", owner=TRICKSTER)
        proposal, original = self.proposal(review), self.original(review)
        yield lambda: "new file" in original.name()
        for text in (proposal.name(), original.name()):
            self.assertEqual(hidden(text), [])
            self.assertIn(SEEN, text)
        self.assertIn("new file", self.header(review))
        self.assertEqual(hidden(self.header(review)), [])
        status = proposal.get_status("gemini_companion.review")
        self.assertNotEqual(status, "")
        self.assertEqual(hidden(status), [])

    def test_the_list_of_pending_diffs_hides_nothing(self) -> Iterator[Any]:
        yield from self.open_diff(TRICKS + ".py", owner=TRICKSTER)
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.window.run_command("gemini_companion_show_pending_diffs")
            yield lambda: panel.called
        (item,) = panel.call_args[0][0]
        self.assertIn(SEEN, item.trigger)
        for text in (item.trigger, str(item.details), item.annotation):
            self.assertEqual(hidden(text), [])

    def test_the_list_of_pending_diffs_names_files_from_the_windows_folder(self) -> Iterator[Any]:
        os.mkdir(self.path("sub"))
        yield from self.open_file("beside.txt", "a\n")
        self.window.set_project_data({"folders": [{"path": self.folder}]})
        self.addCleanup(self.window.set_project_data, {})
        self.endpoint.workspace_changed()
        yield lambda: self.endpoint.folders() == (self.folder,)
        self.write("sub/old.txt", "a\n")
        yield from self.open_diff("sub/old.txt", "b\n", owner=TRICKSTER)
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.window.run_command("gemini_companion_show_pending_diffs")
        (item,) = panel.call_args[0][0]
        self.assertEqual((item.trigger, item.details), ("old.txt", "sub/old.txt"))

    def test_the_list_of_pending_diffs_shows_each_and_gives_back(self) -> Iterator[Any]:
        self.use(review_presentation="inline")  # a preview in another group would end the list
        file = yield from self.open_file("other.txt")
        for name in ("one.txt", "two.txt"):
            self.write(name, "a\n")
            yield from self.open_diff(name, "a\nb\n", owner=TRICKSTER)
        self.window.focus_view(file)
        before = self.picture()
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.window.run_command("gemini_companion_show_pending_diffs")
            yield lambda: panel.called
        items, picked = panel.call_args[0][:2]
        highlighted = panel.call_args[1]["on_highlight"]
        self.assertEqual(len(items), 2)
        for number, item in enumerate(items):
            self.assertIn("+1 \u22120, just now", item.annotation)
            highlighted(number)
            shown = next(shown for shown in self.presentations() if shown.review.path.endswith(item.trigger))
            yield lambda shown=shown: shown.visible
        picked(-1)
        yield lambda: self.window.active_view() == file
        self.assertEqual(self.picture(), before)

    def test_what_is_said_hides_nothing(self) -> Iterator[Any]:
        with mock.patch.object(sublime.Window, "status_message") as said:
            review = yield from self.open_diff(TRICKS + ".py", owner=TRICKSTER)
            self.connected.discard(TRICKSTER.session_id)
            self.reviews.owner_gone(TRICKSTER.session_id)
            self.reviews.commands.accept(review)  # nobody else writes it; some systems have no such names
            yield lambda: said.called
        for call in said.call_args_list:
            self.assertEqual(hidden(call[0][0]), [])
        if review.pending:
            self.reviews.commands.reject(review)
        yield self.closed

    def test_a_boundless_name_has_its_bounds(self) -> Iterator[Any]:
        review = yield from self.open_diff("y" * 180 + ".py", owner=BOUNDLESS)
        self.assertLess(len(self.proposal(review).name()), 200)
        self.assertLess(len(self.proposal(review).get_status("gemini_companion.review")), 200)
        widest, room = self.header_width(review)
        self.assertLessEqual(widest, room)

    def test_the_header_is_no_wider_than_a_narrow_view(self) -> Iterator[Any]:
        self.window.set_layout({"cols": [0.0, 0.1, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]})
        self.use(review_presentation="inline")
        self.window.focus_group(0)
        review = yield from self.open_diff("\u65e5\u672c" * 40 + ".py", owner=BOUNDLESS)
        view = self.proposal(review)
        widest, room = self.header_width(review)
        self.assertLessEqual(widest, room)
        extent, em_width = view.viewport_extent()[0], view.em_width()
        if extent > 6 * em_width:
            self.assertLessEqual(widest * em_width, extent)
        self.assertGreater(columns("\u65e5"), columns("a"))


class TestTerminalsObey(DecidingTestCase):
    def open_evil_file(self) -> Iterator[Any]:
        if sublime.platform() == "windows":
            self.skipTest("files cannot be called that here")
        view = yield from self.open_file("a\x1b[2J\rrm -rf b.py")
        return view

    def test_a_path_with_control_characters_is_not_typed(self) -> Iterator[Any]:
        view = yield from self.open_evil_file()
        terminal = self.window.new_file()
        terminal.set_scratch(True)
        terminal.settings().set("terminus_view", True)
        terminal.settings().set("terminus_view.tag", f"{TAG}{AGENTS[0].key}.{self.window.id()}.{RUN}.1")
        self.window.focus_view(view)
        ran: List[str] = []
        run_command = sublime.Window.run_command

        def noting(window: Any, command: str, arguments: Any = None) -> None:
            ran.append(command)
            run_command(window, command, arguments)

        with mock.patch.object(sublime.Window, "run_command", noting), mock.patch.object(
            sublime.Window, "status_message"
        ) as said:
            self.window.run_command("gemini_companion_send_selection")
            yield lambda: said.called
        self.assertIn("control characters", said.call_args[0][0])
        self.assertEqual(hidden(said.call_args[0][0]), [])
        self.assertNotIn("terminus_send_string", ran)
        self.assertEqual(os.path.basename(view.file_name() or ""), "a\x1b[2J\rrm -rf b.py")
