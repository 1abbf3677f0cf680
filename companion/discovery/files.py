"""Discovery files and their directories: published and removed for one endpoint, and what an earlier run left behind.

Rules: a discovery file holds a secret and tells agents where to send source code. So each of its directories is created
for the user alone, and refused if another user controls it (see `system.folders`). A file appears complete and readable
by its owner alone, or not at all. Existing files are not trusted: a link or a file of another user counts as
unreadable, and of a huge one only the beginning is read.

The files on disk match the last announcement, and no stale file remains. A file is written only if it differs:
publishing again costs one read and restores files that a cleaner of temporary files has removed.

A stale file is removed only if this package wrote it, the user owns it, and its editor has exited or is this editor,
whose former package no longer serves it. Agents try only the first file that fits, so a stale file with this editor's
process id would hide the right one. All other files are kept.

An editor has also exited if its process id belongs to another process by now. Then no server answers where the file
leads to, although its writer has had time enough to listen.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import threading
import time
from contextlib import suppress
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import EDITOR_NAME, Agent, Announcement, Place
from ..system import files, folders
from ..system.files import opened, read_all, remove
from ..system.folders import YOUNG_SECONDS, check_own, check_shared, is_answered
from ..system.platform import Platform
from ..system.processes import is_alive as process_is_alive

logger = logging.getLogger("gemini_companion.discovery")

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
        raise OSError(f"{directory} is not an absolute path, so agents cannot find discovery files there")
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
    """A random name. By the process id in it, `sweep` recognises a stale file."""
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


# -- those of one endpoint ---------------------------------------------------------------------------------------------

_LOCK_SECONDS = 0.2  # how long `withdraw` waits for a write under way


class _Written(NamedTuple):
    """A file of ours: whom it is for, and what tells it from another server's."""

    agent: Agent
    identity: Tuple[object, ...]


class Publisher:
    """The discovery files of one endpoint. Thread-safe."""

    def __init__(self, platform: Optional[Platform] = None) -> None:
        self._platform = platform if platform is not None else Platform.current()
        self._lock = threading.Lock()
        self._written: Dict[str, _Written] = {}  # by path
        self._address: Optional[Tuple[int, str]] = None  # announced last
        self._closed = threading.Event()

    def publish(self, announcement: Announcement, agents: Sequence[Agent]) -> None:
        """Write the files of these agents for the announcement, and remove those that no longer apply.

        Without folders nothing is published, because agents report an empty workspace as an error. Raises
        `DiscoveryError` if an agent's files could not be written; those of the others are written even so. Blocks on
        the disk: never call it on the main thread.
        """
        problems: List[str] = []
        with self._lock:
            if self._closed.is_set():
                return
            address = announcement.port, announcement.socket
            if address != self._address:
                self._remove_all_but({})  # first: some programs look no further than a file that leads nowhere
                self._address = address
            kept: Dict[str, _Written] = {}
            for agent in agents if announcement.folders else ():
                try:
                    kept.update(self._publish_for(agent, announcement, kept))
                except DiscoveryError as error:
                    problems.append(f"{agent.title} cannot find this window: {error}")
            self._remove_all_but(kept)
            if self._closed.is_set():
                self._remove_all_but({})  # `close` may have been called meanwhile without waiting for the lock
        if problems:
            raise DiscoveryError("; ".join(problems))

    def withdraw(self) -> None:
        """Remove the files that still belong to this endpoint. Waits only briefly. Never raises. Any thread."""
        # A hanging disk must not delay the editor's exit. The next start removes stale files.
        owned = self._lock.acquire(timeout=_LOCK_SECONDS)
        try:
            self._remove_all_but({})
        finally:
            if owned:
                self._lock.release()

    def close(self) -> None:
        """`withdraw` for good: a later `publish` does nothing, and one under way removes its own files."""
        self._closed.set()
        self.withdraw()

    def _publish_for(
        self, agent: Agent, announcement: Announcement, others: Mapping[str, _Written]
    ) -> Dict[str, _Written]:
        """A file that is among `others` is that of an agent which comes first: two would take turns at writing it."""
        platform = self._platform
        directory = prepare(agent.place(platform), platform)
        paths: Dict[str, _Written] = {}
        for name, content in agent.files(announcement, platform).items():
            path = platform.path.join(directory, name)
            if path in others:
                continue
            data = encode(content)
            in_place = read_bytes(path, platform) == data
            if not in_place or (platform.user_id is not None and not is_private(path)):
                write(directory, name, data, announcement.editor_pid, platform)
                logger.debug("wrote %s", path)
            # Known from the first file on, so that a failure with the second leaves nothing behind for good.
            self._written[path] = paths[path] = _Written(agent, agent.identity(content))
        return paths

    def _remove_all_but(self, kept: Mapping[str, _Written]) -> None:
        for path, written in list(self._written.items()):
            if path in kept:
                continue
            content = read(path, self._platform)
            if content is not None and written.agent.identity(content) == written.identity:
                remove(path)
                logger.debug("removed %s", path)
            self._written.pop(path, None)


# -- what an earlier run left behind -----------------------------------------------------------------------------------


def sweep(
    editor_pid: int, agents: Sequence[Agent], platform: Platform, *, is_alive: Callable[[int], bool] = process_is_alive
) -> List[str]:
    """Remove stale files and folders, and return their paths. Never raises.

    `editor_pid` is the process id of the running editor. `agents` are those whose files are looked at. Call this once,
    before anything is published. Blocks on the disk and on connections: never call it on the main thread.
    """
    removed: List[str] = []
    for agent in agents:
        place = agent.place(platform)
        if not is_safe(place, platform):
            continue  # it does not exist or is not the user's
        directory = place.path(platform)
        try:
            names = sorted(os.listdir(directory))
        except OSError as error:
            logger.warning("cannot list %s: %s", directory, error)
            continue
        for name in names:
            path = platform.path.join(directory, name)
            if _is_stale(agent, name, path, editor_pid, platform, is_alive) and remove(path):
                removed.append(path)
    for folder in folders.left_over(platform.temporary_directory(), time.time()):
        folders.remove(folder)
        removed.append(folder)
    if removed:
        logger.info("removed what an earlier run left behind: %s", ", ".join(removed))
    return removed


def _is_stale(
    agent: Agent, name: str, path: str, editor_pid: int, platform: Platform, is_alive: Callable[[int], bool]
) -> bool:
    """Whether a file may be removed, as the module docstring says. Blocks; never raises."""
    temporary = TEMPORARY_NAMES.match(name)
    if temporary is not None:
        return not is_alive(int(temporary.group("pid")))
    content = read(path, platform) if agent.file_names.match(name) is not None else None
    info = content.get("ideInfo") if content is not None else None
    if content is None or not isinstance(info, dict) or info.get("name") != EDITOR_NAME:
        return False
    owner = agent.owner(name, content)
    if owner is None:
        return False
    if owner == editor_pid or not is_alive(owner):
        return True
    written = written_at(path)
    if written is None or time.time() - written < YOUNG_SECONDS:
        return False
    address = agent.identity(content)[0]
    if isinstance(address, int):
        return not is_answered(("127.0.0.1", address))
    return isinstance(address, str) and os.path.isabs(address) and not is_answered(address)
