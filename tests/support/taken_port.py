"""A port that another program takes as soon as its owner has let go of it, which is a moment after its end."""

from __future__ import annotations

import socket
import time

from ..host.waiting import NEVER_SECONDS


def take(port: int) -> socket.socket:
    """A socket that listens on the port. Raises OSError if the port never becomes free."""
    deadline = time.monotonic() + NEVER_SECONDS
    while True:
        taken = socket.socket()
        try:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(("127.0.0.1", port))
            taken.listen()
            return taken
        except OSError:
            taken.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
