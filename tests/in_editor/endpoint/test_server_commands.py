"""Restart Server and Disconnect Agents, and an event loop that fails."""

from __future__ import annotations

import asyncio
import http.client
import os
import sys
import time
from unittest import mock

import sublime

from ....companion.actions import PREFIX, always
from ...host.waiting import NEVER_SECONDS
from ...support.context_case import ContextCase
from ...support.listening_client import announced, in_thread

PLUGIN = __package__.partition(".")[0] + ".plugin"


def status_of_ping(client):
    """The HTTP status that a client's session gets for a ping; None if nobody answers, as while a server restarts."""
    connection = http.client.HTTPConnection("127.0.0.1", client._port, timeout=NEVER_SECONDS)
    try:
        connection.request("POST", "/mcp", '{"jsonrpc":"2.0","id":9,"method":"ping"}', client._headers())
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class ServerCase(ContextCase):
    def setUp(self):
        yield from super().setUp()
        self.application = sys.modules[PLUGIN].application
        self.endpoint = self.application.endpoint_of(self.window)
        self.view = yield from self.open("a.py")
        self.messages = mock.Mock()  # in this window's status bar or in all of them
        for speaker in (sublime, sublime.Window):
            patcher = mock.patch.object(speaker, "status_message", self.messages)
            patcher.start()
            self.addCleanup(patcher.stop)

    def port(self):
        content = announced(self.folder, os.getppid())
        return content["port"] if content is not None else None

    def status_bar(self):
        return self.view.get_status("gemini_companion")

    def said(self, words):
        return [call for call in self.messages.call_args_list if words in call[0][0]]

    def hangs_up(self, client):
        return lambda: not client._thread.is_alive()

    def answer_to_ping(self, client):
        """`yield from` gives the HTTP status, as soon as a server listens on the client's port."""
        deadline = time.monotonic() + NEVER_SECONDS
        while time.monotonic() < deadline:
            answers = in_thread(status_of_ping, client)
            yield lambda: bool(answers)  # noqa: B023 - it is asked within this turn
            if answers[0] is not None:
                return answers[0]
            yield 50
        self.fail("nobody listens")

    def loop(self):
        """The event loop of the package. `yield from` gives it."""
        found = []
        self.application.runtime.on_loop(lambda: found.append(asyncio.get_event_loop()))
        yield lambda: bool(found)
        return found[0]


class TheirActions(ServerCase):
    def test_what_is_offered_while_the_package_starts_can_always_be_run(self):
        plugin, actions = sys.modules[PLUGIN], self.application.actions._actions
        early = [actions[command.name] for command in plugin.COMMANDS.values() if command.always]
        self.assertEqual({(action.can_run, action.offered) for action in early}, {(always, always)})
        with mock.patch.object(plugin, "startup", plugin.Startup(lambda made: None)):
            offered = list(self.captions())
        self.assertEqual(
            offered, ["Run Agent\u2026", "Install Agent Hooks\u2026", "Remove Agent Hooks\u2026", "Diagnose"]
        )

    def test_the_last_choice_stands_first_then_what_is_installed_then_the_rest(self):
        actions = self.application.actions
        for patch in (
            mock.patch.object(actions.installed, "has", lambda program, settings: program.key == "codex"),
            mock.patch.object(actions._launcher, "run"),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        items, picked = self.agents()
        self.assertEqual([item.trigger for item in items[:2]], ["Codex CLI", "Gemini CLI"])
        self.assertEqual([item.annotation for item in items[:2]], ["", "not found"])
        self.assertIn("npm install -g @google/gemini-cli", items[1].details)
        picked([item.trigger for item in items].index("Qwen Code"))
        items, _ = self.agents()
        self.assertEqual([item.trigger for item in items[:3]], ["Qwen Code", "Codex CLI", "Gemini CLI"])

    def agents(self):
        """What *Run Agent…* lists, and what a choice calls."""
        with mock.patch.object(sublime.Window, "show_quick_panel") as panel:
            self.window.run_command("gemini_companion_run_agent")
        return panel.call_args[0][:2]

    def captions(self):
        """What the palette offers of the package."""
        for entry in sublime.decode_value(sublime.load_resource("Packages/Gemini Companion/Default.sublime-commands")):
            if entry["command"].startswith(PREFIX):
                kind = "".join(entry["command"].title().split("_")) + "Command"
                command, arguments = getattr(sys.modules[PLUGIN], kind)(self.window), entry.get("args", {})
                if command.is_enabled(**arguments) and command.is_visible(**arguments):
                    yield entry["caption"].partition(": ")[2]


class NotYet(ServerCase):
    """Commands that need a client to find the window, run before one can."""

    def test_while_the_server_starts_that_is_what_is_said(self):
        self.addCleanup(sublime.set_clipboard, sublime.get_clipboard())
        sublime.set_clipboard("")
        with mock.patch.object(self.endpoint, "port", None):
            self.window.run_command("gemini_companion_copy_environment")
        self.assertTrue(self.said("the server is starting"))
        self.assertEqual(sublime.get_clipboard(), "")
        self.assertFalse(self.said("open a folder"))

    def test_a_folder_that_was_added_a_moment_ago_is_being_announced(self):
        window = yield from self.new_window()
        yield lambda: self.application.endpoint_of(window) is not None
        endpoint = self.application.endpoint_of(window)
        yield lambda: endpoint.port is not None and endpoint.discovery.has_announced
        with mock.patch.object(endpoint, "folders", return_value=()):
            window.set_project_data({"folders": [{"path": self.new_folder()}]})
            window.run_command("gemini_companion_copy_environment")
        self.assertTrue(self.said("the server is starting"))
        self.assertFalse(self.said("open a folder"))
        yield lambda: endpoint.connection() is not None

    def test_a_problem_of_the_server_is_named(self):
        problems = mock.patch.dict(self.endpoint._problems, {"server": "no port"}, clear=True)
        with mock.patch.object(self.endpoint, "port", None), problems:
            self.window.run_command("gemini_companion_copy_environment")
        self.assertTrue(self.said("no port"))

    def test_a_window_without_a_folder_is(self):
        window = yield from self.new_window()
        yield lambda: self.application.endpoint_of(window) is not None
        endpoint = self.application.endpoint_of(window)
        with mock.patch.object(endpoint, "folders", return_value=()):
            yield lambda: endpoint.port is not None and endpoint.discovery.is_current
            window.run_command("gemini_companion_copy_environment")
        self.assertTrue(self.said("open a folder"))


class Commands(ServerCase):
    def test_a_restarted_server_keeps_its_port_and_its_sessions(self):
        port = self.port()
        self.window.run_command("gemini_companion_restart_server")
        self.assertTrue(self.said("restarting"))
        yield self.hangs_up(self.client)
        self.assertIsNone(self.client.problem)
        yield lambda: self.port() == port
        status = yield from self.answer_to_ping(self.client)
        self.assertEqual(status, 200)
        second = yield from self.connect(self.folder)
        self.assertEqual(second.active_path, self.path("a.py"))

    def test_disconnected_clients_are_gone_and_may_come_back(self):
        yield lambda: "listening-client" in self.status_bar()
        self.window.run_command("gemini_companion_disconnect_agents")
        yield self.hangs_up(self.client)
        yield lambda: self.status_bar() == ""
        self.assertTrue(self.said("disconnected listening-client"))
        answers = in_thread(status_of_ping, self.client)
        yield lambda: bool(answers)
        self.assertEqual(answers, [404])
        yield from self.connect(self.folder)
        yield lambda: "listening-client" in self.status_bar()

    def test_with_nobody_to_disconnect_the_user_is_told(self):
        other = yield from self.new_window(self.new_folder())
        yield lambda: self.application.endpoint_of(other) is not None
        other.run_command("gemini_companion_disconnect_agents")
        self.assertTrue(self.said("no agent is connected"))


class FailingLoops(ServerCase):
    def test_no_client_notices_that_other_code_stopped_the_event_loop(self):
        loop = yield from self.loop()
        for _ in range(3):
            self.application.runtime.on_loop(loop.stop)
        yield lambda: "stopped by other code" in "\n".join(self.application.log.problems())
        status = yield from self.answer_to_ping(self.client)
        self.assertEqual(status, 200)
        self.assertTrue(self.client._thread.is_alive())
