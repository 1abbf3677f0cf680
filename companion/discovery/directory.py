"""The directories in which discovery files stand: made for the user alone, refused where somebody else has a hand in.

Rule: a discovery file holds a secret and says where to send source code. In a directory that somebody else owns, that
is a link, or that others can write to, that somebody could replace it; such a directory is never used.
"""

from __future__ import annotations

import os
import stat
from typing import Tuple

from ..system.platform import Platform
from .errors import DiscoveryError

DIRECTORY_MODE = 0o700


def prepare(root: str, below: Tuple[str, ...], platform: Platform, *, root_is_shared: bool) -> str:
    """Make sure that `root` and the directories `below` it exist and are safe; returns the innermost path.

    `root_is_shared`: the system's directory for temporary files, which belongs to everybody and must exist; otherwise
    it is a directory of the user's, which may be a link that the user made. Raises `DiscoveryError`. Any thread but
    the main one.
    """
    if not platform.path.isabs(root):
        raise DiscoveryError(f"{root} is not an absolute path, so clients cannot find discovery files there")
    if root_is_shared:
        _check_shared(root, platform)
    else:
        _make(root)
        _check(root, platform, may_be_link=True)
    directory = root
    for name in below:
        directory = platform.path.join(directory, name)
        _make(directory)
        _check(directory, platform, may_be_link=False)
    return directory


def is_safe(root: str, below: Tuple[str, ...], platform: Platform, *, root_is_shared: bool) -> bool:
    """Whether the directories exist and `prepare` would accept them as they are. Creates nothing. Never raises."""
    try:
        if root_is_shared:
            _check_shared(root, platform)
        else:
            _check(root, platform, may_be_link=True)
        directory = root
        for name in below:
            directory = platform.path.join(directory, name)
            _check(directory, platform, may_be_link=False)
    except DiscoveryError:
        return False
    return True


def _make(directory: str) -> None:
    try:
        os.mkdir(directory, DIRECTORY_MODE)
    except FileExistsError:
        return  # what it is, the check that follows finds out
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
        return  # Windows: directories below the profile carry the profile's access list
    if status.st_uid != platform.user_id:
        raise DiscoveryError(f"{directory} belongs to another user and is not used for discovery files")
    if _others_can_write(status, platform):
        raise DiscoveryError(
            f"others can write to {directory}, so it is not used for discovery files; "
            f'run "chmod go-w {directory}" to allow it'
        )


def _check_shared(directory: str, platform: Platform) -> None:
    # Its own last component may be a link: /tmp is one on macOS, and only the superuser can have made it.
    status = _status(directory, follow=True)
    if not stat.S_ISDIR(status.st_mode):
        raise DiscoveryError(f"{directory} is not a directory")
    if platform.user_id is None:
        return
    # With the sticky bit only the owner of an entry can rename or remove it.
    if _others_can_write(status, platform) and not status.st_mode & stat.S_ISVTX:
        raise DiscoveryError(
            f"others can replace what stands in {directory} (no sticky bit), so it is not used for discovery files"
        )


def _others_can_write(status: os.stat_result, platform: Platform) -> bool:
    if status.st_mode & stat.S_IWOTH:
        return True
    if status.st_mode & stat.S_IWGRP:
        return status.st_gid != platform.private_group()
    return False


def _is_reparse_point(status: os.stat_result) -> bool:
    # A junction on Windows is no symbolic link to Python, and leads elsewhere all the same.
    attributes = getattr(status, "st_file_attributes", 0)
    return bool(attributes & getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0x400))
