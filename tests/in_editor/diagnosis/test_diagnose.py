"""Diagnose: everything is told that helps, every planted fault is found, and nothing secret is in the report."""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
import threading
import unittest
from unittest import mock

import sublime

from ....companion.endpoint.servers import PRIMARY
from ...host.waiting import NEVER_SECONDS
from ...support.diagnose_case import DiagnoseCase
from ...support.listening_client import discovery_directory

POSIX = unittest.skipIf(sublime.platform() == "windows", "modes, shells and scripts of POSIX systems")
GEMINI_FINDS, QWEN_FINDS = "Gemini CLI finds this window", "Qwen Code finds this window"
SERVED = "this window is served"
RESTART = "Restart Server"
logger = logging.getLogger("gemini_companion.test")


@POSIX
class Report(DiagnoseCase):
    def test_a_healthy_window(self):
        yield from self.open("a.py")
        report = yield from self.diagnose()
        self.assertEqual(self.failures(report), [])
        if "- FAILED" not in report:  # a developer's other windows may have faults of their own
            self.assertRegex(report, r"\nAll \d+ checks passed\.\n")
        self.assert_ok(report, SERVED, f"port {self.endpoint.port}, 4 tools")
        self.assert_ok(report, "this window refuses a wrong token", "answered with 401")
        self.assert_ok(report, GEMINI_FINDS, os.path.basename(self.gemini_file()))
        self.assert_ok(report, QWEN_FINDS, f"{self.endpoint.port}.lock")
        self.assert_ok(report, "The file in front is in the workspace")
        self.assert_ok(report, "Gemini CLI is installed", "0.61.0 at ")
        self.assert_ok(report, "Qwen Code is installed", "0.24.4 at ")

    def test_a_report_is_shown_from_its_beginning(self):
        self.window.run_command("gemini_companion_diagnose")
        yield lambda: "## Checks" in self.text(self.window)
        self.assertEqual(list(self.view(self.window).sel()), [sublime.Region(0)])
        yield from self.complete(self.window)

    def test_its_words_lead_to_the_log_and_to_what_helps(self):
        with mock.patch.object(sublime.View, "add_phantom", autospec=True) as drawn, mock.patch.object(
            sublime.Window, "run_command", autospec=True, side_effect=sublime.Window.run_command
        ) as run:
            yield from self.diagnose()
            links = {call[0][3].split('"')[1]: call[0][5] for call in drawn.call_args_list}
            self.assertEqual(list(links), ["show_log", "toggle_log_details", "restart_server", "disconnect_agents"])
            links["disconnect_agents"]("disconnect_agents")
            yield lambda: not self.endpoint.agents.any_connected
            links["show_log"]("show_log")
        self.assertEqual(self.window.active_panel(), "output.gemini_companion_log")
        self.window.run_command("hide_panel")
        self.assertEqual(
            [call[0][1] for call in run.call_args_list][1:3],
            ["gemini_companion_disconnect_agents", "gemini_companion_show_log"],
        )

    def test_a_report_tells_versions_windows_clients_and_files(self):
        other_folder = self.new_folder()
        other = yield from self.new_window(other_folder)
        yield from self.connect(other_folder)
        yield self.application.endpoint_of(other).folders
        report = yield from self.diagnose()
        for expected in (
            f"- Sublime Text: {sublime.version()} ({sublime.channel()})",
            f"- Python: {sys.version.split()[0]}",
            "- Gemini Companion: ",
            f"- System: {sublime.platform()} {sublime.arch()}",
            ": aiohttp {} from ".format(sys.modules["aiohttp"].__version__),
            "## This window",
            f"- endpoint: port {self.endpoint.port}",
            f"- workspace folder: {self.folder}",
            "- agent: listening-client 1.0, MCP 2025-06-18, connected at ",
            f"## Window {other.id()}",
            f"- workspace folder: {other_folder}",
            f"window {other.id()} is served",
            f" (-rw-------): Sublime Text, port {self.endpoint.port}, with a token, workspace {self.folder}",
            f"- {discovery_directory()} (drwx------)",
        ):
            self.assertIn(expected, report)

    def test_nothing_secret_is_in_it(self):
        self.write("a.py", "hush hush line\n")
        view = yield from self.open("a.py")
        self.select(view, sublime.Region(0, 14))
        yield lambda: self.selected() == "hush hush line"
        secrets = self.endpoint.servers.secrets()
        primary = self.endpoint.servers.secrets([PRIMARY])
        self.assertTrue(set(secrets) > set(primary), "servers for other programs have their own")
        for number, secret in enumerate(secrets):
            logger.error("by mistake, %s: %s", number, secret)
        report = yield from self.diagnose()
        for number, secret in enumerate(secrets):
            self.assertIn(f"by mistake, {number}: [secret]", report)
            self.assertNotIn(secret, report)
        for secret in (self.client._session, "hush"):
            self.assertNotIn(secret, report)

    def test_of_many_problems_the_newest_are_in_it(self):
        for number in range(30):
            logger.warning("number %s of many", number)
        report = yield from self.diagnose()
        self.assertEqual([number for number in range(30) if f"number {number} of many" in report], list(range(10, 30)))

    def test_recent_problems_are_in_it_and_its_own_refusal_is_none(self):
        logger.warning("something to tell")
        yield from self.diagnose()
        report = yield from self.diagnose()
        self.assertIn("warning test: something to tell", report)
        self.assertNotIn("self-test", report)

    def test_of_a_long_problem_the_beginning_and_the_end_are_in_it(self):
        logger.error("it begins %s in the middle %s it ends", "x" * 3000, "y" * 3000)
        report = yield from self.diagnose()
        self.assertIn("it begins xxx", report)
        self.assertIn("yyy it ends", report)
        self.assertNotIn("in the middle", report)

    def test_a_report_leaves_no_session_and_shows_none(self):
        shown = []
        with mock.patch.object(self.endpoint._status_bar, "show", shown.append):
            yield from self.diagnose()
        clients = {text.split(", ")[0] for text in shown}  # behind them stand the files that other tests have changed
        self.assertEqual(clients - {"listening-client"}, set())
        sessions = self.endpoint.servers._tasks[PRIMARY.key]._server.sessions
        self.assertEqual([session.client_name for session in sessions.values()], ["listening-client"])
        self.assertTrue(self.client._thread.is_alive())

    def test_a_report_is_open_at_once_and_completed_later(self):
        yield from self.use_program("gemini", command=[self.program("slow", "sleep 1; echo 0.61.0")])
        self.window.run_command("gemini_companion_diagnose")
        view = self.view()
        self.assertIn("- \u2026 Gemini CLI", self.text())
        self.assertTrue(view.is_scratch() and view.is_read_only())
        self.assertEqual(self.window.active_view(), view)
        yield lambda: "- ok: " + SERVED in self.text()
        self.assertIn("More are on their way", self.text())
        yield lambda: "- ok: Gemini CLI is installed" in self.text()
        yield lambda: "on their way" not in self.text()

    def test_closing_a_report_early_ends_it(self):
        self.window.run_command("gemini_companion_diagnose")
        self.view().close()
        problems = len(self.application.log.problems())
        yield from self.diagnose()
        self.assertIsNone(self.view())
        new = self.application.log.problems()[problems:]
        self.assertEqual([line for line in new if "self-test" not in line], [])


@POSIX
class Servers(DiagnoseCase):
    def test_a_stopped_server(self):
        services = self.endpoint.servers.services
        former = services[PRIMARY.key]
        yield self.application.runtime.spawn(self.endpoint.servers._tasks[PRIMARY.key]._server.stop).done
        report = yield from self.diagnose()
        self.assert_failed(report, SERVED, f"port {self.endpoint.port}: ", RESTART)
        self.assert_failed(report, GEMINI_FINDS, f"port {self.endpoint.port}: ", RESTART)
        self.window.run_command("gemini_companion_restart_server")
        yield lambda: services[PRIMARY.key] is not former
        self.assert_ok((yield from self.diagnose()), SERVED)

    def test_a_server_that_never_listened(self):
        with mock.patch.object(self.endpoint, "port", None):
            report = yield from self.diagnose()
        self.assert_failed(report, SERVED, "its server is not running", RESTART)
        self.assert_failed(report, GEMINI_FINDS, "no server is running for it", RESTART)

    def test_a_window_that_is_not_served(self):
        with mock.patch.dict(self.application._endpoints._by_window):
            del self.application._endpoints._by_window[self.window.id()]
            self.window.run_command("gemini_companion_diagnose")
        report = yield from self.complete(self.window)
        self.assert_failed(report, SERVED, "has not begun", "Show Log")

    def test_a_server_that_lets_everybody_in(self):
        with mock.patch.object(self.module("transport.gate"), "bearer", lambda value, tokens: ""):
            report = yield from self.diagnose()
        self.assert_failed(report, "this window refuses a wrong token", "answered with 200", "Show Log")

    def test_a_missing_library(self):
        with mock.patch.dict(sys.modules, {"jsonschema": None}):
            report = yield from self.diagnose()
        advice = "Package Control: Satisfy Libraries"
        self.assert_failed(report, "the libraries can be imported", "the library jsonschema is missing", advice)

    def test_missing_libraries_are_the_one_cause_and_the_rest_is_not_tried(self):
        problem = "the libraries aiohttp and jsonschema are missing: do this"
        with mock.patch.dict(sys.modules, {"jsonschema": None, "aiohttp": None}), mock.patch.object(
            self.application._libraries, "problem", problem
        ):
            self.endpoint.show_status()
            self.assertEqual(self.window.active_view().get_status("gemini_companion"), "Companion: " + problem)
            report = yield from self.diagnose()
        self.endpoint.show_status()
        cause = "the libraries aiohttp and jsonschema are missing"
        self.assertEqual(self.failures(report), [f"- FAILED: the libraries can be imported: {cause}"])
        self.assertEqual(report.count("what to do: "), 1)
        for topic in ("the servers", "the discovery files"):
            self.assertIn(f"- not tried: {topic}: ", report)
        self.assertIn(", and 2 could not be tried: see", report)
        self.assertNotIn("Error", report.partition("## Versions")[0])
        self.assert_ok(report, "Gemini CLI is installed")

    def test_a_trial_that_fails_itself(self):
        with mock.patch.object(self.module("diagnosis.discovery"), "read_snapshot", side_effect=KeyError("on purpose")):
            report = yield from self.diagnose()
        self.assert_failed(report, "the discovery files", "the check itself ended in an error (KeyError", "Show Log")
        self.assertIn("on purpose", "\n".join(self.application.log.problems()))


@POSIX
class DiscoveryFiles(DiagnoseCase):
    def test_a_directory_that_others_can_write_to(self):
        mode = os.stat(discovery_directory()).st_mode & 0o777
        self.addCleanup(os.chmod, discovery_directory(), mode)
        open_to_all = mode | stat.S_IWGRP | stat.S_IWOTH
        os.chmod(discovery_directory(), open_to_all)
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, f"others can write to {discovery_directory()}", "Correct that")
        self.assertIn(f"chmod go-w {discovery_directory()}", report)
        self.assertIn("drwx-w--w-", report)
        self.assert_ok(report, QWEN_FINDS)

    def test_a_file_that_is_gone_is_written_again_by_a_restart(self):
        os.remove(self.gemini_file())
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, f"{self.gemini_file()} is not there", RESTART)
        self.window.run_command("gemini_companion_restart_server")
        yield lambda: os.path.exists(self.gemini_file())
        self.assert_ok((yield from self.diagnose()), GEMINI_FINDS)

    def test_a_file_that_others_can_read_is_closed_by_a_restart(self):
        os.chmod(self.gemini_file(), 0o644)
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, "others can read or write", RESTART)
        self.assertIn("-rw-r--r--", report)
        self.window.run_command("gemini_companion_restart_server")
        yield lambda: os.stat(self.gemini_file()).st_mode & 0o777 == 0o600

    def test_a_file_that_is_no_json(self):
        with open(self.gemini_file(), "w", encoding="utf-8") as file:
            file.write("{")
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, "cannot be read", "Remove the file")
        self.assertIn("unreadable", report)

    def test_a_file_that_names_another_workspace(self):
        self.change_file(workspacePath=self.new_folder())
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, f"in {self.folder} it finds no window", RESTART)

    def test_a_file_with_another_token(self):
        self.change_file(authToken="another")
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, "the handshake was answered with 401", RESTART)
        self.assertNotIn("another", self.line(report, GEMINI_FINDS))

    def test_a_file_that_was_left_over_and_comes_first(self):
        left_over = os.path.join(discovery_directory(), f"gemini-ide-server-{os.getppid()}-1.json")
        self.addCleanup(os.remove, left_over)
        with open(left_over, "w", encoding="utf-8") as file:
            json.dump({"port": 1, "workspacePath": self.folder}, file)
        report = yield from self.diagnose()
        self.assert_failed(report, GEMINI_FINDS, left_over, "Remove that file")

    def test_two_windows_with_the_same_folder_are_no_fault(self):
        other = yield from self.new_window(self.folder)
        yield lambda: len([e for e in self.application.endpoints() if e.folders() == (self.folder,)]) == 2
        report = yield from self.diagnose()
        self.assertEqual(self.failures(report, other), [])
        self.assertIn("another window of this editor, which has the same folder", report)

    def test_a_window_that_has_just_been_closed_is_left_out(self):
        other = yield from self.new_window(self.new_folder())
        yield lambda: self.application.endpoint_of(other) is not None and self.application.endpoint_of(other).port
        # Where no event tells of it, the window is served until the next look at all windows.
        with mock.patch.object(self.application, "window_closing"):
            other.run_command("close_window")
            yield lambda: not other.is_valid()
            self.assertIsNotNone(self.application.endpoint_of(other))
            report = yield from self.diagnose()
        self.assertNotIn(f"window {other.id()}", report.lower())
        self.assertEqual(self.failures(report), [])

    def test_an_agent_that_is_switched_off(self):
        yield from self.use_program("qwen", enabled=False)
        report = yield from self.diagnose()
        self.assert_noted(report, QWEN_FINDS, "disabled by the setting \u201cprograms\u201d")


@POSIX
class Workspaces(DiagnoseCase):
    def test_a_file_outside_of_the_workspace(self):
        outside = os.path.join(self.new_folder(), "outside.py")
        with open(outside, "w", encoding="utf-8") as file:
            file.write("text\n")
        view = self.window.open_file(outside)
        yield lambda: not view.is_loading()
        self.window.focus_view(view)
        report = yield from self.diagnose()
        name = "The file in front is in the workspace of this window"
        self.assert_failed(report, name, "does not find this window", "Add Folder to Project")

    def test_a_window_without_a_workspace(self):
        other = yield from self.new_window()
        yield lambda: self.application.endpoint_of(other) is not None and self.application.endpoint_of(other).port
        other.new_file().set_scratch(True)  # else it might close with the report, its only tab
        report = yield from self.diagnose(other)
        self.assert_failed(report, GEMINI_FINDS, "no workspace folder", "Open a folder")
        self.assertIn("- no workspace folder", report)
        # Seen from another window, an empty one is no fault.
        report = yield from self.diagnose()
        self.assert_noted(report, f"Gemini CLI finds window {other.id()}", "nothing to find")
        other.focus_view(other.views()[0])
        report = yield from self.diagnose(other)
        self.assert_noted(report, "The file in front is in the workspace", "no file is in front")

    def test_a_file_reached_by_a_link_is_in_the_workspace(self):
        link = self.new_folder() + "-link"
        os.symlink(self.folder, link)
        self.addCleanup(os.remove, link)
        view = self.window.open_file(os.path.join(link, "a.py"))
        yield lambda: not view.is_loading()
        self.window.focus_view(view)
        self.assert_ok((yield from self.diagnose()), "The file in front is in the workspace")


@POSIX
class Programs(DiagnoseCase):
    def gemini(self, *words):
        yield from self.use_program("gemini", command=list(words))
        return (yield from self.diagnose())

    def test_a_program_that_is_missing(self):
        report = yield from self.gemini("no-such-gemini-program")
        name = "Gemini CLI is not installed"
        self.assert_noted(report, name, "\u201cno-such-gemini-program\u201d is not on the PATH of the login shell")
        self.assert_noted(report, name, "npm install -g")
        self.assertNotRegex(report, "- ok: .* is not installed")

    def test_everything_has_a_limit(self):
        begun, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def hangs(*arguments):
            begun.set()
            release.wait(NEVER_SECONDS)
            return 0, ""

        with mock.patch.object(self.module("diagnosis.programs"), "output_of", hangs):
            self.window.run_command("gemini_companion_diagnose")
            yield begun.is_set
            self.later(self.module("diagnosis.report").LIMIT_SECONDS)
            report = yield from self.complete(self.window)
        self.assert_failed(report, "Gemini CLI:", "no answer within 30 seconds", "Try once more")
