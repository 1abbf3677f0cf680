"""Where a server listens.

Rule: plain values, for every thread.
"""

from __future__ import annotations

from typing import NamedTuple


class Address(NamedTuple):
    """Where a server listens: on a port, or on a socket in the file system (or a named pipe)."""

    port: int = 0
    socket: str = ""
