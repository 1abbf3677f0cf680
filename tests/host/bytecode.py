"""Where the plugin host keeps the bytecode of what it imports from `Packages/`.

Python names a cached file after the path at which a module was found. Every editor of the tests has a data folder of
its own, with the work tree linked into it: without this, each start would compile the package anew, and leave
megabytes behind. So a linked package has one place for all editors, that of the folder it leads to; the bytecode of
all others goes with their data folder.
Rule: only the place differs. What is stale is Python's own business. Plugin host, any thread.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from typing import Any


def keep(packages: str, cache: str) -> None:
    """Takes over the import of source files below the folder `packages`; `cache` is for those that really lie there.

    To be called before anything is looked for there.
    """
    real_packages = os.path.join(os.path.realpath(packages), "")

    class Loader(importlib.machinery.SourceFileLoader):
        def __init__(self, fullname: str, path: str) -> None:
            super().__init__(fullname, path)
            source = os.path.realpath(path)  # looked up each time: while the editor runs, the link may be led elsewhere
            if source.startswith(real_packages):
                self._bytecode = os.path.join(cache, source[len(real_packages) :] + "c")
            else:
                self._bytecode = importlib.util.cache_from_source(source)

        def get_data(self, path: str) -> bytes:
            return super().get_data(path if path == self.path else self._bytecode)

        def set_data(self, path: str, data: Any, **options: Any) -> None:
            super().set_data(self._bytecode, data, **options)

    finder = importlib.machinery.FileFinder.path_hook(
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
        (Loader, importlib.machinery.SOURCE_SUFFIXES),
    )

    def hook(path: str) -> Any:
        if not os.path.join(path, "").startswith(os.path.join(packages, "")):
            raise ImportError("not a folder of packages", path=path)
        return finder(path)

    sys.path_hooks.insert(0, hook)
