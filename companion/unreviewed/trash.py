"""The system's trash, where a file that is taken away can be found again.

Implements the FreeDesktop.org Trash specification 1.0, "Trash directories" and "Contents of a trash directory", for the
home trash; and the folder `.Trash` of macOS. A file on another disk than the trash goes nowhere: copying it could fail
half-way.

These calls block on the disk. Disk threads.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from contextlib import suppress
from typing import NamedTuple, Optional
from urllib.parse import quote

_EXCLUSIVE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_TRIES = 5


class Thrown(NamedTuple):
    """A file in the trash; `info` is the file that tells of it, or empty."""

    file: str
    info: str = ""

    def forget(self) -> None:
        """It is not there any more."""
        with suppress(OSError):
            if self.info:
                os.unlink(self.info)


def into_trash(path: str) -> Optional[Thrown]:
    """Move the file at `path` into the trash. None if there is no trash for it; then it is where it was."""
    if sys.platform == "win32":
        return None
    with suppress(OSError):
        if sys.platform == "darwin":
            return _into_folder(path, os.path.expanduser("~/.Trash"))
        data = os.environ.get("XDG_DATA_HOME", "")
        home = os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "Trash")
        return _into_home_trash(path, home)
    return None


def _into_folder(path: str, folder: str) -> Optional[Thrown]:
    if os.lstat(folder).st_dev != os.lstat(path).st_dev:
        return None
    target = os.path.join(folder, os.path.basename(path))
    if os.path.lexists(target):
        root, extension = os.path.splitext(os.path.basename(path))
        target = os.path.join(folder, f"{root} {secrets.token_hex(3)}{extension}")
    os.rename(path, target)
    return Thrown(target)


def _into_home_trash(path: str, home: str) -> Optional[Thrown]:
    for folder in ("files", "info"):
        os.makedirs(os.path.join(home, folder), 0o700, exist_ok=True)
    if os.lstat(os.path.join(home, "files")).st_dev != os.lstat(path).st_dev:
        return None
    when = time.strftime("%Y-%m-%dT%H:%M:%S")
    about = f"[Trash Info]\nPath={quote(os.fsencode(path))}\nDeletionDate={when}\n"
    root, extension = os.path.splitext(os.path.basename(path))
    for count in range(_TRIES):
        name = f"{root[:100]}{'.' + secrets.token_hex(3) if count else ''}{extension[:100]}"
        thrown = Thrown(os.path.join(home, "files", name), os.path.join(home, "info", name + ".trashinfo"))
        try:
            descriptor = os.open(thrown.info, _EXCLUSIVE, 0o600)  # which takes the name for us
        except FileExistsError:
            continue
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as written:
                written.write(about)
            if os.path.lexists(thrown.file):
                raise FileExistsError(thrown.file)
            os.rename(path, thrown.file)
        except OSError:
            thrown.forget()
            continue
        return thrown
    return None
