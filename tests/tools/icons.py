"""Draws the signs that stand in the gutter beside changes: `python3 tests/tools/icons.py` writes them to `icons/`.

Each is white on nothing, so that the editor tints it with the colour of its scope, and comes in the three sizes that
the editor looks for: 16 pixels, twice that and three times that. A sign is a shape: whether a point of the plane
belongs to it, in units of 1/16 of its width, from the top left.

Rule: what a file shows is a question about its pixels (`pixels_of`): the same ones can be packed in several ways.
Standard library only. PNG, third edition, sections 5 and 11.
"""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path
from typing import Callable, Dict

FOLDER = Path(__file__).resolve().parents[2] / "icons"
SIZE = 16
SCALES = {"": 1, "@2x": 2, "@3x": 3}
_SAMPLES = 8  # of a pixel, in each direction
_SIGNATURE = b"\x89PNG\r\n\x1a\n"

Shape = Callable[[float, float], bool]


def _plus(x: float, y: float) -> bool:
    return _minus(x, y) or _minus(y, x)


def _minus(x: float, y: float) -> bool:
    return abs(x - 8) <= 5 and abs(y - 8) <= 1


def _tilde(x: float, y: float) -> bool:
    turn = (x - 3) / 10 * 2 * math.pi
    slope = -2 * math.cos(turn) * 2 * math.pi / 10
    return 3 <= x <= 13 and abs(y - (8 - 2 * math.sin(turn))) <= 1.1 * math.hypot(1, slope)


def _up_and_down(x: float, y: float) -> bool:
    from_tip = min(y, 16 - y) - 2
    return from_tip >= 0 and (abs(x - 8) <= 1 or (from_tip <= 4 and abs(x - 8) <= from_tip))


SHAPES: Dict[str, Shape] = {"added": _plus, "removed": _minus, "changed": _tilde, "moved": _up_and_down}


def pixels(shape: Shape, scale: int) -> bytes:
    """The rows of a sign, from the top: a filter byte, then red, green, blue and opacity of each pixel."""
    size, step = SIZE * scale, 1 / (scale * _SAMPLES)
    places = [(number + 0.5) * step for number in range(size * _SAMPLES)]
    rows = bytearray()
    for row in range(size):
        rows.append(0)
        for column in range(size):
            xs, ys = (places[at * _SAMPLES : (at + 1) * _SAMPLES] for at in (column, row))
            covered = sum(shape(x, y) for x in xs for y in ys)
            rows += bytes((255, 255, 255, round(255 * covered / _SAMPLES**2)))
    return bytes(rows)


def png(rows: bytes, size: int) -> bytes:
    """A picture of these rows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    return _SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def pixels_of(data: bytes) -> bytes:
    """The rows of a picture that `png` has made. Raises ValueError for others."""
    start, packed = data.find(b"IDAT"), data[data.find(b"IDAT") + 4 :]
    if not data.startswith(_SIGNATURE) or start < 0:
        raise ValueError("no picture of ours")
    (length,) = struct.unpack(">I", data[start - 4 : start])
    return zlib.decompress(packed[:length])


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name, shape in SHAPES.items():
        for suffix, scale in SCALES.items():
            (FOLDER / f"{name}{suffix}.png").write_bytes(png(pixels(shape, scale), SIZE * scale))


if __name__ == "__main__":
    main()
