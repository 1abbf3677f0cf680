"""Runs Diagnose in a window of its own and reads the report as a user does.

Rule: faults are planted from outside (files, settings, programs), and what a test changed is put back.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from typing import Any, Dict, List, Optional

import sublime

from ...companion.agents.registry import AGENTS
from ...companion.settings import read
from .context_case import ContextCase, Steps
from .listening_client import discovery_directory

PLUGIN = __package__.partition(".")[0] + ".plugin"
PACKAGE = PLUGIN.rpartition(".")[0]
TITLE = "Companion: Diagnose"
SETTINGS = "Gemini Companion.sublime-settings"
OUTCOMES = "- (ok|FAILED|note|not tried): "
VERSIONS = {"gemini": "0.61.0", "qwen": "0.24.4"}


class DiagnoseCase(ContextCase):
    """`self.window` is served and has a client. The programs of all agents are small scripts that work."""

    def setUp(self) -> Steps:
        yield from super().setUp()
        self.application = sys.modules[PLUGIN].application
        self.endpoint = self.application.endpoint_of(self.window)
        yield self.endpoint.folders  # which are known a moment after the client has found the file
        self.programs: Dict[str, Dict[str, Any]] = {}
        for agent in AGENTS:  # what else is on this machine's PATH does not matter
            version = VERSIONS.get(agent.key, "100.0.0")
            self.programs[agent.key] = {"command": [self.program(agent.key, f"echo {version}")]}
        yield from self.use_program("gemini")

    def use_program(self, key: str, **entry: Any) -> Steps:
        """Say this of an agent until the test ends."""
        self.programs[key] = {**self.programs[key], **entry}
        self.setting("programs", self.programs)
        wanted = read([("the settings", {"programs": self.programs})]).settings.programs
        yield lambda: self.endpoint.settings().programs == wanted

    def setting(self, name: str, value: Any) -> None:
        """Change a setting until the test ends."""
        settings = sublime.load_settings(SETTINGS)
        self.addCleanup(settings.set, name, settings.get(name))
        settings.set(name, value)

    def program(self, name: str, script: str) -> str:
        """A program that runs a line of shell."""
        path = self.write(name, f"#!/bin/sh\n{script}\n")
        os.chmod(path, stat.S_IRWXU)
        return path

    def module(self, name: str) -> Any:
        """A module of the package."""
        return sys.modules[f"{PACKAGE}.companion.{name}"]

    # -- the discovery file -------------------------------------------------------------------------------------------

    def gemini_file(self) -> str:
        name = f"gemini-ide-server-{os.getppid()}-{self.endpoint.port}.json"
        return os.path.join(discovery_directory(), name)

    def change_file(self, **values: Any) -> None:
        """Write other values into the window's discovery file for Gemini CLI."""
        with open(self.gemini_file(), encoding="utf-8") as file:
            content: Dict[str, Any] = json.load(file)
        content.update(values)
        with open(self.gemini_file(), "w", encoding="utf-8") as file:
            json.dump(content, file)

    # -- the report ---------------------------------------------------------------------------------------------------

    def view(self, window: Optional[sublime.Window] = None) -> Optional[sublime.View]:
        """The newest report."""
        views = [view for view in (window or self.window).views() if view.name() == TITLE]
        return views[-1] if views else None

    def text(self, window: Optional[sublime.Window] = None) -> str:
        view = self.view(window)
        return view.substr(sublime.Region(0, view.size())) if view is not None else ""

    def diagnose(self, window: Optional[sublime.Window] = None) -> Steps:
        """Run the command; `yield from` gives the complete report, whose view is closed again."""
        window = window or self.window
        window.run_command("gemini_companion_diagnose")
        return (yield from self.complete(window))

    def complete(self, window: sublime.Window) -> Steps:
        """Wait for the report that is under way; `yield from` gives its text and its view is closed."""
        yield lambda: "## Checks" in self.text(window) and "\n- \u2026 " not in self.text(window)
        text = self.text(window)
        view = self.view(window)
        if view is None:
            self.fail("there is no report")
        view.close()
        yield lambda: self.view(window) is None
        return text

    def line(self, report: str, name: str) -> str:
        """The line of the check called `name`, and what to do if it failed."""
        lines = report.splitlines()
        found = [index for index, line in enumerate(lines) if re.match(OUTCOMES + re.escape(name), line)]
        self.assertEqual(len(found), 1, (name, report))
        index = found[0]
        return lines[index] + "\n" + lines[index + 1] if lines[index].startswith("- FAILED") else lines[index]

    def failures(self, report: str, *others: sublime.Window) -> List[str]:
        """The checks that failed, without those of windows that are neither this one nor one of `others`."""
        numbers = {str(window.id()) for window in (self.window, *others)}
        failed = [line for line in report.splitlines() if line.startswith("- FAILED: ")]
        return [line for line in failed if set(re.findall(r"\bwindow (\d+)\b", line)) <= numbers]

    def assert_ok(self, report: str, name: str, detail: str = "") -> None:
        line = self.line(report, name)
        self.assertTrue(line.startswith("- ok: "), line)
        self.assertIn(detail, line)

    def assert_noted(self, report: str, name: str, detail: str = "") -> None:
        """Nothing was checked, and what there is to say is said."""
        line = self.line(report, name)
        self.assertTrue(line.startswith("- note: "), line)
        self.assertIn(detail, line)

    def assert_failed(self, report: str, name: str, detail: str, advice: str) -> None:
        """The check failed, says what was found, and says what to do."""
        line = self.line(report, name)
        self.assertTrue(line.startswith("- FAILED: "), line)
        finding, _, what_to_do = line.partition("\n    what to do: ")
        self.assertIn(detail, finding)
        self.assertIn(advice, what_to_do)
        self.assertIn(": see \u201cwhat to do\u201d below each failure.", report)
