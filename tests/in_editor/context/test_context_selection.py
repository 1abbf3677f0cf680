"""The caret and the selection as clients count them, how much of it they get, and how soon."""

from __future__ import annotations

import time

import sublime

from ...host.waiting import NEVER_SECONDS
from ...support.context_case import ContextCase


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

    def test_an_edit_before_the_caret_moves_it(self):
        view = yield from self.open("a.py")
        yield from self.caret_reaches_client(view, 1)
        view.run_command("move_to", {"to": "bof"})
        view.run_command("insert", {"characters": "x"})
        yield lambda: self.cursor() == (1, 2)
        view.run_command("undo")
        yield lambda: self.cursor() == (1, 1)


class Pace(ContextCase):
    def test_continuous_typing_is_followed_and_not_answered_key_by_key(self):
        view = yield from self.open("a.py")
        before = len(self.client.contexts)
        began = time.monotonic()
        typed = 0
        while (typed < 60 or len(self.client.contexts) < before + 2) and time.monotonic() < began + NEVER_SECONDS:
            view.run_command("insert", {"characters": "x"})
            typed += 1
            yield 17
        updates = len(self.client.contexts) - before
        self.assertGreaterEqual(updates, 2)  # while the user is still typing
        yield lambda: self.cursor() == (1, typed + 1)
        lasted = time.monotonic() - began
        updates = len(self.client.contexts) - before
        # One per 200 ms; however busy the machine is, never two within 50 ms.
        self.assertLessEqual(updates, lasted / 0.05 + 2)
