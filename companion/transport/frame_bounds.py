"""The bounds of what comes on a WebSocket, checked before anything is kept.

Rule: a frame is judged by its head. aiohttp judges a message when all of it is there, and counts no frame without
content; until then whoever sends it decides how much memory it takes. It takes frames without a mask, too.
Implements RFC 6455, 5.1 (clients mask), 5.2 (the head of a frame) and 7.4.1 (close codes), as far as bounds need it.
Pure.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Optional

MOST_FRAMES = 4096
"""Frames that nobody has taken yet: fragments of a message, messages, pings."""
_FURTHER = {126: 2, 127: 8}  # in so many further bytes the length stands
_MASK_BYTES = 4
_LONGEST_HEAD = 14


class Breach(IntEnum):
    """Why a connection is ended: the close code."""

    NOT_MASKED = 1002
    TOO_BIG = 1009
    TRY_AGAIN_LATER = 1013


class FrameBounds:
    """What one connection has sent and nobody has taken yet."""

    def __init__(self, largest: int) -> None:
        """`largest`: bytes that one message may have."""
        self.held = 0
        """Bytes of messages that have begun to come, and nobody has taken."""
        self._largest = largest
        self._frames = 0
        self._head = b""
        self._to_come = 0  # bytes of the frame's content
        self._unmasked = False

    def taken(self) -> None:
        """A message was taken from the connection: the count begins anew."""
        self._frames = self.held = 0

    def feed(self, data: bytes) -> Optional[Breach]:
        """Count some bytes; why the connection has to end, or None."""
        start, end = 0, len(data)
        while True:
            if self._to_come:
                here = min(self._to_come, end - start)
                self._to_come -= here
                self.held += here
                start += here
                if self.held > self._largest:
                    return Breach.TOO_BIG
            if start >= end:
                return None
            start = self._read_head(data, start)
            if self._unmasked:
                return Breach.NOT_MASKED
            if self._to_come > self._largest or self._frames > MOST_FRAMES:
                return Breach.TOO_BIG

    def _read_head(self, data: bytes, start: int) -> int:
        """Take as much of a frame's head as is there; where it ends."""
        known = len(self._head)
        head = self._head + data[start : start + _LONGEST_HEAD - known]
        second = head[1] if len(head) > 1 else 0
        length, is_masked = second & 0x7F, bool(second & 0x80)
        further = _FURTHER.get(length, 0)
        size = 2 + further + (_MASK_BYTES if is_masked else 0)
        if len(head) < size:
            self._head = head
            return len(data)
        self._head = b""
        self._frames += 1
        self._to_come = int.from_bytes(head[2 : 2 + further], "big") if further else length
        self._unmasked = not is_masked
        return start + size - known
