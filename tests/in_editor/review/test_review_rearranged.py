"""What the user rearranged during a review stays, and what a restart left of one is cleared away."""

from __future__ import annotations

import json
from typing import Any, Iterator

import sublime

from ....companion.editor import marks
from ....companion.review.decision import Outcome
from ....companion.review.window import layout as layouts
from ....companion.review.window.split import AUTOMATIC, STORED
from ...support.review_case import GRID, PROPOSED, QWEN, TWO_COLUMNS, RestoringTestCase


class TestWhereItOpens(RestoringTestCase):
    def group_of_original(self, review: Any) -> int:
        return self.window.get_view_index(self.original(review))[0]

    def test_of_several_groups_that_show_the_file_the_users_own_is_divided(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        view = yield from self.open_file("file.py", group=0)
        self.window.run_command("clone_file")
        clone = next(other for other in self.window.views() if other != view)
        self.window.set_view_index(clone, 1, 0)
        self.window.focus_view(clone)
        yield lambda: self.window.active_group() == 1
        review = yield from self.open_diff("file.py")
        self.assertEqual(self.group_of_original(review), 1)

    def test_a_file_in_another_window_does_not_count(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("one.py", group=0)
        yield from self.open_file("two.py", group=1)
        other = yield from self.another_window()
        view = other.open_file(self.write())
        yield lambda: not view.is_loading()
        self.window.focus_group(0)
        review = yield from self.open_diff()
        self.assertEqual(self.group_of_original(review), 0)
        self.assertEqual(self.rectangle(self.window.get_view_index(self.proposal(review))[0])[2], 0.4)

    def test_with_the_focus_in_a_terminal_it_opens_where_the_user_edited_last(self) -> Iterator[Any]:
        self.window.set_layout(GRID)
        yield from self.open_file("first.py", group=0)
        second = yield from self.open_file("second.py", group=1)
        terminal = self.terminal(group=2)
        for view in (second, terminal):
            self.window.focus_view(view)
            yield lambda view=view: self.window.active_view() == view
            yield 30
        review = yield from self.open_diff("third.py")
        self.assertEqual(self.group_of_original(review), 1)


class TestRearranged(RestoringTestCase):
    def test_a_new_layout_stays(self) -> Iterator[Any]:
        view = yield from self.open_file()
        review = yield from self.open_diff()
        self.window.set_layout(GRID)
        layout = self.window.layout()
        self.reviews.commands.reject(review)
        yield lambda: len(self.window.views()) == 1
        yield 30
        self.assertEqual(self.window.layout(), layout)
        self.assertTrue(view.is_valid())

    def test_views_the_user_put_together_stay_so_when_another_review_opens(self) -> Iterator[Any]:
        view = yield from self.open_file()
        before = self.picture()
        first = yield from self.open_diff()
        self.window.set_view_index(self.original(first), self.window.get_view_index(self.proposal(first))[0], 0)
        self.assertEqual(self.window.num_groups(), 2)
        second = yield from self.open_diff("other.py")
        self.assertEqual(self.window.num_groups(), 2)
        self.reviews.commands.reject(second)
        self.reviews.commands.reject(first)
        yield from self.assert_given_back(before)
        self.assertTrue(view.is_valid())

    def test_a_dragged_divider_elsewhere_stays(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("file.py", group=1)
        review = yield from self.open_diff()
        layout = self.window.layout()
        layout["cols"][1] = 0.2
        self.window.set_layout(layout)
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 2
        self.assertEqual(self.window.layout(), dict(TWO_COLUMNS, cols=[0.0, 0.2, 1.0]))

    def test_a_tab_that_the_user_chose_stays_in_front(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        two = yield from self.open_file("two.py")
        review = yield from self.open_diff("one.py")
        self.window.focus_view(two)
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.window.active_view(), two)

    def test_files_opened_beside_the_proposal_are_kept(self) -> Iterator[Any]:
        one = yield from self.open_file("one.py")
        review = yield from self.open_diff("one.py")
        two = yield from self.open_file("two.py", group=1)
        three = yield from self.open_file("three.py", group=1)
        self.window.focus_view(self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.window.views_in_group(0), [one, two, three])
        self.assertEqual(self.window.active_view(), one)

    def test_a_preview_opened_beside_the_proposal_goes_there_too(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("one.py", group=0)
        yield from self.open_file("other.py", group=1)
        review = yield from self.open_diff("one.py")
        preview = self.window.open_file(self.write("two.py"), sublime.TRANSIENT, 2)
        yield lambda: not preview.is_loading()
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 2
        self.assertEqual(preview.sheet().group(), 0)

    def test_they_go_to_the_group_that_was_divided(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        one = yield from self.open_file("one.py", group=0)
        other = yield from self.open_file("other.py", group=1)
        review = yield from self.open_diff("one.py")
        two = yield from self.open_file("two.py", group=2)
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 2
        self.assertEqual(self.window.views_in_group(0), [one, two])
        self.assertEqual(self.window.views_in_group(1), [other])
        self.assertEqual(self.window.active_view(), two)

    def test_a_tab_that_the_user_closed_stays_closed(self) -> Iterator[Any]:
        one = yield from self.open_file("one.py")
        two = yield from self.open_file("two.py")
        review = yield from self.open_diff("one.py")
        two.close()
        yield lambda: two.window() is None
        self.reviews.commands.reject(review)
        yield lambda: self.window.num_groups() == 1
        self.assertEqual(self.window.views(), [one])


class TestRestart(RestoringTestCase):
    def test_what_a_restart_left_is_closed_without_a_trace(self) -> Iterator[Any]:
        self.window.set_layout(TWO_COLUMNS)
        yield from self.open_file("one.py", group=1)
        yield from self.open_file("two.py", group=1)
        self.window.focus_view(self.window.views_in_group(1)[0])
        before = self.picture()
        yield from self.open_diff("one.py")
        self.forget_everything()
        self.assertEqual(len(self.window.views()), 4)
        self.reviews.recover()
        yield lambda: len(self.window.views()) == 2
        yield from self.assert_given_back(before)
        self.assertEqual(self.told, [])

    def test_what_was_stored_is_used_as_far_as_it_fits(self) -> Iterator[Any]:
        """Another version may have stored it, and tabs and groups may have gone."""
        one = yield from self.open_file("one.py")
        two = yield from self.open_file("two.py")
        settings, layout = self.window.settings(), self.window.layout()
        division = layouts.divide_in_columns(layout, 0)
        stored = {"division": division._asdict(), "automatic": None, "active_group": 0, "active": [0]}
        for changes, restored in (
            ({}, True),
            ({"automatic": [[0, 0, 1, 1]]}, True),
            ({"active": [2], "active_group": 5}, True),
            ({"active": [-1]}, True),
            ({"active": [1, 0, 0]}, True),
            *(({"division": other, "automatic": [1]}, False) for other in ({"": 0}, {"group": 0}, 7, [1])),
        ):
            self.window.focus_view(two)
            self.window.set_layout(division.after)
            settings.erase(AUTOMATIC)
            marks.put(settings, STORED, json.loads(json.dumps({**stored, **changes})))
            self.reviews.recover()
            self.assertEqual(self.window.layout() == layout, restored, changes)
            self.assertEqual(settings.get(AUTOMATIC), changes.get("automatic") if restored else None)
            self.assertNotIn(STORED, settings.to_dict())
            front = one if restored and changes.get("active", [0]) == [0] else two
            self.assertEqual(self.window.active_view_in_group(0), front, changes)

    def test_a_layout_that_was_changed_before_the_restart_stays(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        yield from self.open_diff("one.py")
        self.forget_everything()
        self.window.set_layout(GRID)
        layout = self.window.layout()
        self.reviews.recover()
        yield lambda: self.titles()[0] == ["one.py"]
        self.assertEqual(self.window.layout(), layout)

    def test_remains_without_a_memory_of_the_layout_are_closed(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        yield from self.open_diff("one.py")
        self.forget_everything()
        self.window.settings().erase(STORED)
        self.reviews.recover()
        yield lambda: self.titles()[0] == ["one.py"]

    def forget_everything(self) -> None:
        """What a restart of the editor does to us: views and window settings are still there, we are not."""
        for presentation in self.reviews.shown.values():
            presentation._closed = True
        self.reviews.shown.clear()
        self.reviews.open_reviews._poller.stop()
        self.reviews.__init__(  # type: ignore[misc]
            self.window,
            runtime=self.reviews._runtime,
            settings=self.reviews._settings,
            notify=self.reviews._notify,
            is_connected=lambda owner: True,
        )
        self.hand_events_to(self.reviews)

    def test_a_review_dragged_into_another_window_is_no_left_over(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        review = yield from self.open_diff("one.py")
        self.reviews.recover()
        yield 30
        self.assertTrue(review.pending)
        self.assertTrue(self.proposal(review).is_valid())

    def test_disabling_the_package_gives_everything_back_at_once(self) -> Iterator[Any]:
        yield from self.open_file("one.py")
        before = self.picture()
        first = yield from self.open_diff("one.py")
        second = yield from self.open_diff("two.py", owner=QWEN)
        self.reviews.shutdown()
        self.assertEqual(
            self.told, [(review.owner.session_id, Outcome(review.path, None)) for review in (first, second)]
        )
        yield from self.assert_given_back(before)

    def test_nothing_is_stored_for_longer_than_a_review(self) -> Iterator[Any]:
        self.write()
        review = yield from self.open_diff("file.py", PROPOSED)
        self.assertIn("gemini_companion.stage", self.window.settings().to_dict())
        self.reviews.commands.reject(review)
        yield lambda: "gemini_companion.stage" not in self.window.settings().to_dict()
