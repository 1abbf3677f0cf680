"""Where the package may keep data of its own: below the editor's data folder, outside of what users look at."""

from __future__ import annotations

import logging
import os
import re
import secrets
from contextlib import suppress

import sublime

from ..system import files

logger = logging.getLogger("gemini_companion.editor")

NAME = "Gemini Companion"
_SECRET_FILE, _SECRET = "installation", re.compile(rb"[0-9a-f]{32}")


def storage_folder() -> str:
    """The package's folder in `Package Storage`; it may not be there. Any thread."""
    return os.path.join(os.path.dirname(sublime.cache_path()), "Package Storage", NAME)


def installation_secret(folder: str) -> str:
    """The secret of this installation, which is kept in this folder and only the user can read. Disk threads.

    Never raises: where it can be neither read nor kept, it is one of this run.
    """
    path = os.path.join(folder, _SECRET_FILE)
    with suppress(OSError), files.opened(path, os.O_RDONLY) as (descriptor, _):
        kept = files.read_all(descriptor, 32)  # and one more, if there is one
        if _SECRET.fullmatch(kept):
            return kept.decode("ascii")
    new = secrets.token_hex(16)
    try:
        files.write_in_folder(path, new.encode("ascii"))
    except OSError as error:
        logger.warning("what is marked now will not be known after a restart: %s", error.strerror)
    return new
