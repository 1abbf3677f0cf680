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
from urllib.parse import quote

_EXCLUSIVE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_TRIES = 5


def into_trash(file: str, path: str) -> bool:
    """Move `file` into the trash as what was at `path`. False if there is no trash for it; then it is where it was."""
    if sys.platform == "win32":
        return False
    with suppress(OSError):
        if sys.platform == "darwin":
            return _into_folder(file, os.path.basename(path), os.path.expanduser("~/.Trash"))
        data = os.environ.get("XDG_DATA_HOME", "")
        home = os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "Trash")
        return _into_home_trash(file, path, home)
    return False


def _into_folder(file: str, name: str, folder: str) -> bool:
    if os.lstat(folder).st_dev != os.lstat(file).st_dev:
        return False
    target = os.path.join(folder, name)
    if os.path.lexists(target):
        root, extension = os.path.splitext(name)
        target = os.path.join(folder, f"{root} {secrets.token_hex(3)}{extension}")
    os.rename(file, target)
    return True


def _into_home_trash(file: str, path: str, home: str) -> bool:
    for folder in ("files", "info"):
        os.makedirs(os.path.join(home, folder), 0o700, exist_ok=True)
    if os.lstat(os.path.join(home, "files")).st_dev != os.lstat(file).st_dev:
        return False
    when = time.strftime("%Y-%m-%dT%H:%M:%S")
    about = f"[Trash Info]\nPath={quote(os.fsencode(path))}\nDeletionDate={when}\n"
    root, extension = os.path.splitext(os.path.basename(path))
    for count in range(_TRIES):
        name = f"{root[:100]}{'.' + secrets.token_hex(3) if count else ''}{extension[:100]}"
        info = os.path.join(home, "info", name + ".trashinfo")
        try:
            descriptor = os.open(info, _EXCLUSIVE, 0o600)  # which takes the name for us
        except FileExistsError:
            continue
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as written:
                written.write(about)
            target = os.path.join(home, "files", name)
            if os.path.lexists(target):
                raise FileExistsError(target)
            os.rename(file, target)
        except OSError:
            os.unlink(info)
            continue
        return True
    return False
