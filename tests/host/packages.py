"""Loads, unloads and reloads the plugins of packages, as the plugin host does.

Only the `*.py` files at a package's root are plugins. Whatever they import is an ordinary module:
it stays in `sys.modules` when the plugin goes, and is found there, stale, when it comes back.
Rules: the main thread only. What a plugin raises while it loads is recorded and does not stop
the others. A package whose `.python-version` asks for another plugin host is not loaded here.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from types import ModuleType
from typing import Any, Dict, List, Optional

from . import builds, errors, lenient_json, resources
from .zip_importer import ZipFinder

_OLD_HOST = "3.3"
_PREFERENCES = "Preferences.sublime-settings"


class Packages:
    """The packages of one plugin host. `plugin_api` is the `sublime_plugin` module."""

    def __init__(self, plugin_api: Any) -> None:
        self._plugin_api = plugin_api
        self._finder = ZipFinder(resources.cache_path() if builds.MODERN else None)
        self._loaded: Dict[str, List[str]] = {}
        sys.meta_path.insert(0, self._finder)

    def load_all(self) -> None:
        """Imports the plugins of every package that is not ignored, in the editor's order."""
        resources.set_ignored_packages(set(self.ignored()))
        self._register_zips()
        for package in resources.package_names():
            self.load(package)

    def load(self, package: str) -> None:
        """Imports the package's plugins and hands them to the API, which calls `plugin_loaded`."""
        wanted = python_version(package)
        names = plugin_names(package)
        if names and not runs_here(wanted):
            errors.record("packages", f"{package}: its .python-version is {wanted}; this plugin host does not load it")
            return
        self._loaded[package] = []
        for name in names:
            self.load_plugin(f"{package}.{name}")
            self._loaded[package].append(f"{package}.{name}")

    def load_plugin(self, module_name: str) -> Optional[ModuleType]:
        """Loads one plugin module. None if it failed."""
        print(f"reloading plugin {module_name}", flush=True)
        try:
            module = importlib.import_module(module_name)
            self._plugin_api.load_plugin_module(module)
        except Exception as error:
            errors.record(f"loading {module_name}", error)
            return None
        return module

    def unload(self, package: str) -> None:
        """Unloads the package's plugins. Only they leave `sys.modules`; what they imported stays."""
        for module_name in self._loaded.pop(package, []):
            print(f"unloading plugin {module_name}", flush=True)
            module = sys.modules.get(module_name)
            if module is not None:
                self._forget(module_name, module)

    def _forget(self, module_name: str, module: ModuleType) -> None:
        """Tells the plugin and takes it out of `sys.modules`: build 4200 in this order, newer ones in the other."""
        if builds.MODERN:
            del sys.modules[module_name]
        self._plugin_api.unload_plugin_module(module)
        sys.modules.pop(module_name, None)

    def disable(self, package: str) -> None:
        """What adding the package to `ignored_packages` does."""
        self.unload(package)
        self._set_ignored(package, True)
        self._register_zips()

    def enable(self, package: str) -> None:
        """What removing the package from `ignored_packages` does; its files are read anew."""
        self._set_ignored(package, False)
        self._register_zips()
        importlib.invalidate_caches()
        self.load(package)

    def loaded(self) -> Dict[str, List[str]]:
        """The loaded plugin modules by package."""
        return {package: list(names) for package, names in self._loaded.items() if names}

    def ignored(self) -> List[str]:
        return list(_user_preferences().get("ignored_packages", []))

    def _set_ignored(self, package: str, ignored: bool) -> None:
        preferences = _user_preferences()
        names = [name for name in preferences.get("ignored_packages", []) if name != package]
        preferences["ignored_packages"] = sorted([*names, package]) if ignored else names
        with open(os.path.join(resources.user_path(), _PREFERENCES), "w", encoding="utf-8") as file:
            json.dump(preferences, file, indent=4)
        resources.set_ignored_packages(set(preferences["ignored_packages"]))

    def _register_zips(self) -> None:
        archives = [archive for archive in map(resources.zip_of, resources.package_names()) if archive]
        for archive, error in self._finder.register(archives, resources.packages_path()).items():
            errors.record(f"reading {archive}", error)


def plugin_names(package: str) -> List[str]:
    """The names of the package's plugin modules, without package and suffix, sorted."""
    return [path[: -len(".py")] for path in resources.paths_in(package) if path.endswith(".py") and "/" not in path]


def python_version(package: str) -> str:
    """What the package's `.python-version` says; without the file the plugin host for 3.3 is meant."""
    if package == "User":
        return "3.8"
    try:
        return resources.load_resource(f"Packages/{package}/.python-version").strip()
    except FileNotFoundError:
        return _OLD_HOST


def runs_here(wanted: str) -> bool:
    """Whether a package that asks for `wanted` runs on this Python: 3.8 means 3.8 or newer."""
    return wanted == "3.8" or wanted == "{}.{}".format(*sys.version_info[:2])


def _user_preferences() -> Dict[str, Any]:
    path = os.path.join(resources.user_path(), _PREFERENCES)
    if not os.path.isfile(path):
        return {}
    with open(path, encoding="utf-8") as file:
        value = lenient_json.loads(file.read(), path)
    return value if isinstance(value, dict) else {}
