"""The frames that cross a remote's command, in both directions: pure, and the same source on both sides.

A frame is a head of nine bytes (the number of bytes behind it, its kind, the number of its stream) and a body. The
helper opens streams, each of them a connection of a program there. The editor asks questions: the answer to one is a
row of `DATA` and, behind it, an `ANSWER`, all with its number.

Rule: Python 3.6 and newer, the standard library alone, no import of the package: this is sent to machines that have
nothing else.
"""

import struct
from typing import List, Tuple

HEAD = struct.Struct(">IBI")
MOST_BYTES = 1 << 16
"""Of a body. What is longer is sent in several frames."""
MARK = b"\n\0companion helper\0\n"
"""What the helper writes before its first frame: a login shell may have printed something."""

OPEN, DATA, CLOSE, ASK, ANSWER, PING, PONG = range(1, 8)
QUESTIONS = 1 << 31
"""From here on the numbers of questions; streams have lower ones."""

Frame = Tuple[int, int, bytes]
"""Its kind, its stream, its body."""


class FrameError(ValueError):
    """What was received is no frame."""


def pack(kind: int, stream: int, body: bytes = b"") -> bytes:
    """The bytes of one frame."""
    return HEAD.pack(len(body), kind, stream) + body


class Frames:
    """Takes bytes as they come, and gives whole frames."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> List[Frame]:
        """The frames that are whole by now. Raises `FrameError`."""
        self._held += data
        found, place = [], 0  # type: List[Frame], int
        while len(self._held) - place >= HEAD.size:
            length, kind, stream = HEAD.unpack_from(self._held, place)
            if length > MOST_BYTES or not OPEN <= kind <= PONG:
                raise FrameError("a frame of kind %d with %d bytes" % (kind, length))
            end = place + HEAD.size + length
            if len(self._held) < end:
                break
            found.append((kind, stream, bytes(self._held[place + HEAD.size : end])))
            place = end
        del self._held[:place]
        return found
