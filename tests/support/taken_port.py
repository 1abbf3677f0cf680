"""A port that another program takes as soon as its owner has let go of it, which is a moment after its end."""

from __future__ import annotations

import socket
import time

SECONDS = 10.0


def take(port: int) -> socket.socket:
    """A socket that listens on the port. Raises OSError if the port is not free in time."""
    deadline = time.monotonic() + SECONDS
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
