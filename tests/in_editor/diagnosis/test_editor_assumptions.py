"""What the package assumes of the editor although its documentation does not promise it, one small test each.

Each docstring says what depends on the assumption and what its evidence is; numbers are issues of
`sublimehq/sublime_text`. The first run in a real editor tells what is true. Checks of
several lines are in `support/assumptions.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import unittest.mock
from typing import Any, Iterator, List

import sublime
import sublime_plugin
from unittesting import DeferrableTestCase

from ....companion.editor.edits import set_text
from ....companion.review.display.markup import filler_html
from ....companion.terminals.command_lines import CERTIFICATES
from ...host.waiting import NEVER_SECONDS
from ...support import assumptions
from ...support.assumptions import FRAME_MILLISECONDS, LAYOUT_FRAMES
from ...support.review_case import PLUGIN, ReviewTestCase
from ...support.selecting import put_caret, select

TWO_COLUMNS = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}
ONE_GROUP = {"cols": [0.0, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1]]}
TEXT = "".join(f"line {number}\n" for number in range(20))


class AssumptionCase(DeferrableTestCase):
    """Each test has a window of its own with one tab, `self.view`, that shows a text of several lines."""

    def setUp(self) -> Iterator[Any]:
        yield lambda: sys.modules[PLUGIN].application is not None  # imported on another thread
        known = {window.id() for window in sublime.windows()}
        sublime.run_command("new_window")
        yield lambda: len(sublime.windows()) > len(known)
        self.window = next(window for window in sublime.windows() if window.id() not in known)
        self.window.bring_to_front()
        self.view = self.window.new_file()
        self.view.set_scratch(True)
        set_text(self.view, TEXT)
        for view in self.window.views():
            if view != self.view:
                view.close()  # the editor may begin with an empty tab
        yield lambda: self.window.views() == [self.view] and self.view.viewport_extent()[0] > 0

    def tearDown(self) -> Iterator[Any]:
        for view in self.window.views():
            view.set_scratch(True)
        self.window.run_command("close_window")
        yield lambda: not self.window.is_valid()


class TestRows(AssumptionCase):
    def rows_are_as_high_as_lines(self, look: Any = None) -> Iterator[Any]:
        """Whether they are at once does not matter: drawing measures in a later turn of the editor."""
        rows = assumptions.FillerRows(self.view)
        for _ in range(LAYOUT_FRAMES):
            if rows.problem() is None:
                break
            yield FRAME_MILLISECONDS
        problem = rows.problem()
        rows.remove()
        self.assertIsNone(problem, look)
        yield lambda: self.view.text_to_layout(self.view.text_point(1, 0))[1] <= 1.5 * self.view.line_height()

    def test_rows_are_as_high_as_lines(self) -> Iterator[Any]:
        """Equal lines stand level side by side. minihtml honours `line-height` in pixels; nothing else is promised."""
        yield from self.rows_are_as_high_as_lines()

    def test_rows_are_as_high_as_lines_with_padding(self) -> Iterator[Any]:
        """The same with line padding, which `line_height()` contains."""
        for top, bottom in ((1, 1), (4, 2), (0, 3)):
            self.view.settings().set("line_padding_top", top)
            self.view.settings().set("line_padding_bottom", bottom)
            yield 50
            yield from self.rows_are_as_high_as_lines((top, bottom))

    def test_rows_are_as_high_as_lines_in_other_sizes(self) -> Iterator[Any]:
        """The same in other sizes of the font, whose line heights may be fractions of a pixel."""
        for size in (8, 11, 17):
            self.view.settings().set("font_size", size)
            yield 50
            yield from self.rows_are_as_high_as_lines(size)

    def test_a_view_of_one_line_tells_nothing_of_rows(self) -> None:
        """The check says so, and does not pass."""
        set_text(self.view, "one line")
        rows = assumptions.FillerRows(self.view)
        self.addCleanup(rows.remove)
        self.assertEqual(rows.problem(), "the view has one line only")

    def test_the_height_of_a_block_can_be_measured(self) -> Iterator[Any]:
        """Whatever a block's height is, the lines around it tell: `text_to_layout` sees blocks, at once or soon."""
        second = self.view.text_point(1, 0)
        before = self.view.text_to_layout(second)[1]
        phantoms = sublime.PhantomSet(self.view, "assumption")
        document = filler_html(1, self.view.line_height())
        phantoms.update([sublime.Phantom(sublime.Region(0), document, sublime.LAYOUT_BLOCK)])
        yield lambda: self.view.text_to_layout(second)[1] > before
        phantoms.update([])
        yield lambda: self.view.text_to_layout(second)[1] == before


class TestFolds(AssumptionCase):
    """What is folded of a review (`display/folding.py`): from the end of a line to the end of another one."""

    def fold(self, first: int, last: int) -> sublime.Region:
        region = sublime.Region(self.view.text_point(first, 0) - 1, self.view.text_point(last + 1, 0) - 1)
        self.view.fold(region)
        return region

    def top(self, row: int) -> float:
        return self.view.text_to_layout(self.view.text_point(row, 0))[1]

    def test_a_fold_takes_no_rows_and_the_lines_around_it_are_level(self) -> Iterator[Any]:
        """Both sides of a review stay level with the same lines folded. Pictures in 5798 and 5859 show it."""
        region = self.fold(5, 9)
        yield lambda: abs(self.top(10) - self.top(4) - self.view.line_height()) < 1
        self.assertEqual(self.view.folded_regions(), [region])
        self.view.unfold(region)
        yield lambda: abs(self.top(10) - self.top(4) - 6 * self.view.line_height()) < 1

    def test_folds_move_with_an_edit_elsewhere(self) -> Iterator[Any]:
        """After such an edit nothing is folded anew. Packages that keep folds over an edit do so for edits inside them
        (LSP pull request 462)."""
        region = self.fold(5, 9)
        put_caret(self.view, 0)
        self.view.run_command("insert", {"characters": "xy"})
        moved = sublime.Region(region.a + 2, region.b + 2)
        yield lambda: self.view.folded_regions() == [moved]

    def test_a_block_above_a_fold_shows(self) -> Iterator[Any]:
        """Fillers and the header stand at least a line above the mark of a fold."""
        phantoms = sublime.PhantomSet(self.view, "fold")
        block = sublime.Phantom(sublime.Region(self.view.text_point(3, 0)), filler_html(60, 20), sublime.LAYOUT_BLOCK)
        self.fold(5, 9)
        phantoms.update([block])
        yield lambda: self.top(10) - self.top(3) > 2 * self.view.line_height() + 40


class TestMarks(AssumptionCase):
    def test_marks_keep_their_order(self) -> None:
        """Revert and Undo find a change by the number of its mark. Seen in use, nowhere promised."""
        self.assertIsNone(assumptions.marks_keep_their_order(self.view))

    def test_marks_move_with_the_text(self) -> None:
        """A link beside a change stays with it while the user edits above. Promised for regions, not for empty ones."""
        point = self.view.text_point(5, 0)
        self.view.add_regions("assumption", [sublime.Region(point)], flags=sublime.HIDDEN | sublime.NO_UNDO)
        put_caret(self.view, 0)
        self.view.run_command("insert", {"characters": "abc"})
        self.assertEqual(self.view.get_regions("assumption")[0].begin(), point + 3)

    def test_drawing_is_no_change(self) -> None:
        """A proposal that nobody edited is accepted letter by letter: `change_count` counts changes of text only."""
        self.assertIsNone(assumptions.drawing_is_no_change(self.view))

    def test_undo_leaves_marks_alone(self) -> None:
        """What is marked is what was compared last, also after an undo. The flag's documentation is one sentence."""
        self.assertIsNone(assumptions.marks_are_not_undone(self.view))


class TestTexts(AssumptionCase):
    def test_a_view_holds_the_text_that_it_was_given(self) -> None:
        """Tabs stay tabs, whatever the view's settings, or an accepted file would differ (sublimelsp/LSP 1164)."""
        self.view.settings().set("translate_tabs_to_spaces", True)
        text = "\tone\n  two\u2028\n\u00e9\U0001f600 \n\n"
        set_text(self.view, text)
        self.assertEqual(self.view.substr(sublime.Region(0, self.view.size())), text)
        self.assertTrue(self.view.settings().get("translate_tabs_to_spaces"))

    def test_positions_count_code_points(self) -> None:
        """Marks and changes are computed on Python's texts; clients are told UTF-16 units, as VS Code counts."""
        set_text(self.view, "a\U0001f600b\n")
        self.assertEqual(self.view.size(), 4)
        self.assertEqual((self.view.rowcol(2)[1], self.view.rowcol_utf16(2)[1]), (2, 3))


class TestSelections(AssumptionCase):
    def test_an_insertion_selects_nothing(self) -> None:
        """What is written where the caret stands is not selected, else the next key would delete it.

        `View.replace` does select it where it replaces nothing (1165, 4144); `View.insert` is said there not to.
        """
        put_caret(self.view, 7)
        set_text(self.view, TEXT[:7] + "new\n" + TEXT[7:])
        self.assertEqual([region.empty() for region in self.view.sel()], [True])

    def test_a_text_command_moves_the_caret(self) -> Iterator[Any]:
        """Next Change, reverting and a fresh proposal move the caret so (485, 3330, 3954, 6667)."""
        application = sys.modules[PLUGIN].application
        told: List[int] = []
        real = application.selection_modified
        application.selection_modified = lambda view: (told.append(view.id()), real(view))
        try:
            select(self.view, sublime.Region(3, 8))
            yield lambda: self.view.id() in told
        finally:
            del application.selection_modified
        self.assertEqual(list(self.view.sel()), [sublime.Region(3, 8)])


class TestGroups(AssumptionCase):
    def test_an_empty_group_lists_no_view(self) -> None:
        """Emptiness is told from `views()`, and an untitled view without a tab is moved nowhere (2720, 3356)."""
        self.window.set_layout(TWO_COLUMNS)
        self.assertEqual(self.window.views_in_group(1), [])
        self.assertEqual(self.window.sheets_in_group(1), [])
        self.assertEqual(self.window.views(), [self.view])
        shown = self.window.active_view_in_group(1)
        if shown is not None:
            self.assertIsNone(shown.file_name())
            self.assertEqual((shown.size(), self.window.get_view_index(shown)), (0, (1, -1)))

    def test_a_layout_comes_back_as_it_was_set(self) -> None:
        """A divided cell is made whole only if the layout is still ours. The editor may round what it was given."""
        self.window.set_layout(TWO_COLUMNS)
        found = self.window.layout()
        self.assertEqual(found["cells"], TWO_COLUMNS["cells"])
        for axis in ("cols", "rows"):
            for one, other in zip(found[axis], TWO_COLUMNS[axis]):
                self.assertAlmostEqual(one, other, places=3)
        self.window.set_layout(found)
        self.assertEqual(self.window.layout(), found)

    def test_tabs_of_a_removed_group_stay_open(self) -> None:
        """Giving a layout back closes nothing of the user's. Documented for the menu, not for `set_layout`."""
        self.window.set_layout(TWO_COLUMNS)
        self.window.set_view_index(self.view, 1, 0)
        self.window.set_layout(ONE_GROUP)
        self.assertEqual(self.window.views(), [self.view])
        self.assertEqual(self.window.get_view_index(self.view)[0], 0)

    def test_window_settings_keep_values(self) -> None:
        """What gives the window back after a restart waits in its settings; they are kept with the session."""
        self.assertIsNone(assumptions.window_settings_keep_values(self.view))


class TestCommands(ReviewTestCase):
    def test_an_unknown_command_is_silent(self) -> None:
        """Commands of packages that may be missing are run without asking first. Seen in use."""
        self.window.run_command("gemini_companion_no_such_command", {"a": 1})

    def test_commands_can_be_looked_up(self) -> None:
        """Whether Terminus is really there is seen from its commands, which a half installed one lacks."""
        self.assertIsNone(assumptions.commands_can_be_looked_up())
        self.assertTrue(hasattr(sublime_plugin, "text_command_classes"))


class TestTheInterpreter(DeferrableTestCase):
    def test_compiled_modules(self) -> None:
        """aiohttp and asyncio import `ssl`, the home directory needs `pwd`, locks need `fcntl`."""
        self.assertIsNone(assumptions.modules_are_there())

    def test_the_environment_reaches_programs(self) -> None:
        """Terminals and build systems inherit the client's variables from `os.environ`, which they copy."""
        self.assertIn(assumptions.build_systems_run_here(), (None, assumptions.UNKNOWN))
        os.environ["GEMINI_COMPANION_ASSUMPTION"] = "seen"
        try:
            words = ["cmd", "/c", "set GEMINI_COMPANION_ASSUMPTION"] if os.name == "nt" else ["env"]
            output = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=NEVER_SECONDS).stdout
        finally:
            del os.environ["GEMINI_COMPANION_ASSUMPTION"]
        self.assertIn(b"GEMINI_COMPANION_ASSUMPTION=seen", output)

    def test_certificates_of_the_editor_stay_here(self) -> None:
        """The editor points OpenSSL at its own ones, and a company's would be missing in a terminal that we open."""
        before = os.environ.get(CERTIFICATES)
        try:
            os.environ[CERTIFICATES] = os.path.join(os.path.dirname(sublime.packages_path()), "certifi", "cacert.pem")
            self.assertIsNone(assumptions.certificates_stay_here())
            elsewhere = os.path.join(os.path.abspath(os.sep), "elsewhere", "certifi", "cacert.pem")
            os.environ[CERTIFICATES] = elsewhere
            self.assertIn(elsewhere, assumptions.certificates_stay_here() or "")
            os.environ[CERTIFICATES] = os.path.join(os.path.abspath(os.sep), "company.pem")
            self.assertIsNone(assumptions.certificates_stay_here())
        finally:
            os.environ.pop(CERTIFICATES)
            os.environ.update({} if before is None else {CERTIFICATES: before})

    def test_keymaps_are_in_the_order_of_packages(self) -> None:
        """The save key is ours in a proposal unless a later package binds it, whose command is then known."""
        self.assertIn(assumptions.keymaps_are_in_order(), (None, assumptions.UNKNOWN))
        without_ours = ["Packages/Default/Default.sublime-keymap"]
        with unittest.mock.patch.object(sublime, "find_resources", return_value=without_ours):
            self.assertEqual(assumptions.keymaps_are_in_order(), assumptions.UNKNOWN)

    def test_our_parent_is_the_editor(self) -> None:
        """Clients look for a discovery file with the pid of a process above theirs; see 6388 for quitting."""
        self.assertIsNone(assumptions.parent_is_the_editor())
        self.assertGreater(os.getppid(), 1)

    def test_timers_run_on_the_main_thread_and_the_worker(self) -> Iterator[Any]:
        """What crosses threads relies on which thread a timer runs on."""
        import threading

        names: List[str] = []
        main = threading.current_thread()
        sublime.set_timeout(lambda: names.append("main" if threading.current_thread() is main else "other"))
        sublime.set_timeout_async(lambda: names.append("main" if threading.current_thread() is main else "worker"))
        yield lambda: len(names) == 2
        self.assertEqual(sorted(names), ["main", "worker"])
