"""Where each window is announced, under which workspace, and to which clients."""

from __future__ import annotations

import json
import os
import sys
from unittest import mock

import sublime

from ...support.context_case import ContextCase
from ...support.diagnose_case import PLUGIN
from ...support.listening_client import announced

SETTINGS = "Gemini Companion.sublime-settings"


def qwen_locks(workspace):
    """Name to content of Qwen Code's lock files for a workspace."""
    directory = os.path.join(os.environ.get("QWEN_HOME") or os.path.expanduser("~/.qwen"), "ide")
    found = {}
    for name in os.listdir(directory) if os.path.isdir(directory) else []:
        try:
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError):
            continue  # removed since it was listed, or not ours
        if content.get("workspacePath") == workspace:
            found[name] = content
    return found


class Announcements(ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.settings = sublime.load_settings(SETTINGS)

    def set(self, name, value):
        self.addCleanup(self.settings.set, name, self.settings.get(name))
        self.settings.set(name, value)

    def disable(self, *keys):
        self.set("programs", {key: {"enabled": False} for key in keys})

    def gemini(self, workspace):
        return announced(workspace, os.getppid())

    def test_each_agent_can_be_switched_off_and_on_while_the_editor_runs(self):
        yield lambda: len(qwen_locks(self.folder)) == 2
        self.disable("gemini")
        yield lambda: self.gemini(self.folder) is None
        self.assertEqual(len(qwen_locks(self.folder)), 2)
        self.disable("gemini", "qwen")
        yield lambda: qwen_locks(self.folder) == {}
        self.disable("qwen")
        yield lambda: self.gemini(self.folder) is not None
        self.assertEqual(qwen_locks(self.folder), {})

    def test_an_agent_that_was_off_at_the_start_is_served_once_switched_on(self):
        dialects = {"claude": ("claude", "opencode", "kilo"), "copilot": ("copilot",)}
        self.disable("claude", "opencode", "kilo", "copilot")
        other = yield from self.new_window(self.new_folder())
        endpoint = sys.modules[PLUGIN].application.endpoint_of(other)
        yield lambda: endpoint.port is not None
        self.assertEqual(set(endpoint.servers.services) & set(dialects), set())
        for served, left in (("claude", dialects["copilot"]), ("copilot", ())):
            self.disable("opencode", "kilo", *left)
            yield lambda served=served: served in endpoint.servers.services
        self.assertEqual(set(endpoint.servers.services) & set(dialects), set(dialects))

    def test_an_error_in_one_look_at_the_windows_is_not_the_end_of_looking(self):
        endpoint = sys.modules[PLUGIN].application.endpoint_of(self.window)
        with mock.patch.object(endpoint.tracker, "recheck", side_effect=RuntimeError("planted by a test")) as recheck:
            yield lambda: recheck.called
        other = self.new_folder()
        self.window.set_project_data({"folders": [{"path": other}]})  # of which the editor has no event
        yield lambda: self.gemini(other) is not None

    def test_switching_an_agent_off_does_not_disconnect_another(self):
        others = ("qwen", "llxprt", "claude", "opencode", "kilo", "copilot")
        self.disable(*others)
        yield from self.open("a.py")
        self.assertFalse(self.client.ended)
        self.disable(*others, "gemini")
        yield lambda: self.client.ended


class WithoutFolders(ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.settings = sublime.load_settings(SETTINGS)
        self.place = self.new_folder()
        self.deep = os.path.join(self.place, "deep", "down")
        os.makedirs(self.deep)
        self.file = os.path.join(self.deep, "file.py")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("x\n")

    def announced_as(self, workspace):
        return announced(workspace, os.getppid()) is not None

    def fallback(self, value):
        self.addCleanup(self.settings.set, "workspace_fallback", self.settings.get("workspace_fallback"))
        self.settings.set("workspace_fallback", value)

    def test_a_working_copy_counts_only_if_the_setting_says_so(self):
        os.mkdir(os.path.join(self.place, ".git"))
        self.fallback("directory")
        window = yield from self.new_window()
        window.open_file(self.file)
        yield lambda: self.announced_as(self.deep)
        self.fallback("version_control")
        yield lambda: self.announced_as(self.place)
        self.fallback("none")
        yield lambda: not self.announced_as(self.place) and not self.announced_as(self.deep)

    def test_the_workspace_follows_the_active_file(self):
        window = yield from self.new_window()
        window.open_file(self.file)
        yield lambda: self.announced_as(self.deep)
        window.open_file(self.path("a.py"))
        yield lambda: not self.announced_as(self.deep)
        client = yield from self.connect(self.folder)
        self.assertIsNone(client.problem)

    def test_a_new_file_counts_as_soon_as_it_is_saved(self):
        window = yield from self.new_window()
        view = window.new_file()
        window.focus_view(view)
        yield lambda: sys.modules[PLUGIN].application.endpoint_of(window) is not None
        yield lambda: sys.modules[PLUGIN].application.endpoint_of(window).port is not None
        self.assertEqual(view.get_status("gemini_companion"), "")  # it has no file yet, so nobody can connect
        view.retarget(os.path.join(self.deep, "new.py"))
        view.run_command("append", {"characters": "new\n"})
        view.run_command("save")
        yield lambda: self.announced_as(self.deep)

    def test_folders_come_first_once_there_are_any(self):
        window = yield from self.new_window()
        window.open_file(self.file)
        yield lambda: self.announced_as(self.deep)
        added = self.new_folder()
        window.set_project_data({"folders": [{"path": added}]})
        yield lambda: self.announced_as(added)
        self.assertFalse(self.announced_as(self.deep))


class StatusBar(ContextCase):
    def test_the_status_bar_says_who_is_connected(self):
        yield from self.open("a.py")
        yield lambda: "listening-client" in self.status()
        yield from self.connect(self.folder)
        yield lambda: "2 listening-client" in self.status()
        for client in self._clients:
            client.say_goodbye()
        yield lambda: self.status() == ""
