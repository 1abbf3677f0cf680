"""The folders in which sockets stand: made for the user alone, checked, and removed again.

Rule: a folder is refused if it is not safe (see `safe_folders`) or others may look into it, and so is a place where
another user could put something else in its place. A socket counts as left over only if nobody answers at it.
"""

from __future__ import annotations

import glob
import logging
import os
import stat
import tempfile
from typing import List

from .listeners import is_answered
from .platform import Platform
from .safe_folders import check_own, check_shared

logger = logging.getLogger("gemini_companion.system")

PREFIX = "gemini-companion-"
NAME = "mcp.sock"
MOST_BYTES = 100
"""Of a socket's path: macOS takes 103, Linux 107."""
SHORT = "/tmp"  # noqa: S108 - the folders in it are made, and checked, as in any other place
"""Where folders stand if the path of the system's directory for temporary files is too long."""
YOUNG_SECONDS = 60.0
"""A younger socket is never taken for a dead one: it refuses connections until its owner listens."""


def make_folder(wanted: str = "") -> str:
    """A new folder that only the user may use; its path. Raises `OSError`, with a sentence. Blocks on the disk.

    `wanted`: the one to make again, if nobody has put anything else in its place.
    """
    place = os.path.dirname(wanted) if wanted else _place(tempfile.gettempdir())
    check_shared(place, Platform.current())
    if not wanted:
        return tempfile.mkdtemp(prefix=PREFIX, dir=place)
    try:
        os.mkdir(wanted, 0o700)
    except FileExistsError:
        check_folder(wanted)
    return wanted


def _place(temporary: str) -> str:
    """The directory in which folders are made: `temporary`, unless a socket's path would be too long there."""
    longest = os.path.join(temporary, PREFIX + "12345678", NAME)
    return temporary if len(os.fsencode(longest)) <= MOST_BYTES else SHORT


def check_folder(folder: str) -> None:
    """Raise `OSError`, with a sentence, unless the folder is no link and the user's, and only the user may use it."""
    if check_own(folder, Platform.current()).st_mode & 0o077:
        raise OSError(f"others may use {folder}, so it is not used")


def remove(folder: str) -> None:
    """Remove a socket and its folder. Never raises. Blocks on the disk."""
    for remove_it, path in ((os.unlink, os.path.join(folder, NAME)), (os.rmdir, folder)):
        try:
            remove_it(path)
        except OSError as error:
            logger.debug("could not remove a socket or its folder: %s", type(error).__name__)


def left_over(temporary: str, now: float) -> List[str]:
    """The folders of sockets at which nobody has answered for a while. Never raises. Blocks, as `is_answered` does.

    `temporary` is the directory for temporary files; `now` is in seconds since the epoch. An editor that was killed
    leaves its folder there, and perhaps nothing else that names it.
    """
    paths = glob.glob(os.path.join(glob.escape(_place(temporary)), PREFIX + "*", NAME))
    return [os.path.dirname(path) for path in paths if _is_dead(path, now)]


def _is_dead(path: str, now: float) -> bool:
    try:
        check_folder(os.path.dirname(path))
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISSOCK(status.st_mode) and now - status.st_mtime > YOUNG_SECONDS and not is_answered(path)
