"""The socket that an endpoint listens on.

Rule: the event loop takes few connections from it at a time, so that those it has are read in between; the others wait
in the kernel, where they cost this process no descriptor.
"""

from __future__ import annotations

import os
import socket

BACKLOG = 128
"""Connections that may wait in the kernel."""
ACCEPTED_AT_ONCE = 8
"""In one turn of the loop, in which asyncio takes as many as it has been told the backlog is. The first bytes of a
connection are read two turns later."""


def listen(address: str, port: int) -> socket.socket:
    """A socket bound to the IPv4 address and the port, any free one for 0. Raises OSError if it is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            # On Windows it would let two processes have one port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setblocking(False)
        listening.bind((address, port))
    except BaseException:
        listening.close()
        raise
    return listening
