"""Accepted texts kept on the disk until they are written: what the user accepted outlives the editor and the package.

Theory of operation: a text whose writing is still to come is put into a file of its own, in the folder that packages
have for their data. The file goes when the text is written, or shown again. Whatever is found there later is left from
a run that ended too early, and is shown then.

Rule: only the user can read these files. A file is made and removed on disk threads, in the order of the requests.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
from contextlib import suppress
from typing import Callable, List, NamedTuple, Optional

from . import written

logger = logging.getLogger("gemini_companion.review")

SUFFIX = ".json"
MAXIMUM_BYTES = 1 << 28
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Text(NamedTuple):
    """An accepted text, the file that it is for, and the name of the client that proposed it."""

    path: str
    client: str
    content: str


class KeptText:
    """One text in its file `name`."""

    def __init__(self, folder: str, text: Text, name: str = "") -> None:
        self.text = text
        self.name = name or secrets.token_hex(8) + SUFFIX
        self._folder = folder
        self._lock = threading.Lock()  # only disk threads wait for it
        self._dropped = False

    def keep(self, cancelled: Callable[[], bool]) -> None:
        """Make the file, unless `drop` was quicker. Never raises. Disk thread."""
        with self._lock:
            if not self._dropped:
                try:
                    with os.fdopen(self._made(), "wb") as file:
                        file.write(json.dumps(self.text._asdict()).encode("ascii"))
                except OSError as error:
                    logger.error("an accepted text could not be kept: %s", error.strerror)

    def drop(self, cancelled: Callable[[], bool]) -> None:
        """Remove the file. Never raises. Disk thread."""
        with self._lock:
            self._dropped = True
            with suppress(OSError):
                os.unlink(self._path)
            with suppress(OSError):
                os.rmdir(self._folder)  # while it is empty

    def _made(self, tries: int = 10) -> int:
        """A descriptor of the new file. Raises OSError."""
        try:
            os.makedirs(self._folder, 0o700, exist_ok=True)
            return os.open(self._path, _FLAGS, 0o600)
        except (FileExistsError, FileNotFoundError):
            # Whoever dropped the last other text may just have removed the folder.
            if tries == 1:
                raise
            return self._made(tries - 1)

    @property
    def _path(self) -> str:
        return os.path.join(self._folder, self.name)


def left_over(folder: str, cancelled: Callable[[], bool]) -> List[KeptText]:
    """The texts in the folder that their files do not hold. Those that have been written are dropped. Disk thread."""
    found: List[KeptText] = []
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:
        return found
    for name in names:
        text = _read(os.path.join(folder, name))
        if text is not None:
            kept = KeptText(folder, text, name)
            if written.find(text.path, text.content) is not None:
                kept.drop(cancelled)
            else:
                found.append(kept)
    return found


def _read(path: str) -> Optional[Text]:
    """The text in a file; None if it is being written, or is none of ours."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(MAXIMUM_BYTES).decode("ascii"))
        text = Text(**content)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    return text if all(isinstance(each, str) for each in text) and os.path.isabs(text.path) else None
