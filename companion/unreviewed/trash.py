"""Moves files into the system's trash.

It is the home trash of the FreeDesktop.org Trash specification 1.0 ("Trash directories", "Contents of a trash
directory"), or the folder `.Trash` of macOS. A file on another disk than the trash goes nowhere: copying it could fail
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

from ..system.files import new_file, write_all

_PART_BYTES = 100  # of a name; disks have room for 255


def into_trash(path: str, former: str) -> bool:
    """Move the file at `path`, which was at `former`, into the trash. False if there is none for it."""
    if sys.platform == "win32":
        return False
    with suppress(OSError):
        if sys.platform == "darwin":
            _into_folder(path, os.path.basename(former), os.path.expanduser("~/.Trash"))
        else:
            data = os.environ.get("XDG_DATA_HOME", "")
            home = os.path.join(data if os.path.isabs(data) else os.path.expanduser("~/.local/share"), "Trash")
            _into_home_trash(path, former, home)
        return True
    return False


def _into_folder(path: str, name: str, folder: str) -> None:
    if os.path.lexists(os.path.join(folder, name)):
        name = _unlike_others(name)
    os.rename(path, os.path.join(folder, name))


def _into_home_trash(path: str, former: str, home: str) -> None:
    for folder in ("files", "info"):
        os.makedirs(os.path.join(home, folder), 0o700, exist_ok=True)
    name = _unlike_others(os.path.basename(former))  # desktops show the former one
    info = os.path.join(home, "info", name + ".trashinfo")
    with new_file(info) as descriptor:
        when = time.strftime("%Y-%m-%dT%H:%M:%S")
        about = f"[Trash Info]\nPath={quote(os.fsencode(former))}\nDeletionDate={when}\n"
        write_all(descriptor, 0, about.encode("ascii"))
        os.rename(path, os.path.join(home, "files", name))


def _unlike_others(name: str) -> str:
    """A name that is like no other, with which the trash has room for its own suffix."""
    root, extension = (os.fsencode(part)[:_PART_BYTES].decode("utf-8", "ignore") for part in os.path.splitext(name))
    return f"{root}.{secrets.token_hex(4)}{extension}"
