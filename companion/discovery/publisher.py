"""Publishes and removes the discovery files of one endpoint.

Rule: the files on disk match the last announcement, and no stale file remains. A file is written only if it differs:
publishing again costs one read and restores files that a cleaner of temporary files has removed.
"""

from __future__ import annotations

import logging
import threading
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..agents.agent import Agent, Announcement
from ..system.files import remove
from ..system.platform import Platform
from . import files
from .files import DiscoveryError, prepare

logger = logging.getLogger("gemini_companion.discovery")

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
            data = files.encode(content)
            in_place = files.read_bytes(path, platform) == data
            if not in_place or (platform.user_id is not None and not files.is_private(path)):
                files.write(directory, name, data, announcement.editor_pid, platform)
                logger.debug("wrote %s", path)
            # Known from the first file on, so that a failure with the second leaves nothing behind for good.
            self._written[path] = paths[path] = _Written(agent, agent.identity(content))
        return paths

    def _remove_all_but(self, kept: Mapping[str, _Written]) -> None:
        for path, written in list(self._written.items()):
            if path in kept:
                continue
            content = files.read(path, self._platform)
            if content is not None and written.agent.identity(content) == written.identity:
                remove(path)
                logger.debug("removed %s", path)
            self._written.pop(path, None)
