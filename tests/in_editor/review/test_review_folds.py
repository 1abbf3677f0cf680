"""Unchanged lines are folded on both sides: which, what stays in sight, what opens them, and what does not."""

from __future__ import annotations

import re
import sys
from typing import Any, Iterator, List

import sublime

from ...support.review_case import PLUGIN
from ...support.selecting import put_caret, select
from .test_review_level import LevelTestCase, rows_in_sight, top

CHANGED = range(10, 400, 20)
TOGGLE = "gemini_companion_fold_unchanged_lines"
OLD = "".join(f"line {number}\n" for number in range(400))
NEW = "".join(f"{'LINE' if number in CHANGED else 'line'} {number}\n" for number in range(400))
BESIDE = {row for changed in CHANGED for row in range(changed - 3, changed + 4)}
SHOWN = sorted(BESIDE | {0, 1, 400})
BETWEEN = set(range(14, 27))  # the first two changes, and what stays beside them


class FoldTestCase(LevelTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.use(review_fold=True)

    def shows(self, review: Any, rows: Any) -> bool:
        """Whether both sides show these rows of the proposal, and those that are equal to them, and are level."""
        return self.settled() and self.shown(review) == [sorted(rows)] * len(self.views(review)) and self.level(review)

    def level(self, review: Any) -> bool:
        return len(self.views(review)) < 2 or super().level(review)

    def views(self, review: Any) -> List[sublime.View]:
        return self.reviews.shown[review].views

    def offered(self) -> List[str]:
        """What a menu calls the command, if it has it."""
        actions = sys.modules[PLUGIN].application.actions
        return [actions.caption(TOGGLE, self.window)] if actions.is_named(TOGGLE, self.window) else []

    def shown(self, review: Any) -> List[List[int]]:
        return [rows_in_sight(view) for view in self.views(review)]


class TestWhatIsFolded(FoldTestCase):
    def test_three_lines_stay_around_each_change(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        self.assertEqual(self.shown(review), [SHOWN, SHOWN])
        yield lambda: self.level(review)

    def test_inline_too(self) -> Iterator[Any]:
        self.use(review_presentation="inline")
        review = yield from self.review(OLD, NEW)
        self.assertEqual(self.shown(review), [SHOWN])
        put_caret(self.proposal(review), self.proposal(review).text_point(20, 0))
        yield lambda: self.shows(review, {*SHOWN, *BETWEEN})

    def test_six_of_twenty_changes_are_in_sight(self) -> Iterator[Any]:
        """In a window of 900 pixels, where lines are 20 pixels high: tabs and status bar leave 42 lines."""
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        high = 42 * view.line_height()
        tops = [top(view, row) for row in CHANGED]
        for start in (0.0, tops[9] - high / 2):
            seen = [y for y in tops if start <= y and y + view.line_height() <= start + high]
            self.assertGreaterEqual(len(seen), 6, start)

    def test_runs_of_up_to_eight_lines_stay(self) -> Iterator[Any]:
        old = OLD[: OLD.index("line 100\n")]
        review = yield from self.review(old, re.sub("line (40|49|59)", r"LINE \1", old))
        rows = {0, 1, *range(37, 53), *range(56, 63), 100}
        self.assertEqual(self.shown(review), [sorted(rows)] * 2)

    def test_lines_that_come_and_go(self) -> Iterator[Any]:
        new = NEW.replace("line 160\n", "line 160\nnew\nnewer\n").replace("line 260\nline 261\n", "")
        review = yield from self.review(OLD, "first\n" + new)
        yield lambda: self.level(review)
        left, right = self.views(review)
        for view, words in ((left, ("line 260", "line 261")), (right, ("first", "new", "newer"))):
            lines = [view.substr(view.line(view.text_point(row, 0))) for row in rows_in_sight(view)]
            self.assertTrue(set(words) < set(lines), lines)
        self.assertLess(len(rows_in_sight(left)), 180)

    def test_a_text_without_an_end_of_its_last_line(self) -> Iterator[Any]:
        review = yield from self.review(OLD[:-1], NEW[:-1])
        self.assertEqual(self.shown(review), [SHOWN[:-1]] * 2)

    def test_a_short_text_is_folded_when_the_user_asks_for_it(self) -> Iterator[Any]:
        short, changed = OLD[: OLD.index("line 60\n")], NEW[: NEW.index("line 60\n")]
        review = yield from self.review(short, changed)
        self.assertEqual(self.shown(review), [list(range(61))] * 2)
        self.window.run_command(TOGGLE)
        yield lambda: self.shows(review, {row for row in SHOWN if row < 54} | {60})

    def test_as_the_setting_says_and_as_the_user_says_in_one_diff(self) -> Iterator[Any]:
        self.use(review_fold=False)
        review = yield from self.review(OLD, NEW)
        self.assertEqual(self.shown(review), [list(range(401))] * 2)
        for rows, fold in ((SHOWN, True), (range(401), False), (SHOWN, True)):
            self.assertEqual(self.offered(), ["Fold Unchanged Lines" if fold else "Show Unchanged Lines"])
            self.window.run_command(TOGGLE)
            yield lambda rows=rows: self.shows(review, rows)

    def test_the_setting_changes(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        for fold, rows in ((False, range(401)), (True, SHOWN)):
            self.use(review_fold=fold)
            self.reviews.open_reviews.settings_changed()
            yield lambda rows=rows: self.shows(review, rows)

    def test_nothing_to_fold(self) -> Iterator[Any]:
        yield from self.review("a\n", "b\n")
        self.assertEqual(self.offered(), [])
        self.window.run_command(TOGGLE)
        yield lambda: self.says("no long runs of unchanged lines")

    def test_hidden_whitespace_stays_in_sight(self) -> Iterator[Any]:
        self.use(review_ignore_whitespace="all")
        review = yield from self.review(OLD, NEW.replace("line 20\n", "line  20\n"))
        self.assertEqual(self.shown(review), [sorted({*SHOWN, *range(17, 24)})] * 2)

    def test_another_proposal_is_folded_anew(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        put_caret(self.proposal(review), self.proposal(review).text_point(20, 0))
        yield lambda: self.shows(review, {*SHOWN, *BETWEEN})
        put_caret(self.proposal(review), 0)
        review = yield from self.open_diff("file.txt", NEW.replace("LINE 390", "line 390"))
        yield lambda: self.shows(review, [row for row in SHOWN if row < 384 or row > 399])

    def test_texts_that_are_compared_by_whole_lines(self) -> Iterator[Any]:
        self.limit(lines=100)
        review = yield from self.review(OLD, OLD.replace("line 200", "LINE 200"))
        yield lambda: self.shows(review, {0, 1, *range(197, 204), 400})


class TestWhatOpensThem(FoldTestCase):
    def test_a_caret_opens_a_fold_on_both_sides(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        for view, row, opened in zip(self.views(review), (20, 45), (BETWEEN, {*BETWEEN, *range(34, 47)})):
            put_caret(view, view.text_point(row, 0))
            yield lambda opened=opened: self.shows(review, {*SHOWN, *opened})

    def test_what_the_editor_opens_on_one_side_opens_on_the_other(self) -> Iterator[Any]:
        """A click on the mark, a search, Unfold: the editor tells of none of them."""
        review = yield from self.review(OLD, NEW)
        rows = {*SHOWN}
        for view, number in zip(self.views(review), (1, 2)):
            before = self.shown(review)
            view.unfold(view.folded_regions()[number])
            more = len(before[0]) + 13
            yield lambda more=more: [len(rows) for rows in self.shown(review)] == [more] * 2 and self.level(review)
        self.assertEqual(self.shown(review), [sorted({*rows, *BETWEEN, *range(54, 67)})] * 2)
        self.original(review).run_command("unfold_all")
        yield lambda: self.shows(review, range(401))

    def test_going_from_change_to_change_opens_none(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        for row in (*CHANGED[1:], CHANGED[-1], 10):  # at the last one it says so first
            self.window.run_command("gemini_companion_next_change")
            self.assertEqual(view.rowcol(view.sel()[0].b)[0], row)
            visible = view.visible_region()
            self.assertTrue(visible.contains(view.text_point(row, 0)), row)
            yield self.settled
        self.assertEqual(self.shown(review), [SHOWN, SHOWN])

    def test_a_selection_over_a_fold_opens_none(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        select(view, sublime.Region(view.text_point(11, 0), view.text_point(31, 0)))
        yield 200
        self.assertEqual(self.shown(review), [SHOWN, SHOWN])

    def test_scrolling_keeps_both_sides_level(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        left, right = self.views(review)
        right.set_viewport_position((0.0, 1000.0), False)
        yield lambda: left.viewport_position()[1] == right.viewport_position()[1] == 1000.0
        caret = left.text_point(205, 0)
        put_caret(left, caret)
        yield lambda: self.level(review) and 205 in rows_in_sight(right)
        yield lambda: abs(left.viewport_position()[1] - right.viewport_position()[1]) <= 0.5


class TestEdits(FoldTestCase):
    def test_beside_a_fold(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        self.type(view, view.text_point(13, 7), "!\nnew")  # where the mark stands
        yield lambda: self.settled() and self.level(review)
        rows = rows_in_sight(view)
        self.assertEqual([row for row in rows if row <= 31], [0, 1, *range(7, 18), *range(28, 32)])
        view.run_command("undo")
        yield lambda: self.settled() and self.level(review)
        self.assertEqual(self.shown(review), [sorted({*SHOWN, 14, 15, 16})] * 2)

    def test_inside_a_fold_that_opened(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        self.type(view, view.text_point(20, 0), "typed\n")
        yield lambda: self.settled() and self.level(review) and 20 in rows_in_sight(view)
        self.assertEqual(set(rows_in_sight(self.original(review))), {*SHOWN, *range(17, 23)})

    def test_behind_all_folds_and_before_them(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        for row in (390, 10, 0):
            self.type(view, view.text_point(row, 0), "typed\n")
            yield lambda: self.settled() and self.level(review)
        self.assertEqual(len(view.folded_regions()), 21)
        self.assertEqual(len(self.original(review).folded_regions()), 21)

    def test_what_was_taken_back_stays_in_sight(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        put_caret(view, view.text_point(30, 0))
        self.window.run_command("gemini_companion_revert_hunk")
        yield lambda: self.settled() and "line 30" in self.text(view)
        self.assertEqual(self.shown(review), [SHOWN, SHOWN])
        view.run_command("undo")
        yield lambda: "LINE 30" in self.text(view) and self.shows(review, SHOWN)
        hunks = self.reviews.shown[review].hunks
        hunks.revert(hunks.all())
        yield lambda: self.text(view) == OLD and self.shows(review, SHOWN)

    def test_what_the_user_folds_stays_folded(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        own = sublime.Region(view.text_point(8, 0), view.text_point(9, 3))
        view.fold(own)
        self.type(view, view.text_point(391, 0), "typed\n")
        yield lambda: self.settled() and len(view.folded_regions()) == 22
        self.assertIn(own, view.folded_regions())

    def test_all_is_accepted_as_it_is(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        self.reviews.commands.accept(review)
        yield lambda: len(self.told) == 1
        self.assertEqual(self.told[0][1].content, NEW)

    def test_a_view_that_the_user_keeps_shows_all(self) -> Iterator[Any]:
        review = yield from self.review(OLD, NEW)
        view = self.proposal(review)
        view.retarget(self.path("kept.txt"))
        view.run_command("save")
        yield lambda: not view.is_scratch() and view.folded_regions() == []
