"""A fresh model for every test, on the test's own thread, with resources held in a dict."""

from __future__ import annotations

import fnmatch
import os
from typing import Dict, List

import pytest

from tests.host import api, errors, gestures, lenient_json
from tests.host.api import registry
from tests.host.model.host import Host
from tests.host.scheduler import Scheduler

api.install()


class Resources:
    """Packages' files in memory."""

    def __init__(self, folder: str):
        self.folder = folder
        self.texts: Dict[str, str] = {}

    def find_resources(self, pattern: str) -> list:
        return [name for name in self.texts if fnmatch.fnmatch(name.rsplit("/", 1)[-1], pattern)]

    def load_resource(self, name: str) -> str:
        if name not in self.texts:
            raise FileNotFoundError(name)
        return self.texts[name]

    def load_binary_resource(self, name: str) -> bytes:
        return self.load_resource(name).encode("utf-8")

    def packages_path(self) -> str:
        return os.path.join(self.folder, "Packages")

    def installed_packages_path(self) -> str:
        return os.path.join(self.folder, "Installed Packages")

    def cache_path(self) -> str:
        return os.path.join(self.folder, "Cache")

    def executable_path(self) -> str:
        return os.path.join(self.folder, "sublime_text")


class Bench:
    """What a test works with: the model, one window, the API, and a way to let time pass."""

    def __init__(self, folder: str):
        import sublime
        import sublime_plugin

        errors.clear()
        self.folder = folder
        self.resources = Resources(folder)
        self.scheduler = Scheduler()
        self.host = Host(self.resources, self.scheduler, lenient_json.loads)
        self.sublime, self.sublime_plugin = sublime, sublime_plugin
        registry.reset()
        api.install()
        self.gestures = gestures
        self.host.new_window()
        self.window = sublime.active_window()

    def plugin(self, source: str, name: str = "Sample.plugin"):
        """Load a plugin from its source."""
        import types

        module = types.ModuleType(name)
        exec(compile("import sublime, sublime_plugin\n" + source, name, "exec"), module.__dict__)
        registry.load_plugin_module(module)
        return module

    def write(self, name: str, data: bytes) -> str:
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def open(self, name: str, data: bytes):
        """Write a file and open it; the view is loaded."""
        view = self.window.open_file(self.write(name, data))
        self.scheduler.pump_until(lambda: not view.is_loading())
        self.draw()
        return view

    def named(self, *names: str):
        """New views of these names."""
        views = []
        for name in names:
            view = self.window.new_file()
            view.set_name(name)
            views.append(view)
        return views

    def without(self, truth: str) -> None:
        """Switch a truth off, as `HOST_QUIRKS=-truth` does."""
        assert truth in self.host.quirks, "it is on by default"
        self.host.quirks = self.host.quirks - {truth}

    def draw(self) -> None:
        """Let a moment pass in which the editor draws what shows."""
        drawn = self.host.focus.active_window().active_view
        self.scheduler.pump_until(lambda: drawn() is None or drawn().drawn)

    def text(self, view) -> str:
        return view.substr(self.sublime.Region(0, view.size()))

    def errors(self) -> List[str]:
        """What has gone wrong since the last time: tracebacks, or what was said."""
        found = [error["traceback"] or error["message"] for error in errors.recorded()]
        errors.clear()
        return found

    def settle(self) -> None:
        """Let everything run that is due, on both threads."""
        self.scheduler.pump_until(self.scheduler.is_idle)


@pytest.fixture
def bench(tmp_path):
    made = Bench(str(tmp_path))
    registry.on_api_ready()
    yield made
    made.scheduler.stop()
    registry.reset()
    assert made.errors() == []
