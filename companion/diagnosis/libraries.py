"""The libraries that are really in use: their versions, and where they were loaded from.

Rule: asks the interpreter, never the list of what should be there. Worker thread: imports may take long.
"""

from __future__ import annotations

import importlib
import os
from typing import List, NamedTuple, Tuple

from ..libraries import NEEDED, misplaced_libraries
from .checks import Check, failed, passed

ALSO = ("multidict", "yarl", "attr", "orjson")  # what those bring along, and what is used where it is there
SATISFY = "Run “Package Control: Satisfy Libraries” from the command palette, then restart the editor."


UPDATE = "Update Sublime Text: early 4.2 builds look into the wrong folder. " + SATISFY


class Library(NamedTuple):
    """A library that was imported. `place` is the directory it stands in."""

    name: str
    version: str
    place: str


def libraries() -> Tuple[List[Library], List[Check]]:
    """What can be imported, and a check for each library that the package needs."""
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
        # A library that was copied into place has no entry of its own.
        return str(getattr(module, "__version__", "unknown version"))
