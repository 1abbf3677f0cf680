"""Reads and writes single discovery files.

Rule: a file appears complete and readable by its owner alone, or not at all. Existing files are not trusted: a link or
a file of another user counts as unreadable, and of a huge one only the beginning is read.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import suppress
from typing import Any, Dict, Mapping, Optional

from ..system import private_files
from ..system.platform import Platform
from ..system.raw_files import opened, read_all
from .directory import DiscoveryError

MAXIMUM_BYTES = 1 << 20  # thousands of folders fit

# The names of files that are being written. No agent's pattern matches them.
TEMPORARY_NAMES = re.compile(r"^\.gemini-companion-(?P<pid>[0-9]{1,10})-[0-9a-f]{16}\.tmp$")


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
        private_files.write(path, data, temporary, to_disk=False)
    except OSError as error:
        raise DiscoveryError(f"{path} cannot be written: {error.strerror}") from error
