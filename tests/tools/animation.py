"""A short film of pictures: an animated PNG (PNG, third edition, section 13), which pages show like any other picture.

Rule: a frame is a PNG that `pictures.draw` has made, taken as it is: all of one film have the same size and colors. A
film carries the mark of all its pages, so that a test can tell whether it shows what the host shows now.
"""

from __future__ import annotations

import hashlib
import html
import os
import struct
import tempfile
from typing import Iterator, List, NamedTuple, Sequence, Tuple

from . import pictures

CAPTION_HEIGHT = 44  # pixels, below each page
_PLAYS = 0  # for ever
_HEADER, _DATA = b"IHDR", b"IDAT"


class Frame(NamedTuple):
    """A page of the host, what is said below it, and how long it stays, in milliseconds."""

    page: str
    caption: str
    milliseconds: int


def draw(frames: Sequence[Frame], path: str, size: Tuple[int, int]) -> None:
    """Writes a film of these frames, whose pages have this size. Raises `pictures.NoBrowser`."""
    drawn: List[List[Tuple[bytes, bytes]]] = []
    with tempfile.TemporaryDirectory(prefix="film-") as folder:
        for number, frame in enumerate(frames):
            picture = os.path.join(folder, f"{number}.png")
            pictures.draw(_captioned(frame, size), picture, (size[0], size[1] + CAPTION_HEIGHT))
            with open(picture, "rb") as file:
                drawn.append(list(pictures.chunks(file.read())))
    header = dict(drawn[0])[_HEADER]
    if any(dict(parts)[_HEADER] != header for parts in drawn):
        raise ValueError("the pictures of a film have one size and one kind of colors")
    film = pictures.SIGNATURE + pictures.chunk(_HEADER, header) + pictures.mark_chunk(mark_of(frames))
    film += pictures.chunk(b"acTL", struct.pack(">II", len(frames), _PLAYS))
    with open(path, "wb") as file:
        file.write(film + b"".join(_frames(frames, drawn, header[:8])) + pictures.chunk(b"IEND", b""))


def mark_of(frames: Sequence[Frame]) -> str:
    """What tells a film from others that look different."""
    told = [f"{pictures.mark_of(frame.page)} {frame.milliseconds} {frame.caption}" for frame in frames]
    return hashlib.sha256("\n".join(told).encode("utf-8")).hexdigest()


def milliseconds_of(path: str) -> int:
    """How long the film at `path` takes."""
    with open(path, "rb") as file:
        controls = [body for kind, body in pictures.chunks(file.read()) if kind == b"fcTL"]
    return sum(1000 * over // under for over, under in (struct.unpack(">HH", body[20:24]) for body in controls))


_STYLE = f"""
    body, p {{ margin: 0; }}
    iframe {{ display: block; border: 0; width: WIDTHpx; height: HEIGHTpx; }}
    p {{ font: 20px/{CAPTION_HEIGHT}px sans-serif; text-align: center; background: #16191d; color: #e6e6e6; }}
"""


def _captioned(frame: Frame, size: Tuple[int, int]) -> str:
    style = _STYLE.replace("WIDTH", str(size[0])).replace("HEIGHT", str(size[1]))
    page = f'<iframe srcdoc="{html.escape(frame.page)}"></iframe><p>{html.escape(frame.caption)}</p>'
    return f"<!DOCTYPE html><html><style>{style}</style><body>{page}</body></html>"


def _frames(frames: Sequence[Frame], drawn: List[List[Tuple[bytes, bytes]]], size: bytes) -> Iterator[bytes]:
    sequence = 0
    for number, (frame, parts) in enumerate(zip(frames, drawn)):
        control = struct.pack(">I", sequence) + size + struct.pack(">IIHHBB", 0, 0, frame.milliseconds, 1000, 0, 0)
        yield pictures.chunk(b"fcTL", control)
        sequence += 1
        for data in (body for kind, body in parts if kind == _DATA):
            if not number:
                yield pictures.chunk(_DATA, data)
                continue
            yield pictures.chunk(b"fdAT", struct.pack(">I", sequence) + data)
            sequence += 1
