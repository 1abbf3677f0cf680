"""Reads, writes and removes single discovery files.

Rule: a file appears complete and readable by its owner alone, or not at all. Existing files are not trusted: a link or
a file of another user counts as unreadable, and of a huge one only the beginning is read.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
from typing import Any, Dict, Mapping, Optional

from ..system.platform import Platform
from .directory import DiscoveryError

FILE_MODE = 0o600
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
    """The content of a regular file that the user owns, up to `MAXIMUM_BYTES`, or None. Never raises."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (platform.user_id is not None and status.st_uid != platform.user_id):
            return None
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(MAXIMUM_BYTES)
    except OSError:
        return None
    finally:
        os.close(descriptor)


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
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(temporary, flags, FILE_MODE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except OSError:
            remove(temporary)
            raise
    except OSError as error:
        raise DiscoveryError(f"{path} cannot be written: {error.strerror}") from error


def remove(path: str) -> bool:
    """Remove a file or a link, but never its target. False if that failed. Never raises."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
