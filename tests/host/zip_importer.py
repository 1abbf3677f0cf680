"""Imports packages from `Installed Packages/*.sublime-package`, as the plugin host does.

A module of such a package has no `__file__`: there is no file. A loose file below `Packages/`
takes the place of the zipped one. A folder needs no `__init__.py` to be a package.
Rules: only installed, not ignored packages are found; a zip is read when it is registered, so a
zip that is replaced on disk changes nothing until it is registered again. Plugin host, any thread.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import zipfile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence


class Source(NamedTuple):
    """One module: where its code is said to come from, the code, and whether it is a package."""

    origin: str
    text: str
    is_package: bool


class ZipPackage(importlib.abc.InspectLoader):
    """The loader of every module in one `.sublime-package` file. Raises zipfile.BadZipFile."""

    def __init__(self, archive: str, packages_path: str) -> None:
        self.archive = archive
        self.package = os.path.splitext(os.path.basename(archive))[0]
        self._loose = os.path.join(packages_path, self.package)
        self._modules: Dict[str, Source] = {"": Source(archive, "", True)}
        with zipfile.ZipFile(archive) as opened:
            for name in sorted(opened.namelist()):
                if name.endswith(".py"):
                    self._add(name, opened.read(name).decode("utf-8"))

    def _add(self, name: str, text: str) -> None:
        parts = name[: -len(".py")].split("/")
        is_package = parts[-1] == "__init__"
        if is_package:
            parts.pop()
        self._modules[".".join(parts)] = Source(os.path.join(self.archive, *name.split("/")), text, is_package)
        for length in range(1, len(parts)):
            folder = ".".join(parts[:length])
            self._modules.setdefault(folder, Source(os.path.join(self.archive, *parts[:length]), "", True))

    def find(self, fullname: str) -> Optional[Source]:
        package, _, path = fullname.partition(".")
        if package != self.package:
            return None
        return self._find_loose(path) or self._modules.get(path)

    def _find_loose(self, path: str) -> Optional[Source]:
        if not path:
            return None
        base = os.path.join(self._loose, *path.split("."))
        for file, is_package in ((base + ".py", False), (os.path.join(base, "__init__.py"), True)):
            if os.path.isfile(file):
                with open(file, encoding="utf-8") as opened:
                    return Source(file, opened.read(), is_package)
        if os.path.isdir(base) and path not in self._modules:
            return Source(base, "", True)
        return None

    def _require(self, fullname: str) -> Source:
        source = self.find(fullname)
        if source is None:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return source

    def is_package(self, fullname: str) -> bool:
        return self._require(fullname).is_package

    def get_source(self, fullname: str) -> str:
        return self._require(fullname).text

    def get_code(self, fullname: str) -> Any:
        source = self._require(fullname)
        return self.source_to_code(source.text, source.origin)


class ZipFinder(importlib.abc.MetaPathFinder):
    """The finder in `sys.meta_path` that asks every registered zip."""

    def __init__(self) -> None:
        self._packages: Dict[str, ZipPackage] = {}

    def register(self, archives: List[str], packages_path: str) -> Dict[str, Exception]:
        """Makes exactly these zips importable, all read anew. Returns those that could not be read."""
        self._packages.clear()
        broken: Dict[str, Exception] = {}
        for archive in archives:
            try:
                package = ZipPackage(archive, packages_path)
            except (OSError, zipfile.BadZipFile, UnicodeDecodeError) as error:
                broken[archive] = error
            else:
                self._packages[package.package] = package
        return broken

    def find_spec(self, fullname: str, path: Optional[Sequence[Any]], target: Any = None) -> Any:
        package = self._packages.get(fullname.partition(".")[0])
        source = package.find(fullname) if package else None
        if package is None or source is None:
            return None
        # An origin of our own keeps `spec.has_location` false, so no `__file__` appears.
        spec = importlib.machinery.ModuleSpec(fullname, package, origin=source.origin, is_package=source.is_package)
        if source.is_package:
            spec.submodule_search_locations = [package.archive]
        return spec
