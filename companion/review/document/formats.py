"""What a file or a proposed text holds, if that is nothing to be compared line by line: images, archives, binary data.

Rules:
* The first bytes decide, never the name. A format counts only where the content is no text that happens to begin so.
* Of a text only the beginning is looked at. It may be binary in itself (a program has put bytes into a string), or
  stand for something binary, as a data URL (RFC 2397) or in Base64 (RFC 4648, section 4).
* What is not known for sure is text: it is compared, and nobody is told that it is something else.

The editor is not known here. Any thread.
"""

from __future__ import annotations

import base64
import codecs
import re
import struct
from typing import Callable, List, NamedTuple, Optional, Tuple

HEAD = 1 << 16  # bytes that are enough for every size below
_SAMPLE = 8000  # characters, in which binary data shows itself
_UNREADABLE_SHARE, _FEWEST_UNREADABLE = 0.05, 8  # of them make a text one that nobody can read
_SHORTEST_BASE64 = 64  # characters; shorter ones may be a word
_UNREADABLE = re.compile("[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x9f]")  # ESC and what moves the place stand in logs
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[^;,\s]*)*(;base64)?,")
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n]+={0,2}\s*\Z")
_LOST = "\ufffd"  # what a program makes of a byte that it cannot decode

Dimensions = Tuple[int, int]


class Format(NamedTuple):
    """What something is, in words. `width` and `height` are pixels, 0 if not known; `binary` is not compared."""

    name: str
    binary: bool
    width: int = 0
    height: int = 0

    def with_size(self, size: int) -> str:
        """The same with its size in bytes, its measures in pixels between them."""
        parts = [self.name]
        if self.width and self.height:
            parts.append(f"{self.width}\u00a0\u00d7\u00a0{self.height}")
        parts.append("1\u00a0byte" if size == 1 else f"{size:,}\u00a0bytes")
        return ", ".join(parts)


TEXT = Format("text", False)
BINARY = Format("binary data", True)


def format_of_bytes(data: bytes) -> Format:
    """What a file holds that begins with `data`. Text in an encoding of its own may look binary: ask about it first."""
    found = _known(data[:HEAD])
    if b"\x00" in data:
        return found or BINARY
    if found is not None:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(data)  # it may end in the middle of a character
        except UnicodeDecodeError:
            return found
    return TEXT


def format_of_text(text: str) -> Format:
    """What a text holds, or stands for."""
    url = _DATA_URL.match(text)
    if url is not None:
        body = text[url.end() : HEAD].rstrip()
        if url.group(2) and not re.search(r"\s", body):
            known = _known(_from_base64(body))
            name = known.name if known is not None else url.group(1) or "binary data"
            return (known or BINARY)._replace(name=f"{name} as a data URL")
        return TEXT
    sample = text[:_SAMPLE]
    if len(sample) >= _SHORTEST_BASE64 and _BASE64.match(sample):
        known = _known(_from_base64(text))
        return known._replace(name=f"{known.name} in Base64") if known is not None else TEXT
    unreadable = len(_UNREADABLE.findall(sample))
    if not unreadable and _LOST not in sample:
        return TEXT
    known = _known_characters(text[:HEAD])
    if known is not None:
        return known
    enough = unreadable >= _FEWEST_UNREADABLE and unreadable > len(sample) * _UNREADABLE_SHARE
    return BINARY if enough else TEXT


def _from_base64(text: str) -> bytes:
    """The first bytes that `text` stands for; none if it stands for none."""
    head = re.sub(r"\s", "", text[: HEAD * 4 // 3])
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except ValueError:
        return b""


def _known_characters(text: str) -> Optional[Format]:
    """The format of bytes that stand in a text as characters, one each or decoded with losses."""
    try:
        return _known(text.encode("latin-1"))
    except UnicodeEncodeError:
        pass
    for kind in _KINDS:
        # Where bytes were lost nobody knows how many, so what lies behind the beginning has no fixed place.
        lost = "".join(chr(byte) if byte < 0x80 else _LOST for byte in kind.start)
        if not kind.place and text.startswith(lost) and lost.strip(_LOST):
            return Format(kind.name, True)
    return None


def _known(head: bytes) -> Optional[Format]:
    for kind in _KINDS:
        if head.startswith(kind.start, kind.place) and head.startswith(kind.container):
            width, height = kind.measure(head) or (0, 0)
            return Format(kind.name, True, width, height)
    return None


# -- the sizes of images ----------------------------------------------------------------------------------------------


def _no_size(head: bytes) -> Optional[Dimensions]:
    return None


def _numbers(head: bytes, place: int, layout: str) -> Optional[Dimensions]:
    """Two numbers that stand side by side; `layout` says how, as `struct` does."""
    if len(head) < place + struct.calcsize(layout):
        return None
    first, second = struct.unpack_from(layout, head, place)
    return first, second


def _png(head: bytes) -> Optional[Dimensions]:
    """PNG, third edition, section 11.2.1: the header comes first."""
    return _numbers(head, 16, ">II") if head[12:16] == b"IHDR" else None


def _gif(head: bytes) -> Optional[Dimensions]:
    """GIF89a, section 18: the logical screen."""
    return _numbers(head, 6, "<HH")


def _jpeg(head: bytes) -> Optional[Dimensions]:
    """ITU-T T.81, annex B.2: the frame's header stands behind segments of any length."""
    place = 2
    while place + 9 <= len(head) and head[place] == 0xFF:
        marker = head[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            found = _numbers(head, place + 5, ">HH")
            return (found[1], found[0]) if found is not None else None
        place += 2 + int.from_bytes(head[place + 2 : place + 4], "big")
    return None


def _webp(head: bytes) -> Optional[Dimensions]:
    """RFC 9649, sections 2.5 to 2.7: one of three headers."""
    if len(head) < 30:
        return None
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    found = _numbers(head, 26, "<HH")
    return (found[0] & 0x3FFF, found[1] & 0x3FFF) if found is not None else None


def _bmp(head: bytes) -> Optional[Dimensions]:
    """A picture that is stored from its top has a negative height."""
    found = _numbers(head, 18, "<ii")
    return (found[0], abs(found[1])) if found is not None else None


class _Kind(NamedTuple):
    """How a format is known: by `start` at `place`, in a `container` that is known by its own start."""

    name: str
    start: bytes
    measure: Callable[[bytes], Optional[Dimensions]] = _no_size
    place: int = 0
    container: bytes = b""


_KINDS: List[_Kind] = [
    _Kind("PNG image", b"\x89PNG\r\n\x1a\n", _png),
    _Kind("JPEG image", b"\xff\xd8\xff", _jpeg),
    _Kind("GIF image", b"GIF87a", _gif),
    _Kind("GIF image", b"GIF89a", _gif),
    _Kind("WebP image", b"WEBP", _webp, 8, b"RIFF"),
    _Kind("AVIF image", b"ftypavif", place=4),
    _Kind("HEIC image", b"ftypheic", place=4),
    _Kind("TIFF image", b"II*\x00"),
    _Kind("TIFF image", b"MM\x00*"),
    _Kind("icon", b"\x00\x00\x01\x00"),
    _Kind("BMP image", b"\x00\x00\x00\x00", _bmp, 6, b"BM"),
    _Kind("PDF document", b"%PDF-"),
    _Kind("ZIP archive", b"PK\x03\x04"),
    _Kind("gzip archive", b"\x1f\x8b\x08"),
    _Kind("xz archive", b"\xfd7zXZ\x00"),
    _Kind("Zstandard archive", b"\x28\xb5\x2f\xfd"),
    _Kind("7z archive", b"7z\xbc\xaf\x27\x1c"),
    _Kind("SQLite database", b"SQLite format 3\x00"),
    _Kind("WOFF font", b"wOFF"),
    _Kind("WOFF2 font", b"wOF2"),
    _Kind("TrueType font", b"\x00\x01\x00\x00\x00"),
    _Kind("OpenType font", b"OTTO\x00"),
    _Kind("WAVE sound", b"WAVE", place=8, container=b"RIFF"),
    _Kind("Ogg sound", b"OggS\x00"),
    _Kind("MP3 sound", b"ID3"),
    _Kind("MP4 video", b"ftyp", place=4),
    _Kind("WebAssembly module", b"\x00asm"),
    _Kind("ELF program", b"\x7fELF"),
    _Kind("Windows program", b"\x00\x00\x00", place=5, container=b"MZ"),
    _Kind("Java class", b"\xca\xfe\xba\xbe\x00"),
]
