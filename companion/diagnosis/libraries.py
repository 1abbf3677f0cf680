"""The libraries in use: their versions, and where they were loaded from.

Rule: asks the interpreter, not the list of what should be there. Disk thread: imports may take long.
"""

from __future__ import annotations

import importlib
import os
from typing import List, NamedTuple, Optional, Tuple

from ..libraries import NEEDED, misplaced_libraries, missing_libraries, missing_sentence
from .checks import Check, failed, passed

ALSO = ("multidict", "yarl", "attr")  # what those require
SATISFY = (
    "Run “Package Control: Satisfy Libraries” from the command palette; the companion then starts by itself."
    " Without Package Control, install them by hand as the README says."
)
UPDATE = (
    "Update Sublime Text: early builds after 4200 look into the wrong folder."
    " Then run “Package Control: Satisfy Libraries” from the command palette, and restart the editor."
)
NAME = "the libraries can be imported"


class Library(NamedTuple):
    """A library that was imported. `place` is the directory that holds it."""

    name: str
    version: str
    place: str


def libraries() -> Tuple[List[Library], Check]:
    """The libraries that can be imported, and whether those that the package needs can."""
    misplaced = dict(misplaced_libraries())
    # Importing one that is misplaced might crash, and it is not used.
    found = [_imported(name) for name in NEEDED + ALSO if name not in misplaced]
    libraries = [library for library in found if library is not None]
    if misplaced:
        folders = sorted({os.path.dirname(os.path.dirname(path)) for path in misplaced.values()})
        detail = "{}: of another Python, in {}".format(", ".join(misplaced), ", ".join(folders))
        return libraries, failed(NAME, detail, UPDATE)
    missing = missing_libraries()
    if missing:
        return libraries, failed(NAME, missing_sentence(missing), SATISFY)
    needed = [f"{library.name} {library.version}" for library in libraries if library.name in NEEDED]
    return libraries, passed(NAME, ", ".join(needed))


def _imported(name: str) -> Optional[Library]:
    try:
        module = importlib.import_module(name)
    except ImportError:
        return None
    return Library(name, _version(name, module), os.path.dirname(os.path.dirname(module.__file__ or "")))


def _version(name: str, module: object) -> str:
    from importlib import metadata

    try:
        return metadata.version("attrs" if name == "attr" else name)
    except metadata.PackageNotFoundError:
        # A library that was copied by hand has no metadata.
        return str(getattr(module, "__version__", "unknown version"))
