"""The open connections of this process: how many there may be, and which of them has to go.

Rule: their number is limited for all servers of the process together, because every plugin shares its descriptors. Of
those over which no valid token has been sent yet the oldest one goes. Of the others each token has a right to as many
as any other: when there are too many, one of the token with the most goes. So a client with a token is never shut out
by those of other tokens; it sends the token as soon as it is connected, long before many other connections are accepted
(see `listening.ACCEPTED_AT_ONCE`).
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Dict, Protocol
from weakref import ReferenceType, WeakKeyDictionary, ref

from ..protocol.limits import Limits

logger = logging.getLogger("gemini_companion.transport")

SHARE = 8
"""Unauthenticated connections may use an eighth of the process's descriptors, and an eighth of all connections is for
them alone."""
USUAL_DESCRIPTORS = 512
"""Used on Windows, which has no such limit: the number of sockets that `select` takes there."""


class Evictable(Protocol):
    """A connection that can be closed in favour of another one."""

    def evict(self) -> None: ...


Connections = Dict[int, "ReferenceType[Evictable]"]
"""By id, oldest first; weak, so that an abandoned loop frees its sockets."""


def descriptor_limit() -> int:
    """The number of descriptors that this process may have open."""
    if sys.platform == "win32":
        return USUAL_DESCRIPTORS
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


class OpenConnections:
    """Those of one event loop. Loop thread."""

    _by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, OpenConnections] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._unauthenticated: Connections = {}
        self._by_token: Dict[str, Connections] = {}
        self._most = max(1, descriptor_limit() // 2)
        self._most_unauthenticated = max(1, min(Limits().unauthenticated_connections, descriptor_limit() // SHARE))

    @classmethod
    def of_this_loop(cls) -> OpenConnections:
        """The instance of the running loop, which all servers of the process share."""
        loop = asyncio.get_running_loop()
        found = cls._by_loop.get(loop)
        if found is None:
            found = cls._by_loop[loop] = cls()
        return found

    def add(self, connection: Evictable, most: int) -> bool:
        """Add a connection that has shown no token yet; at most `most` may be open. False if there is no room."""
        if len(self._unauthenticated) >= self._most_unauthenticated:
            self.make_room()
        if len(self._unauthenticated) + self._admitted() >= min(most, self._most) and not self.make_room():
            return False
        self._unauthenticated[id(connection)] = ref(connection)
        return True

    def admit(self, connection: Evictable, token: str, most: int) -> bool:
        """The connection has shown a token. False if there are too many, and none of them shows a token that has
        more connections than this one."""
        self.remove(connection)
        most = min(most, self._most)
        own = self._by_token.get(token, {})
        if self._admitted() >= most - most // SHARE:
            greediest = max(self._by_token.values(), key=len, default=own)
            if len(greediest) <= len(own) + 1:
                return False
            _evict_oldest(greediest)
            logger.warning("too many connections: ended one of a client that has very many")
        self._by_token.setdefault(token, own)[id(connection)] = ref(connection)
        return True

    def remove(self, connection: Evictable) -> None:
        """Remove a connection that has ended."""
        self._unauthenticated.pop(id(connection), None)
        for token, connections in list(self._by_token.items()):
            if connections.pop(id(connection), None) is not None and not connections:
                del self._by_token[token]

    def make_room(self) -> bool:
        """Close the oldest unauthenticated connection. False if there is none."""
        if not _evict_oldest(self._unauthenticated):
            return False
        logger.warning("too many connections have not shown a token: ended the oldest one")
        return True

    def _admitted(self) -> int:
        return sum(map(len, self._by_token.values()))


def _evict_oldest(connections: Connections) -> bool:
    while connections:
        oldest = connections.pop(next(iter(connections)))()
        if oldest is not None:
            oldest.evict()
            return True
    return False
