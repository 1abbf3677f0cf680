"""Imports packages from `Installed Packages/*.sublime-package`, as the plugin hosts do.

Either way `__file__` is a place inside the zip, a loose file below `Packages/` takes the place of the zipped one, and a
folder needs no `__init__.py`. They differ as the editor's own layers do:
- build 4200 compiles every module each time, and makes an empty module of a folder;
- newer ones have standard source loaders, which keep bytecode below `Cache/__pycache__` and take it for fresh as long
  as time and size of the source are the same (sublime_text 6877); a folder is a namespace package (6878).
Rules: only installed, not ignored packages are found; a zip is read when it is registered, so a
zip that is replaced on disk changes nothing until it is registered again. Plugin host, any thread.
"""

from __future__ import annotations

import calendar
import importlib.abc
import importlib.machinery
import importlib.util
import os
import zipfile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence


class Source(NamedTuple):
    """One module: its file, which may be inside a zip; the text; when that was written. A folder has no text."""

    path: str
    text: Optional[bytes]
    seconds: int
    is_package: bool


class ZipPackage:
    """The modules of one `.sublime-package` file. Raises zipfile.BadZipFile, UnicodeDecodeError."""

    def __init__(self, archive: str, packages_path: str) -> None:
        self.archive = archive
        self.package = os.path.splitext(os.path.basename(archive))[0]
        self._loose = os.path.join(packages_path, self.package)
        self._modules: Dict[str, Source] = {"": Source(archive, None, 0, True)}
        with zipfile.ZipFile(archive) as opened:
            for entry in sorted(opened.infolist(), key=lambda entry: entry.filename):
                if entry.filename.endswith(".py"):
                    self._add(entry.filename, opened.read(entry), calendar.timegm(entry.date_time))

    def _add(self, name: str, text: bytes, seconds: int) -> None:
        text.decode("utf-8")
        parts = name[: -len(".py")].split("/")
        is_package = parts[-1] == "__init__"
        if is_package:
            parts.pop()
        path = os.path.join(self.archive, *name.split("/"))
        self._modules[".".join(parts)] = Source(path, text, seconds, is_package)
        for length in range(1, len(parts)):
            folder = Source(os.path.join(self.archive, *parts[:length]), None, 0, True)
            self._modules.setdefault(".".join(parts[:length]), folder)

    def find(self, fullname: str) -> Optional[Source]:
        path = fullname.partition(".")[2]
        return self._find_loose(path) or self._modules.get(path)

    def _find_loose(self, path: str) -> Optional[Source]:
        if not path:
            return None
        base = os.path.join(self._loose, *path.split("."))
        for file, is_package in ((base + ".py", False), (os.path.join(base, "__init__.py"), True)):
            if os.path.isfile(file):
                with open(file, "rb") as opened:
                    return Source(file, opened.read(), int(os.stat(file).st_mtime), is_package)
        if os.path.isdir(base) and path not in self._modules:
            return Source(base, None, 0, True)
        return None


class CompilingLoader(importlib.abc.InspectLoader):
    """Loads one module as build 4200 does."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def get_filename(self, fullname: str) -> str:
        return self._source.path

    def is_package(self, fullname: str) -> bool:
        return self._source.is_package

    def get_source(self, fullname: str) -> str:
        return (self._source.text or b"").decode("utf-8")

    def get_code(self, fullname: str) -> Any:
        return self.source_to_code(self.get_source(fullname), self._source.path)


class CachingLoader(importlib.machinery.SourceFileLoader):
    """Loads one module as newer builds do, with its bytecode below the folder `cache`."""

    def __init__(self, fullname: str, source: Source, cache: str) -> None:
        super().__init__(fullname, source.path)
        self._source = source
        folder, name = os.path.split(os.path.splitdrive(source.path)[1])
        name = os.path.basename(importlib.util.cache_from_source(name))
        self._bytecode = os.path.join(cache, "__pycache__", folder.lstrip(os.sep), name)

    def path_stats(self, path: Any) -> Dict[str, Any]:
        return {"mtime": self._source.seconds, "size": len(self._source.text or b"")}

    def get_data(self, path: Any) -> bytes:
        return (self._source.text or b"") if path == self.path else super().get_data(self._bytecode)

    def set_data(self, path: str, data: Any, **options: Any) -> None:
        super().set_data(self._bytecode, data, **options)


class ZipFinder(importlib.abc.MetaPathFinder):
    """The finder in `sys.meta_path` that asks every registered zip.

    `cache` is the editor's cache folder, where a build newer than 4200 keeps bytecode; None makes it build 4200.
    """

    def __init__(self, cache: Optional[str]) -> None:
        self._cache = cache
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
        if self._cache is not None and source.text is None:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [source.path]
            return spec
        if self._cache is not None:
            loader = CachingLoader(fullname, source, self._cache)
            return importlib.util.spec_from_file_location(fullname, source.path, loader=loader)
        locations = [package.archive] if source.is_package else None
        return importlib.util.spec_from_file_location(
            fullname, source.path, loader=CompilingLoader(source), submodule_search_locations=locations
        )
