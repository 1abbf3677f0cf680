"""Pictures of a window of the headless host: pages by `tests/host/render.py`, PNGs of them by headless Chromium.

A browser draws letters as its version and the machine's fonts have it, so two PNGs of one page differ. Rule: whether a
picture is current is a question about its page. Each PNG carries the mark of the page that it was drawn from, as text
(PNG, third edition, section 11.3.3).
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import struct
import subprocess
import tempfile
import zlib
from typing import Iterator, List, Optional, Tuple

from . import browser

_SECONDS = 60
# Chromium must not look for hosts of its maker's; a test has no network beyond loopback.
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip
SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KEYWORD = b"Page\x00"


class NoBrowser(Exception):
    """There is no Chromium on this machine."""


def draw(page: str, path: str, size: Tuple[int, int], scale: int = 1) -> None:
    """Writes a PNG of a page to `path`, `scale` pixels for each of the page's, with its mark. Raises NoBrowser."""
    chromium = browser.chromium()
    if chromium is None:
        raise NoBrowser("no chromium on PATH")
    with tempfile.TemporaryDirectory(prefix="picture-") as folder:
        source = os.path.join(folder, "window.html")
        with open(source, "w", encoding="utf-8") as file:
            file.write(page)
        command = [chromium, *_QUIET, "--user-data-dir=" + os.path.join(folder, "profile")]
        command += ["--window-size={},{}".format(*size), f"--force-device-scale-factor={scale}"]
        command += ["--screenshot=" + path, "file://" + source]
        subprocess.run(command, check=True, timeout=_SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, "rb") as picture:
        data = picture.read()
    with open(path, "wb") as picture:
        picture.write(_marked(data, mark_of(page)))


def sheet(pages: List[str], size: Tuple[int, int]) -> str:
    """One page with these below each other, because a browser takes longer to start than to draw."""
    frame = '<iframe style="display: block; border: 0; width: {}px; height: {}px" srcdoc="{}"></iframe>'
    frames = "".join(frame.format(*size, html.escape(page)) for page in pages)
    return f'<!DOCTYPE html><html><body style="margin: 0">{frames}</body></html>'


def mark_of(page: str) -> str:
    """What tells a page from others that look different. Where links lead cannot be seen."""
    return hashlib.sha256(re.sub(r'href="[^"]*"', "", page).encode("utf-8")).hexdigest()


def mark_in(path: str) -> Optional[str]:
    """The mark of the page that the PNG at `path` was drawn from, or None."""
    with open(path, "rb") as file:
        data = file.read()
    for kind, body in chunks(data):
        if kind == b"tEXt" and body.startswith(_KEYWORD):
            return body[len(_KEYWORD) :].decode("ascii")
    return None


def chunks(data: bytes) -> Iterator[Tuple[bytes, bytes]]:
    """Kind and content of each part of a PNG."""
    place = len(SIGNATURE)
    while place + 8 <= len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        yield data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        place += 12 + length


def _marked(data: bytes, mark: str) -> bytes:
    """A PNG with a mark behind its header."""
    header = len(SIGNATURE) + 12 + 13
    return data[:header] + mark_chunk(mark) + data[header:]


def mark_chunk(mark: str) -> bytes:
    """The part of a PNG that holds a mark."""
    return chunk(b"tEXt", _KEYWORD + mark.encode("ascii"))


def chunk(kind: bytes, body: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
