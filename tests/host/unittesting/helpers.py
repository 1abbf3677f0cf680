"""The ready-made test cases of UnitTesting: a view per test, changed preferences, a folder in a new window."""

# The names of unittest and of UnitTesting are not ours to choose.

from __future__ import annotations

import json
import os
import shutil
import tempfile
from typing import Any, Dict, Iterable, List, Tuple

import sublime

from .case import AsyncTestCase, DeferrableMethod, DeferrableTestCase, TestCase


class _WithView:
    """Gives each test `self.window` and a fresh `self.view` (an unlisted output panel), and ways to edit it."""

    view_settings: Dict[str, Any] = {
        "detect_indentation": False,
        "translate_tabs_to_spaces": False,
        "word_wrap": False,
    }

    def _callSetUp(self) -> Any:
        self._panel = f"unittesting-scratch-{self.id()}"  # type: ignore[attr-defined]
        self.window = sublime.active_window()
        self.view = self.window.create_output_panel(self._panel, unlisted=True)
        for key, value in self.view_settings.items():
            self.view.settings().set(key, value)
        return super()._callSetUp()  # type: ignore[misc]

    def _callTearDown(self) -> Any:
        try:
            return super()._callTearDown()  # type: ignore[misc]
        finally:
            self.window.destroy_output_panel(self._panel)

    def textPoint(self, row: int, col: int) -> int:
        return int(self.view.text_point(row, col))

    def setCaretTo(self, row: int, col: int) -> None:
        self.view.sel().clear()
        self.addCaretAt(row, col)

    def addCaretAt(self, row: int, col: int) -> None:
        self.view.sel().add(self.textPoint(row, col))

    def getText(self) -> str:
        return str(self.view.substr(sublime.Region(0, self.view.size())))

    def getRowText(self, row: int) -> str:
        return str(self.view.substr(self.view.line(self.textPoint(row, 0))))

    def setText(self, text: str) -> None:
        self.clearText()
        self.insertText(text)

    def clearText(self) -> None:
        self.view.run_command("select_all")
        self.view.run_command("right_delete")

    def insertText(self, text: str) -> None:
        self.view.run_command("insert", {"characters": text})

    def assertCaretAt(self, row: int, col: int) -> None:
        self.assertEqual(self.view.sel()[0].begin(), self.textPoint(row, col))  # type: ignore[attr-defined]

    def assertCaretsAt(self, carets: Iterable[Tuple[int, int]]) -> None:
        expected = [self.textPoint(row, col) for row, col in carets]
        self.assertEqual([region.begin() for region in self.view.sel()], expected)  # type: ignore[attr-defined]

    def assertRowContentsEqual(self, row: int, text: str) -> None:
        self.assertEqual(self.getRowText(row), text)  # type: ignore[attr-defined]

    def assertViewContentsEqual(self, text: str) -> None:
        self.assertEqual(self.getText(), text)  # type: ignore[attr-defined]


class ViewTestCase(_WithView, TestCase):
    """A plain test case with a view of its own."""


class DeferrableViewTestCase(_WithView, DeferrableTestCase):
    """A deferrable test case with a view of its own."""


class AsyncViewTestCase(_WithView, AsyncTestCase):
    """A test case of coroutines with a view of its own."""


class OverridePreferencesTestCase(DeferrableTestCase):
    """Replaces user settings files for the time of the class: `{"Preferences.sublime-settings": {...}}`."""

    override_preferences: Dict[str, Dict[str, Any]] = {}

    @classmethod
    def setUpClass(cls) -> Any:  # type: ignore[override]
        cls._saved: Dict[str, Any] = {}
        for name, values in cls.override_preferences.items():
            path = os.path.join(sublime.packages_path(), "User", name)
            cls._saved[path] = _read(path)
            yield from cls._write_and_wait(name, path, values)
        deferred = super().setUpClass()  # type: ignore[func-returns-value]
        if isinstance(deferred, DeferrableMethod):
            yield from deferred

    @classmethod
    def _write_and_wait(cls, name: str, path: str, values: Dict[str, Any]) -> Any:
        seen: List[bool] = []
        settings = sublime.load_settings(name)
        settings.add_on_change("unittesting.override", lambda: seen.append(True))
        try:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(values, file)
            yield lambda: bool(seen)
        finally:
            settings.clear_on_change("unittesting.override")

    @classmethod
    def tearDownClass(cls) -> Any:  # type: ignore[override]
        for path, text in cls._saved.items():
            if text is None:
                os.remove(path)
            else:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        deferred = super().tearDownClass()  # type: ignore[func-returns-value]
        if isinstance(deferred, DeferrableMethod):
            yield from deferred


class TempDirectoryTestCase(DeferrableTestCase):
    """Opens a new window, `cls.window`, on a temporary folder, `cls._temp_dir`, for the time of the class."""

    _temp_dir: Any = None
    window: Any = None

    @classmethod
    def setUpClass(cls) -> Any:  # type: ignore[override]
        cls._temp_dir = tempfile.mkdtemp()
        before = {window.id() for window in sublime.windows()}
        sublime.run_command("new_window")
        yield lambda: sublime.active_window().id() not in before
        cls.window = sublime.active_window()
        cls.window.set_project_data({"folders": [{"path": cls._temp_dir}]})
        yield lambda: [os.path.realpath(path) for path in cls.window.folders()] == [os.path.realpath(cls._temp_dir)]
        deferred = super().setUpClass()  # type: ignore[func-returns-value]
        if isinstance(deferred, DeferrableMethod):
            yield from deferred

    @classmethod
    def tearDownClass(cls) -> Any:  # type: ignore[override]
        if len(sublime.windows()) > 1:  # closing the last window would end the editor
            cls.window.run_command("close_window")
            sublime.set_timeout(lambda: shutil.rmtree(cls._temp_dir, ignore_errors=True), 1000)
        deferred = super().tearDownClass()  # type: ignore[func-returns-value]
        if isinstance(deferred, DeferrableMethod):
            yield from deferred


def _read(path: str) -> Any:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None
