"""Files that programs have opened: who has the focus then, and how many tabs there may be."""

from __future__ import annotations

from typing import Any, Iterator, List, Tuple

from ....companion.agents.window import CannotDo
from ....companion.endpoint.agent_window import MOST_OPENED
from ...support.review_case import ClockTestCase

HALVES = {"cols": [0.0, 0.5, 1.0], "rows": [0.0, 1.0], "cells": [[0, 0, 1, 1], [1, 0, 2, 1]]}


class TestFilesOpened(ClockTestCase):
    def setUp(self) -> Iterator[Any]:
        yield from super().setUp()
        self.programs_window = self.endpoint._agent_window
        self.programs_window._reviews = self.reviews
        self.programs_window.folders = lambda: [self.folder]
        self.mine = yield from self.open_file("mine.py")

    def begin(self, name: str, **how: bool) -> List[str]:
        """Have a program open a file, which is there unless it is none.py. Gives what it is told, later."""
        answers: List[str] = []
        path = self.write(name) if name != "none.py" else self.path(name)

        async def call() -> None:
            try:
                await self.programs_window.open_file(path, **how)
                answers.append("")
            except CannotDo as refusal:
                answers.append(str(refusal))

        self.endpoint._runtime.spawn(call)
        return answers

    def opened(self, name: str, **how: bool) -> Iterator[Any]:
        """Have a program open a file. `yield from` gives what it is told."""
        answers = self.begin(name, **how)
        yield lambda: answers
        return answers[0]

    def shown(self, group: int = 0) -> Any:
        view = self.window.active_view_in_group(group)
        return (view.file_name() or view.name()).rpartition("/")[2].rpartition("\\")[2] if view is not None else None

    def in_front(self) -> Tuple[Any, int]:
        return self.shown(self.window.active_group()), len(self.window.views())

    def test_a_file_comes_with_the_focus_or_stays_behind(self) -> Iterator[Any]:
        self.assertEqual((yield from self.opened("one.py")), "")
        yield lambda: self.in_front() == ("one.py", 2)
        self.assertEqual((yield from self.opened("two.py", in_front=False)), "")
        yield lambda: self.in_front() == ("one.py", 3)
        yield from self.opened("mine.py", in_front=False)
        self.assertEqual(self.in_front(), ("one.py", 3), "it is open already")

    def test_what_is_being_typed_stays_where_it_belongs(self) -> Iterator[Any]:
        for number, setting in enumerate(("auto", "always")):
            self.use(review_focus=setting)
            self.clock.advance(10)
            before = self.guard._edited.get(self.mine.id())
            self.mine.run_command("insert", {"characters": "x"})
            yield lambda before=before: self.guard._edited.get(self.mine.id()) != before
            self.assertEqual((yield from self.opened(f"{number}.py")), "")
            yield lambda number=number: self.in_front() == ("mine.py", 2 + number)
        self.clock.advance(10)
        yield from self.opened("later.py")
        yield lambda: self.shown() == "later.py"

    def test_a_terminal_keeps_the_focus(self) -> Iterator[Any]:
        self.window.set_layout(HALVES)
        terminal = self.terminal(1)
        yield from self.opened("one.py")
        yield lambda: len(self.window.views()) == 3
        self.assertEqual(self.window.active_view(), terminal)

    def test_it_loses_it_where_the_settings_say_so(self) -> Iterator[Any]:
        self.use(review_focus="always")
        self.terminal()
        yield from self.opened("one.py")
        yield lambda: self.in_front() == ("one.py", 3)

    def test_what_the_user_is_in_keeps_it_where_the_settings_say_so(self) -> Iterator[Any]:
        self.use(review_focus="never")
        yield from self.opened("one.py")
        yield lambda: self.in_front() == ("mine.py", 2)

    def test_a_review_that_the_user_is_in_stays_in_front(self) -> Iterator[Any]:
        review = yield from self.open_diff()
        yield from self.opened("one.py")
        yield lambda: any("one.py" in titles for titles in self.titles())
        self.assertEqual(self.window.active_view(), self.proposal(review))
        self.reviews.commands.reject(review)
        yield lambda: not self.reviews.pending() and self.window.num_groups() == 1
        self.assertEqual(sorted(self.titles()[0]), ["mine.py", "one.py"])

    def test_a_terminal_in_a_panel_keeps_it_and_the_file_is_seen(self) -> Iterator[Any]:
        panel = self.window.create_output_panel("Terminal")
        panel.settings().set("terminus_view", True)
        self.window.run_command("show_panel", {"panel": "output.Terminal"})
        self.window.focus_view(panel)
        focus = self.reviews.open_reviews.arrangement.focus
        yield lambda: focus.holder() == panel
        yield from self.opened("one.py")
        yield lambda: self.shown() == "one.py"
        self.assertEqual(focus.holder(), panel)

    def test_while_the_palette_is_open_the_file_waits(self) -> Iterator[Any]:
        self.window.run_command("show_overlay", {"overlay": "command_palette"})
        yield lambda: not self.reviews.open_reviews.arrangement.focus.free
        answers = self.begin("one.py")
        self.assertEqual((yield from self.opened("none.py")), "There is no such file.")  # what was asked later
        self.assertEqual((answers, len(self.window.views())), ([], 1))
        self.window.run_command("hide_overlay")
        yield lambda: answers == [""]
        yield lambda: self.in_front() == ("one.py", 2)

    def test_the_next_preview_takes_the_place_of_the_one_before(self) -> Iterator[Any]:
        for name in ("one.py", "two.py", "three.py"):
            yield from self.opened(name, preview=True)
        yield lambda: self.shown() == "three.py"
        self.assertLessEqual(len(self.window.views()), 2)

    def test_there_are_only_so_many(self) -> Iterator[Any]:
        for number in range(MOST_OPENED):
            self.assertEqual((yield from self.opened(f"{number}.py")), "")
        refused = yield from self.opened("one more.py")
        self.assertIn("files that agents have opened are open", refused)
        self.assertEqual(len(self.window.views()), MOST_OPENED + 1)
        view = self.window.find_open_file(self.path("3.py"))
        if view is not None:
            view.close()
        yield lambda: len(self.window.views()) == MOST_OPENED
        self.assertEqual((yield from self.opened("one more.py")), "")
