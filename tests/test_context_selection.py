"""The caret and the selection as clients count them, how much of it they get, and how soon."""

from __future__ import annotations

import time

import sublime

from .support.context_case import ContextCase


class Selections(ContextCase):
    def test_lines_and_characters_count_from_one_and_characters_in_utf16(self):
        self.write("a.py", "one\n🎈é日x\n")
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(view.text_point(1, 3)))
        yield lambda: self.cursor() == (2, 5)
        self.assertIsNone(self.selected())

    def test_selected_text_and_the_caret_at_its_end(self):
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(view.text_point(0, 2), view.text_point(1, 6)))
        yield lambda: self.selected() == "a.py\nsecond"
        self.assertEqual(self.cursor(), (2, 7))

    def test_the_caret_of_a_selection_made_backwards_is_at_its_beginning(self):
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(view.text_point(1, 6), view.text_point(1, 0)))
        yield lambda: self.selected() == "second"
        self.assertEqual(self.cursor(), (2, 1))

    def test_several_selections_are_joined_and_the_last_ones_caret_counts(self):
        view = yield from self.open("a.py")
        self.select(
            view,
            sublime.Region(view.text_point(0, 2), view.text_point(0, 6)),
            sublime.Region(view.text_point(1, 0)),
            sublime.Region(view.text_point(2, 0), view.text_point(2, 5)),
        )
        yield lambda: self.selected() == "a.py\nthird"
        self.assertEqual(self.cursor(), (3, 6))

    def test_an_edit_before_the_caret_moves_it(self):
        view = yield from self.open("a.py")
        yield from self.caret_reaches_client(view, 1)
        view.run_command("move_to", {"to": "bof"})
        view.run_command("insert", {"characters": "x"})
        yield lambda: self.cursor() == (1, 2)
        view.run_command("undo")
        yield lambda: self.cursor() == (1, 1)

    def test_a_long_selection_is_cut_without_cutting_a_character_in_half(self):
        self.write("a.py", "x" + "🎈" * 9000 + "end")
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(0, view.size()))
        yield lambda: self.selected() is not None
        # 16,384 units are one x, 8,191 balloons of two, and one unit that no balloon fits into.
        self.assertEqual(self.selected(), "x" + "🎈" * 8191)

    def test_several_long_selections_share_the_limit(self):
        self.write("a.py", ("y" * 10000 + "\n") * 2)
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(0, 10000), sublime.Region(10001, 20001))
        yield lambda: self.selected() is not None
        self.assertEqual(self.selected(), "y" * 10000 + "\n" + "y" * 6383)

    def test_selecting_elsewhere_is_not_the_active_files_selection(self):
        a = yield from self.open("a.py")
        b = yield from self.open("b.py")
        self.select(a, sublime.Region(0, 4))
        yield from self.caret_reaches_client(b, 2)
        self.assertIsNone(self.selected())


class Pace(ContextCase):
    def test_continuous_typing_is_followed_and_not_answered_key_by_key(self):
        view = yield from self.open("a.py")
        before = len(self.client.contexts)
        began = time.monotonic()
        for _ in range(60):
            view.run_command("insert", {"characters": "x"})
            yield 17
        lasted = time.monotonic() - began
        yield lambda: self.cursor() == (1, 61)
        updates = len(self.client.contexts) - before
        # One per 200 ms while typing, one at the end; how many exactly depends on the machine's pace.
        self.assertGreaterEqual(updates, 2)
        self.assertLessEqual(updates, lasted / 0.05 + 2)
