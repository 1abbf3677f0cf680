"""Discovery files and their directories.

Rules: a discovery file holds a secret and tells agents where to send source code. So each of its directories is created
for the user alone, and refused if another user controls it (see `system.folders`). A file appears complete and readable
by its owner alone, or not at all. Existing files are not trusted: a link or a file of another user counts as
unreadable, and of a huge one only the beginning is read.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import suppress
from typing import Any, Callable, Dict, Mapping, Optional

from ..agents.agent import Place
from ..system import files
from ..system.files import opened, read_all
from ..system.folders import check_own, check_shared
from ..system.platform import Platform

DIRECTORY_MODE = 0o700
MAXIMUM_BYTES = 1 << 20  # thousands of folders fit
# The names of files that are being written. No agent's pattern matches them.
TEMPORARY_NAMES = re.compile(r"^\.gemini-companion-(?P<pid>[0-9]{1,10})-[0-9a-f]{16}\.tmp$")


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


# -- files ------------------------------------------------------------------------------------------------------------


def temporary_name(editor_pid: int) -> str:
    """A name that nobody can guess. By the process id in it, `sweep` recognises a stale file."""
    return f".gemini-companion-{editor_pid}-{secrets.token_hex(8)}.tmp"


def encode(content: Mapping[str, Any]) -> bytes:
    """Encode a discovery file. It is always ASCII, so that unusual file names cannot make it invalid."""
    return json.dumps(content, ensure_ascii=True, indent=2).encode("ascii") + b"\n"


def read_bytes(path: str, platform: Platform) -> Optional[bytes]:
    """The content of a regular file that the user owns, of a huge one only the beginning, or None. Never raises."""
    with suppress(OSError), opened(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)) as (descriptor, status):
        if platform.user_id is None or status.st_uid == platform.user_id:
            return read_all(descriptor, MAXIMUM_BYTES)
    return None


def read(path: str, platform: Platform) -> Optional[Dict[str, Any]]:
    """The JSON object in a regular file that the user owns, or None. Never raises."""
    data = read_bytes(path, platform)
    if data is None:
        return None
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def written_at(path: str) -> Optional[float]:
    """The modification time in seconds since the epoch, or None. Never raises."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return None


def is_private(path: str) -> bool:
    """Whether only the owner can read or write the file, according to its mode. Never raises."""
    try:
        return not os.lstat(path).st_mode & 0o077
    except OSError:
        return False


def write(directory: str, name: str, data: bytes, editor_pid: int, platform: Platform) -> None:
    """Create or replace the file `name` atomically. Raises `DiscoveryError`."""
    path = platform.path.join(directory, name)
    temporary = platform.path.join(directory, temporary_name(editor_pid))
    try:
        files.write(path, data, temporary, to_disk=False)
    except OSError as error:
        raise DiscoveryError(f"{path} cannot be written: {error.strerror}") from error
