"""Unauthenticated connections: those over which no valid token has been sent yet.

Rule: their number is limited for all endpoints of this process together, because every plugin shares its descriptors.
When there are too many, the oldest one is closed. A client with a token is never shut out: it sends the token as soon
as it is connected, long before that many other connections are accepted (see `listening.ACCEPTED_AT_ONCE`).
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
        """A connection that can be closed in favour of another one."""

        def evict(self) -> None: ...

else:
    Evictable = object

logger = logging.getLogger("gemini_companion.transport")

SHARE = 8
"""Unauthenticated connections may use an eighth of the process's descriptors."""
USUAL_DESCRIPTORS = 512
"""Used on Windows, which has no such limit: the number of sockets that `select` takes there."""


def descriptor_limit() -> int:
    """The number of descriptors that this process may have open."""
    if sys.platform == "win32":
        return USUAL_DESCRIPTORS
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


class UnauthenticatedConnections:
    """The unauthenticated connections of one event loop, oldest first. Loop thread."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, UnauthenticatedConnections] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._all: Dict[int, ReferenceType[Evictable]] = {}  # by id; weak, so that an abandoned loop frees its sockets
        self._most = max(1, min(Limits().unauthenticated_connections, descriptor_limit() // SHARE))

    @classmethod
    def of_this_loop(cls) -> UnauthenticatedConnections:
        """The instance of the running loop, which all servers of the process share."""
        loop = asyncio.get_running_loop()
        found = cls._by_loop.get(loop)
        if found is None:
            found = cls._by_loop[loop] = cls()
        return found

    def add(self, connection: Evictable) -> None:
        """Add a connection. If there are too many, the oldest one is closed."""
        if len(self._all) >= self._most:
            self.make_room()
        self._all[id(connection)] = ref(connection)

    def remove(self, connection: Evictable) -> None:
        """Remove a connection that has authenticated or ended."""
        self._all.pop(id(connection), None)

    def make_room(self) -> bool:
        """Close the oldest connection. False if there is none."""
        while self._all:
            oldest = self._all.pop(next(iter(self._all)))()
            if oldest is not None:
                oldest.evict()
                logger.warning("too many connections have not shown a token: ended the oldest one")
                return True
        return False
