"""What terminals inherit from the editor, and what the clipboard gets: enough to find the window, and no secret."""

from __future__ import annotations

import os

import sublime

from ...support.context_case import ContextCase
from ...support.listening_client import announced

PORTS = ("GEMINI_CLI_IDE_SERVER_PORT", "QWEN_CODE_IDE_SERVER_PORT")
WORKSPACES = ("GEMINI_CLI_IDE_WORKSPACE_PATH", "QWEN_CODE_IDE_WORKSPACE_PATH")


class Environment(ContextCase):
    def exported(self, folder):
        content = announced(folder, os.getppid())
        return (
            content is not None
            and all(os.environ.get(name) == str(content["port"]) for name in PORTS)
            and all(os.environ.get(name) == folder for name in WORKSPACES)
        )

    def test_terminals_inherit_the_window_in_front(self):
        yield from self.open("a.py")
        yield lambda: self.exported(self.folder)
        other_folder = self.new_folder()
        other = yield from self.new_window(other_folder)
        other.new_file().set_scratch(True)
        other.bring_to_front()
        yield lambda: self.exported(other_folder)
        self.window.bring_to_front()
        yield lambda: sublime.active_window() == self.window
        yield lambda: self.exported(self.folder)

    def test_the_token_is_in_no_variable(self):
        yield lambda: self.exported(self.folder)
        token = announced(self.folder, os.getppid())["authToken"]
        self.assertFalse([name for name, value in os.environ.items() if token in value])

    def test_the_connection_environment_is_copied_without_the_token(self):
        self.addCleanup(sublime.set_clipboard, sublime.get_clipboard())
        content = announced(self.folder, os.getppid())
        self.window.run_command("gemini_companion_copy_environment")
        yield lambda: "GEMINI_CLI_IDE_PID" in sublime.get_clipboard()
        text = sublime.get_clipboard()
        for part in PORTS + WORKSPACES + (str(content["port"]), self.folder, str(os.getppid())):
            self.assertIn(part, text)
        self.assertNotIn(content["authToken"], text)
