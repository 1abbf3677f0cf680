"""What the user keeps from clients: by settings, by pausing, by patterns; and that it shows."""

from __future__ import annotations

import os
import sys
from unittest import mock

import sublime

from ...support.context_case import ContextCase
from ...support.listening_client import ListeningClient, announced
from ...support.projects import ProjectSwitching

PLUGIN = __package__.partition(".")[0] + ".plugin"
SETTINGS = "Gemini Companion.sublime-settings"


class Privacy(ProjectSwitching, ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.settings = sublime.load_settings(SETTINGS)
        self.changed = []

    def tearDown(self):
        for name, value in self.changed:
            self.settings.set(name, value)
        yield from super().tearDown()

    def set(self, name, value):
        """Change a setting for this test, as a user does while the package runs."""
        self.changed.append((name, self.settings.get(name)))
        self.settings.set(name, value)

    def test_the_selection_stays_here_once_the_setting_says_so(self):
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(0, 6))
        yield lambda: self.selected() == "# a.py"
        self.set("share_selection", False)
        yield lambda: self.selected() is None
        self.assertEqual(self.cursor(), (1, 7))
        count = len(self.client.contexts)
        self.select(view, sublime.Region(0, 4))
        yield lambda: self.cursor() == (1, 5)
        self.assertNotIn("selectedText", str(self.client.contexts[count - 1 :]))

    def test_a_program_that_the_user_switches_off_is_out(self):
        yield from self.is_out(lambda: self.set("programs", {"gemini": {"enabled": False}}))
        self.settings.set("programs", {})
        later = yield from self.connect(self.folder)
        self.assertEqual([os.path.basename(path) for path in later.paths], ["a.py"])

    def test_a_program_that_the_project_does_without_is_out(self):
        restricted = {"gemini_companion": {"programs": {"gemini": {"enabled": False}}}}
        project = {"folders": [{"path": self.folder}], "settings": restricted}
        yield from self.is_out(lambda: self.window.set_project_data(project))

    def is_out(self, switch_off):
        """The client has heard of the selection; once it is switched off it knows of no file and is refused."""
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(0, 6))
        yield lambda: self.selected() == "# a.py"
        self.assertIn("listening-client", self.status())
        announcement = announced(self.folder, os.getppid())
        switch_off()
        yield lambda: self.client.ended
        self.assertEqual(self.names(), [])
        yield lambda: "listening-client" not in self.status()
        yield lambda: announced(self.folder, os.getppid()) is None
        again = ListeningClient(announcement)
        yield lambda: again.ended
        self.assertIn("401", str(again.problem))

    def test_pausing_empties_the_list_and_resuming_fills_it_again(self):
        view = yield from self.open("a.py")
        self.window.run_command("gemini_companion_pause_sharing", {"on": True})
        yield lambda: self.names() == []
        self.assertIn("sharing paused", self.status())
        count = len(self.client.contexts)
        self.select(view, sublime.Region(0, 6))
        later = yield from self.connect(self.folder)
        self.assertEqual(later.open_files, [])
        self.window.run_command("gemini_companion_pause_sharing", {"on": False})
        yield lambda: self.active() == "a.py"
        self.assertEqual(len(self.client.contexts), count + 1)  # of what happened meanwhile nothing was said
        self.assertEqual(self.selected(), "# a.py")
        self.assertNotIn("sharing paused", self.status())

    def test_an_excluded_file_is_withheld_open_or_not_and_all_while_paused(self):
        yield from self.open("a.py")
        yield from self.open("b.py")
        self.set("context_exclude", ["b.*"])
        yield lambda: self.names() == ["a.py"]
        self.assertIsNone(self.active())
        tracker = sys.modules[PLUGIN].application.window_opened(self.window).tracker
        names = ("a.py", "b.py", "b.txt", "c.py")
        self.assertEqual([tracker.withholds(self.path(name)) for name in names], [False, True, True, False])
        self.window.run_command("gemini_companion_pause_sharing", {"on": True})
        self.assertTrue(all(tracker.withholds(self.path(name)) for name in names))

    def test_a_pause_outlasts_another_project_and_comes_back_with_its_own(self):
        self.write("d.py", "# d.py\n")
        one, two = self.project("one"), self.project("two")
        yield from self.switch(one)
        self.window.run_command("gemini_companion_pause_sharing", {"on": True})
        yield lambda: self.names() == []
        count = len(self.client.contexts)
        yield from self.switch(two)
        yield from self.open_unheard("d.py")
        later = yield from self.connect(self.folder)
        self.assertEqual(later.open_files, [])
        yield lambda: "sharing paused" in self.status()
        self.window.run_command("gemini_companion_pause_sharing", {"on": False})
        yield lambda: self.names() == ["d.py"]
        self.assertEqual(len(self.client.contexts), count + 1)
        yield from self.switch(one)
        yield lambda: self.names() == []
        yield from self.open_unheard("a.py")
        yield lambda: "sharing paused" in self.status()
        self.assertEqual(self.names(), [])

    def open_unheard(self, name):
        """Open a file that no client is told of."""
        view = self.window.open_file(self.path(name))
        yield lambda: not view.is_loading()
        self.window.focus_view(view)

    def test_a_project_has_its_own_patterns(self):
        yield from self.open("a.py")
        yield from self.open("b.py")
        self.window.set_project_data(
            {"folders": [{"path": self.folder}], "settings": {"gemini_companion": {"context_exclude": ["a.py"]}}}
        )
        yield lambda: self.names() == ["b.py"]

    def test_a_wrong_pattern_of_a_project_is_said_and_the_others_work(self):
        yield from self.open("a.py")
        yield from self.open("b.py")
        patterns = ["[z-a]", "*a" * 40 + "*z", "a.py"]
        with mock.patch.object(sublime.Window, "status_message") as said:
            self.window.set_project_data(
                {"folders": [{"path": self.folder}], "settings": {"gemini_companion": {"context_exclude": patterns}}}
            )
            yield lambda: self.names() == ["b.py"]
        self.assertTrue([call for call in said.call_args_list if "[z-a]" in call[0][0]])
        yield from self.open("c.py")
        self.assertEqual(self.names(), ["c.py", "b.py"])
