"""Show Log: a panel that follows what happens, without ever saying what the user's files hold."""

from __future__ import annotations

import logging
import os
import sys
from unittest import mock

import sublime

from ...companion.log import keep_details
from ..support.context_case import ContextCase
from ..support.listening_client import announced

PLUGIN = __package__.partition(".")[0] + ".plugin"
PANEL = "gemini_companion_log"
logger = logging.getLogger("gemini_companion.test")


class LogCase(ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.application = sys.modules[PLUGIN].application
        self.settings = sublime.load_settings("Gemini Companion.sublime-settings")
        self.addCleanup(keep_details, False)
        self.addCleanup(self.application._log_panel.close)

    def panel(self):
        return self.window.find_output_panel(PANEL)

    def shown(self):
        view = self.panel()
        return view.substr(sublime.Region(0, view.size())) if view is not None else ""

    def logged(self):
        return "\n".join(self.application.log.lines())

    def show(self):
        self.window.run_command("gemini_companion_show_log")
        yield lambda: self.window.active_panel() == "output." + PANEL


class Panel(LogCase):
    def test_the_panel_shows_what_was_logged_and_follows(self):
        logger.info("before it was opened")
        yield from self.show()
        self.assertRegex(self.shown(), r"\d\d:\d\d:\d\d\.\d{3} info    test: before it was opened\n")
        logger.warning("after it was opened")
        yield lambda: "warning test: after it was opened\n" in self.shown()
        self.assertEqual(self.shown().count("before it was opened"), 1)
        self.assertEqual(self.shown().count("after it was opened"), 1)
        self.assertTrue(self.panel().is_read_only())
        self.assertTrue(all(region.empty() for region in self.panel().sel()))

    def test_details_are_logged_from_when_the_user_says_so(self):
        yield from self.show()
        view = yield from self.open("a.py")
        finest = "sent notification 'ide/contextUpdate'"
        before = self.logged().count(finest)
        yield from self.caret_reaches_client(view, 2)
        self.assertEqual(self.logged().count(finest), before)
        self.application._log_panel.toggle_details(self.window)
        self.assertIn("details are logged from now on\n", self.shown())
        yield from self.caret_reaches_client(view, 1)
        yield lambda: self.shown().count("debug   protocol: " + finest) > before
        self.application._log_panel.toggle_details(self.window)
        logged = self.logged()
        self.assertTrue(logged.endswith("details are no longer logged"))
        yield from self.caret_reaches_client(view, 2)
        self.assertNotIn(finest, self.logged()[len(logged) :])

    def test_the_panel_is_bounded_and_keeps_the_newest(self):
        for _ in range(200):
            logger.info("the oldest of all")
        yield from self.show()
        module = sys.modules[type(self.application._log_panel).__module__]
        with mock.patch.object(module, "MOST_CHARACTERS", 5000):
            for number in range(12):
                for _ in range(50):
                    logger.info("line %d", number)
                yield lambda number=number: f"line {number}\n" in self.shown()
        self.assertLess(len(self.shown()), 12000)
        self.assertRegex(self.shown(), r"\A\d\d:\d\d:\d\d")
        self.assertNotIn("the oldest of all\n", self.shown())
        self.assertNotIn("line 0\n", self.shown())
        self.assertEqual([self.shown().count(f"line {number}\n") for number in (10, 11)], [50, 50])

    def test_somebody_who_scrolled_up_is_left_there(self):
        for number in range(300):
            logger.info("earlier %d", number)
        yield from self.show()
        view = self.panel()
        yield lambda: view.visible_region().end() >= view.size()
        view.set_viewport_position((0, 0), False)
        yield lambda: view.visible_region().begin() == 0
        logger.info("later")
        yield lambda: "later\n" in self.shown()
        self.assertEqual(view.viewport_position(), (0.0, 0.0))
        view.show(view.size())
        yield lambda: view.visible_region().end() >= view.size()
        for number in range(50):
            logger.info("latest %d", number)
        yield lambda: "latest 49\n" in self.shown()
        yield lambda: view.visible_region().end() >= view.size()

    def test_another_window_takes_it_over_and_may_be_closed(self):
        yield from self.show()
        other = yield from self.new_window(self.new_folder())
        other.run_command("gemini_companion_show_log")
        yield lambda: other.active_panel() == "output." + PANEL
        self.assertIsNone(self.panel())
        other.run_command("close_window")
        yield lambda: not other.is_valid()
        logger.info("nobody looks")
        yield from self.show()
        self.assertIn("nobody looks", self.shown())


class Contents(LogCase):
    def test_messages_are_lines_with_sizes_and_without_contents(self):
        keep_details(True)
        self.write("a.py", "first\nhush hush line\n")
        second = yield from self.connect(self.folder)
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(6, 20))
        yield lambda: self.selected() == "hush hush line"
        logged = self.logged()
        for pattern in (
            r"debug   protocol: received request 'initialize' from 'a client', \d+ bytes",
            r"debug   protocol: received notification 'notifications/initialized', \d+ bytes",
            r"debug   transport: sent answer 200, \d+ bytes",
            r"debug   protocol: sent notification 'ide/contextUpdate', \d+ bytes",
        ):
            self.assertRegex(logged, pattern)
        self.assertNotIn("hush", logged)
        self.assertNotIn(announced(self.folder, os.getppid())["authToken"], logged)
        self.assertNotIn(second._session, logged)


class WrongSettings(LogCase):
    """What is left out of the user's settings is in the log and in the status bar."""

    def test_what_is_wrong_with_agents(self):
        self.addCleanup(self.settings.set, "programs", self.settings.get("programs"))
        entry = {"command": ["my-claude"], "dialect": "claude", "folder": self.folder}
        twice = '"programs" in the settings is wrong for “my-claude”: “My Claude” stands for the same agent.'
        unknown = '"programs" in the settings is wrong for “Mine”: it needs a “command”.'
        with mock.patch.object(sublime.Window, "status_message") as said:
            self.settings.set("programs", {"My Claude": entry, "my-claude": entry, "Mine": {}})
            for sentence in (twice, unknown):
                yield lambda sentence=sentence: f"warning endpoint: {sentence}" in self.logged()
                yield lambda sentence=sentence: any(sentence in call[0][0] for call in said.call_args_list)


class Errors(LogCase):
    """Whatever nobody caught is in the log with its traceback, and in the status bar once."""

    def setUp(self):
        yield from super().setUp()
        self.application._reported.clear()
        self.addCleanup(self.application._reported.clear)
        # Which lets the second one be seen, too; tests of its own show that it leaves out what repeats.
        filters = list(self.application.log.filters)
        self.application.log.filters.clear()
        self.addCleanup(self.application.log.filters.extend, filters)
        patcher = mock.patch.object(sublime, "status_message")
        self.messages = patcher.start()
        self.addCleanup(patcher.stop)

    def test_an_error_in_a_task_is_logged_each_time_and_said_once(self):
        async def task():
            raise ZeroDivisionError("on purpose")

        def said():
            return [call for call in self.messages.call_args_list if "unexpected ZeroDivisionError" in call[0][0]]

        for _ in range(2):
            before = self.logged().count("ZeroDivisionError: on purpose")
            self.application.runtime.spawn(task)
            yield lambda before=before: self.logged().count("ZeroDivisionError: on purpose") > before
        yield said
        self.assertIn("Traceback", self.logged())
        self.assertEqual(len(said()), 1)
        self.assertIn("Show Log", said()[0][0][0])
