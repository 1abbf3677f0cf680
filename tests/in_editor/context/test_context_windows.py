"""Each window is told apart: nobody hears of another window's files, and files that move are followed."""

from __future__ import annotations

import os

import sublime

from ...support.context_case import ContextCase


class Windows(ContextCase):
    def test_the_client_of_one_window_never_hears_of_another(self):
        other_folder = self.new_folder()
        other = yield from self.new_window(other_folder)
        other_client = yield from self.connect(other_folder)
        path = os.path.join(other_folder, "other.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("secret of the other window\n")
        view = other.open_file(path)
        yield lambda: not view.is_loading()
        yield lambda: other_client.active_path == path
        self.select(view, sublime.Region(0, 6))
        yield lambda: (other_client.active or {}).get("selectedText") == "secret"
        self.window.bring_to_front()
        yield from self.open("a.py")
        self.assertNotIn("other.py", str(self.client.contexts))
        self.assertNotIn("secret", str(self.client.contexts))
        self.assertNotIn("a.py", str(other_client.contexts))

    def test_the_same_file_in_two_windows_is_each_ones_own(self):
        other_folder = self.new_folder()
        other = yield from self.new_window(other_folder)
        other_client = yield from self.connect(other_folder)
        yield from self.open("a.py")
        second = other.open_file(self.path("a.py"), sublime.FORCE_CLONE)
        yield lambda: not second.is_loading()
        yield lambda: other_client.active_path == self.path("a.py")
        self.select(second, sublime.Region(second.text_point(2, 0)))
        yield lambda: other_client.active["cursor"]["line"] == 3
        self.assertEqual(self.cursor()[0], 1)
        second.close()
        yield lambda: other_client.paths == []
        self.assertEqual(self.active(), "a.py")

    def test_folders_added_and_removed_are_announced_and_the_client_stays(self):
        added = self.new_folder()
        yield from self.open("a.py")
        self.window.set_project_data({"folders": [{"path": self.folder}, {"path": added}]})
        second = yield from self.connect(os.pathsep.join([self.folder, added]))
        self.assertEqual(second.active_path, self.path("a.py"))
        self.window.set_project_data({"folders": [{"path": added}]})
        third = yield from self.connect(added)
        self.assertEqual(third.paths, [self.path("a.py")])  # open files count wherever they are
        self.assertIsNone(self.client.problem)

    def test_closing_a_window_takes_its_files_and_its_announcement_away(self):
        from ...support.listening_client import announced

        other_folder = self.new_folder()
        other = yield from self.new_window(other_folder)
        yield from self.connect(other_folder)
        other.run_command("close_window")
        yield lambda: announced(other_folder, os.getppid()) is None
        self.assertIsNotNone(announced(self.folder, os.getppid()))
