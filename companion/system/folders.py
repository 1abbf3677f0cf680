"""Places on this machine that are the user's alone, and whether a process listens there.

Rules:
* In doubt a process listens, so that nothing is taken from it. A socket counts as left over only if no process
  answers at it.
* A directory for discovery files, with their secrets, or for sockets is refused if another user owns it or can write to
  it, or if it is a link, because another user could then replace what is in it. A folder of sockets is also refused if
  others may look into it. The directory for temporary files, which all users share, belongs to the superuser or to the
  user.
* A refusal is an `OSError` whose text is a sentence without a full stop; it names the path and the cause.

Blocks: not for the loop or the main thread.
"""

from __future__ import annotations

import glob
import logging
import os
import socket
import stat
import tempfile
from typing import List, Tuple, Union

from .platform import SUPERUSER_ID, Platform

logger = logging.getLogger("gemini_companion.system")

SECONDS = 1.0  # for a connection
PREFIX = "gemini-companion-"
NAME = "mcp.sock"
MOST_BYTES = 100
"""Of a socket's path: macOS takes 103, Linux 107."""
SHORT = "/tmp"  # noqa: S108 - the folders in it are made, and checked, as in any other place
"""Where folders stand if the path of the system's directory for temporary files is too long."""
YOUNG_SECONDS = 60.0
"""A younger socket is never taken for a dead one: it refuses connections until its owner listens."""


def is_answered(address: Union[str, Tuple[str, int]]) -> bool:
    """Whether somebody listens at the path of a socket, or at a host and port of TCP. Never raises."""
    family = getattr(socket, "AF_UNIX", None) if isinstance(address, str) else socket.AF_INET
    if family is None:
        return True  # a named pipe
    with socket.socket(family, socket.SOCK_STREAM) as trial:
        trial.settimeout(SECONDS)
        try:
            trial.connect(address)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except (OSError, ValueError, OverflowError):
            return True  # the last two: it is no address
    return True


# -- safe folders -----------------------------------------------------------------------------------------------------


def check_own(directory: str, platform: Platform, *, may_be_link: bool = False) -> os.stat_result:
    """The status of a directory of the user. Raises `OSError` with a sentence if it is none, or others can write to it.

    `may_be_link`: it may be one that the user has made.
    """
    status = _status(directory, follow=may_be_link)
    # Python does not count a junction on Windows as a symbolic link, but it is one for this purpose.
    is_junction = getattr(status, "st_file_attributes", 0) & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400)
    if stat.S_ISLNK(status.st_mode) or is_junction:
        raise OSError(f"{directory} is a link, so it is not used; remove it and a directory is made")
    if not stat.S_ISDIR(status.st_mode):
        raise OSError(f"{directory} is not a directory; remove it and one is made")
    if platform.user_id is None:
        return status  # Windows: directories below the profile inherit its access list
    if status.st_uid != platform.user_id:
        raise OSError(f"{directory} belongs to another user, so it is not used")
    if platform.others_can_write(status):
        raise OSError(f'others can write to {directory}, so it is not used; run "chmod go-w {directory}" to allow it')
    return status


def check_shared(directory: str, platform: Platform) -> None:
    """Raise `OSError` with a sentence unless what the user makes in a directory is safe from all but the superuser."""
    # The directory itself may be a link, made by the superuser: /tmp is one on macOS.
    status = _status(directory, follow=True)
    if platform.user_id is None:
        return
    if status.st_uid not in (platform.user_id, SUPERUSER_ID):
        raise OSError(f"{directory} belongs to another user, so it is not used")
    # With the sticky bit, only the owner of an entry, and of the directory, can rename or remove it.
    if platform.others_can_write(status) and not status.st_mode & stat.S_ISVTX:
        raise OSError(f"others can replace what is in {directory} (no sticky bit), so it is not used")


def _status(directory: str, *, follow: bool) -> os.stat_result:
    try:
        return os.stat(directory, follow_symlinks=follow)
    except OSError as error:
        raise OSError(f"{directory} cannot be looked at: {error.strerror}") from error


# -- folders of sockets -----------------------------------------------------------------------------------------------


def make_folder(wanted: str = "") -> str:
    """A new folder that only the user may use; its path. Raises `OSError`, with a sentence. Blocks on the disk.

    `wanted`: the one to make again, if its place is free.
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
    """The folders of sockets at which no process has answered for a while. Never raises. Blocks, as `is_answered` does.

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
