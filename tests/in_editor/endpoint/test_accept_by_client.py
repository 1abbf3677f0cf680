"""What a client's own acceptDiff may write: files inside the window's workspace folders, and nothing else."""

from __future__ import annotations

import http.client
import json
import os
from unittest import mock

from ....companion.endpoint import agent_window
from ...host.waiting import NEVER_SECONDS
from ...support.context_case import ContextCase
from ...support.listening_client import in_thread

OLD, NEW = "old\n", "new\n"


def call_tool(client, name, arguments):
    """What the server answers a tool call of the client's session."""
    connection = http.client.HTTPConnection("127.0.0.1", client._port, timeout=NEVER_SECONDS)
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    try:
        connection.request("POST", "/mcp", json.dumps(message), client._headers())
        text = connection.getresponse().read().decode("utf-8")
    finally:
        connection.close()
    data = [line[5:] for line in text.splitlines() if line.startswith("data:") and '"id"' in line]
    return json.loads(data[-1] if data else text)["result"]


def lead(link, target):
    """Let a link lead to another folder."""
    os.unlink(link)
    os.symlink(target, link, target_is_directory=True)


class AcceptByClient(ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.outside = self.new_folder()

    def call(self, name, path, **more):
        results = in_thread(call_tool, self.client, name, dict(more, filePath=path))
        yield lambda: bool(results)
        return results[0]

    def propose(self, path):
        """Have the client open a diff for a file that is there."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(OLD)
        result = yield from self.call("openDiff", path, newContent=NEW)
        self.assertFalse(result.get("isError"), result)
        yield self.tabs

    def tabs(self):
        return [view.name() for view in self.window.views() if "(proposal)" in view.name()]

    def content(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()

    def link(self, target, name):
        path = self.path(name)
        try:
            os.symlink(target, path, target_is_directory=True)
        except (OSError, NotImplementedError):
            self.skipTest("this system does not let us make links")
        return path

    def assert_refused(self, path):
        """Neither the file nor the review changes, and the client hears why. Then the user takes the diff away."""
        result = yield from self.call("acceptDiff", path)
        self.assertTrue(result.get("isError"), result)
        self.assertIn("outside the workspace folders", result["content"][0]["text"])
        self.assertEqual(self.content(path), OLD)
        self.assertEqual(len(self.tabs()), 1)
        self.assertFalse([each for each in self.client.notifications if each["method"] == "ide/diffAccepted"])
        self.window.run_command("gemini_companion_reject")
        yield lambda: not self.tabs()

    def test_a_file_of_the_workspace_is_written(self):
        path = self.path("a.py")
        yield from self.propose(path)
        result = yield from self.call("acceptDiff", path)
        self.assertFalse(result.get("isError"), result)
        self.assertEqual(self.content(path), NEW)
        yield lambda: not self.tabs()

    def test_a_file_outside_of_it_is_not(self):
        path = os.path.join(self.outside, "a.py")
        yield from self.propose(path)
        yield from self.assert_refused(path)

    def test_a_file_of_another_machine_is_not_and_the_client_hears_why(self):
        folder = os.path.join(self.outside, "of-another-machine")
        result = yield from self.call("openDiff", os.path.join(folder, "a.py"), newContent=NEW)
        self.assertFalse(result.get("isError"), result)
        yield self.tabs
        result = yield from self.call("acceptDiff", os.path.join(folder, "a.py"))
        self.assertTrue(result.get("isError"), result)
        said = f"a.py is not written here: its folder {folder} does not exist on this machine."
        self.assertEqual(result["content"][0]["text"], said)
        self.assertFalse(os.path.exists(folder))
        self.window.run_command("gemini_companion_reject")
        yield lambda: not self.tabs()

    def test_a_new_folder_of_the_workspace_is_made(self):
        path = self.path(os.path.join("new", "folder", "a.py"))
        yield from self.call("openDiff", path, newContent=NEW)
        yield self.tabs
        result = yield from self.call("acceptDiff", path)
        self.assertFalse(result.get("isError"), result)
        self.assertEqual(self.content(path), NEW)
        yield lambda: not self.tabs()

    def test_a_link_that_leads_out_does_not_help(self):
        path = os.path.join(self.link(self.outside, "link"), "a.py")
        yield from self.propose(path)
        yield from self.assert_refused(path)

    def test_a_link_that_is_led_elsewhere_while_the_diff_is_open_does_not_help(self):
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        link = self.link(inner, "current")
        yield from self.propose(os.path.join(link, "a.py"))
        with open(os.path.join(self.outside, "a.py"), "w", encoding="utf-8", newline="") as file:
            file.write(OLD)
        os.unlink(link)
        self.link(self.outside, "current")
        yield from self.assert_refused(os.path.join(link, "a.py"))

    def test_a_link_redirected_between_the_check_and_the_write_does_not_help(self):
        """The file that was reviewed is the one outside, so that only its place tells."""
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        link = self.link(self.outside, "current")
        path = os.path.join(link, "a.py")
        yield from self.propose(path)
        with open(os.path.join(inner, "a.py"), "w", encoding="utf-8", newline="") as file:
            file.write(OLD)
        lead(link, inner)
        answers = []

        def inside_workspace(path, folders):
            answers.append(genuine(path, folders))
            lead(link, self.outside)
            return answers[-1]

        genuine = agent_window.inside_workspace
        with mock.patch.object(agent_window, "inside_workspace", inside_workspace):
            yield from self.assert_refused(path)
        self.assertEqual(answers, [True, False])
        self.assertEqual(self.content(os.path.join(inner, "a.py")), OLD)

    def test_the_same_with_a_tab_that_shows_the_file(self):
        """The editor saves it, so the tab's own name counts too."""
        path = self.path("linked.py")
        other = os.path.join(self.outside, "linked.py")
        with open(other, "w", encoding="utf-8", newline="") as file:
            file.write(OLD)
        try:
            os.link(other, path)
        except (OSError, NotImplementedError):
            self.skipTest("this system does not let us make links")
        view = self.window.open_file(other)
        yield lambda: not view.is_loading()
        result = yield from self.call("openDiff", path, newContent=NEW)
        self.assertFalse(result.get("isError"), result)
        yield self.tabs
        yield from self.assert_refused(path)
        self.assertEqual(self.content(other), OLD)
        self.assertFalse(view.is_dirty())

    def test_another_spelling_of_the_path_does_not_help(self):
        """As text it is the path of the open diff; through the link on its way it would be a file of the workspace."""
        path = os.path.join(self.outside, "a.py")
        link = os.path.join(self.outside, "link")
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        try:
            os.symlink(inner, link, target_is_directory=True)
        except (OSError, NotImplementedError):
            self.skipTest("this system does not let us make links")
        yield from self.propose(path)
        result = yield from self.call("acceptDiff", os.path.join(link, os.pardir, "a.py"))
        self.assertTrue(result.get("isError"), result)
        yield from self.assert_refused(path)

    def test_what_the_user_accepts_may_lie_anywhere(self):
        path = os.path.join(self.outside, "a.py")
        yield from self.propose(path)
        self.client.say_goodbye()  # so that the companion has to write it
        view = self.window.active_view()
        yield lambda: view is not None and "listening-client" not in view.get_status("gemini_companion")
        self.window.run_command("gemini_companion_accept")
        yield lambda: not self.tabs()
        self.assertEqual(self.content(path), NEW)

    def test_without_a_diff_the_client_hears_that(self):
        result = yield from self.call("acceptDiff", os.path.join(self.outside, "a.py"))
        self.assertTrue(result.get("isError"))
        self.assertIn("No diff is open", result["content"][0]["text"])
