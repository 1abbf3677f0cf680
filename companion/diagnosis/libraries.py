"""The libraries in use: their versions, and where they were loaded from.

Rule: asks the interpreter, not the list of what should be there. Disk thread: imports may take long.
"""

from __future__ import annotations

import importlib
import os
from typing import List, NamedTuple, Tuple

from ..libraries import NEEDED, misplaced_libraries
from .checks import Check, failed, passed

ALSO = ("multidict", "yarl", "attr", "orjson")  # what those require, and what is used if it is there
SATISFY = "Run “Package Control: Satisfy Libraries” from the command palette, then restart the editor."
UPDATE = "Update Sublime Text: early 4.2 builds look into the wrong folder. " + SATISFY


class Library(NamedTuple):
    """A library that was imported. `place` is the directory that holds it."""

    name: str
    version: str
    place: str


def libraries() -> Tuple[List[Library], List[Check]]:
    """The libraries that can be imported, and a check for each one that the package needs."""
    found: List[Library] = []
    checks: List[Check] = []
    misplaced = dict(misplaced_libraries())
    for name, path in misplaced.items():
        place = os.path.dirname(os.path.dirname(path))
        checks.append(failed(f"{name} belongs to this Python", f"it stands in {place}", UPDATE))
    for name in NEEDED + ALSO:
        if name in misplaced:
            continue  # importing it might crash, and it is not used
        label = f"{name} can be imported"
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            if name in NEEDED:
                checks.append(failed(label, str(error), SATISFY))
            continue
        library = Library(name, _version(name, module), os.path.dirname(os.path.dirname(module.__file__ or "")))
        found.append(library)
        if name in NEEDED:
            checks.append(passed(label, library.version))
    return found, checks


def _version(name: str, module: object) -> str:
    from importlib import metadata

    try:
        return metadata.version("attrs" if name == "attr" else name)
    except metadata.PackageNotFoundError:
        # A library that was copied by hand has no metadata.
        return str(getattr(module, "__version__", "unknown version"))
