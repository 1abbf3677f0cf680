"""Connections that have not shown a token: how many there may be, and which of them makes room.

Rule: they have a quota of their own, for all endpoints of this process together, because they share its descriptors
with every other plugin. Over it the oldest one goes. So a client with a token always gets in: it shows the token as
soon as it is connected, long before as many others as the quota holds have come (see `listening.ACCEPTED_AT_ONCE`).
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Dict
from weakref import ReferenceType, WeakKeyDictionary, ref

from ..protocol.limits import Limits

if TYPE_CHECKING:
    from typing import Protocol

    class Evictable(Protocol):
        """A connection, as far as it is needed here."""

        def evict(self) -> None: ...

else:
    Evictable = object

logger = logging.getLogger("gemini_companion.transport")

SHARE = 8
"""An eighth of the process's descriptors may be theirs."""
USUAL_DESCRIPTORS = 512
"""Where the system names no limit: as many sockets as `select` takes on Windows."""


def descriptor_limit() -> int:
    """How many descriptors this process may have open."""
    if sys.platform == "win32":
        return USUAL_DESCRIPTORS
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


class UnauthenticatedConnections:
    """Those of one event loop, oldest first. Loop thread."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, UnauthenticatedConnections] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._all: Dict[int, ReferenceType[Evictable]] = {}  # by id; a loop that is given up must let its sockets go
        self._most = max(1, min(Limits().unauthenticated_connections, descriptor_limit() // SHARE))

    @classmethod
    def of_this_loop(cls) -> UnauthenticatedConnections:
        """Those of the running loop, on which every endpoint of the process has its server."""
        loop = asyncio.get_running_loop()
        found = cls._by_loop.get(loop)
        if found is None:
            found = cls._by_loop[loop] = cls()
        return found

    def add(self, connection: Evictable) -> None:
        """Count another one; the oldest one goes if there are too many."""
        if len(self._all) >= self._most:
            self.make_room()
        self._all[id(connection)] = ref(connection)

    def remove(self, connection: Evictable) -> None:
        """It has shown a token, or it has ended."""
        self._all.pop(id(connection), None)

    def make_room(self) -> bool:
        """End the oldest one; False if there is none."""
        while self._all:
            oldest = self._all.pop(next(iter(self._all)))()
            if oldest is not None:
                oldest.evict()
                logger.warning("too many connections have not shown a token: ended the oldest one")
                return True
        return False
