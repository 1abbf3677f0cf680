"""The directories of discovery files: created for the user alone, and refused if another user controls them.

Rule: a discovery file holds a secret and tells agents where to send source code, so each of its directories is checked
(see `safe_folders`).
"""

from __future__ import annotations

import os
from typing import Callable

from ..agents.agent import Place
from ..system.platform import Platform
from ..system.safe_folders import check_own, check_shared

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
    try:
        return _checked(place, platform, _make)
    except OSError as error:
        raise DiscoveryError(str(error)) from error


def is_safe(place: Place, platform: Platform) -> bool:
    """Whether the directories exist and `prepare` would accept them. Creates nothing. Never raises."""
    try:
        _checked(place, platform, lambda directory: None)
    except OSError:
        return False
    return True


def _checked(place: Place, platform: Platform, make: Callable[[str], None]) -> str:
    directory = place.root
    if not platform.path.isabs(directory):
        raise OSError(f"{directory} is not an absolute path, so clients cannot find discovery files there")
    if place.root_is_shared:
        check_shared(directory, platform)
    else:
        make(directory)
        check_own(directory, platform, may_be_link=True)
    for name in place.below:
        directory = platform.path.join(directory, name)
        make(directory)
        check_own(directory, platform)
    return directory


def _make(directory: str) -> None:
    try:
        os.mkdir(directory, DIRECTORY_MODE)
    except FileExistsError:
        return  # the caller checks what it is
    except OSError as error:
        raise OSError(f"{directory} cannot be created: {error.strerror}") from error
