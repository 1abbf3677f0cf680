"""Which files a client is told of, and which one is active, as the user opens, focuses, renames and closes them."""

from __future__ import annotations

import os

import sublime

from ...support.context_case import ContextCase

PLUGIN = __package__.partition(".")[0] + ".plugin"


class OpenFiles(ContextCase):
    def test_a_window_without_files_has_an_empty_list(self):
        self.assertEqual(self.client.contexts[0], {"workspaceState": {"openFiles": []}})

    def test_files_come_most_recent_first_and_the_focused_one_is_active(self):
        a = yield from self.open("a.py")
        yield from self.open("b.py")
        self.assertEqual(self.names(), ["b.py", "a.py"])
        self.assertEqual(self.active(), "b.py")
        self.window.focus_view(a)
        yield lambda: self.active() == "a.py"
        self.assertEqual(self.names(), ["a.py", "b.py"])
        stamps = [file["timestamp"] for file in self.client.open_files]
        self.assertGreater(stamps[0], stamps[1])
        self.assertGreater(stamps[1], 1_600_000_000_000)  # milliseconds, not seconds
        self.assertEqual([file["isActive"] for file in self.client.open_files], [True, False])
        self.assertNotIn("cursor", self.client.open_files[1])
        self.assertNotIn("isTrusted", self.client.contexts[-1]["workspaceState"])

    def test_a_client_that_connects_later_is_told_of_all_at_once(self):
        yield from self.open("a.py")
        yield from self.open("b.py")
        later = yield from self.connect(self.folder)
        self.assertEqual([os.path.basename(path) for path in later.paths], ["b.py", "a.py"])
        self.assertEqual(later.contexts[0], self.client.contexts[-1])
        self.assertEqual(len(later.contexts), 1)

    def test_which_file_the_user_was_in_is_remembered_while_nobody_listens(self):
        view = yield from self.open("a.py")
        self.client.say_goodbye()
        yield lambda: "listening-client" not in view.get_status("gemini_companion")
        b = self.window.open_file(self.path("b.py"))
        yield lambda: not b.is_loading()
        self.window.focus_view(view)
        terminal = self.window.new_file()
        terminal.settings().set("terminus_view", True)
        terminal.set_scratch(True)
        self.client = yield from self.connect(self.folder)
        self.assertEqual(self.active(), "a.py")

    def test_untitled_buffers_and_files_never_saved_are_left_out(self):
        a = yield from self.open("a.py")
        self.window.new_file().set_scratch(True)
        self.window.open_file(self.path("never saved.py")).set_scratch(True)
        self.window.focus_view(a)
        yield from self.caret_reaches_client(a, 2)
        for context in self.client.contexts:
            for file in context["workspaceState"]["openFiles"]:
                self.assertEqual(file["path"], self.path("a.py"))

    def test_a_new_file_comes_in_when_it_is_saved(self):
        view = self.window.open_file(self.path("new.py"))
        yield lambda: not view.is_loading()
        view.run_command("append", {"characters": "new\n"})
        view.run_command("save")
        yield lambda: self.names() == ["new.py"] and self.active() == "new.py"

    def test_a_preview_counts_while_it_is_shown(self):
        yield from self.open("a.py")
        self.window.open_file(self.path("b.py"), sublime.TRANSIENT)
        yield lambda: self.active() == "b.py"
        self.window.open_file(self.path("c.py"), sublime.TRANSIENT)
        yield lambda: self.active() == "c.py"
        self.assertEqual(self.names(), ["c.py", "a.py"])

    def test_a_file_deleted_on_disk_goes_and_comes_back_when_it_is_restored(self):
        yield from self.open("a.py")
        yield from self.open("b.py")
        os.rename(self.path("b.py"), self.path("elsewhere"))
        yield lambda: self.names() == ["a.py"]
        self.assertIsNone(self.active())
        os.rename(self.path("elsewhere"), self.path("b.py"))
        yield lambda: self.names() == ["b.py", "a.py"] and self.active() == "b.py"

    def test_files_with_secrets_are_left_out_entirely(self):
        self.write(".env", "KEY=1\n")
        a = yield from self.open("a.py")
        secret = self.window.open_file(self.path(".env"))
        yield lambda: not secret.is_loading()
        self.window.focus_view(secret)
        yield lambda: self.active() is None
        self.assertEqual(self.names(), ["a.py"])
        self.select(secret, sublime.Region(0, 5))
        self.window.focus_view(a)
        yield lambda: self.active() == "a.py"
        for context in self.client.contexts:
            self.assertNotIn(".env", str(context))
            self.assertNotIn("KEY", str(context))

    def test_a_link_to_a_file_with_secrets_is_left_out_entirely(self):
        self.write(".env", "KEY=1\n")
        try:
            os.symlink(self.path(".env"), self.path("notes.txt"))
        except OSError:
            self.skipTest("the system lets this user make no links")
        a = yield from self.open("a.py")
        secret = self.window.open_file(self.path("notes.txt"))
        yield lambda: not secret.is_loading()
        self.window.focus_view(secret)
        yield lambda: self.active() is None
        self.select(secret, sublime.Region(0, 5))
        self.window.focus_view(a)
        yield lambda: self.active() == "a.py"
        self.assertEqual(self.names(), ["a.py"])
        for context in self.client.contexts:
            self.assertNotIn("notes", str(context))
            self.assertNotIn("KEY", str(context))


class FocusElsewhere(ContextCase):
    """The file stays active while something else that is no file has the focus."""

    def setUp(self):
        yield from super().setUp()
        self.view = yield from self.open("a.py")

    def still_active(self):
        """The caret moves on in the file, without the focus, and the client hears of it in the active file."""
        yield from self.caret_reaches_client(self.view, 2)
        self.assertEqual((self.names(), self.active()), (["a.py"], "a.py"))
        known = [context for context in self.client.contexts if context["workspaceState"]["openFiles"]]
        for context in known:
            self.assertTrue(context["workspaceState"]["openFiles"][0]["isActive"])

    def test_a_terminal(self):
        terminal = self.window.new_file()
        terminal.settings().set("terminus_view", True)
        terminal.set_scratch(True)
        self.window.focus_view(terminal)
        yield from self.still_active()

    def test_an_untitled_buffer(self):
        self.window.focus_view(self.window.new_file())
        yield from self.still_active()

    def test_an_output_panel(self):
        panel = self.window.create_output_panel("context_test", unlisted=True)
        self.window.run_command("show_panel", {"panel": "output.context_test"})
        self.window.focus_view(panel)
        yield from self.still_active()
        self.window.destroy_output_panel("context_test")

    def test_an_input_panel(self):
        widget = self.window.show_input_panel("Name", "text", None, None, None)
        self.window.focus_view(widget)
        yield from self.still_active()
        self.window.run_command("hide_panel", {"cancel": True})
