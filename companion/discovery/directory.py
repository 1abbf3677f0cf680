"""The directories of discovery files: created for the user alone, and refused if another user controls them.

Rule: a discovery file holds a secret and tells agents where to send source code. A directory is never used if another
user owns it or can write to it, or if it is a link, because another user could then replace the files. The one for
temporary files, which all users share, belongs to the superuser or to the user.
"""

from __future__ import annotations

import os
import stat
from typing import Callable

from ..agents.agent import Place
from ..system.platform import SUPERUSER_ID, Platform

DIRECTORY_MODE = 0o700


class DiscoveryError(Exception):
    """Agents cannot find the editor for now. A later retry may succeed.

    `str()` is one sentence for the user, without a full stop and without secrets. It names the path and the cause.
    """


def prepare(place: Place, platform: Platform) -> str:
    """Create the directories of `place` as needed, check them, and return the innermost path.

    A `root` that all users share is the system's directory for temporary files, which must exist. Any other is a
    directory of the user, which may be a link that the user has made. Raises `DiscoveryError`. Any thread except the
    main one.
    """
    return _checked(place, platform, _make)


def is_safe(place: Place, platform: Platform) -> bool:
    """Whether the directories exist and `prepare` would accept them. Creates nothing. Never raises."""
    try:
        _checked(place, platform, lambda directory: None)
    except DiscoveryError:
        return False
    return True


def _checked(place: Place, platform: Platform, make: Callable[[str], None]) -> str:
    directory = place.root
    if not platform.path.isabs(directory):
        raise DiscoveryError(f"{directory} is not an absolute path, so clients cannot find discovery files there")
    if place.root_is_shared:
        _check_shared(directory, platform)
    else:
        make(directory)
        _check(directory, platform, may_be_link=True)
    for name in place.below:
        directory = platform.path.join(directory, name)
        make(directory)
        _check(directory, platform, may_be_link=False)
    return directory


def _make(directory: str) -> None:
    try:
        os.mkdir(directory, DIRECTORY_MODE)
    except FileExistsError:
        return  # the caller checks what it is
    except FileNotFoundError:
        raise DiscoveryError(f"{directory} cannot be created: its parent directory does not exist") from None
    except OSError as error:
        raise DiscoveryError(f"{directory} cannot be created: {error.strerror or error}") from error


def _status(directory: str, *, follow: bool) -> os.stat_result:
    try:
        return os.stat(directory, follow_symlinks=follow)
    except OSError as error:
        raise DiscoveryError(f"{directory} cannot be looked at: {error.strerror or error}") from error


def _check(directory: str, platform: Platform, *, may_be_link: bool) -> None:
    status = _status(directory, follow=may_be_link)
    if stat.S_ISLNK(status.st_mode) or _is_reparse_point(status):
        raise DiscoveryError(
            f"{directory} is a link and is not used for discovery files; remove it and a directory is made"
        )
    if not stat.S_ISDIR(status.st_mode):
        raise DiscoveryError(f"{directory} is not a directory; remove it and one is made")
    if platform.user_id is None:
        return  # Windows: directories below the profile inherit its access list
    if status.st_uid != platform.user_id:
        raise DiscoveryError(f"{directory} belongs to another user and is not used for discovery files")
    if platform.others_can_write(status):
        raise DiscoveryError(
            f"others can write to {directory}, so it is not used for discovery files; "
            f'run "chmod go-w {directory}" to allow it'
        )


def _check_shared(directory: str, platform: Platform) -> None:
    # The directory itself may be a link, made by the superuser: /tmp is one on macOS.
    status = _status(directory, follow=True)
    if not stat.S_ISDIR(status.st_mode):
        raise DiscoveryError(f"{directory} is not a directory")
    if platform.user_id is None:
        return
    if status.st_uid not in (platform.user_id, SUPERUSER_ID):
        raise DiscoveryError(f"{directory} belongs to another user and is not used for discovery files")
    # With the sticky bit, only the owner of an entry, and of the directory, can rename or remove it.
    if platform.others_can_write(status) and not status.st_mode & stat.S_ISVTX:
        raise DiscoveryError(
            f"others can replace what is in {directory} (no sticky bit), so it is not used for discovery files"
        )


def _is_reparse_point(status: os.stat_result) -> bool:
    # Python does not count a junction on Windows as a symbolic link, but it is one for this purpose.
    attributes = getattr(status, "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400))
