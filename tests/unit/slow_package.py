"""A package of three slow modules with the start of ours, and an application that notes what it hears.

Rule: the modules are on the disk and are imported by Python itself; the test lets one after the other go on.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any, Iterator

from tests.host.waiting import NEVER_SECONDS, until

ROOT = Path(__file__).resolve().parents[2]


class Runtime:
    """Calls at once, and reports what fails instead of raising it."""

    def __init__(self):
        self.failed = []

    def on_main(self, function, *args):
        try:
            function(*args)
        except ValueError as error:
            self.failed.append(error)


class Application:
    """Stands for the real one: serves when the test says so."""

    def __init__(self, on_import_thread):
        self.on_import_thread = on_import_thread
        self.runtime = Runtime()
        self.serving = None
        self.heard = []

    def start(self, serving):
        self.heard.append("start")
        self.serving = serving

    def stop(self):
        self.heard.append("stop")

    def exit(self):
        self.heard.append("exit")


class Parts:
    """The modules of the package, of which the test lets one after the other be imported."""

    def __init__(self):
        self.begun, self.imported = [], []
        self.go_on = threading.Semaphore(0)
        self.error = None

    def __call__(self, name):
        self.begun.append(name)
        assert self.go_on.acquire(timeout=NEVER_SECONDS)
        if self.error is not None:
            raise self.error
        self.imported.append(name)

    def release(self, count=3):
        for _ in range(count):
            self.go_on.release()

    def wait_for(self, *names):
        until(lambda: self.begun == list(names), lambda: self.begun)


MODULES = {
    "__init__": "",
    "outside": "{step}\nfrom . import middle\nVERSION = {version}",
    "middle": "{step}\nfrom . import inside\nVERSION = {version}",
    "inside": "{step}\nVERSION = {version}",
    "application": "from world_of_this_test import Application\nfrom . import outside\nVERSION = {version}",
}


class Package:
    """A package of three slow modules on the disk, with the start of ours."""

    def __init__(self, folder, editor):
        self.folder = folder / "package_of_this_test" / "companion"
        self.folder.mkdir(parents=True)
        self.editor, self.parts, self.made = editor, Parts(), []
        for name in ("startup.py", "commands.py"):
            shutil.copy(ROOT / "companion" / name, self.folder)
        shutil.copy(ROOT / "plugin.py", self.folder.parent)
        self.write(1)

    def write(self, version):
        for name, text in MODULES.items():
            text = text.format(version=version, step=f"import world_of_this_test; world_of_this_test.part({name!r})")
            (self.folder / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()

    def load(self):
        """What the editor does: import the plugin anew, and tell it."""
        sys.modules.pop("package_of_this_test.plugin", None)
        plugin = importlib.import_module("package_of_this_test.plugin")
        plugin.plugin_loaded()
        return plugin

    def modules(self):
        prefix = "package_of_this_test.companion"
        return {name[len(prefix) + 1 :]: module for name, module in sys.modules.items() if name.startswith(prefix)}

    def threads(self):
        return [thread for thread in threading.enumerate() if thread.name == "gemini-companion-loading"]

    def join(self):
        for thread in self.threads():
            thread.join(NEVER_SECONDS)
            assert not thread.is_alive()


def slow_package(folder: Path, editor: Any, monkeypatch: Any) -> Iterator[Package]:
    """The package, from which nothing has been imported yet; what is under way at the end is let go on."""
    world = ModuleType("world_of_this_test")
    api = ModuleType("sublime_plugin")
    api.EventListener = api.WindowCommand = api.TextCommand = object
    for name, stub in (("sublime", editor), ("sublime_plugin", api), ("world_of_this_test", world)):
        monkeypatch.setitem(sys.modules, name, stub)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions of a module may be written in one second
    made = Package(folder, editor)
    world.Application, world.part = Application, made.parts
    yield made
    made.parts.release(30)
    made.join()
    for name in [name for name in sys.modules if name.startswith("package_of_this_test")]:
        del sys.modules[name]
