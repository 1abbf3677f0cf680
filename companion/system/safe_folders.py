"""Whether a directory may hold what is the user's alone: discovery files with their secrets, and sockets.

Rule: a directory is refused if another user owns it or can write to it, or if it is a link, because another user could
then replace what is in it. The one for temporary files, which all users share, belongs to the superuser or to the user.
A refusal is an `OSError` whose text is a sentence without a full stop; it names the path and the cause. Blocks on the
disk.
"""

from __future__ import annotations

import os
import stat

from .platform import SUPERUSER_ID, Platform


def check_own(directory: str, platform: Platform, *, may_be_link: bool = False) -> os.stat_result:
    """The status of a directory of the user. Raises `OSError` with a sentence if it is none, or others can write to it.

    `may_be_link`: it may be one that the user has made.
    """
    status = _status(directory, follow=may_be_link)
    if stat.S_ISLNK(status.st_mode) or _is_reparse_point(status):
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


def _is_reparse_point(status: os.stat_result) -> bool:
    # Python does not count a junction on Windows as a symbolic link, but it is one for this purpose.
    attributes = getattr(status, "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400))
