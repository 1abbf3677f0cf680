"""Sample packages for the tests of the host's processes."""

from __future__ import annotations

import os
import zipfile

import pytest

from tests.host.driver import Host

PLUGIN = """
import os
import sublime
import sublime_plugin
from .inner import state

LOG = os.environ["SAMPLE_LOG"]


def note(text):
    with open(LOG, "a") as file:
        file.write(text + "\\n")


def plugin_loaded():
    note("loaded " + state.VERSION)


def plugin_unloaded():
    note("unloaded " + state.VERSION)


class SampleListener(sublime_plugin.EventListener):
    def on_exit(self):
        try:
            windows = str(len(sublime.windows()))
        except Exception as error:
            windows = type(error).__name__
        note("exit " + windows)


class SampleNoteCommand(sublime_plugin.WindowCommand):
    def run(self, text):
        note(text)


note("imported parent=%d" % os.getppid())
"""

FILES = {".python-version": "3.8\n", "plugin.py": PLUGIN, "inner/__init__.py": "", "inner/state.py": "VERSION = '1'\n"}


class Sample:
    """A package in a folder, its log, and hosts that run it."""

    def __init__(self, folder, name="Sample Package"):
        self.name = name
        self.folder = str(folder / self.name)
        self.log_path = str(folder / "log.txt")
        self.data = str(folder / "data")
        self.zip_path = str(folder / (self.name + ".sublime-package"))
        self.write(FILES)

    def write(self, files):
        for name, text in files.items():
            path = os.path.join(self.folder, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def zip(self, **changed):
        files = dict(FILES)
        files.update({name.replace("__", "/"): text for name, text in changed.items()})
        with zipfile.ZipFile(self.zip_path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return self.zip_path

    def start(self, **options):
        options.setdefault("package", self.folder)
        options.setdefault("data", self.data)
        options["env"] = dict(options.get("env") or {}, SAMPLE_LOG=self.log_path)
        return Host.start(**options)

    def log(self):
        if not os.path.exists(self.log_path):
            return []
        with open(self.log_path, encoding="utf-8") as file:
            return file.read().splitlines()


@pytest.fixture
def sample(tmp_path):
    return Sample(tmp_path)
