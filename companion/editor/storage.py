"""Where the package may keep data of its own: below the editor's data folder, outside of what users look at."""

from __future__ import annotations

import os

import sublime

NAME = "Gemini Companion"


def storage_folder() -> str:
    """The package's folder in `Package Storage`; it may not be there. Any thread."""
    return os.path.join(os.path.dirname(sublime.cache_path()), "Package Storage", NAME)
